"""The hash chain over a workspace's log: each operation's hash covers its rows and the previous hash.

Changing, inserting or removing a row of the log breaks the chain at its operation. Someone who can write the whole
file can recompute the whole chain; to notice that, compare its end with a copy kept elsewhere.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from operator import attrgetter
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import astuple

from gatepost.engine.rows import ArtifactRow, EventRow, ImageRow, OperationRow

_encode_lines: Final = msgspec.json.Encoder().encode_lines
_LASTING: Final = OperationRow.__struct_fields__.index("undone_by")
"""The columns of an operation before this one never change and are hashed."""

Touch = tuple[str, int, int]


class OperationRecord(Struct, frozen=True):
    """One operation with all its rows in the log."""

    operation: OperationRow
    events: Sequence[EventRow]
    images: Sequence[ImageRow]
    touches: Sequence[Touch]
    artifacts: Sequence[ArtifactRow]


def hashed(workspace: str, before: str, record: OperationRecord) -> str:
    """The SHA-256 of a record as lines of JSON. The first line names the workspace and the previous hash.

    JSON has no bare line break and each line names its kind, so different records never give the same lines.
    """
    lines = [_first_line(workspace, before, record.operation)]
    lines += [("event", *astuple(row)) for row in record.events]
    lines += [("image", *astuple(row)) for row in sorted(record.images, key=attrgetter("place"))]
    lines += [("touch", *row) for row in sorted(record.touches)]
    lines += [("artifact", *row) for row in sorted(map(astuple, record.artifacts))]
    return sha256(_encode_lines(lines))


class RunningHash:
    """The hash of an operation whose rows come one at a time, in the order in which `hashed` takes them."""

    def __init__(self, workspace: str, before: str, operation: OperationRow) -> None:
        self._hash = _sha256_of()(_encode_lines([_first_line(workspace, before, operation)]))

    def add(self, kind: str, row: Sequence[Any]) -> None:
        """Take the next row: an `event`, `image`, `touch` or `artifact`."""
        self._hash.update(_encode_lines([(kind, *row)]))

    def value(self) -> str:
        """The hash of what was added so far."""
        digest: str = self._hash.hexdigest()
        return digest


def digest_of(rows: Iterable[Sequence[Any]]) -> str:
    """The SHA-256 of rows as lines of JSON."""
    digest = _sha256_of()(b"")
    for row in rows:
        digest.update(_encode_lines([row]))
    found: str = digest.hexdigest()
    return found


def _first_line(workspace: str, before: str, operation: OperationRow) -> tuple[Any, ...]:
    return ("operation", workspace, before, *astuple(operation)[:_LASTING])


def sha256(data: bytes) -> str:
    """The SHA-256 of data, as hex digits."""
    digest: str = _sha256_of()(data).hexdigest()
    return digest


@cache
def _sha256_of() -> Callable[[bytes], Any]:
    """Python's own SHA-256 if it has one: hashlib loads OpenSSL, which costs as much as the rest of a note."""
    for module in ("_sha2", "_sha256", "hashlib"):  # Python 3.12 or later, 3.11, or one built without its own
        with suppress(ImportError):
            made: Callable[[bytes], Any] = import_module(module).sha256
            return made
    raise ImportError("This Python has no SHA-256.")


class Log(Struct, frozen=True):
    """The log's tables, each in the order of its operations."""

    operations: Iterator[tuple[Any, ...]]
    events: Iterator[tuple[Any, ...]]
    images: Iterator[tuple[Any, ...]]
    touches: Iterator[tuple[Any, ...]]
    artifacts: Iterator[tuple[Any, ...]]


def records(log: Log) -> Iterator[OperationRecord]:
    """The log, one operation at a time. A row belongs to the last operation that starts at or before it.

    Rows are assigned by their sort columns, so one wrong row cannot hide those after it.
    """
    events, images = SortedRows(log.events, 0), SortedRows(log.images, 1)
    touches, artifacts = SortedRows(log.touches, 1), SortedRows(log.artifacts, 1)
    operation = next(log.operations, None)
    while operation is not None:
        following = next(log.operations, None)
        end = None if following is None else following[0]
        yield OperationRecord(
            OperationRow(*operation),
            [EventRow(*row) for row in events.until(end)],
            [ImageRow(*row) for row in images.until(end)],
            [(row[0], row[1], row[2]) for row in touches.until(end)],
            [ArtifactRow(*row) for row in artifacts.until(end)],
        )
        operation = following


class SortedRows:
    """Rows sorted by the number in one of their columns."""

    def __init__(self, rows: Iterator[tuple[Any, ...]], column: int) -> None:
        self._rows = rows
        self._column = column
        self._next = next(rows, None)

    def until(self, end: int | None) -> Iterator[tuple[Any, ...]]:
        """The next rows whose number is below `end`."""
        while self._next is not None and (end is None or self._next[self._column] < end):
            yield self._next
            self._next = next(self._rows, None)
