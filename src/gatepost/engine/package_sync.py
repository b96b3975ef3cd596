"""Write a package from the log, except for outside edits, and record what was written."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from gatepost.domain import places
from gatepost.domain.events import SectionReplaced
from gatepost.domain.taskdocs import SELECTORS, SectionText, Selector, Taskdoc
from gatepost.engine import section_versions
from gatepost.engine.draft import Draft
from gatepost.engine.package_findings import PackageDefect, findings
from gatepost.engine.packages import (
    Package,
    PackageRecord,
    Packages,
    SectionFile,
    SectionMark,
    SectionOnDisk,
    hashed,
)
from gatepost.engine.reader import Reader


class PackageWrite(NamedTuple):
    """Warnings about what was in the way, and the new record if it changed: none if the package is gone."""

    warnings: Sequence[str] = ()
    news: bool = False
    body: str | None = None


def write(reader: Reader, name: str) -> PackageWrite:
    """Write a taskdoc's package from the log and keep outside edits. The folder must be locked."""
    packages = reader.packages
    if packages is None:
        return PackageWrite()
    found = reader.at(places.named(places.TASKDOC, name))
    if found is None or not isinstance(found.value, Taskdoc):
        return _remove(reader, packages, name)
    kept = [finding for finding in findings(reader, name) if finding.kind != "lags"]
    if found.value.archived:
        return _retire(reader, packages, name, kept)
    # Files of others are in nobody's way, so only reads report them.
    warnings = [_left(finding) for finding in kept if finding.kind != "strange_file"]
    if any(not finding.file for finding in kept):
        return PackageWrite(warnings)
    look = reader.glance(name)
    if look.at != look.called:
        packages.move(look.at, look.called)
    sections = look.package.sections if isinstance(look.package, Package) else {}
    keep = {it.file.rstrip("/"): None if it.selector is None else sections[it.selector] for it in kept}
    shown = _faces(reader, name)
    files = packages.write(look.called, reader.workspace, found.value.id, shown, keep)
    record = _record(reader, name, shown, files, keep)
    known = look.written
    news = known is None or record != msgspec.structs.replace(known, seq=record.seq)
    return PackageWrite(warnings, news, msgspec.json.encode(record).decode())


def has_white_space_only(reader: Reader, name: str) -> bool:
    """Whether a section of the package differs only in white space."""
    return any(finding.kind == "whitespace" for finding in findings(reader, name))


def restore_white_space(draft: Draft, name: str) -> None:
    """Record as an event that white-space edits are overwritten, and keep the overwritten texts."""
    for finding in findings(draft, name):
        if finding.kind != "whitespace" or finding.selector is None or finding.edit is None:
            continue
        place = places.section(name, finding.selector)
        found = draft.at(place)
        content = found.value.content if found is not None and isinstance(found.value, SectionText) else ""
        body = content.encode()
        draft.keep(place, finding.edit.kept(whole=True))
        revision = draft.tally(place).revision + (place not in draft.touched)
        draft.log(
            place, SectionReplaced(revision=revision, sha256=hashed(body), bytes=len(body), because="white space")
        )


def _record(
    reader: Reader,
    name: str,
    shown: Mapping[Selector, SectionFile],
    files: dict[str, str],
    keep: Mapping[str, SectionOnDisk | None],
) -> PackageRecord:
    """What is on disk now. For files that were kept, the last known state."""
    look = reader.glance(name)
    marks = {} if look.written is None else look.written.sections
    held = {} if look.written is None else {it: mark for it, mark in look.written.files.items() if it in keep}
    sections = {
        str(it): SectionMark(revision=face.revision, sha256=hashed(face.content.encode()), head=look.head)
        for it, face in shown.items()
        if f"{it}.md" not in keep
    }
    kept = {it: mark for it, mark in marks.items() if f"{it}.md" in keep}
    return PackageRecord(
        sections={**kept, **sections},
        files={**held, **files},
        seq=reader.head().seq,
        head=look.head,
        name=None if look.called == name else look.called,
    )


def _left(finding: PackageDefect) -> str:
    return f"{finding.sentence} Gatepost did not change it."


def _retire(reader: Reader, packages: Packages, name: str, kept: Sequence[PackageDefect]) -> PackageWrite:
    """Remove the package of an archived taskdoc: its texts are in the log. Outside edits stay."""
    look = reader.glance(name)
    if kept:
        return PackageWrite(list(map(_left, kept)))
    if look.package is not None:
        packages.remove(look.at)
    return PackageWrite(news=look.written is not None)


def _remove(reader: Reader, packages: Packages, name: str) -> PackageWrite:
    """Remove the package of a taskdoc whose creation was undone, unless somebody wrote into it."""
    package, look = reader.look(name), reader.glance(name)
    if package is None:
        return PackageWrite(news=look.written is not None)
    if package.odd is not None or (package.workspace != reader.workspace and not package.empty):
        return PackageWrite()
    if any(seen.text or seen.odd for seen in package.sections.values()):
        return PackageWrite(
            [f"{packages.path(look.at)} no longer belongs to a taskdoc, but has text. Gatepost did not change it."]
        )
    packages.remove(look.at)
    return PackageWrite(news=True)


def _faces(reader: Reader, name: str) -> dict[Selector, SectionFile]:
    shown = {}
    for selector in SELECTORS:
        place = places.section(name, selector)
        section = reader.at(place)
        if section is not None and isinstance(section.value, SectionText):
            stamp = section_versions.stamped(reader, place)
            revision = reader.tally(place).revision
            shown[selector] = SectionFile(section.value.content, revision, stamp.at, stamp.actor)
    return shown
