"""Import workspaces from a file: each goes on from what the store has of it, and is compared with the file at its
end."""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, BinaryIO, Final, NamedTuple

from msgspec.structs import astuple

from gatepost.engine.doctor.readable_tables import problem_of
from gatepost.engine.port import Store, StoreTransaction
from gatepost.engine.rows import Changes, Head, OperationRow, Table
from gatepost.transfer.line_reader import LineReader
from gatepost.transfer.lines import (
    ExportEnd,
    MaskedTextLine,
    NameLine,
    OperationLine,
    RowCounts,
    WorkspaceBegin,
    WorkspaceEnd,
)
from gatepost.transfer.log_reader import LogPart, LogReader
from gatepost.transfer.refusals import ImportConflict
from gatepost.transfer.workspace_writer import WorkspaceWriter, check_equal, complete

_PAGE: Final = 1_000
_WIDEST: Final = 80
_ELSEWHERE: Final = (
    "Nothing was changed. To keep both, import the file into another store: gatepost import FILE --store other.db."
    " It cannot be renamed, because the name is part of the hash chain and of the ids of steps."
)

Tell = Callable[[str, int, int], object]
"""Receives a workspace, the `seq` that is reached, and the last one."""


class Imported(NamedTuple):
    """A workspace of the file: how much was new, from where on, and how its log ends."""

    workspace: str
    operations: int
    events: int
    after: int
    """The `seq` that the store had already."""
    seq: int
    hash: str
    resumed: bool
    """Whether an earlier import had been interrupted."""


class _Import(NamedTuple):
    """What a format needs: the store, the file, and what was asked."""

    store: Store
    file: BinaryIO
    name: str
    tell: Tell
    only: str | None
    dry_run: bool


def import_workspaces(
    store: Store,
    file: BinaryIO,
    name: str,
    tell: Tell,
    *,
    form: str = "auto",
    only: str | None = None,
    dry_run: bool = False,
) -> Iterator[Imported]:
    """Import a file's workspaces, or `only` one, and give each once it is done. `dry_run` stores nothing."""
    return IMPORT_FORMATS[form](_Import(store, file, name, tell, only, dry_run))


def _jsonl(asked: _Import) -> Iterator[Imported]:
    lines = LineReader(asked.file, asked.name)
    lines.begin()
    seen = 0
    while not isinstance(line := lines.take(), ExportEnd):
        if not isinstance(line, WorkspaceBegin):
            raise lines.damaged("a workspace should begin here.")
        seen += 1
        section = _Section(asked, lines, line)
        if asked.only in (None, line.name):
            yield section.imported()
        else:
            section.skip()
    if line.workspaces != seen:
        raise lines.damaged(f"the export has {line.workspaces} workspaces, but {seen} are here.")
    lines.check_end()


IMPORT_FORMATS: Final[dict[str, Callable[[_Import], Iterator[Imported]]]] = {"auto": _jsonl, "jsonl": _jsonl}
"""The formats by name. There is one that can be imported, so finding it out is easy."""


class _Section:
    """The lines of one workspace."""

    def __init__(self, asked: _Import, lines: LineReader, begin: WorkspaceBegin) -> None:
        self._asked = asked
        self._lines = lines
        self._name, self._last = begin.name, begin.seq
        self._log = LogReader(lines, begin.name)
        self._parts = self._told()

    def _told(self) -> Iterator[LogPart]:
        for part in self._log.parts():
            yield part
            if part.is_last:
                self._asked.tell(self._name, self._log.seq, self._last)

    def skip(self) -> None:
        """Check the lines, and leave the workspace out."""
        for _ in self._parts:
            pass
        self._end()

    def imported(self) -> Imported:
        """Import what the store does not have yet."""
        with self._asked.store.reading(self._name) as snapshot:
            head = snapshot.head()
            held = (OperationRow(*row) for row in snapshot.rows("operations"))
            self._catch_up(head, held if head.seq else iter(()))
        after, before = self._log.seq, self._log.counts["operations"]
        if self._asked.dry_run:
            self.skip()
        elif not (head.is_unfinished or isinstance(self._lines.peek(), OperationLine)):
            self._compare()
        else:
            self._store(head)
        new = self._log.counts["operations"] - before
        log, resumed = self._log, head.is_unfinished
        return Imported(self._name, new, log.seq - after, after, log.seq, log.hash, resumed)

    def _catch_up(self, head: Head, held: Iterator[OperationRow]) -> None:
        """Read what the store has already. It must be the beginning of what the file has."""
        for own in held:
            part = next((part for part in self._parts if part.is_last), None)
            if part is None:
                raise self._ahead(head)
            if part.operation.hash != own.hash:
                raise self._diverged(own, part.operation)
        if self._log.hash != head.link:
            raise ImportConflict(
                f"The log of {self._name} in the store is damaged: it does not end with its last hash.",
                "Run `gatepost doctor` to see what is wrong. Nothing was changed.",
            )

    def _store(self, head: Head) -> None:
        with WorkspaceWriter(self._asked.store, self._name, head) as writer:
            for part in self._parts:
                writer.add(part)
            writer.flush()
            with writer.finishing() as transaction:
                complete(transaction, self._name, self._end(transaction))

    def _compare(self) -> None:
        """The store has all of it: see that it is the same."""
        end = self._end()
        with self._asked.store.reading(self._name) as snapshot:
            check_equal(snapshot, self._name, end)

    def _end(self, transaction: StoreTransaction | None = None) -> WorkspaceEnd:
        """The rest of the lines. Names go into the transaction, if there is one."""
        counts = self._log.counts
        for page in _pages(self._rows(NameLine, "names")):
            counts["names"] += len(page)
            if transaction is not None:
                transaction.apply(Changes(transaction.head(), names=page))
        for page in _pages(self._rows(MaskedTextLine, "masked_texts")):
            counts["masked_texts"] += len(page)
            if transaction is not None:
                known = set(transaction.rows("masked_texts"))
                new = [row for row in page if row not in known]
                transaction.apply(Changes(transaction.head(), masked_texts=new))
        line = self._lines.take()
        if not isinstance(line, WorkspaceEnd) or line.name != self._name:
            raise self._lines.damaged(f"{self._name} should continue or end here.")
        found = RowCounts(**counts, documents=line.counts.documents)
        ends = (line.head.seq, line.head.hash) == (self._log.seq, self._log.hash) and line.head.seq == self._last
        if found != line.counts or not ends:
            said = ", ".join(f"{count:,} {table}" for table, count in counts.items())
            raise self._lines.damaged(
                f"the lines of {self._name} end at seq {self._log.seq} and have {said}, but this line says"
                " something else. A part of the file is missing, or it was edited."
            )
        return line

    def _rows(self, kind: type[NameLine] | type[MaskedTextLine], table: Table) -> Iterator[tuple[Any, ...]]:
        """The rows of the lines of one kind, each after the one before."""
        last: tuple[Any, ...] = ()
        while (line := self._lines.take_if(kind)) is not None:
            row = astuple(line)
            problem = problem_of(table, row) if row > last else "is out of order"
            if problem is not None:
                raise self._lines.damaged(f"it {problem}.")
            last = row
            yield row

    def _diverged(self, own: OperationRow, other: OperationRow) -> ImportConflict:
        return ImportConflict(
            f"{self._name} in the store is not the beginning of the one in the file: they differ from operation"
            f" {other.operation} on. The store has {_shown(own)}, the file {_shown(other)}.",
            _ELSEWHERE,
        )

    def _ahead(self, head: Head) -> ImportConflict:
        return ImportConflict(
            f"{self._name} in the store continues past the end of the file: it is at seq {head.seq}, and the file"
            f" at {self._log.seq}. Up to there they are the same.",
            f"There is nothing to import. {_ELSEWHERE}",
        )


def _shown(operation: OperationRow) -> str:
    return f"{operation.tool[:_WIDEST]} by {operation.actor[:_WIDEST]} at {operation.at[:_WIDEST]}"


def _pages(rows: Iterator[tuple[Any, ...]]) -> Iterator[list[Any]]:
    while page := list(islice(rows, _PAGE)):
        yield page
