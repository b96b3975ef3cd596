"""Transactions: one workspace, read and written through one connection, to the end of a block.

A write waits for the row of its workspace, which numbers the events: writers of one workspace take turns, and those
of others are not held up. What is applied is sent with the next read or with the commit, so a simple write is two
round trips and what it reads.
"""

from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any, Final, Literal

import psycopg
from msgspec import Struct
from psycopg import RawServerCursor

from gatepost.domain.refusals import Refusal
from gatepost.domain.tallies import NONE, Tally
from gatepost.engine.rows import (
    LAST_PLACE,
    LAST_SEQ,
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
from gatepost.storage.postgres import changed_rows, faults, search_index
from gatepost.storage.postgres.arrays import array
from gatepost.storage.postgres.connection_pool import Connection, ConnectionPool
from gatepost.storage.postgres.pooled_connection import SQL, PooledConnection

_PAGE: Final = 1_000


class Kind(Struct, frozen=True):
    """How a transaction begins: to read, or to write after waiting some seconds; and how durable its commit is."""

    begin: Literal["begin_read", "begin_write"] = "begin_read"
    patience: float = faults.PATIENCE
    durability: str = "on"


class Transacting:
    """A transaction on one workspace, which ends with the block. Rolls back what was not committed."""

    def __init__(
        self, pool: ConnectionPool, workspace: str, kind: Kind, tell: Callable[[str, int], None] | None = None
    ) -> None:
        self._borrowed = PooledConnection(pool)
        self._workspace = workspace
        self._kind = kind
        self._tell = tell

    def __enter__(self) -> "PostgresTransaction":
        self._transaction = self._borrowed.begun(self._start)
        return self._transaction

    def _start(self, connection: Connection) -> "PostgresTransaction":
        pool = self._borrowed.pool
        row, now = begin(connection, self._kind, pool.address.schema, self._workspace)
        pool.clock.set(now)
        return PostgresTransaction(connection, self._workspace, row, pool)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._borrowed.end()
        self._borrowed.raise_for(error)
        if self._tell is not None and self._transaction.grown:
            self._tell(self._workspace, self._transaction.head().seq)


def begin(
    connection: Connection, kind: Kind, schema: str, workspace: str
) -> tuple[Sequence[Any] | None, float | None]:
    """Begin a transaction. The workspace's number and counters, if it is there, and the database's time."""
    cursor = psycopg.ClientCursor(connection)
    given = {
        "schema": schema,
        "name": workspace,
        "patience": f"{max(1, int(kind.patience * 1000))}ms",
        "durability": kind.durability,
    }
    cursor.execute(SQL[kind.begin], given)
    while cursor.nextset():
        pass
    row: Any = cursor.fetchone()
    if row is None:
        # Nobody can lock a row that is not there yet: those who make it take turns.
        connection.execute(SQL["lock_new_workspace"], (workspace,))
        found: Any = connection.execute(SQL["lock_workspace"], (workspace,)).fetchone()
        return found, None
    return (None if row[0] is None else row[:6]), row[6]


class PostgresTransaction:
    """One workspace within a transaction."""

    def __init__(
        self, connection: Connection, workspace: str, row: Sequence[Any] | None, pool: ConnectionPool
    ) -> None:
        self._connection = connection
        self._pool = pool
        self._name = workspace
        self.grown = False
        """Whether the log is longer now. Waiters learn of nothing else."""
        self._id: int = 0 if row is None else row[0]
        self._head = Head() if row is None else Head(*row[1:])
        self._first_seq = self._head.seq
        self._pending: list[tuple[str, tuple[Any, ...]]] = []
        self._operation: OperationRow | None = None
        self._cursors = 0

    def head(self) -> Head:
        return self._head

    def rehearse(self) -> None:
        """Write a row, which is never committed."""
        self._connection.execute(SQL["new_workspace"], (self._name,))

    def load(self, places: Sequence[str]) -> dict[str, Stored]:
        found = ((place, _stored(row)) for place, *row in self._all("load", list(places)))
        return {place: stored for place, stored in found if stored is not None}

    def texts(self, places: Sequence[str]) -> dict[str, str]:
        return dict(self._all("texts", list(places)))

    def span(self, first: str, end: str, limit: int) -> list[tuple[str, Stored]]:
        return [
            (place, Stored(text, NONE if counts[0] is None else Tally(*counts)))
            for place, text, *counts in self._all("span", first, end, limit)
        ]

    def count(self, first: str, end: str) -> int:
        return sum(number for (number,) in self._all("count", first, end))

    def find(self, name: str) -> str | None:
        return self._value("find", name)

    def postings(self, clauses: Sequence[Clause], ranges: Sequence[Range], limit: int) -> list[str]:
        firsts, ends = [first for first, _ in ranges], [end for _, end in ranges]
        if len(clauses) == 1 and len(clauses[0]) == 1:
            return self._places("posting_ranges", clauses[0][0], firsts, ends, limit)
        wanted = [(term, number) for number, clause in enumerate(clauses) for term in dict.fromkeys(clause)]
        terms, owners = [term for term, _ in wanted], [owner for _, owner in wanted]
        return self._places("meetings", terms, owners, firsts, ends, len(clauses), limit)

    def walk(self, after: Posting, end: str, limit: int) -> list[Posting]:
        return [(term, place) for term, place in self._all("walk", *after, end, limit)]

    def search(self, words: Sequence[str], limit: int, upto: int | None = None) -> SearchHits:
        return search_index.find(self._all, self._id, words, limit, upto)

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
        statement, bindings = "recent" if newest else "events", (after, limit, upto)
        if step_id is not None:
            found = self._all(f"{statement}_of_step", *bindings, step_id)
        elif root is not None:
            found = self._all(f"{statement}_of_root", *bindings, root)
        else:
            found = self._all(statement, *bindings)
        return [EventRow(*row) for row in found]

    def notes(
        self, limit: int, root: str, steps: Sequence[str | None] | None = None, *, upto: int = LAST_SEQ
    ) -> list[EventRow]:
        if steps is None:
            found = self._all("notes_of_root", limit, root, upto)
        else:
            found = self._all("notes_of_steps", limit, root, upto, [name or "" for name in steps])
        return [EventRow(*row) for row in found]

    def operations(self, before: int, limit: int, root: str | None) -> list[OperationRow]:
        if root is None:
            found = self._all("operations", before, limit)
        else:
            found = self._all("operations_of_root", before, limit, root)
        return [OperationRow(*row) for row in found]

    def images(self, operation: int, first: str = "", end: str = LAST_PLACE, limit: int = -1) -> list[ImageRow]:
        most = None if limit < 0 else limit
        return [ImageRow(*row) for row in self._all("images", operation, first, end, most)]

    def images_of_place(self, place: str, before: int, limit: int) -> list[ImageRow]:
        return [ImageRow(*row) for row in self._all("images_of_place", place, before, limit)]

    def images_after(self, places: Sequence[str], operation: int) -> dict[str, ImageRow]:
        return {row[0]: ImageRow(*row) for row in self._all("images_after", list(places), operation)}

    def artifacts(
        self, place: str, limit: int, first: tuple[int, int] | None = None, *, upto: int = LAST_SEQ
    ) -> list[ArtifactRow]:
        if first is None:
            found = self._all("artifacts", place, limit, upto)
        else:
            found = self._all("artifacts_from", place, *first, limit, upto)
        return [ArtifactRow(*row) for row in found]

    def evidence_counts(self, places: Sequence[str], most: int, *, upto: int = LAST_SEQ) -> dict[str, int]:
        return {place: count for place, count in self._all("evidence_counts", list(places), most, upto) if count}

    def texts_before(self, roots: Sequence[str], operation: int) -> dict[str, str | None]:
        return dict(self._all("texts_before", list(roots), operation))

    def changed_places(self, first: str, end: str, operation: int) -> list[str]:
        return self._places("changed_places", first, end, operation)

    def changed_roots(self, operation: int) -> list[str]:
        return self._places("changed_roots", operation)

    def left_plan(self, plan_id: str, operation: int) -> list[str]:
        return self._places("left_plan", plan_id, operation)

    def revisions(self, places: Sequence[str], operation: int) -> dict[str, int]:
        found = self._all("revisions", list(places), operation)
        return {place: revision for place, revision in found if revision is not None}

    def written(self, folder: str, taskdoc: str) -> str | None:
        return self._value("written", folder, taskdoc)

    def lease(self, holder: str) -> str | None:
        return self._value("lease", holder)

    def request(self, name: str) -> RequestRow | None:
        rows = self._all("request", name)
        return RequestRow(*rows[0]) if rows else None

    def rows(self, table: Table) -> Iterator[tuple[Any, ...]]:
        self._flush()
        self._cursors += 1  # several may be read at once
        with RawServerCursor(self._connection, f"{table}_{self._cursors}") as cursor:
            cursor.itersize = _PAGE
            cursor.execute(SQL[f"all_{table}"], (self._id,))
            yield from search_index.fingerprinted(cursor) if table == "searched" else cursor

    def apply(self, changes: Changes) -> None:
        if not self._id:
            made: Any = self._connection.execute(SQL["new_workspace"], (self._name,)).fetchone()
            self._id = made[0]
        self._pending += changed_rows.statements(changes)
        self._operation = (*changes.past, changes.operation)[-1] or self._operation
        self._head = changes.head

    def commit(self) -> None:
        if self._head.seq > self._first_seq:
            # Channel and payload are no part of the workspace's rows.
            self._pending.append(("notify", ()))
        try:
            self._send("COMMIT")
        except psycopg.Error as error:
            if not faults.is_lost(error):
                raise
            self._settle_doubt(error)
        self.grown = self._head.seq > self._first_seq

    def _settle_doubt(self, lost: psycopg.Error) -> None:
        """Find out whether a commit took effect whose answer was lost. Raises if it did not, or cannot be known."""
        if self._operation is None:
            raise faults.ConnectionLost(self._pool.address) from lost
        number, link = self._operation.operation, self._operation.hash
        try:
            # Waits for the workspace's row, so for the end of the transaction that is in doubt.
            with Transacting(self._pool, self._name, Kind("begin_write")) as transaction:
                kept = transaction.link(number)
        except Refusal as refusal:
            raise faults.CommitUnknown(self._pool.address) from refusal
        if kept != link:
            raise faults.ConnectionLost(self._pool.address) from lost

    def link(self, operation: int) -> str | None:
        """The link of an operation in the chain of hashes, if it is in the log."""
        row: Any = self._connection.execute(SQL["is_committed"], (self._name, operation)).fetchone()
        return None if row is None else row[0]

    def _flush(self) -> None:
        if self._pending:
            self._send()

    def _send(self, last: str | None = None) -> None:
        """Send what waits, in one round trip."""
        pending, self._pending = self._pending, []
        try:
            with self._connection.pipeline():
                for name, parameters in pending:
                    self._connection.execute(SQL[name], self._given(name, parameters))
                if last is not None:
                    self._connection.execute(last)
        except psycopg.Error:
            # Statements behind the one that failed were not prepared, though the client counts on it.
            self._connection.close()
            raise

    def _given(self, statement: str, parameters: tuple[Any, ...]) -> tuple[Any, ...]:
        if statement == "notify":
            return self._pool.address.channel, f"{self._head.seq} {self._name}"
        given = search_index.tagged(statement, self._id, parameters)
        return self._id, *(array(each) if isinstance(each, list) else each for each in given)

    def _all(self, statement: str, *parameters: Any) -> list[Any]:
        """The rows of a statement about this workspace."""
        self._flush()
        return self._connection.execute(SQL[statement], (self._id, *map(_bound, parameters))).fetchall()

    def _places(self, statement: str, *parameters: Any) -> list[str]:
        return [place for (place,) in self._all(statement, *parameters)]

    def _value(self, statement: str, *parameters: Any) -> str | None:
        rows = self._all(statement, *parameters)
        return rows[0][0] if rows else None


def _bound(value: Any) -> Any:
    """A parameter that PostgreSQL can take: its texts hold no NUL, and "after a place" is asked for as place + NUL.

    No place has a character below the one that takes its part, so the order is the same.
    """
    if isinstance(value, str):
        return value.replace("\0", "\x01")
    return array(map(_bound, value)) if isinstance(value, list) else value


def _stored(row: Sequence[Any]) -> Stored | None:
    """A document and its tally; either may be missing."""
    text, *counts = row
    if counts[0] is None:
        return None if text is None else Stored(text, NONE)
    return Stored(text, Tally(*counts))
