"""A durable session: who holds it, and where its newest state is. Its events are kept next to the log."""

from collections.abc import Callable
from typing import Final

from gatepost.domain.refusals import SessionHeld
from gatepost.domain.value import Value

MOST_CHARS: Final = 65_536
"""The limit for one entry, and for one piece of a state."""
MOST_ENTRIES: Final = 100
MOST_PIECES: Final = 512


class SessionJournal(Value, frozen=True, kw_only=True, tag="journal", tag_field="kind"):
    """`holder` is a name chosen by the holding program; `process` is where it runs, if known.

    `state` is the `seq` of the newest state's pieces; 0 before there is one.
    """

    holder: str | None = None
    process: str | None = None
    state: int = 0


def check_holder(name: str, journal: SessionJournal, holder: str) -> None:
    """Refuse a writer that does not hold the session."""
    if journal.holder != holder:
        raise SessionHeld(name, journal.process if journal.holder else None, lost=True)


def check_free(name: str, journal: SessionJournal, holder: str, ended: Callable[[str], bool]) -> None:
    """Refuse to open a session that another program holds, unless that program is known to have ended."""
    if journal.holder in (None, holder) or (journal.process is not None and ended(journal.process)):
        return
    raise SessionHeld(name, journal.process)
