"""A durable session: who holds it, and where its newest state is. Its events are kept beside the log."""

from collections.abc import Callable
from typing import Final

from gatepost.domain.refusals import SessionHeld
from gatepost.domain.value import Value

MOST_CHARS: Final = 65_536
"""Of one entry, and of one piece of a state."""
MOST_ENTRIES: Final = 100
MOST_PIECES: Final = 512


class SessionJournal(Value, frozen=True, kw_only=True, tag="journal", tag_field="kind"):
    """`holder` is a name that the holding program chose for itself; `process` is where it runs, if that is known.

    `state` is the `seq` that the pieces of the newest state are kept under; 0 before there is one.
    """

    holder: str | None = None
    process: str | None = None
    state: int = 0


def check_holder(name: str, journal: SessionJournal, holder: str) -> None:
    """Refuse a writer that does not hold the session."""
    if journal.holder != holder:
        raise SessionHeld(name, journal.process if journal.holder else None, lost=True)


def check_free(name: str, journal: SessionJournal, holder: str, ended: Callable[[str], bool]) -> None:
    """Refuse to open a session that somebody else holds and that lives, as far as that can be known."""
    if journal.holder in (None, holder) or (journal.process is not None and ended(journal.process)):
        return
    raise SessionHeld(name, journal.process)
