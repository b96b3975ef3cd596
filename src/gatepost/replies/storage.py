"""The reply about the store."""

from gatepost.replies.reply import Part, Reply


class StoreInfo(Part, frozen=True, kw_only=True):
    """What kind of store it is, and where."""

    kind: str
    path: str | None = None
    address: str | None = None
    schema: str | None = None
    synchronous: str | None = None
    engine: str | None = None


class Holdings(Part, frozen=True, kw_only=True):
    """How much the store holds of this workspace; `seq` is the number of the last event."""

    seq: int
    plans: int
    tasks: int
    steps: int


class StorageReply(Reply, frozen=True, kw_only=True):
    """The store, its workspaces, and how much it holds of this one."""

    store: StoreInfo
    namespaces: tuple[str, ...]
    namespaces_total: int
    holds: Holdings
