"""Check a workspace or a whole store."""

from collections.abc import Iterable, Iterator
from typing import Final

from gatepost.domain import invariants, places
from gatepost.domain.tallies import NONE, Tally
from gatepost.engine import derived_rows, search
from gatepost.engine.doctor import derived_check, image_repair, packages_check
from gatepost.engine.doctor.findings import Checkup, DoctorFinding, DoctorReport
from gatepost.engine.doctor.log_check import LogCheck
from gatepost.engine.doctor.readable_tables import UNFINISHED, ReadableTables
from gatepost.engine.packages import Packages
from gatepost.engine.port import Store, Tables

_NO_DOCUMENTS: Final = ("UNREADABLE", UNFINISHED)
_MASK: Final = "[masked]"
_MAY_BE_LOST: Final = f"contains {_MASK}, which an earlier version may have written over another text"


def check_store(store: Store, packages: Packages | None = None, workspaces: Iterable[str] | None = None) -> Checkup:
    """Check a store's file and its workspaces (or some of them) in one consistent view."""
    with store.inspecting() as inspection:
        unique = dict.fromkeys((defect.code, defect.where, defect.says) for defect in inspection.defects())
        defects = [DoctorFinding(code, where, says, mendable=True) for code, where, says in unique]
        names = inspection.workspaces() if workspaces is None else list(workspaces)
        reports = [check_tables(name, inspection.tables(name)) for name in names]
    if defects:
        return Checkup(defects, reports)
    return Checkup([], [_with_packages(report, store, packages) for report in reports])


def examine(store: Store, workspace: str, packages: Packages | None = None) -> DoctorReport:
    """Check one workspace, and the packages of its taskdocs. Does not check the file."""
    with store.inspecting() as inspection:
        report = check_tables(workspace, inspection.tables(workspace))
    return _with_packages(report, store, packages)


def check_tables(workspace: str, held: Tables) -> DoctorReport:
    """Check everything stored for a workspace."""
    tables = ReadableTables(workspace, held)
    checked = dict.fromkeys(("documents", "events", "operations", "terms"), 0)
    history = LogCheck(tables)
    found = list(history.findings())
    provable = {f"operation {operation}" for operation, _ in image_repair.repaired_images(tables, history)}
    found = [finding._replace(mendable=finding.mendable or finding.where in provable) for finding in found]
    checked |= history.checked
    if any(finding.code == UNFINISHED for finding in tables.findings):
        return _unfinished(tables, found, checked)
    right = derived_rows.counted(tables)
    found += [
        *derived_check.altered(tables, history, checked),
        *derived_check.misnamed(tables),
        *derived_check.miscounted(tables, right),
        *derived_check.misindexed(tables, right, checked),
        *_broken_invariants(tables, right),
        *(DoctorFinding("SEARCH_DIFFERS", *differs, mendable=True) for differs in search.wrong(tables)),
    ]
    notes = [DoctorFinding("MASKED_TEXT", *text) for text in _masked_texts(tables)]
    head = tables.head()
    unique = dict.fromkeys([*tables.findings, *found])
    return DoctorReport(workspace, checked, list(unique), {"seq": head.seq, "hash": head.hash}, notes)


def check_log(workspace: str, held: Tables) -> list[DoctorFinding]:
    """Check the log, its names and its counters, and that every row can be read; not what is derived from them."""
    tables = ReadableTables(workspace, held)
    found = list(LogCheck(tables).findings())
    return list(dict.fromkeys([*tables.findings, *found]))


def _unfinished(tables: ReadableTables, found: list[DoctorFinding], checked: dict[str, int]) -> DoctorReport:
    """A workspace that is not imported completely. What follows from the log comes with the rest of it."""
    unique = dict.fromkeys([*tables.findings, *(finding for finding in found if not finding.mendable)])
    head = tables.head()
    return DoctorReport(tables.workspace, checked, list(unique), {"seq": head.seq, "hash": head.hash})


def _broken_invariants(tables: Tables, right: dict[str, Tally]) -> Iterator[DoctorFinding]:
    """Everything that is done but must not be, judged by the recounted tallies."""
    for place, document in derived_rows.all_documents(tables):
        for breach in invariants.breaches(document, right.get(place, NONE)):
            yield DoctorFinding(breach.code, places.shown(place), breach.says)


def _masked_texts(tables: Tables) -> Iterator[tuple[str, str]]:
    """Texts that an earlier version may have damaged by masking, with advice. Rewritten documents are left out."""
    documents = set()
    for source, place, seq in tables.rows("masked_texts"):
        if source == "documents":
            documents.add(place)
        elif source == "events":
            yield f"event {seq}", f"{_MAY_BE_LOST}; events are never changed"
        else:
            yield f"evidence of event {seq}, {places.shown(place)}", f"{_MAY_BE_LOST}; evidence is never changed"
    for place, text in tables.rows("documents") if documents else ():
        if place in documents and _MASK in text:
            yield places.shown(place), f"{_MAY_BE_LOST}; check it and write the right text"


def _with_packages(report: DoctorReport, store: Store, packages: Packages | None) -> DoctorReport:
    """Packages are compared with the documents. If those are unreadable, there is nothing to compare."""
    if packages is None or any(finding.code.startswith(_NO_DOCUMENTS) for finding in report.findings):
        return report
    return report._replace(findings=[*report.findings, *packages_check.findings(store, report.workspace, packages)])
