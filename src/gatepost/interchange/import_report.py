"""What an import did, and what it could not keep."""

from msgspec import Struct

from gatepost.interchange.items import Loss


class Refused(Struct, frozen=True):
    """An item that a call refused, and why."""

    key: str
    code: str
    message: str


class ImportReport(Struct, kw_only=True):
    """What an import added, what was there already, and what is not as it was in the source."""

    source: str
    label: str
    files: tuple[str, ...] = ()
    dry_run: bool = False
    plans: int = 0
    tasks: int = 0
    steps: int = 0
    known: int = 0
    """Plans and tasks of the source that the workspace has already."""
    added_steps: int = 0
    """Steps that were new in tasks which the workspace has already."""
    completed: int = 0
    """Tasks and plans that are done on the source's word alone."""
    closed: int = 0
    """Steps that are closed on the source's word alone."""
    left_open: int = 0
    """Steps that the source calls done, and that are open here."""
    differs: list[str] = []
    """Tasks that the source calls done, and that were imported earlier and are open here."""
    refused: list[Refused] = []
    losses: list[Loss] = []
