"""The packages of taskdocs on disk: what is amiss with them, and those that are no taskdoc's."""

import re
from collections.abc import Iterator

from gatepost.domain import places, terms
from gatepost.domain.refusals import DiskRefused
from gatepost.domain.taskdocs import NAME
from gatepost.engine import package_findings
from gatepost.engine.caller import Caller
from gatepost.engine.doctor.findings import Finding
from gatepost.engine.packages import Look, Looks, Package, Packages, look_at
from gatepost.engine.port import Store
from gatepost.engine.reader import Reader

_MENDED: frozenset[str] = frozenset(("lags", "whitespace"))
_BY_CHOICE = "; gatepost taskdoc adopt or gatepost taskdoc restore settles it"
_BY_RESTORING = "; gatepost taskdoc restore writes it again"
_SETTLED_BY: dict[package_findings.Kind, str] = {
    "edited": _BY_CHOICE,
    "older": _BY_CHOICE,
    "checkout": "; gatepost taskdoc adopt follows it, gatepost taskdoc restore keeps the log's text",
    "conflict": "; resolve it, then gatepost taskdoc adopt takes the file",
    "missing_section": _BY_RESTORING,
    "missing_package": _BY_RESTORING,
    "link": _BY_RESTORING,
    "meta_missing": _BY_RESTORING,
    "meta_changed": _BY_RESTORING,
}


def findings(store: Store, workspace: str, packages: Packages) -> list[Finding]:
    """What is amiss with packages. Looked at before the snapshot, which must be able to explain what was seen."""
    looks, found = _looks(store, workspace, packages)
    with store.reading(workspace) as snapshot:
        reader = Reader(workspace, snapshot, store, Caller("doctor"), packages=packages)
        reader.looks.update(looks)
        return [*found, *(finding for name in looks for finding in _package(reader, name))]


def _looks(store: Store, workspace: str, packages: Packages) -> tuple[Looks, list[Finding]]:
    """What stands on disk, of taskdocs that are there and of others. What was written is read before the look."""
    try:
        names, found = set(packages.names()), list[Finding]()
    except DiskRefused as refused:
        names, found = set(), [Finding("PACKAGE_UNREADABLE", "tasks", refused.message)]
    with store.reading(workspace) as snapshot:
        reader = Reader(workspace, snapshot, store, Caller("doctor"))
        names.update(map(places.name_of, reader.every(((terms.TASKDOC,),))))
        written = {name: snapshot.written(packages.folder, name) for name in sorted(names)}
    return {name: look_at(packages, name, body) for name, body in written.items()}, found


def _package(reader: Reader, name: str) -> Iterator[Finding]:
    if reader.at(places.named(places.TASKDOC, name)) is None:
        yield from _nobodys(reader, name, reader.glance(name))
        return
    for finding in package_findings.findings(reader, name):
        says = finding.says + _SETTLED_BY.get(finding.kind, "")
        yield Finding(f"PACKAGE_{finding.kind.upper()}", finding.path, says, finding.kind in _MENDED)


def _nobodys(reader: Reader, name: str, look: Look) -> Iterator[Finding]:
    path = "" if reader.packages is None else reader.packages.path(name)
    package = look.package
    if isinstance(package, DiskRefused):
        yield Finding("PACKAGE_UNREADABLE", path, package.message)
    elif isinstance(package, Package) and package.workspace in (None, reader.workspace) and re.match(NAME, name):
        yield Finding("PACKAGE_UNKNOWN", path, f"is no taskdoc's: gatepost taskdoc adopt {name} takes it")
