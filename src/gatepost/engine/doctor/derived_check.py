"""Check what is derived from the log: documents, tallies, names and terms."""

from collections.abc import Iterator
from typing import Final

from gatepost.domain import places
from gatepost.domain.nodes import Node
from gatepost.domain.steps import Step
from gatepost.domain.tallies import NONE, Tally
from gatepost.engine import derived_rows
from gatepost.engine.doctor.findings import DoctorFinding
from gatepost.engine.doctor.log_check import LogCheck, mark_of
from gatepost.engine.doctor.readable_tables import ReadableTables

_SIXTY_FOUR: Final = (1 << 64) - 1


def altered(tables: ReadableTables, history: LogCheck, checked: dict[str, int]) -> Iterator[DoctorFinding]:
    """Check that each document matches its last image. Repairable if the log is intact from that image on."""
    ends = dict(history.ends)
    for place, text in tables.rows("documents"):
        checked["documents"] += 1
        end = ends.pop(place, None)
        if end is None:
            yield DoctorFinding(
                "UNEXPLAINED_DOCUMENT", places.shown(place), "is stored, but no operation created it"
            )
        elif end[0] != mark_of(text):
            yield _not_as_left(place, mendable=history.knows(place))
    for place, (mark, _) in ends.items():
        if mark is not None:
            yield _not_as_left(place, mendable=history.knows(place))


def _not_as_left(place: str, *, mendable: bool) -> DoctorFinding:
    return DoctorFinding(
        "ALTERED_DOCUMENT", places.shown(place), "differs from what its last operation wrote", mendable
    )


def miscounted(tables: ReadableTables, right: dict[str, Tally]) -> Iterator[DoctorFinding]:
    """Check that tallies match the documents and the log."""
    missing = {place for place, tally in right.items() if tally != NONE}
    for place, *counts in tables.rows("tallies"):
        missing.discard(place)
        held, wanted = Tally(*counts), right.get(place, NONE)
        if held.revision != wanted.revision:
            says = f"is at {held.revision}, but its history ends at {wanted.revision}"
            yield DoctorFinding("REVISION_DIFFERS", places.shown(place), says, mendable=True)
        elif held != wanted:
            says = "does not match its documents"
            yield DoctorFinding("MISCOUNTED", places.shown(place), says, mendable=True)
    for place in sorted(missing):
        yield DoctorFinding("MISCOUNTED", places.shown(place), "is not counted", mendable=True)


def misnamed(tables: ReadableTables) -> Iterator[DoctorFinding]:
    """Check that every step is found by its id."""
    for place, document in derived_rows.all_documents(tables):
        if isinstance(document, Step | Node) and tables.find(document.id) != place:
            yield DoctorFinding(
                "LOST_NAME", places.shown(place), f"{document.id} does not lead here", mendable=True
            )


def misindexed(tables: ReadableTables, right: dict[str, Tally], checked: dict[str, int]) -> Iterator[DoctorFinding]:
    """Check that every document is found by its terms, and by no others."""
    stored = wanted = 0
    for posting in tables.rows("terms"):
        checked["terms"] += 1
        stored = stored + hash(posting) & _SIXTY_FOUR
    for posting in derived_rows.postings(tables, right):
        wanted = wanted + hash(posting) & _SIXTY_FOUR
    if stored == wanted:  # equal as sets, so neither had to be kept
        return
    held = set(tables.rows("terms"))
    for term, place in derived_rows.postings(tables, right):
        if (term, place) in held:
            held.remove((term, place))
        else:
            yield DoctorFinding("NOT_INDEXED", places.shown(place), f"is not found by {term}", mendable=True)
    for term, place in sorted(held):
        yield DoctorFinding("STALE_INDEX", places.shown(place), f"is wrongly found by {term}", mendable=True)
