"""The doctor: does the store hold what its own history says, and is everything derived as it should be?

It folds the images into documents and compares. Tables are read in key order, and only what is counted is kept
in memory, never the documents. Mending also holds the postings.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from gatepost.domain import places, terms
from gatepost.domain.nodes import Node
from gatepost.domain.refusals import DiskRefused
from gatepost.domain.steps import Step
from gatepost.domain.tallies import NONE, Tally
from gatepost.domain.taskdocs import NAME
from gatepost.engine import chain, faces, recount, search, truth
from gatepost.engine.caller import Caller
from gatepost.engine.packages import Package, Packages
from gatepost.engine.port import LOG, Changes, Snapshot, Store
from gatepost.engine.reader import Reader


class Finding(NamedTuple):
    """Something that is not as it should be. What is derived can be mended; what was said cannot."""

    code: str
    where: str
    says: str
    mendable: bool = False


class Report(NamedTuple):
    """What was checked in a workspace, and what was found."""

    workspace: str
    checked: dict[str, int]
    findings: list[Finding]


def examine(store: Store, workspace: str, packages: Packages | None = None) -> Report:
    """Check a workspace whole, on one snapshot; and the packages of its taskdocs, where they are."""
    with store.reading(workspace) as snapshot:
        checked = dict.fromkeys(("documents", "events", "operations", "terms"), 0)
        findings = [
            *_fold(snapshot, checked),
            *_log(snapshot, checked),
            *_revisions(snapshot),
            *_names(snapshot),
            *_counts(snapshot),
            *_index(snapshot, checked),
            *(Finding(*untrue) for untrue in truth.untrue(snapshot)),
            *_chain(snapshot, workspace),
            *(Finding("SEARCH_DIFFERS", *found, mendable=True) for found in search.wrong(snapshot)),
        ]
    return Report(workspace, checked, [*findings, *_packages(store, workspace, packages)])


def _chain(snapshot: Snapshot, workspace: str) -> Iterator[Finding]:
    """Each operation's hash is that of its rows and of the hash before; the last is the workspace's."""
    end = ""
    log = chain.Log(*(snapshot.rows(table) for table in LOG))
    for record in chain.records(log):
        operation = record.operation
        if operation.hash != chain.hashed(workspace, end, record):
            says = "its rows, or the hash before it, are not those that were committed"
            yield Finding("BROKEN_CHAIN", f"operation {operation.operation}", says)
        end = operation.hash
    if end != snapshot.head().hash:
        yield Finding("BROKEN_CHAIN", "the end of the log", "is not the one that the workspace holds")


def _packages(store: Store, workspace: str, packages: Packages | None) -> list[Finding]:
    """What is amiss with packages. Looked at before the snapshot, which must be able to explain what was seen."""
    if packages is None:
        return []
    looks: dict[str, Package | None] = {}
    found: list[Finding] = []
    for name in packages.names():
        try:
            looks[name] = packages.look(name)
        except DiskRefused as refused:
            found.append(Finding("PACKAGE_UNREADABLE", packages.path(name), refused.message))
    with store.reading(workspace) as snapshot:
        reader = Reader(workspace, snapshot, store, Caller("doctor"), packages=packages)
        reader.looks.update(looks)
        return [
            *found,
            *(finding for name, package in looks.items() for finding in _package(reader, name, package)),
        ]


def _package(reader: Reader, name: str, package: Package | None) -> Iterator[Finding]:
    path = f"tasks/{name}.tsk" if reader.packages is None else reader.packages.path(name)
    if package is not None and reader.at(places.named(places.TASKDOC, name)) is None:
        if package.workspace in (None, reader.workspace) and re.match(NAME, name):
            yield Finding("PACKAGE_UNKNOWN", path, f"is no taskdoc's: gatepost taskdoc adopt {name} takes it")
        return
    for selector in faces.edits(reader, name):
        says = "was edited from outside: gatepost taskdoc adopt or restore settles it"
        yield Finding("PACKAGE_EDITED", f"{path}/{selector}.md", says)


def mend(store: Store, workspace: str) -> int:
    """Count and index anew what follows from the documents. Answers how many rows were wrong."""
    with store.writing(workspace) as transaction:
        wrong = recount.mending(transaction)
        if any(wrong):
            transaction.apply(Changes(transaction.head(), (), *wrong))
        lost = sum(1 for _ in search.wrong(transaction))
        if lost:
            search.refill(transaction)
        if any(wrong) or lost:
            transaction.commit()
        return len(wrong.tallies) + len(wrong.terms_gone) + len(wrong.terms_new) + lost


def _fold(snapshot: Snapshot, checked: dict[str, int]) -> Iterator[Finding]:
    """Each document's images form a chain that ends in the document."""
    ends: dict[str, int | None] = {}
    for place, operation, was, becomes in snapshot.rows("images"):
        if _mark(was) != ends.get(place):
            says = f"operation {operation} does not continue the one before it"
            yield Finding("TORN_HISTORY", places.shown(place), says)
        ends[place] = _mark(becomes)
    for place, text in snapshot.rows("documents"):
        checked["documents"] += 1
        if place not in ends:
            yield Finding("UNEXPLAINED_DOCUMENT", places.shown(place), "is stored, but no operation made it")
        elif _mark(text) != ends.pop(place):
            yield Finding("ALTERED_DOCUMENT", places.shown(place), "is not what its last operation left")
    for place, end in ends.items():
        if end is not None:
            yield Finding("ALTERED_DOCUMENT", places.shown(place), "is not what its last operation left")


def _mark(text: str | None) -> int | None:
    """What stands for a text while it is compared: keeping all of them would take as much memory as the store."""
    return None if text is None else hash(text)


def _log(snapshot: Snapshot, checked: dict[str, int]) -> Iterator[Finding]:
    """`seq` has no gaps, and operations tile it."""
    last = 0
    for seq, *_ in snapshot.rows("events"):
        checked["events"] += 1
        if seq != last + 1:
            yield Finding("SEQ_GAP", f"seq {seq}", f"follows {last}")
        last = seq
    if last != snapshot.head().seq:
        yield Finding(
            "SEQ_HEAD", f"seq {last}", f"is the last event, but the workspace counts {snapshot.head().seq}"
        )
    end = 0
    for operation, last_seq, *_ in snapshot.rows("operations"):
        checked["operations"] += 1
        if operation != end + 1 or last_seq < operation:
            yield Finding("OPERATION_GAP", f"operation {operation}", f"follows one that ended at {end}")
        end = last_seq
    if end != last:
        yield Finding("OPERATION_GAP", f"seq {end}", f"is where operations end, but events end at {last}")


def _revisions(snapshot: Snapshot) -> Iterator[Finding]:
    """Revisions rise by one, and the last is the one that counts."""
    last: dict[str, int] = {}
    for place, operation, revision in snapshot.rows("touches"):
        if revision != last.get(place, 0) + 1:
            yield Finding("REVISION_GAP", places.shown(place), f"operation {operation} gave revision {revision}")
        last[place] = revision
    for place, revision in _held_revisions(snapshot, last):
        if revision != last.get(place, 0):
            yield Finding(
                "REVISION_DIFFERS",
                places.shown(place),
                f"is at {revision}, but its history ends at {last.get(place, 0)}",
            )


def _held_revisions(snapshot: Snapshot, touched: dict[str, int]) -> Iterator[tuple[str, int]]:
    """The revision that every place has, also where its tally was lost."""
    lost = set(touched)
    for place, revision, *_ in snapshot.rows("tallies"):
        lost.discard(place)
        yield place, revision
    yield from ((place, 0) for place in sorted(lost))


def _names(snapshot: Snapshot) -> Iterator[Finding]:
    """Every step is found by its id."""
    for place, document in recount.all_documents(snapshot):
        if isinstance(document, Step | Node) and snapshot.find(document.id) != place:
            yield Finding("LOST_NAME", places.shown(place), f"{document.id} does not lead here")


def _counts(snapshot: Snapshot) -> Iterator[Finding]:
    """Tallies are what the documents add up to."""
    right = recount.counted(snapshot)
    for place, *counts in snapshot.rows("tallies"):
        if Tally(*counts) != right.pop(place, NONE):
            yield Finding(
                "MISCOUNTED", places.shown(place), "counts something else than its documents", mendable=True
            )
    for place, tally in right.items():
        if tally != NONE:
            yield Finding("MISCOUNTED", places.shown(place), "is not counted", mendable=True)


def _index(snapshot: Snapshot, checked: dict[str, int]) -> Iterator[Finding]:
    """Every document is found by its terms, and by nothing else."""
    right = recount.counted(snapshot)
    found = 0
    for place, document in recount.all_documents(snapshot):
        for term in terms.of(document, right.get(place, NONE)):
            if snapshot.postings(((term,),), place, place + "\0", 1) == [place]:
                found += 1
            else:
                yield Finding("NOT_INDEXED", places.shown(place), f"is not found by {term}", mendable=True)
    for _ in snapshot.rows("terms"):
        checked["terms"] += 1
    if checked["terms"] > found:
        extra = checked["terms"] - found
        yield Finding("STALE_INDEX", "terms", f"{extra} lead nowhere", mendable=True)
