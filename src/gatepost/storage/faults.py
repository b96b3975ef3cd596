"""Store faults: each has one code, one wording and one HTTP status, the same on every surface."""

from gatepost.domain.refusals import StoreFault

_CHECK_LOCATION = "Nothing was changed in it. Check --store, GATEPOST_STORE and gatepost.toml."


class StoreFull(StoreFault):
    """The disk that holds the store is full. Nothing was changed."""

    code = "STORE_FULL"
    status = 507

    def __init__(self, path: str) -> None:
        super().__init__(
            f"The disk is full: {path} has no room to grow. Nothing was changed.",
            "Free some space on that disk, then send the same call again.",
        )


class StoreUnreachable(StoreFault):
    """The store cannot be opened, read or written: no permission, no such folder, a failing disk."""

    code = "STORE_UNREACHABLE"

    def __init__(self, path: str, why: str, recovery: str | None = None) -> None:
        super().__init__(
            f"{path} cannot be used: {why}.",
            recovery or "Check that the disk is mounted and that you may read and write the file and its folder.",
        )


class StoreReadOnly(StoreFault):
    """The store can be read but not written: its disk is read-only, or you may not write the file."""

    code = "STORE_READ_ONLY"

    def __init__(self, path: str, why: str = "you can read it but not change it") -> None:
        super().__init__(
            f"{path} is read-only: {why}.",
            "Make the disk, the folder and the file writable, or copy it with `gatepost backup` and use the copy.",
        )


class StoreDamaged(StoreFault):
    """The store's file is damaged."""

    code = "STORE_DAMAGED"

    def __init__(self, path: str, why: str) -> None:
        super().__init__(
            f"{path} is damaged: {why}.",
            "Run `gatepost doctor` to see what can be saved, or restore a backup:"
            " `gatepost restore FILE --replace` keeps the damaged file next to it.",
        )


class StoreNewer(StoreFault):
    """A later version of Gatepost wrote the store."""

    code = "STORE_NEWER"

    def __init__(self, path: str, found: int, known: int) -> None:
        super().__init__(
            f"{path} was written by a later version of Gatepost:"
            f" it has schema {found}; this version knows {known}.",
            "Update Gatepost, then try again. Nothing was changed in the store.",
        )


class NotAStore(StoreFault):
    """The file is not a Gatepost store."""

    code = "NOT_A_STORE"

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{path} is not a Gatepost store: {why}.", _CHECK_LOCATION)
