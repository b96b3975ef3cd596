"""A section's history: its versions in the log, and the outside edits that were kept."""

from base64 import b64decode, b64encode
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import msgspec

from gatepost.domain import documents, places
from gatepost.domain.taskdocs import SectionText, Taskdoc
from gatepost.domain.value import Stamp
from gatepost.engine.packages import hashed
from gatepost.engine.reader import Reader
from gatepost.engine.rows import OperationRow
from gatepost.wire.credentials import redacted

_PAGE: Final = 100
_FIRST_PAGE: Final = 4
"""The newest operation usually shows who wrote a text."""
_LAST: Final = 2**62
_OUTSIDE: Final = "outside"


class SectionVersion(NamedTuple):
    """A section's text at one revision, its operation, and who wrote it when."""

    revision: int
    content: str
    row: OperationRow
    stamp: Stamp


class OutsideEdit(NamedTuple):
    """What somebody put in a section's place from outside: a text, something else, or nothing."""

    text: str
    odd: str | None = None

    @property
    def shown(self) -> str:
        """The text as it can be sent: bytes that are not UTF-8 are escaped."""
        if self.odd is not None:
            return f"({self.odd})\n"
        return self.text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")

    @property
    def fingerprint(self) -> str:
        """The hash of the bytes on disk."""
        return hashed(self.text.encode("utf-8", "surrogateescape"))

    def kept(self, *, whole: bool, file: str | None = None) -> str:
        """The edit as evidence: whole, or with a marker for each credential. `file` names one of our own files."""
        shown, count = (self.shown, 0) if whole else redacted(self.shown)
        body: dict[str, Any] = {"kind": _OUTSIDE, "content": shown, **({} if file is None else {"file": file})}
        if count:
            # Only the text that somebody decided about may be overwritten, so it must be identifiable.
            body |= {"redacted": count, "sha256": self.fingerprint}
        elif self.shown != self.text and self.odd is None:
            body["base64"] = b64encode(self.text.encode("utf-8", "surrogateescape")).decode()
        return msgspec.json.encode(body).decode()


def versions(reader: Reader, place: str) -> Iterator[SectionVersion]:
    """The versions of a section, newest first. A restored text keeps its author and time."""
    found = reader.at(place)
    section = found.value if found is not None and isinstance(found.value, SectionText) else SectionText()
    revision = reader.tally(place).revision
    waiting: list[OperationRow] = []
    for row in _operations(reader, place):
        waiting.append(row)
        for image in reader.images(row.operation, place, place + "\0"):
            yield from _versions(section, revision, waiting, section.stamp or Stamp(row.at, row.actor))
            section, revision, waiting = _section(image.before), revision - len(waiting), []
    yield from _versions(section, revision, waiting, _made(reader, place))


def _operations(reader: Reader, place: str) -> Iterator[OperationRow]:
    before, size = _LAST, _FIRST_PAGE
    while page := reader.operations(before, size, place):
        yield from page
        before, size = page[-1].operation, _PAGE


def _versions(
    section: SectionText, revision: int, rows: list[OperationRow], stamp: Stamp
) -> Iterator[SectionVersion]:
    for older, row in enumerate(rows):
        yield SectionVersion(revision - older, section.content, row, stamp)


def stamped(reader: Reader, place: str) -> Stamp:
    """When and by whom a section was last written, including undo; before its first change, created."""
    newest = next(versions(reader, place), None)
    return _made(reader, place) if newest is None else newest.stamp


def _made(reader: Reader, place: str) -> Stamp:
    taskdoc = reader.at(places.named(places.TASKDOC, places.name_of(place)))
    made = taskdoc.value if taskdoc is not None and isinstance(taskdoc.value, Taskdoc) else None
    return Stamp("", "") if made is None else Stamp(made.at, made.actor)


def outside(reader: Reader, place: str, row: OperationRow) -> str | None:
    """The outside edit that an operation overwrote, as evidence."""
    body = _outside(reader, place, row)
    return None if body is None else _evident(body)


def is_written_over(reader: Reader, place: str, row: OperationRow, edit: OutsideEdit) -> bool:
    """Whether an operation decided to overwrite exactly this outside edit."""
    body = _outside(reader, place, row)
    return body is not None and _is_evidence(body, edit)


def is_file_written_over(reader: Reader, place: str, after: int, file: str, edit: OutsideEdit) -> bool:
    """Whether an operation after a `seq` decided to overwrite exactly this content of a package's file."""
    for artifact in reader.artifacts(place, _PAGE):
        body: dict[str, Any] = msgspec.json.decode(artifact.body)
        if artifact.seq > after and body.get("file") == file and _is_evidence(body, edit):
            return True
    return False


def _is_evidence(body: dict[str, Any], edit: OutsideEdit) -> bool:
    if "sha256" in body:
        return bool(body["sha256"] == edit.fingerprint)
    return _evident(body) == (edit.text if edit.odd is None else edit.shown)


def _outside(reader: Reader, place: str, row: OperationRow) -> dict[str, Any] | None:
    for artifact in reader.artifacts(place, _PAGE):
        if row.operation <= artifact.seq <= row.last_seq:
            body: dict[str, Any] = msgspec.json.decode(artifact.body)
            if body.get("kind") == _OUTSIDE:
                return body
    return None


def _evident(body: dict[str, Any]) -> str:
    if "base64" in body:
        return b64decode(body["base64"]).decode("utf-8", "surrogateescape")
    return str(body["content"])


def _section(text: str | None) -> SectionText:
    document = None if text is None else documents.from_text(text)
    return document if isinstance(document, SectionText) else SectionText()
