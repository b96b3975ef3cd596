"""Packages on disk that are no taskdoc of the store yet, as after a fresh clone: shown, and left as they are."""

import re
from typing import NamedTuple

from gatepost.domain import places
from gatepost.domain.refusals import DiskRefused
from gatepost.domain.taskdocs import NAME, SELECTORS, Selector
from gatepost.domain.value import Stamp
from gatepost.engine.packages import Package, Packages
from gatepost.engine.reader import Reader
from gatepost.engine.section_versions import OutsideEdit
from gatepost.operations.taskdoc_lookup import named
from gatepost.replies.taskdocs import SectionStamp


class Unadopted(NamedTuple):
    """A package by name: its texts, and the stamps that its `meta.json` vouches for."""

    name: str
    texts: dict[Selector, str]
    stamps: dict[Selector, Stamp]

    def described(self, selector: Selector) -> SectionStamp:
        """A section as lists show it: nobody changed it here yet, and who wrote it may be unknown."""
        stamp = self.stamps.get(selector, Stamp("", ""))
        return SectionStamp(revision=0, updated_at=stamp.at, actor=stamp.actor)


def workspaces(packages: Packages) -> list[str]:
    """The workspaces that packages on disk say they are of, for a start without a store."""
    looks = [packages.look(name) for name in packages.names()]
    return sorted({look.workspace for look in looks if look is not None and look.workspace is not None})


def chosen(reader: Reader, name: str | None) -> Unadopted | None:
    """The package that a read means, if the store has no such taskdoc: the named one, or the only one there is."""
    if reader.packages is None:
        return None
    if name is not None:
        return _package(reader, name) if _is_new(reader, name) else None
    found = [] if named(reader, 1) else all_of(reader)
    return found[0] if len(found) == 1 else None


def all_of(reader: Reader) -> list[Unadopted]:
    """All of them, by name."""
    try:
        names = [] if reader.packages is None else reader.packages.names()
    except DiskRefused:
        return []
    unknown = [name for name in names if re.match(NAME, name) and _is_new(reader, name)]
    return [package for name in unknown if (package := _package(reader, name)) is not None]


def _is_new(reader: Reader, name: str) -> bool:
    """Whether the store never had such a taskdoc. What it had, and is no more, is taken by asking alone."""
    return reader.taskdoc_key(name) is None and reader.tally(places.named(places.TASKDOC, name)).revision == 0


def _package(reader: Reader, name: str) -> Unadopted | None:
    package = reader.glance(name).package
    if not isinstance(package, Package) or package.workspace not in (None, reader.workspace) or package.empty:
        return None
    if package.odd is not None:
        return None
    seen = {selector: package.sections[selector] for selector in SELECTORS}
    return Unadopted(
        name,
        {selector: "" if it.text is None else OutsideEdit(it.text).shown for selector, it in seen.items()},
        {selector: stamp for selector, it in seen.items() if (stamp := it.vouched) is not None},
    )
