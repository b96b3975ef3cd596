"""Write a log into a store, some operations at a time, so that an interrupted import can continue.

Until all of it is there, the workspace's head has a mark: nobody reads or writes a workspace that is stored only in
part.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Final

from msgspec.structs import astuple, replace

from gatepost.engine import derivation
from gatepost.engine.chain import digest_of
from gatepost.engine.doctor import check_log
from gatepost.engine.port import Store, StoreTransaction, Tables
from gatepost.engine.rows import UNFINISHED, Changes, Head, OperationRow
from gatepost.transfer.exporter import counted
from gatepost.transfer.lines import WorkspaceEnd
from gatepost.transfer.log_reader import LogPart
from gatepost.transfer.refusals import ImportConflict, ImportMismatch

_BYTES: Final = 4 * 2**20
_OPERATIONS: Final = 1_000
"""A batch is committed when it reaches either limit: bytes of lines, or operations."""
_SHOWN: Final = 3


class WorkspaceWriter:
    """One workspace of a store, from a known head on. Use it as a context: an open batch is rolled back."""

    def __init__(self, store: Store, workspace: str, head: Head) -> None:
        self._store = store
        self._workspace = workspace
        self._head = head
        self._batch: list[LogPart] = []
        self._size = 0
        self._open: tuple[AbstractContextManager[StoreTransaction], StoreTransaction] | None = None

    def __enter__(self) -> "WorkspaceWriter":
        return self

    def __exit__(self, *raised: object) -> None:
        self._close()

    def add(self, part: LogPart) -> None:
        """Take a part of the log. It is stored with the batch that it completes.

        An operation that is longer than a batch keeps its transaction open until its hash was found right.
        """
        self._batch.append(part)
        self._size += part.size
        if self._size >= _BYTES or len(self._batch) >= _OPERATIONS:
            self._write(commit=part.is_last)

    def flush(self) -> None:
        """Store what is left."""
        if self._batch or self._open is not None:
            self._write(commit=True)

    @contextmanager
    def finishing(self) -> Iterator[StoreTransaction]:
        """The transaction that completes the workspace."""
        with self._store.writing(self._workspace) as transaction:
            self._check_head(transaction)
            yield transaction
            transaction.commit()

    def _write(self, *, commit: bool) -> None:
        if self._open is None:
            context = self._store.writing(self._workspace)
            self._open = context, context.__enter__()
            self._check_head(self._open[1])
        transaction = self._open[1]
        complete = [part.operation for part in self._batch if part.is_last]
        if complete:
            self._head = replace(self._head, seq=complete[-1].last_seq, hash=UNFINISHED + complete[-1].hash)
        _apply(transaction, self._head, self._batch, complete)
        self._batch, self._size = [], 0
        if commit:
            transaction.commit()
            self._close()

    def _check_head(self, transaction: StoreTransaction) -> None:
        if transaction.head() != self._head:
            raise ImportConflict(
                f"{self._workspace} was changed by another program while it was imported.",
                "If another import runs, wait for it. Then import the file again: it continues from what is there.",
            )

    def _close(self) -> None:
        if self._open is not None:
            context, self._open = self._open[0], None
            context.__exit__(None, None, None)


def _apply(
    transaction: StoreTransaction, head: Head, parts: Sequence[LogPart], complete: Sequence[OperationRow]
) -> None:
    documents = {image.place: image.after for part in parts for image in part.images}
    transaction.apply(
        Changes(
            head,
            documents=list(documents.items()),
            events=[row for part in parts for row in part.events],
            images=[row for part in parts for row in part.images],
            touches=[row for part in parts for row in part.touches],
            artifacts=[row for part in parts for row in part.artifacts],
            past=complete,
        )
    )
    undone = [change for row in complete for change in _undone(transaction, row)]
    if undone:
        transaction.apply(Changes(head, undone=undone))


def _undone(transaction: StoreTransaction, row: OperationRow) -> Iterator[tuple[int | None, int]]:
    """What an operation undoes. A redo undoes an undo, so what that had undone is in effect again."""
    if row.of is None:
        return
    yield row.operation, row.of
    if row.kind != "undo":
        for undo in transaction.operations(row.of + 1, 1, None):
            if undo.operation == row.of and undo.kind == "undo" and undo.of is not None:
                yield None, undo.of


def complete(transaction: StoreTransaction, workspace: str, end: WorkspaceEnd) -> None:
    """Derive what follows from the log, and compare everything with what the file says."""
    head = Head(*astuple(end.head))
    transaction.apply(Changes(head))
    derivation.forget_terms(transaction)
    derivation.derive(transaction, head)
    check_equal(transaction, workspace, end)
    findings = check_log(workspace, transaction)
    if findings:
        shown = [f"{finding.where} {finding.says}" for finding in findings[:_SHOWN]]
        raise _mismatch(workspace, [*shown, *(["…"] if len(findings) > _SHOWN else [])])


def check_equal(tables: Tables, workspace: str, end: WorkspaceEnd) -> None:
    """Refuse a workspace that is not what the file says."""
    head, counts, documents = tables.head(), counted(tables), digest_of(tables.rows("documents"))
    wrong = [
        f"{name} {getattr(counts, name):,} instead of {getattr(end.counts, name):,}"
        for name in counts.__struct_fields__
        if getattr(counts, name) != getattr(end.counts, name)
    ]
    wrong += [
        f"{name} {getattr(head, name)} instead of {getattr(end.head, name)}"
        for name in head.__struct_fields__
        if getattr(head, name) != getattr(end.head, name)
    ]
    if documents != end.documents:
        wrong.append(f"documents with the digest {documents} instead of {end.documents}")
    if wrong:
        raise _mismatch(workspace, wrong)


def _mismatch(workspace: str, wrong: Sequence[str]) -> ImportMismatch:
    return ImportMismatch(
        f"{workspace} is not what the file says: {'; '.join(wrong)}.",
        "Export the workspace again, or copy the file again, and import that. Nothing wrong was stored.",
    )
