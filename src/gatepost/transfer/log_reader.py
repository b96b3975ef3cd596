"""Read a workspace's log from its lines, and check every operation against the hash chain."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec
from msgspec.structs import astuple

from gatepost.domain import documents
from gatepost.domain.events import is_event
from gatepost.engine.chain import RunningHash
from gatepost.engine.doctor.readable_tables import fits, problem_of
from gatepost.engine.rows import ArtifactRow, EventRow, ImageRow, OperationRow, Table
from gatepost.transfer.line_reader import LineReader
from gatepost.transfer.lines import ArtifactLine, EventLine, ImageLine, OperationLine, RowLine, TouchLine

_PART: Final = 2 * 2**20
"""Bytes of lines after which a long operation is handed on in parts."""
_KINDS: Final[dict[type, tuple[int, str, Table]]] = {
    EventLine: (0, "event", "events"),
    ImageLine: (1, "image", "images"),
    TouchLine: (2, "touch", "touches"),
    ArtifactLine: (3, "artifact", "artifacts"),
}
"""The rank of each kind of row within an operation, its name in the hash, and its table."""


class LogPart:
    """An operation with its rows, or with some of them. The last part comes once the hash was found right."""

    __slots__ = ("artifacts", "events", "images", "is_last", "operation", "size", "touches")

    def __init__(self, operation: OperationRow) -> None:
        self.operation = operation
        self.events: list[EventRow] = []
        self.images: list[ImageRow] = []
        self.touches: list[tuple[str, int, int]] = []
        self.artifacts: list[ArtifactRow] = []
        self.size = 0
        self.is_last = False

    def add(self, line: RowLine, size: int) -> None:
        """Add a row. `size` is its number of bytes in the file."""
        self.size += size
        if isinstance(line, EventLine):
            self.events.append(EventRow(*astuple(line)))
        elif isinstance(line, ImageLine):
            self.images.append(ImageRow(*astuple(line)))
        elif isinstance(line, TouchLine):
            self.touches.append((line.place, line.operation, line.revision))
        else:
            self.artifacts.append(ArtifactRow(*astuple(line)))


class LogReader:
    """A workspace's log, one operation after the other, and what it adds up to so far."""

    def __init__(self, lines: LineReader, workspace: str) -> None:
        self._lines = lines
        self._workspace = workspace
        self.seq = 0
        self.hash = ""
        self.counts: Counter[str] = Counter()

    def parts(self) -> Iterator[LogPart]:
        """The operations, in parts where they are long. Nothing of an operation counts before its last part."""
        while (line := self._lines.take_if(OperationLine)) is not None:
            yield from self._operation(line)

    def _operation(self, line: OperationLine) -> Iterator[LogPart]:
        if line.operation != self.seq + 1 or line.last_seq < line.operation:
            raise self._lines.damaged(f"operation {line.operation} cannot follow seq {self.seq}.")
        begun = self._lines.number
        *lasting, link = astuple(line)
        operation = OperationRow(*(*lasting, None, link))
        running = RunningHash(self._workspace, self.hash, operation)
        part, order, seq = LogPart(operation), (-1,), self.seq
        while (row := self._lines.take_row()) is not None:
            rank, kind, table = _KINDS[type(row)]
            values = astuple(row)
            self._check(table, values, row, operation)
            order, before = (rank, *_sort_key(row)), order
            if order <= before:
                raise self._lines.damaged("it is out of order.")
            if rank == 0:
                seq = self._following(seq, values[0])
            running.add(kind, values)
            self.counts[table] += 1
            part.add(row, self._lines.size)
            if part.size >= _PART:
                yield part
                part = LogPart(operation)
        if seq != operation.last_seq or running.value() != operation.hash:
            raise self._lines.damaged(
                f"operation {operation.operation}, which begins in line {begun:,}, does not match its hash: the"
                " file was edited or damaged there, or a part of it is missing."
            )
        self.seq, self.hash = operation.last_seq, operation.hash
        self.counts["operations"] += 1
        part.is_last = True
        yield part

    def _following(self, seq: int, found: int) -> int:
        if found != seq + 1:
            raise self._lines.damaged(f"event {found} cannot follow event {seq}.")
        return found

    def _check(self, table: Table, values: Sequence[Any], row: RowLine, operation: OperationRow) -> None:
        """Refuse a row that no store could have had, whatever its hash: views would stumble over it."""
        number = row.seq if isinstance(row, ArtifactLine) else row.operation
        is_its = operation.operation <= number <= operation.last_seq
        if not (is_its if isinstance(row, ArtifactLine) else number == operation.operation):
            raise self._lines.damaged(f"it belongs to {number}, not to operation {operation.operation}.")
        problem = problem_of(table, tuple(values))
        if problem is not None:
            raise self._lines.damaged(f"it {problem}.")
        if not _is_readable(row):
            raise self._lines.damaged("this version of Gatepost cannot read its text.")


def _sort_key(row: RowLine) -> tuple[Any, ...]:
    if isinstance(row, EventLine):
        return (row.seq,)
    if isinstance(row, ArtifactLine):
        return row.place, row.seq, row.number
    return (row.place,)


def _is_readable(row: RowLine) -> bool:
    try:
        if isinstance(row, EventLine):
            return is_event(row.body)
        if isinstance(row, ArtifactLine):
            msgspec.json.decode(row.body)
        elif isinstance(row, ImageLine) and row.after is not None:
            return fits(row.place, documents.from_text(row.after))
    except (msgspec.MsgspecError, RecursionError):
        return False
    return True
