"""A taskdoc and its package: the log is the truth, the package its face. Whose text is where, and writing it."""

from base64 import b64decode, b64encode
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import msgspec

from gatepost.domain import documents, places
from gatepost.domain.refusals import DiskRefused
from gatepost.domain.taskdocs import SELECTORS, Section, Selector, Taskdoc
from gatepost.domain.value import Stamp
from gatepost.engine.packages import Face, Package, Seen
from gatepost.engine.port import OperationRow
from gatepost.engine.reader import Reader
from gatepost.wire.credentials import redacted

_PAGE: Final = 100
_LAST: Final = 2**62
_OUTSIDE: Final = "outside"
_MOST_COMPARED: Final = 200_000
"""Characters of two texts together: comparing grows with their product."""


class Version(NamedTuple):
    """A section's text at one of its revisions, and the operation that gave it."""

    revision: int
    content: str
    row: OperationRow


class Edit(NamedTuple):
    """What somebody put in a section's place from outside: a text, or something that is none."""

    text: str
    odd: str | None = None

    @property
    def shown(self) -> str:
        """The text as it can be sent: bytes that are no UTF-8 are spelled out."""
        if self.odd is not None:
            return f"({self.odd})\n"
        return self.text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")

    @property
    def fingerprint(self) -> str:
        """The hash of the bytes on disk."""
        from hashlib import sha256  # loads OpenSSL, which servers without edited packages need not

        return sha256(self.text.encode("utf-8", "surrogateescape")).hexdigest()

    def kept(self, *, whole: bool) -> str:
        """The edit as evidence: whole, or with a marker for each credential in it."""
        shown, count = (self.shown, 0) if whole else redacted(self.shown)
        body: dict[str, Any] = {"kind": _OUTSIDE, "content": shown}
        if count:
            # Only the text that somebody decided about is written over: it must still be known.
            body |= {"redacted": count, "sha256": self.fingerprint}
        elif self.shown != self.text and self.odd is None:
            body["base64"] = b64encode(self.text.encode("utf-8", "surrogateescape")).decode()
        return msgspec.json.encode(body).decode()


def versions(reader: Reader, place: str) -> Iterator[Version]:
    """What a section has been, newest first."""
    found = reader.at(place)
    content = found.value.content if found is not None and isinstance(found.value, Section) else ""
    revision = reader.tally(place).revision
    before = _LAST
    while page := reader.operations(before, _PAGE, place):
        for row in page:
            yield Version(revision, content, row)
            image = next((image for image in reader.images(row.operation) if image.place == place), None)
            if image is not None:
                content = _content(image.before)
            revision -= 1
        before = page[-1].operation


def stamped(reader: Reader, place: str) -> Stamp:
    """When and by whom a section was changed last, undoing included; before its first change, made."""
    last = reader.operations(_LAST, 1, place)
    if last:
        return Stamp(last[0].at, last[0].actor)
    taskdoc = reader.at(places.named(places.TASKDOC, places.name_of(place)))
    made = taskdoc.value if taskdoc is not None and isinstance(taskdoc.value, Taskdoc) else None
    return Stamp("", "") if made is None else Stamp(made.at, made.actor)


def edits(reader: Reader, name: str) -> dict[Selector, Edit]:
    """The sections that somebody edited on disk, each with what stands there now.

    Where a package cannot even be looked into there is no text to speak of: readers get the log's all the same.
    """
    if name not in reader.edited:
        reader.edited[name] = _edits(reader, name)
    found: dict[Selector, Edit] = reader.edited[name]
    return found


def outside(reader: Reader, place: str, row: OperationRow) -> str | None:
    """The text from outside that an operation wrote over, as evidence."""
    body = _outside(reader, place, row)
    return None if body is None else _evident(body)


def _is_written_over(reader: Reader, place: str, row: OperationRow, edit: Edit) -> bool:
    body = _outside(reader, place, row)
    if body is not None and "sha256" in body:
        return bool(body["sha256"] == edit.fingerprint)
    return body is not None and _evident(body) == (edit.text if edit.odd is None else edit.shown)


def _outside(reader: Reader, place: str, row: OperationRow) -> dict[str, Any] | None:
    for artifact in reader.artifacts(place, _PAGE):
        if row.operation <= artifact.seq <= row.last_seq:
            body: dict[str, Any] = msgspec.json.decode(artifact.body)
            if body.get("kind") == _OUTSIDE:
                return body
    return None


def diff(name: str, selector: str, old: str, new: str, before: str, after: str) -> str:
    """Two texts of a section as a unified diff; a last line without an end is told as such."""
    if len(old) + len(new) > _MOST_COMPARED:
        return f"{len(old):,} characters ({before}) and {len(new):,} ({after}): too long to be compared here\n"
    from difflib import unified_diff

    titles = f"{name}/{selector} ({before})", f"{name}/{selector} ({after})"
    lines = unified_diff(_lines(old), _lines(new), *titles)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end\n" for line in lines)


def write(reader: Reader, name: str) -> list[str]:
    """Let a taskdoc's package be what the log has; edits from outside stay. The package is locked meanwhile.

    Answers with what stood in the way.
    """
    packages = reader.packages
    if packages is None:
        return []
    package = reader.look(name)
    found = reader.at(places.named(places.TASKDOC, name))
    if found is None or not isinstance(found.value, Taskdoc):
        return _remove(reader, name, package)
    if package is not None and _is_foreign(reader, found.value, package):
        return [f"{packages.path(name)} is another's, by its meta.json; it was left alone."]
    edited = frozenset(str(selector) for selector in edits(reader, name))
    packages.write(name, reader.workspace, found.value.id, _faces(reader, name), edited)
    return [f"{packages.path(name)}/{it}.md was edited from outside and left as it is." for it in sorted(edited)]


def _remove(reader: Reader, name: str, package: Package | None) -> list[str]:
    """A taskdoc whose making was undone leaves no package, unless somebody wrote something into it."""
    packages = reader.packages
    if packages is None or package is None or (package.workspace != reader.workspace and not package.empty):
        return []
    if any(seen.text or seen.odd for seen in package.sections.values()):
        return [f"{packages.path(name)} is no longer anybody's, but holds text; it was left as it is."]
    packages.remove(name)
    return []


def _faces(reader: Reader, name: str) -> dict[str, Face]:
    faces = {}
    for selector in SELECTORS:
        place = places.section(name, selector)
        section = reader.at(place)
        if section is not None and isinstance(section.value, Section):
            stamp = stamped(reader, place)
            revision = reader.tally(place).revision
            faces[str(selector)] = Face(section.value.content, revision, stamp.at, stamp.actor)
    return faces


def _edits(reader: Reader, name: str) -> dict[Selector, Edit]:
    found = reader.at(places.named(places.TASKDOC, name))
    if found is None or not isinstance(found.value, Taskdoc):
        return {}
    try:
        package = reader.look(name)
    except DiskRefused:
        return {}
    if package is None:
        return {}
    # What a meta.json says of revisions is believed only if it is of this very taskdoc.
    believed = (package.workspace, package.id) == (reader.workspace, found.value.id)
    return {
        selector: Edit(seen.text or "", seen.odd)
        for selector in SELECTORS
        if _is_edit(reader, places.section(name, selector), seen := package.sections[selector], believed=believed)
    }


def _is_foreign(reader: Reader, taskdoc: Taskdoc, package: Package) -> bool:
    """Whether a package says that it is another's. One that says nothing of the kind is ours: it stands here."""
    return package.workspace not in (None, reader.workspace) or package.id not in (None, taskdoc.id)


def _is_edit(reader: Reader, place: str, seen: Seen, *, believed: bool) -> bool:
    """Whether a text on disk is neither what the log has, nor what it had since the package was last written, nor
    what somebody has decided to write over since."""
    found = reader.at(place)
    if found is None or not isinstance(found.value, Section):
        return False
    if seen.odd is None and (seen.text is None or seen.text == found.value.content):
        return False
    written = seen.revision if believed and seen.revision is not None else None
    edit = Edit(seen.text or "", seen.odd)
    for version in versions(reader, place):
        if version.revision <= (-1 if written is None else written):
            return seen.odd is not None or seen.text != version.content
        if _is_written_over(reader, place, version.row, edit):
            return False
        if written is not None and seen.odd is None and seen.text == version.content:
            return False
    # Before its first revision a section is empty.
    return written is None or seen.text != ""


def _evident(body: dict[str, Any]) -> str:
    if "base64" in body:
        return b64decode(body["base64"]).decode("utf-8", "surrogateescape")
    return str(body["content"])


def _content(text: str | None) -> str:
    document = None if text is None else documents.from_text(text)
    return document.content if isinstance(document, Section) else ""


def _lines(text: str) -> list[str]:
    """Lines end with a line feed and nothing else."""
    *ended, rest = text.split("\n")
    return [f"{line}\n" for line in ended] + ([rest] if rest else [])
