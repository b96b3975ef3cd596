"""Write a store again from its readable rows, and derive everything that follows from the log.

The log is copied unchanged, including its hashes: a repair never makes a broken chain look whole.
"""

from collections.abc import Iterator
from itertools import starmap
from typing import Any, Final, NamedTuple

from msgspec.structs import astuple, replace

from gatepost.domain import names, places
from gatepost.domain.nodes import Node
from gatepost.domain.steps import Step
from gatepost.engine import derivation
from gatepost.engine.doctor import image_repair
from gatepost.engine.doctor.checkup import check_store
from gatepost.engine.doctor.findings import Checkup, DoctorFinding
from gatepost.engine.doctor.log_check import LogCheck, decoded
from gatepost.engine.doctor.readable_tables import ReadableTables
from gatepost.engine.port import Store, StoreTransaction
from gatepost.engine.rows import ArtifactRow, EventRow, Head, ImageRow, OperationRow, Table, in_log_order

_SPARSE: Final = 100
"""Step numbers are dense. One far above the count is not a number but an altered id."""
_PLACES_FIRST: Final[tuple[Table, ...]] = ("touches", "images", "documents")
_COPIED: Final[tuple[Table, ...]] = ("touches", "masked_texts")
_COPIED_AS: Final[dict[Table, type]] = {"events": EventRow, "images": ImageRow, "artifacts": ArtifactRow}
_SAVED: Final[tuple[Table, ...]] = ("documents", "events")
_DERIVED: Final[tuple[Table, ...]] = ("documents", "names")
_LOST: Final = ("UNREADABLE_ROW", "UNREADABLE_TABLE", "ORPHANED_ROWS")


class Repair(NamedTuple):
    """The findings before, where the old store is kept, what was lost, and the findings left."""

    before: Checkup
    after: Checkup
    kept: str | None
    lost: list[DoctorFinding]
    foreign: list[str]
    """What others put into the store. Nothing is repaired until somebody allows removing it."""


def repair(store: Store, *, remove_foreign: bool = False) -> Repair:
    """Write a store again if that fixes something. The old one is kept."""
    before = check_store(store)
    with store.inspecting() as inspection:
        foreign = [defect.where for defect in inspection.defects() if defect.foreign]
    helps = any(finding.mendable or finding.code in _LOST for finding in before.findings)
    if not helps or (foreign and not remove_foreign):
        return Repair(before, before, None, [], [] if remove_foreign else foreign)
    lost = [finding for finding in before.store if finding.code in _LOST]
    saved = False
    with store.rebuilding() as rebuilding:
        for workspace in rebuilding.old.workspaces():
            old = ReadableTables(workspace, rebuilding.old.tables(workspace))
            saved = _rebuild(old, rebuilding.new) or saved
            lost += [finding for finding in old.findings if finding.code in _LOST]
        # An empty store in place of an unreadable one would look as if all was well.
        kept = rebuilding.finish() if saved else None
    after = check_store(store)
    return Repair(before, after, kept, lost if after.findings else _without_derived(lost), [])


def _without_derived(lost: list[DoctorFinding]) -> list[DoctorFinding]:
    """What is lost of the log. Documents and names do not count: they are derived again."""
    return [finding for finding in lost if finding.where.partition(" ")[0] not in _DERIVED]


def _rebuild(old: ReadableTables, new: Store) -> bool:
    """Write a workspace again. Returns whether anything of it was readable."""
    history = _walked(old)
    old.heal({key: astuple(image) for key, image in image_repair.repaired_images(old, history).items()})
    history = _walked(old)
    with new.writing(old.workspace) as transaction:
        known = _known_names(old)
        head = _head(old, known)
        _copy_log(old, history, transaction, head)
        derivation.write_pages(transaction, head, documents=_documents(old, history), names=sorted(known.items()))
        derivation.derive(transaction, head)
        saved = any(next(transaction.rows(table), None) for table in _SAVED)
        transaction.commit()
    return saved


def _walked(old: ReadableTables) -> LogCheck:
    history = LogCheck(old)
    for _ in history.findings():
        pass  # what is left of them is found again in the new store
    return history


def _copy_log(old: ReadableTables, history: LogCheck, transaction: StoreTransaction, head: Head) -> None:
    """Copy the log. Only whether an operation is undone is derived from the others."""
    undone = history.undone()
    operations = (replace(OperationRow(*row), undone_by=undone.get(row[0])) for row in _once(old, "operations"))
    rows: dict[str, Iterator[Any]] = {table: starmap(kind, _once(old, table)) for table, kind in _COPIED_AS.items()}
    derivation.write_pages(
        transaction, head, past=operations, **rows, **{table: _once(old, table) for table in _COPIED}
    )


def _documents(old: ReadableTables, history: LogCheck) -> Iterator[tuple[str, str]]:
    """Each document as its last image left it, or as stored where the log is broken after that image."""
    stored: set[str] = set()
    for place, text in old.rows("documents"):
        if not history.knows(place):
            stored.add(place)
            yield place, text
    for place, operation, _, after in _once(old, "images"):
        is_last = history.ends.get(place, (None, 0))[1] == operation
        wanted = history.knows(place) or old.is_damaged("documents")
        if is_last and wanted and place not in stored and after is not None and decoded(after) is not None:
            yield place, after


def _known_names(old: ReadableTables) -> dict[str, str]:
    """Every id and its place, from the images or else as stored."""
    found: dict[str, str] = {}
    for place, _, _, after in old.rows("images"):
        made = decoded(after) if after is not None and places.depth(place) else None
        if isinstance(made, Step | Node):
            found[made.id] = place
    taken = set(found.values())
    for name, place in old.rows("names"):
        if name not in found and place not in taken and names.node_number(old.workspace, name) <= old.head().nodes:
            found[name] = place
    return found


def _head(old: ReadableTables, known: dict[str, str]) -> Head:
    """The counters, never lower than any number already used, so that none is used twice."""
    head = old.head()
    highest = {places.PLAN: 0, places.TASK: 0}
    for table in _PLACES_FIRST:
        for row in old.rows(table):
            kind, number = row[0][0], row[0].partition(".")[0][2:]
            if kind in highest:
                highest[kind] = max(highest[kind], int(number))
    numbers = (names.node_number(old.workspace, name) for name in known)
    return replace(
        head,
        seq=max([head.seq, *(row[0] for row in old.rows("events"))]),
        plans=highest[places.PLAN],
        tasks=highest[places.TASK],
        nodes=max([len(known), *(number for number in numbers if number <= _SPARSE * len(known))]),
    )


def _once(old: ReadableTables, table: Table) -> Iterator[tuple[Any, ...]]:
    """The rows of a table, each key once: a damaged page may show some twice. Hashes save memory."""
    seen: set[int] = set()
    for row in old.rows(table):
        key = hash(in_log_order(table, row))
        if key not in seen:
            seen.add(key)
            yield row
