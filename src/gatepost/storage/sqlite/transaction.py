"""Transactions: one workspace, read and written through one connection, to the end of a block."""

from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

import apsw
from msgspec.structs import astuple

from gatepost.domain.refusals import Busy
from gatepost.domain.tallies import NONE, Tally
from gatepost.engine.rows import (
    LAST_PLACE,
    LAST_SEQ,
    REQUESTS_SWEPT,
    ArtifactRow,
    Changes,
    Clause,
    EventRow,
    Head,
    ImageRow,
    OperationRow,
    Posting,
    Range,
    RequestRow,
    SearchHits,
    Stored,
    Table,
)
from gatepost.storage.faults import StoreUnreachable
from gatepost.storage.sqlite import connection_pool, faults
from gatepost.storage.sqlite.connection_pool import Patience, SqliteConnectionPool
from gatepost.storage.sqlite.schema import statements
from gatepost.storage.sqlite.thread_connection import ThreadConnection
from gatepost.wire import json_output

if TYPE_CHECKING:
    from gatepost.engine.port import Ask
    from gatepost.storage.sqlite.search_index import SearchIndex

SQL: Final = statements()
WRITE: Final = "BEGIN IMMEDIATE"


class Void(Exception):
    """A transaction that another one replaced. None of it is written."""


class Transacting:
    """A transaction that ends with the block. Rolls back what was not committed."""

    def __init__(
        self,
        store: SqliteConnectionPool,
        begin: str,
        workspace: str,
        tell: Callable[[str, int], None] | None,
        *,
        patient: bool = True,
    ) -> None:
        self._connection: ThreadConnection = store.thread_connection()
        self._path = store.path
        self._begin = begin
        self._workspace = workspace
        self._tell = tell
        self._patient = patient

    def __enter__(self) -> "SqliteTransaction":
        begun = False
        try:
            connection = self._connection.seize(self)
            self._start(connection)
            if self._begin == WRITE and not self._connection.is_current():
                raise StoreUnreachable(
                    self._path,
                    "the file was moved, deleted or replaced while it was open",
                    "Nothing was changed. Put the file back, or restart Gatepost.",
                )
            self._transaction = SqliteTransaction(connection, self._workspace, self._check)
            begun = True
        except faults.POSSIBLE_FAULTS as error:
            raise answer_to(error, self._path) from error
        finally:
            if not begun:  # also after an interrupt: nobody else would end it
                self._end()
        return self._transaction

    def _start(self, connection: apsw.Connection) -> None:
        if self._patient:
            connection.execute(self._begin)
            return
        connection.set_busy_handler(None)
        try:
            connection.execute(self._begin)
        finally:
            connection.set_busy_handler(Patience())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()
        if isinstance(error, faults.POSSIBLE_FAULTS):
            answer = answer_to(error, self._path)
            if answer is not error:
                self._connection.drop()  # the fault may be gone when the file is opened again
                raise answer from error
        if self._tell is not None and self._transaction.grown:
            self._tell(self._workspace, self._transaction.head().seq)

    def _end(self) -> None:
        try:
            self._connection.leave(self)
        except apsw.Error as error:
            self._connection.drop()
            raise answer_to(error, self._path) from error

    def _check(self) -> None:
        if not self._connection.is_of(self):
            raise Void("another transaction has begun in this thread or process: this one is void")


def answer_to(error: Exception, path: str) -> Exception:
    """The fault that the caller sees, or the error itself if it is a bug of ours."""
    if isinstance(error, apsw.BusyError):
        return Busy(connection_pool.PATIENCE)
    return faults.answer_to(error, path) or error


class SqliteTransaction:
    """One workspace within a transaction."""

    def __init__(self, connection: apsw.Connection, workspace: str, check: Callable[[], None]) -> None:
        self._check = check
        self._run = connection.execute
        self._run_many = connection.executemany
        self._flush = connection.cache_flush
        self._connection = connection
        self._name = workspace
        self.grown = False
        """Whether the log is longer now. Waiters learn of nothing else."""
        row = self._run(SQL["head"], (workspace,)).fetchone()
        self._id: int = 0 if row is None else row[0]
        self._head = Head() if row is None else Head(*row[1:])
        self._first_seq = self._head.seq

    def head(self) -> Head:
        return self._head

    def rehearse(self) -> None:
        self._run(SQL["rehearse"])
        self._flush()  # flushed to disk, which shows whether there is room; nothing is committed

    def ahead(self, ask: "Ask") -> bool:  # noqa: ARG002 - nothing is read ahead here
        """Nothing: a read of a file takes no round trip."""
        return False

    def load(self, places: Sequence[str]) -> dict[str, Stored]:
        if len(places) == 1:
            row: Any = self._run(SQL["load"], (self._id, places[0])).fetchone()
            stored = _stored(row)
            return {} if stored is None else {places[0]: stored}
        rows: Any = self._run(SQL["load_many"], (self._id, json_output.text(places)))
        found = ((place, _stored(row)) for place, *row in rows)
        return {place: stored for place, stored in found if stored is not None}

    def texts(self, places: Sequence[str]) -> dict[str, str]:
        rows: Any = self._run(SQL["texts"], (self._id, json_output.text(places)))
        return dict(rows)

    def span(self, first: str, end: str, limit: int) -> list[tuple[str, Stored]]:
        return [
            (place, Stored(text, NONE if counts[0] is None else Tally(*counts)))
            for place, text, *counts in self._run(SQL["span"], (self._id, first, end, limit))
        ]

    def count(self, first: str, end: str) -> int:
        return sum(number for (number,) in self._run(SQL["count"], (self._id, first, end)))

    def find(self, name: str) -> str | None:
        row = self._run(SQL["find"], (self._id, name)).fetchone()
        return None if row is None else row[0]

    def postings(self, clauses: Sequence[Clause], ranges: Sequence[Range], limit: int) -> list[str]:
        found: list[str] = []
        for first, end in ranges:
            most = limit - len(found)
            if most <= 0:
                break
            if len(clauses) == 1 and len(clauses[0]) == 1:
                bindings = (self._id, clauses[0][0], first, end, most)
                found += [place for (place,) in self._run(SQL["posting_range"], bindings)]
            else:
                from gatepost.storage.postings import leapfrog  # most reads ask for one term

                found += leapfrog(self._seek, clauses, first, end, most)
        return found

    def walk(self, after: Posting, end: str, limit: int) -> list[Posting]:
        return [(term, place) for term, place in self._run(SQL["walk"], (self._id, *after, end, limit))]

    def search(self, words: Sequence[str], limit: int, upto: int | None = None) -> SearchHits:
        return self._index().find(self._id, words, limit, upto)

    def events(
        self,
        after: int,
        limit: int,
        root: str | None,
        *,
        step_id: str | None = None,
        newest: bool = False,
        upto: int = LAST_SEQ,
    ) -> list[EventRow]:
        statement, bindings = "recent" if newest else "events", (self._id, after, limit, upto)
        if step_id is not None:
            found = self._run(SQL[f"{statement}_of_step"], (*bindings, step_id))
        elif root is not None:
            found = self._run(SQL[f"{statement}_of_root"], (*bindings, root))
        else:
            found = self._run(SQL[statement], bindings)
        return [EventRow(*row) for row in found]

    def notes(
        self, limit: int, root: str, steps: Sequence[str | None] | None = None, *, upto: int = LAST_SEQ
    ) -> list[EventRow]:
        bindings = (self._id, limit, root, upto)
        if steps is None:
            return [EventRow(*row) for row in self._run(SQL["notes_of_root"], bindings)]
        found = [row for name in steps for row in self._run(SQL["notes_of_step"], (*bindings, name))]
        return [EventRow(*row) for row in sorted(found, reverse=True)[:limit]]

    def operations(self, before: int, limit: int, root: str | None) -> list[OperationRow]:
        if root is None:
            found = self._run(SQL["operations"], (self._id, before, limit))
        else:
            found = self._run(SQL["operations_of_root"], (self._id, before, limit, root))
        return [OperationRow(*row) for row in found]

    def images(self, operation: int, first: str = "", end: str = LAST_PLACE, limit: int = -1) -> list[ImageRow]:
        return [ImageRow(*row) for row in self._run(SQL["images"], (self._id, operation, first, end, limit))]

    def images_of_place(self, place: str, before: int, limit: int) -> list[ImageRow]:
        return [ImageRow(*row) for row in self._run(SQL["images_of_place"], (self._id, place, before, limit))]

    def images_after(self, places: Sequence[str], operation: int) -> dict[str, ImageRow]:
        rows: Any = self._run(SQL["images_after"], (self._id, json_output.text(places), operation))
        return {place: ImageRow(place, *row) for place, *row in rows}

    def artifacts(
        self, place: str, limit: int, first: tuple[int, int] | None = None, *, upto: int = LAST_SEQ
    ) -> list[ArtifactRow]:
        if first is None:
            found = self._run(SQL["artifacts"], (self._id, place, limit, upto))
        else:
            found = self._run(SQL["artifacts_from"], (self._id, place, *first, limit, upto))
        return [ArtifactRow(*row) for row in found]

    def evidence_counts(self, places: Sequence[str], most: int, *, upto: int = LAST_SEQ) -> dict[str, int]:
        rows: Any = self._run(SQL["evidence_counts"], (self._id, json_output.text(places), most, upto))
        return {place: count for place, count in rows if count}

    def texts_before(self, roots: Sequence[str], operation: int) -> dict[str, str | None]:
        rows: Any = self._run(SQL["texts_before"], (self._id, json_output.text(roots), operation))
        return {place: before for place, _, before in rows}

    def changed_places(self, first: str, end: str, operation: int) -> list[str]:
        return [place for (place,) in self._run(SQL["changed_places"], (self._id, first, end, operation))]

    def changed_roots(self, operation: int) -> list[str]:
        return [place for (place,) in self._run(SQL["changed_roots"], (self._id, operation))]

    def left_plan(self, plan_id: str, operation: int) -> list[str]:
        return [place for (place,) in self._run(SQL["left_plan"], (self._id, plan_id, operation))]

    def revisions(self, places: Sequence[str], operation: int) -> dict[str, int]:
        rows: Any = self._run(SQL["revisions"], (self._id, json_output.text(places), operation))
        return {place: revision for place, revision in rows if revision is not None}

    def written(self, folder: str, taskdoc: str) -> str | None:
        row = self._run(SQL["written"], (self._id, folder, taskdoc)).fetchone()
        return None if row is None else row[0]

    def lease(self, holder: str) -> str | None:
        row = self._run(SQL["lease"], (self._id, holder)).fetchone()
        return None if row is None else row[0]

    def request(self, name: str) -> RequestRow | None:
        row: Any = self._run(SQL["request"], (self._id, name)).fetchone()
        return None if row is None else RequestRow(*row)

    def rows(self, table: Table) -> Iterator[tuple[Any, ...]]:
        if table == "searched":
            return self._index().rows(self._id)
        return self._run(SQL[f"all_{table}"], (self._id,))

    def apply(self, changes: Changes) -> None:
        self._check()
        if not self._id:
            made: Any = self._run(SQL["new_workspace"], (self._name,)).fetchall()
            self._id = made[0][0]
        me, run, many = self._id, self._run, self._run_many
        run(SQL["put_head"], (*astuple(changes.head), me))
        for statement, rows in (
            ("drop_document", [(place,) for place, text in changes.documents if text is None]),
            ("put_document", [row for row in changes.documents if row[1] is not None]),
            ("drop_tally", [(place,) for place, tally in changes.tallies if tally == NONE]),
            ("put_tally", [(place, *astuple(tally)) for place, tally in changes.tallies if tally != NONE]),
            ("drop_term", changes.terms_gone),
            ("put_term", changes.terms_new),
            ("put_name", changes.names),
            ("put_event", [astuple(row) for row in changes.events]),
            ("put_image", [astuple(row) for row in changes.images]),
            ("put_touch", changes.touches),
            ("put_undone", changes.undone),
            ("put_artifact", [astuple(row) for row in changes.artifacts]),
            ("put_masked_text", changes.masked_texts),
            ("drop_written", [row[:2] for row in changes.written if row[2] is None]),
            ("put_written", [row for row in changes.written if row[2] is not None]),
            ("put_lease", changes.leases),
            ("drop_leases", [(before,) for before in changes.leases_before]),
            ("put_request", [astuple(row) for row in changes.requests]),
        ):
            if rows:
                many(SQL[statement], ((me, *row) for row in rows))
        if changes.requests_before is not None:
            self._forget_requests(changes.requests_before)
        for operation in (changes.operation, *changes.past):
            if operation is not None:
                run(SQL["put_operation"], (me, *astuple(operation)))
        self._apply_search(changes)
        self._head = changes.head

    def _apply_search(self, changes: Changes) -> None:
        if changes.search_reset:
            self._index().forget(self._id)
        if changes.search_moved:
            self._run_many(SQL["move_searched"], ((self._id, *row) for row in changes.search_moved))
        if changes.search_new or changes.search_gone:
            self._index().change(self._id, changes.search_new, changes.search_gone)

    def commit(self) -> None:
        self._check()
        self._run("COMMIT")
        self.grown = self._head.seq > self._first_seq

    def _forget_requests(self, before: str) -> None:
        old: Any = self._run(SQL["old_requests"], (self._id, before, REQUESTS_SWEPT)).fetchall()
        self._run_many(SQL["drop_request"], ((self._id, *row) for row in old))

    def _index(self) -> "SearchIndex":
        from gatepost.storage.sqlite.search_index import SearchIndex  # most reads search for no words

        return SearchIndex(self._connection, SQL)

    def _seek(self, term: str, place: str) -> str | None:
        row = self._run(SQL["posting"], (self._id, term, place)).fetchone()
        return None if row is None else row[0]


def _stored(row: Sequence[Any]) -> Stored | None:
    """A document and its tally; either may be missing."""
    text, *counts = row
    if counts[0] is None:
        return None if text is None else Stored(text, NONE)
    return Stored(text, Tally(*counts))
