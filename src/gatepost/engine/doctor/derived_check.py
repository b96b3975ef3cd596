"""What follows from the log: the documents, their counts, their names, and what they are found by."""

from collections.abc import Iterator
from typing import Final

from gatepost.domain import places, terms
from gatepost.domain.nodes import Node
from gatepost.domain.steps import Step
from gatepost.domain.tallies import NONE, Tally
from gatepost.engine import derived_rows
from gatepost.engine.doctor.findings import DoctorFinding
from gatepost.engine.doctor.log_check import LogCheck, mark_of
from gatepost.engine.doctor.readable_tables import ReadableTables
from gatepost.engine.port import Tables

_SIXTY_FOUR: Final = (1 << 64) - 1


def altered(tables: ReadableTables, history: LogCheck, checked: dict[str, int]) -> Iterator[DoctorFinding]:
    """Each document is what its last image left. It can be mended if the log is whole from that image on."""
    ends = dict(history.ends)
    for place, text in tables.rows("documents"):
        checked["documents"] += 1
        end = ends.pop(place, None)
        if end is None:
            yield DoctorFinding("UNEXPLAINED_DOCUMENT", places.shown(place), "is stored, but no operation made it")
        elif end[0] != mark_of(text):
            yield _not_as_left(place, mendable=history.knows(place))
    for place, (mark, _) in ends.items():
        if mark is not None:
            yield _not_as_left(place, mendable=history.knows(place))


def _not_as_left(place: str, *, mendable: bool) -> DoctorFinding:
    return DoctorFinding("ALTERED_DOCUMENT", places.shown(place), "is not what its last operation left", mendable)


def miscounted(tables: ReadableTables, right: dict[str, Tally]) -> Iterator[DoctorFinding]:
    """Tallies are what the documents and the log add up to."""
    missing = {place for place, tally in right.items() if tally != NONE}
    for place, *counts in tables.rows("tallies"):
        missing.discard(place)
        held, wanted = Tally(*counts), right.get(place, NONE)
        if held.revision != wanted.revision:
            says = f"is at {held.revision}, but its history ends at {wanted.revision}"
            yield DoctorFinding("REVISION_DIFFERS", places.shown(place), says, mendable=True)
        elif held != wanted:
            says = "counts something else than its documents"
            yield DoctorFinding("MISCOUNTED", places.shown(place), says, mendable=True)
    for place in sorted(missing):
        yield DoctorFinding("MISCOUNTED", places.shown(place), "is not counted", mendable=True)


def misnamed(tables: ReadableTables) -> Iterator[DoctorFinding]:
    """Every step is found by its id."""
    for place, document in tables.documents():
        if isinstance(document, Step | Node) and tables.find(document.id) != place:
            yield DoctorFinding(
                "LOST_NAME", places.shown(place), f"{document.id} does not lead here", mendable=True
            )


def misindexed(tables: ReadableTables, right: dict[str, Tally], checked: dict[str, int]) -> Iterator[DoctorFinding]:
    """Every document is found by its terms, and by nothing else."""
    stored = wanted = 0
    for posting in tables.rows("terms"):
        checked["terms"] += 1
        stored = stored + hash(posting) & _SIXTY_FOUR
    for posting in postings(tables, right):
        wanted = wanted + hash(posting) & _SIXTY_FOUR
    if stored == wanted:  # as sets they are equal, and neither had to be kept
        return
    held = set(tables.rows("terms"))
    for term, place in postings(tables, right):
        if (term, place) in held:
            held.remove((term, place))
        else:
            yield DoctorFinding("NOT_INDEXED", places.shown(place), f"is not found by {term}", mendable=True)
    for term, place in sorted(held):
        yield DoctorFinding("STALE_INDEX", places.shown(place), f"is found by {term}, wrongly", mendable=True)


def postings(tables: Tables, right: dict[str, Tally]) -> Iterator[tuple[str, str]]:
    """The terms that every document is found by."""
    for place, document in derived_rows.all_documents(tables):
        for term in terms.of(document, right.get(place, NONE)):
            yield term, place
