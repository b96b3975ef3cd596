"""Check the packages on disk: their problems, and packages without a taskdoc."""

import re
from collections.abc import Iterator

from gatepost.domain import places, terms
from gatepost.domain.refusals import DiskRefused
from gatepost.domain.taskdocs import NAME
from gatepost.engine import package_findings
from gatepost.engine.caller import Caller
from gatepost.engine.doctor.findings import DoctorFinding
from gatepost.engine.packages import (
    Package,
    PackageObservation,
    PackageObservations,
    Packages,
    look_at,
    read_written,
)
from gatepost.engine.port import Store
from gatepost.engine.reader import Reader

_TASKDOCS = (terms.TASKDOC, terms.ARCHIVED)
_MENDED: frozenset[str] = frozenset(("lags", "whitespace"))
_BY_CHOICE = "; resolve it with gatepost taskdoc adopt or gatepost taskdoc restore"
_BY_RESTORING = "; restore it with gatepost taskdoc restore"
_SETTLED_BY: dict[package_findings.Kind, str] = {
    "edited": _BY_CHOICE,
    "older": _BY_CHOICE,
    "checkout": "; gatepost taskdoc adopt accepts it, gatepost taskdoc restore keeps the log's text",
    "conflict": "; resolve it, then accept the file with gatepost taskdoc adopt",
    "missing_section": _BY_RESTORING,
    "missing_package": _BY_RESTORING,
    "link": _BY_RESTORING,
    "meta_missing": _BY_RESTORING,
    "meta_changed": _BY_RESTORING,
}


def findings(store: Store, workspace: str, packages: Packages) -> list[DoctorFinding]:
    """The problems of packages. They are read before the snapshot, which must be able to explain them."""
    looks, found = _looks(store, workspace, packages)
    with store.reading(workspace) as snapshot:
        reader = Reader(workspace, snapshot, store, Caller("doctor"), packages=lambda: packages)
        reader.trust(looks)
        return [*found, *(finding for name in looks for finding in _package(reader, name))]


def _looks(store: Store, workspace: str, packages: Packages) -> tuple[PackageObservations, list[DoctorFinding]]:
    """The packages on disk, with or without a taskdoc. Their records are read first."""
    try:
        names, found = set(packages.names()), list[DoctorFinding]()
    except DiskRefused as refused:
        names, found = set(), [DoctorFinding("PACKAGE_UNREADABLE", "tasks", refused.message)]
    with store.reading(workspace) as snapshot:
        reader = Reader(workspace, snapshot, store, Caller("doctor"), packages=lambda: packages)
        mine = {places.name_of(place) for term in _TASKDOCS for place in reader.every(((term,),))}
        others = names - {name for key in mine for name in _names(reader, key)}
        left = {name: key for name in others if (key := reader.taskdoc_key(name)) is not None}
        sought = [reader.sought(key) for key in sorted(mine | others - set(left))]
        for name, key in sorted(left.items()):
            says = f"is an earlier name of {reader.called(key)} and not a Gatepost package: move it away by hand"
            found.append(DoctorFinding("PACKAGE_FORMER_NAME", packages.path(name), says))
    return {item.key: look_at(packages, item) for item in sought}, found


def _names(reader: Reader, key: str) -> set[str]:
    """The name of a taskdoc's package, and its name when it was last written."""
    sought = reader.sought(key)
    written = read_written(sought.written)
    return {sought.called, *([] if written is None else [written.name or key])}


def _package(reader: Reader, name: str) -> Iterator[DoctorFinding]:
    if reader.at(places.named(places.TASKDOC, name)) is None:
        yield from _nobodys(reader, name, reader.glance(name))
        return
    for finding in package_findings.findings(reader, name):
        says = finding.says + _SETTLED_BY.get(finding.kind, "")
        yield DoctorFinding(f"PACKAGE_{finding.kind.upper()}", finding.path, says, finding.kind in _MENDED)


def _nobodys(reader: Reader, name: str, look: PackageObservation) -> Iterator[DoctorFinding]:
    path = "" if reader.packages is None else reader.packages.path(name)
    package = look.package
    if isinstance(package, DiskRefused):
        yield DoctorFinding("PACKAGE_UNREADABLE", path, package.message)
    elif isinstance(package, Package) and package.workspace in (None, reader.workspace) and re.match(NAME, name):
        key = reader.taskdoc_with(package.id)
        called = None if key is None else reader.called(key)
        says = (
            f"belongs to no taskdoc: gatepost taskdoc adopt {name} accepts it"
            if called is None
            else f"is the package of {called}, renamed: gatepost taskdoc rename {called} {name} accepts that"
        )
        yield DoctorFinding("PACKAGE_UNKNOWN", path, says)
