"""Write workspaces as lines: each from one snapshot, while others go on writing, and never whole in memory."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from msgspec.structs import astuple

from gatepost.domain.refusals import ImportUnfinished
from gatepost.engine.chain import RunningHash, SortedRows, digest_of
from gatepost.engine.port import Store, StoreSnapshot, Tables
from gatepost.engine.rows import LOG, OperationRow
from gatepost.transfer.lines import (
    COUNTED,
    FORMAT,
    VERSION,
    ArtifactLine,
    EndHead,
    EventLine,
    ExportBegin,
    ExportEnd,
    ImageLine,
    Line,
    MaskedTextLine,
    NameLine,
    OperationLine,
    RowCounts,
    TouchLine,
    WorkspaceBegin,
    WorkspaceEnd,
    encoded,
)
from gatepost.transfer.refusals import NothingExported

_UNDONE_BY: Final = OperationRow.__struct_fields__.index("undone_by")

Write = Callable[[bytes], object]
"""Takes the next bytes of the file."""
Tell = Callable[[str, int, int], object]
"""Receives a workspace, the `seq` that is reached, and the last one."""


class Exported(NamedTuple):
    """A workspace that was written, and how its log ends."""

    workspace: str
    counts: RowCounts
    seq: int
    hash: str


class _Export(NamedTuple):
    """What a format needs: the store, the workspaces, and where the bytes go."""

    store: Store
    workspaces: Sequence[str]
    version: str
    at: str
    write: Write
    tell: Tell


def export_workspaces(
    store: Store,
    workspaces: Sequence[str],
    write: Write,
    tell: Tell,
    *,
    version: str,
    at: str,
    form: str = "jsonl",
) -> list[Exported]:
    """Write workspaces in one of the formats. The file says which version of Gatepost wrote it, and when."""
    return EXPORT_FORMATS[form](_Export(store, workspaces, version, at, write, tell))


def _jsonl(export: _Export) -> list[Exported]:
    """The format that can be imported: the whole log, as lines."""
    export.write(encoded(ExportBegin(FORMAT, VERSION, export.version, export.at)))
    done: list[Exported] = []
    for workspace in export.workspaces:
        with export.store.reading(workspace) as snapshot:
            for line in _workspace_lines(workspace, snapshot):
                export.write(encoded(line))
                if isinstance(line, OperationLine):
                    export.tell(workspace, line.last_seq, snapshot.head().seq)
                elif isinstance(line, WorkspaceEnd):
                    done.append(Exported(workspace, line.counts, line.head.seq, line.head.hash))
    export.write(encoded(ExportEnd(len(done))))
    return done


EXPORT_FORMATS: Final[dict[str, Callable[[_Export], list[Exported]]]] = {"jsonl": _jsonl}
"""The formats by name. Formats that only people read can join it; this one can be imported."""


def _workspace_lines(workspace: str, snapshot: StoreSnapshot) -> Iterator[Line]:
    head = snapshot.head()
    if head.is_unfinished:
        raise ImportUnfinished(workspace, head.seq)
    yield WorkspaceBegin(workspace, head.seq)
    end = ""
    for line in _log_lines(workspace, snapshot):
        end = line.hash if isinstance(line, OperationLine) else end
        yield line
    if end != head.hash:
        raise _broken(workspace, "the end of its log")
    for row in snapshot.rows("names"):
        yield NameLine(*row)
    for row in snapshot.rows("masked_texts"):
        yield MaskedTextLine(*row)
    yield WorkspaceEnd(workspace, counted(snapshot), EndHead(*astuple(head)), digest_of(snapshot.rows("documents")))


def counted(tables: Tables) -> RowCounts:
    """How many rows of each table there are."""
    return RowCounts(**{table: sum(1 for _ in tables.rows(table)) for table in COUNTED})


def _log_lines(workspace: str, snapshot: StoreSnapshot) -> Iterator[Line]:
    """The log, with every hash computed again: a file with a broken chain could not be imported."""
    operations, *tables = (snapshot.rows(table) for table in LOG)
    rows = [SortedRows(table, column) for table, column in zip(tables, (0, 1, 1, 1), strict=True)]
    before, row = "", next(operations, None)
    while row is not None:
        following = next(operations, None)
        operation = OperationRow(*row)
        yield OperationLine(*(*row[:_UNDONE_BY], operation.hash))
        running = RunningHash(workspace, before, operation)
        for line in _row_lines(rows, None if following is None else following[0]):
            running.add(line.__struct_config__.tag, astuple(line))  # type: ignore[arg-type]
            yield line
        if running.value() != operation.hash:
            raise _broken(workspace, f"operation {operation.operation}")
        before, row = operation.hash, following


def _row_lines(rows: Sequence[SortedRows], end: int | None) -> Iterator[Line]:
    """The rows of one operation, in the order in which its hash covers them."""
    events, images, touches, artifacts = (table.until(end) for table in rows)
    for kind, found in ((EventLine, events), (ImageLine, images), (TouchLine, touches)):
        for row in found:
            yield kind(*row)
    held: list[tuple[Any, ...]] = sorted(artifacts)  # no more than one call brought
    for row in held:
        yield ArtifactLine(*row)


def _broken(workspace: str, where: str) -> NothingExported:
    return NothingExported(
        f"The hash chain of {workspace} is broken at {where}, so no import would accept the file.",
        "Run `gatepost doctor` to see what is wrong.",
    )
