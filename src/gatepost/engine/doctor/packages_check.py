"""The packages of taskdocs on disk: edited from outside, unknown, or out of reach."""

import re
from collections.abc import Iterator

from gatepost.domain import places
from gatepost.domain.refusals import DiskRefused
from gatepost.domain.taskdocs import NAME
from gatepost.engine import faces
from gatepost.engine.caller import Caller
from gatepost.engine.doctor.findings import Finding
from gatepost.engine.packages import Package, Packages
from gatepost.engine.port import Store
from gatepost.engine.reader import Reader


def findings(store: Store, workspace: str, packages: Packages) -> list[Finding]:
    """What is amiss with packages. Looked at before the snapshot, which must be able to explain what was seen."""
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
