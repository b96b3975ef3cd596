"""What storage answer."""

from typing import Any

from gatepost.replies.reply import Reply


class StorageReply(Reply, frozen=True, kw_only=True):
    """The store, and what it holds of this workspace."""

    store: dict[str, Any]
    namespaces: list[str]
    namespaces_total: int
    holds: dict[str, int]
