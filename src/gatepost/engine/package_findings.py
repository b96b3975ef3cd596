"""What is amiss with a taskdoc's package: one judge for every report, every refusal and every write.

It compares a look at the disk with what was last written there and with the log. A file holds the recorded text or
one that the log had since: everything else is somebody's act, which is reported and left as it is. `lags` is a
write of ours that was not finished, and the only finding that the next write mends without an event.
"""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final, Literal, NamedTuple

from gatepost.domain import places
from gatepost.domain.refusals import DiskRefused
from gatepost.domain.taskdocs import (
    SELECTORS,
    SectionText,
    Selector,
    Taskdoc,
    has_conflict_markers,
    same_but_for_white_space,
)
from gatepost.domain.value import Stamp
from gatepost.engine import section_versions
from gatepost.engine.packages import (
    LINK,
    META,
    MISSING,
    Package,
    PackageObservation,
    PackageRecord,
    SectionFile,
    SectionMark,
    hashed,
)
from gatepost.engine.reader import Found, Reader
from gatepost.engine.section_versions import OutsideEdit, SectionVersion

Kind = Literal[
    "edited",
    "older",
    "missing_section",
    "missing_package",
    "link",
    "conflict",
    "checkout",
    "whitespace",
    "meta_missing",
    "meta_changed",
    "strange_file",
    "lags",
    "foreign",
    "archived",
    "unreadable",
]

BLOCKING: Final[frozenset[Kind]] = frozenset(
    ("edited", "older", "missing_section", "missing_package", "link", "conflict", "checkout")
)
"""These must be resolved before the section can be changed."""
_MOST_VERSIONS: Final = 500
"""How many revisions a text on disk is compared with. An older text counts as a new one."""
_UNFINISHED: Final = 0

_SAYS: Final[Mapping[Kind, str]] = {
    "edited": "was edited outside Gatepost",
    "older": "has an older text",
    "missing_section": "is missing",
    "missing_package": "is missing",
    "link": "is a link",
    "conflict": "has git conflict markers",
    "checkout": "comes from another commit: git's HEAD moved after Gatepost wrote it",
    "whitespace": "differs in white space only; the next change to the taskdoc restores it",
    "meta_missing": "is missing",
    "meta_changed": "was changed outside Gatepost",
    "strange_file": "is not a Gatepost file",
    "lags": "is behind the log; the next change to the taskdoc brings it up to date",
    "foreign": "belongs to another workspace or store, by its meta.json",
    "archived": "is on disk, although the taskdoc is archived",
    "unreadable": "cannot be read",
}


class PackageDefect(NamedTuple):
    """Something on disk that differs from what was last written there.

    `file` is its name in the package, empty for the package itself. `selector` and `edit`, the content found, are
    set for a section's file.
    """

    kind: Kind
    path: str
    file: str
    says: str
    selector: Selector | None = None
    edit: OutsideEdit | None = None

    @property
    def blocking(self) -> bool:
        """Whether it must be resolved before the section can be changed; if it concerns the package, before any
        section.
        """
        return self.kind in BLOCKING

    @property
    def sentence(self) -> str:
        """The problem as a sentence."""
        return f"{self.path} {self.says}."


def findings(reader: Reader, name: str) -> tuple[PackageDefect, ...]:
    """The problems of a taskdoc's package, as first read. Writes nothing."""
    if name not in reader.found:
        reader.found[name] = tuple(_findings(reader, name))
    found: tuple[PackageDefect, ...] = reader.found[name]
    return found


def blocked(reader: Reader, name: str) -> dict[Selector, PackageDefect]:
    """The sections that cannot be changed before their problems on disk are resolved."""
    found = [finding for finding in findings(reader, name) if finding.blocking]
    whole = next((finding for finding in found if not finding.file), None)
    if whole is not None:
        return dict.fromkeys(SELECTORS, whole)
    return {finding.selector: finding for finding in found if finding.selector is not None}


def edits(reader: Reader, name: str) -> dict[Selector, OutsideEdit]:
    """The content of each section's file that is neither the log's text nor an unfinished write of it."""
    return {
        finding.selector: finding.edit
        for finding in findings(reader, name)
        if finding.selector is not None and finding.edit is not None and finding.kind != "lags"
    }


def _findings(reader: Reader, name: str) -> Iterator[PackageDefect]:
    found = reader.at(places.named(places.TASKDOC, name))
    if reader.packages is None or found is None or not isinstance(found.value, Taskdoc):
        return
    look = reader.glance(name)
    case = _Case(reader, name, found.value, reader.packages.path(look.at), look, look.written)
    package = look.package
    if found.value.archived and (package is None or look.written is None):
        if package is not None:
            yield case.whole("archived")
    elif isinstance(package, DiskRefused):
        yield case.whole("unreadable", f"cannot be read: {package.message}")
    elif package is None:
        yield _without_package(case)
    elif package.odd is not None:
        yield case.whole("link") if package.odd == LINK else case.whole("edited", f"is {package.odd}")
    elif look.written is None and _is_foreign(case, package):
        yield case.whole("foreign")
    else:
        if look.at != look.called:
            yield case.whole("lags", f"is now called {look.called}; the next change to the taskdoc moves it")
        judged = _judged(case, package)
        yield from _of_archived(case, judged) if found.value.archived else judged


def _judged(case: "_Case", package: Package) -> Iterator[PackageDefect]:
    sections = {selector: _section(case, package, selector) for selector in SELECTORS}
    yield from (finding for finding in sections.values() if finding is not None)
    yield from _files(case, package, {it for it, finding in sections.items() if finding is None})


def _of_archived(case: "_Case", judged: Iterator[PackageDefect]) -> Iterator[PackageDefect]:
    """A package that should have been removed: missing files are no problem."""
    yield case.whole("lags", "belongs to an archived taskdoc; the next change to the taskdoc removes it")
    yield from (it for it in judged if it.kind not in ("lags", "missing_section", "meta_missing"))


class _Case(NamedTuple):
    """A package to judge, with what is known about it."""

    reader: Reader
    name: str
    taskdoc: Taskdoc
    path: str
    look: PackageObservation
    written: PackageRecord | None

    def mark(self, selector: str) -> SectionMark | None:
        return None if self.written is None else self.written.sections.get(selector)

    def section(self, selector: str) -> Found[SectionText]:
        place = places.section(self.name, selector)
        found = self.reader.at(place)
        value = found.value if found is not None and isinstance(found.value, SectionText) else SectionText()
        return Found(place, value, self.reader.tally(place))

    def versions(self, selector: str) -> Iterator[SectionVersion]:
        return islice(section_versions.versions(self.reader, places.section(self.name, selector)), _MOST_VERSIONS)

    def whole(self, kind: Kind, says: str | None = None) -> PackageDefect:
        return PackageDefect(kind, self.path, "", says or _SAYS[kind])

    def file(self, kind: Kind, file: str, says: str | None = None) -> PackageDefect:
        return PackageDefect(kind, f"{self.path}/{file}", file, says or _SAYS[kind])

    def text(self, kind: Kind, selector: Selector, edit: OutsideEdit, says: str | None = None) -> PackageDefect:
        return PackageDefect(
            kind, f"{self.path}/{selector}.md", f"{selector}.md", says or _SAYS[kind], selector, edit
        )


def _is_foreign(case: _Case, package: Package) -> bool:
    """Whether a package names another owner. One that names none is ours, since it is here."""
    ours = case.reader.workspace
    return package.workspace not in (None, ours) or package.id not in (None, case.taskdoc.id)


def _without_package(case: _Case) -> PackageDefect:
    """No package: never written here, not completely restored, or removed by somebody."""
    gone = OutsideEdit("", MISSING)
    if case.written is None or all(_compared(case, it, _floor(case, None, it), gone).ours for it in SELECTORS):
        return case.whole("lags", "is not written yet; the next change to the taskdoc writes it")
    return case.whole("missing_package")


def _section(case: _Case, package: Package, selector: Selector) -> PackageDefect | None:
    """The problem of a section's file: none, an unfinished write, or an outside edit."""
    seen = package.sections[selector]
    if seen.odd is None and seen.text == case.section(selector).value.content:
        return None
    edit = OutsideEdit(seen.text or "", seen.odd or (MISSING if seen.text is None else None))
    floor = _floor(case, package, selector)
    match = _compared(case, selector, floor, edit)
    if match.ours or (edit.odd == MISSING and floor == _UNFINISHED and case.written is None):
        return case.text("lags", selector, edit)
    if edit.odd is not None:
        odd: Kind = "link" if edit.odd == LINK else "missing_section" if edit.odd == MISSING else "edited"
        return case.text(odd, selector, edit)
    vouched = match.known is not None or seen.vouched is not None
    return case.text(_kind(case, selector, edit.text, match, vouched=vouched), selector, edit)


def _floor(case: _Case, package: Package | None, selector: str) -> int | None:
    """The revision last written. A text that the log had since then is an unfinished write."""
    mark = case.mark(selector)
    if mark is not None:
        return mark.revision
    # `meta.json` is written last, so a package without it and without a record was never finished.
    return _UNFINISHED if case.written is None and package is not None and not package.has_meta else None


class _Match(NamedTuple):
    """How the log explains a text on disk: an unfinished write, a known revision, or one up to white space."""

    ours: bool = False
    known: int | None = None
    blanks: bool = False


def _compared(case: _Case, selector: str, floor: int | None, edit: OutsideEdit) -> _Match:
    section = case.section(selector)
    text = edit.text if edit.odd is None else None
    blanks = text is not None and same_but_for_white_space(text, section.value.content)
    for version in case.versions(selector):
        since = floor is not None and version.revision >= floor
        if text == version.content:
            return _Match(since, version.revision)
        decided = floor is None or version.revision > floor
        if decided and section_versions.is_written_over(case.reader, section.place, version.row, edit):
            return _Match(ours=True)
        blanks = blanks or (since and text is not None and same_but_for_white_space(text, version.content))
        if version.revision == 1 and text == "":  # before its first revision a section is empty
            return _Match(floor == 0, 0)
    return _Match(blanks=blanks)


def _kind(case: _Case, selector: str, text: str, match: _Match, *, vouched: bool) -> Kind:
    """Who changed a text: git brought a known one, or somebody restored an older one or wrote a new one."""
    mark, head = case.mark(selector), case.look.head
    if match.known is None and has_conflict_markers(text):
        return "conflict"
    if vouched and head is not None and (mark is None or mark.head != head):
        return "checkout"
    if match.known is not None:
        return "older"
    return "whitespace" if match.blanks else "edited"


def _files(case: _Case, package: Package, right: set[Selector]) -> Iterator[PackageDefect]:
    """Our files besides the sections, and those of others. `right` are the sections whose file matches the log."""
    known: Mapping[str, str] = {} if case.written is None else case.written.files
    for file, sha256 in known.items():
        body = package.files.get(file)
        odd = file in package.strange or f"{file}/" in package.strange
        if body is not None and hashed(body) == sha256:
            kind: Kind | None = "lags" if file == META and _is_behind(case, right) else None
        elif _is_decided(case, file, OutsideEdit("", MISSING) if body is None else file_edit(body)):
            kind = "lags"
        elif body is None:
            kind = "meta_changed" if odd else "meta_missing"
        else:
            kind = None if _is_explained(case, package, file, body) else "meta_changed"
        if kind is not None:
            yield case.file(kind, file)
    yield from (case.file("strange_file", file) for file in package.strange if file.rstrip("/") not in known)
    if known:
        left = package.files.keys() - known.keys() - set(package.strange)  # of the other setting
        yield from (case.file("lags", file) for file in sorted(left))


def file_edit(body: bytes) -> OutsideEdit:
    """The content found in place of one of our files."""
    return OutsideEdit(body.decode("utf-8", "surrogateescape"))


def _is_behind(case: _Case, right: set[Selector]) -> bool:
    """Whether the sections were written, but `meta.json` was not."""
    marks = {selector: case.mark(selector) for selector in right}
    return any(mark is not None and mark.revision != case.section(it).tally.revision for it, mark in marks.items())


def _is_decided(case: _Case, file: str, edit: OutsideEdit) -> bool:
    """Whether somebody decided, since the last write, to overwrite this file."""
    place = places.named(places.TASKDOC, case.name)
    after = 0 if case.written is None else case.written.seq
    return section_versions.is_file_written_over(case.reader, place, after, file, edit)


def _is_explained(case: _Case, package: Package, file: str, body: bytes) -> bool:
    """Whether git brought this file, or an unrecorded write of ours."""
    if case.written is None or case.reader.packages is None:
        return False
    moved = case.look.head is not None and case.look.head != case.written.head
    if moved and not _is_foreign(case, package) and package.tracked:
        return True
    if file != META:
        return False
    faces_then = {it: face for it in SELECTORS if (face := _face_in(case, package, it)) is not None}
    return body == case.reader.packages.meta(case.look.called, case.reader.workspace, case.taskdoc.id, faces_then)


def _face_in(case: _Case, package: Package, selector: Selector) -> SectionFile | None:
    """The section as `meta.json` describes it, if the log has had it so since the last write."""
    seen, mark = package.sections[selector], case.mark(selector)
    for version in case.versions(selector):
        stamp = version.stamp
        fits = seen.stamps.get(hashed(version.content.encode())) == stamp
        if fits and seen.revision in (None, version.revision):
            return SectionFile(version.content, version.revision, stamp.at, stamp.actor)
        if mark is not None and version.revision <= mark.revision:
            return None
    made = Stamp(case.taskdoc.at, case.taskdoc.actor)  # before its first revision a section is empty
    return SectionFile("", 0, made.at, made.actor) if seen.stamps.get(hashed(b"")) == made else None
