"""Transactions: one workspace, read and written through one connection, to the end of a block.

A write waits for the row of its workspace, which numbers the events: writers of one workspace take turns, and those
of others are not held up. What is applied is sent with the next read or with the commit, so a simple write is two
round trips and what it reads.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal, NamedTuple

import psycopg
from msgspec import Struct
from psycopg import RawServerCursor

from gatepost.domain.tallies import NONE, Tally
from gatepost.engine.port import Ask
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
from gatepost.storage.postgres import changed_rows, faults, schema, search_index
from gatepost.storage.postgres.arrays import array, bound
from gatepost.storage.postgres.connection_pool import Connection, PostgresConnectionPool
from gatepost.storage.postgres.known_rows import KnownRows, Question, WantedRows, frozen
from gatepost.storage.postgres.pooled_connection import SQL

_PAGE: Final = 1_000
_FEW: Final = 256
"""Up to this many documents come with their places, because the caller reads them next."""


Cursor = psycopg.Cursor[tuple[object, ...]]


class Kind(Struct, frozen=True):
    """How a transaction begins: to read, or to write after waiting some seconds; and how durable its commit is."""

    name: Literal["read", "write"] = "read"
    patience: float = faults.PATIENCE
    durability: str = "on"
    comeback: bool = True
    """Whether to wait for a server that is away, which may be restarting."""

    def settings(self, schema: str) -> tuple[str, ...]:
        """The parameters of its settings."""
        waits = f"{max(1, int(self.patience * 1000))}ms"
        return (schema,) if self.name == "read" else (schema, waits, self.durability)


class Doubt(NamedTuple):
    """A commit whose answer was lost: its last operation, and how."""

    operation: OperationRow
    lost: psycopg.Error


class PostgresTransaction:
    """One workspace within a transaction."""

    def __init__(self, connection: Connection, workspace: str, pool: PostgresConnectionPool) -> None:
        self._connection = connection
        self._pool = pool
        self._name = workspace
        self.grown = False
        """Whether the log is longer now. Waiters learn of nothing else."""
        self.doubt: Doubt | None = None
        self._id = 0
        self._head = Head()
        self._first_seq = 0
        self._pending: list[tuple[str, tuple[Any, ...]]] = []
        self._operation: OperationRow | None = None
        self._known = KnownRows()
        self._cursors = 0

    def begin(self, kind: Kind, first: Ask | None) -> None:
        """Begin, and read the counters and, once the workspace's number is known, what is wanted first."""
        questions = [] if first is None else self._collected(first)
        self._id = self._pool.workspace_ids.get(self._name, 0)
        sent = questions if self._id else []
        _, _, heads, version, *answers = self._send(
            (SQL[f"begin_{kind.name}"], ()),
            (SQL[f"settings_{kind.name}"], kind.settings(self._pool.address.schema)),
            (SQL[f"head_{kind.name}"], (self._name,)),
            (SQL["version"], ()),
            *map(self._asked, sent),
        )
        schema.check_current(version.fetchone(), self._pool.address)
        row: Any = heads.fetchone()
        if row is not None:
            self._pool.clock.set(row[-1])
        else:
            # Nobody can lock a row that is not there yet: those who make it take turns.
            self._connection.execute(SQL["lock_new_workspace"], (self._name,))
            row = self._connection.execute(SQL["lock_workspace"], (self._name,)).fetchone()
        asked_about = self._id
        self.enter(row)
        if asked_about == self._id:
            self._keep(sent, answers)

    def enter(self, row: Sequence[Any] | None) -> None:
        """Take a workspace's number and counters; none if it is not there yet."""
        self._id, *counters = (0,) if row is None or row[0] is None else row[:6]
        self._head = Head(*counters)
        self._first_seq = self._head.seq
        if self._id:
            self._pool.workspace_ids[self._name] = self._id

    def head(self) -> Head:
        return self._head

    def rehearse(self) -> None:
        """Write a row, which is never committed."""
        self._connection.execute(SQL["new_workspace"], (self._name,))

    def ahead(self, ask: Ask) -> bool:
        """Read in one round trip what `ask` reads. Whether anything was left to read."""
        questions = self._collected(ask)
        self._fetch(questions)
        return bool(questions)

    def _collected(self, ask: Ask) -> list[Question]:
        self._known.wanted = wanted = WantedRows()
        try:
            ask(self)
        finally:
            self._known.wanted = None
        return wanted.all()

    def load(self, places: Sequence[str]) -> dict[str, Stored]:
        stored = self._known.stored
        missing = dict.fromkeys(place for place in places if place not in stored)
        if self._known.wanted is not None:
            self._known.wanted.places |= missing
        elif missing:
            self._fetch((("load", (tuple(missing),)),))
        return {place: found for place in places if (found := stored.get(place)) is not None}

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
        if name in self._known.found:
            return self._known.found[name]
        if self._known.wanted is not None:
            self._known.wanted.names[name] = None
        else:
            self._fetch((("find", ((name,),)),))
        return self._known.found.get(name)

    def postings(self, clauses: Sequence[Clause], ranges: Sequence[Range], limit: int) -> list[str]:
        if not ranges:
            return []
        firsts, ends = [first for first, _ in ranges], [end for _, end in ranges]
        few = limit <= _FEW
        if len(clauses) == 1 and len(clauses[0]) == 1:
            return self._places("posting_ranges", clauses[0][0], firsts, ends, limit, few)
        wanted = [(term, number) for number, clause in enumerate(clauses) for term in dict.fromkeys(clause)]
        terms, owners = [term for term, _ in wanted], [owner for _, owner in wanted]
        return self._places("meetings", terms, owners, firsts, ends, len(clauses), limit, few)

    def walk(self, after: Posting, end: str, limit: int) -> list[Posting]:
        return [(term, place) for term, place, *_ in self._all("walk", *after, end, limit)]

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
        self._send()
        self._cursors += 1  # several may be read at once
        with RawServerCursor(self._connection, f"{table}_{self._cursors}") as cursor:
            cursor.itersize = _PAGE
            cursor.execute(SQL[f"all_{table}"], (self._id,))
            yield from search_index.fingerprinted(cursor) if table == "searched" else cursor

    def apply(self, changes: Changes) -> None:
        if not self._id:
            made: Any = self._connection.execute(SQL["new_workspace"], (self._name,)).fetchone()
            self._id = made[0]
        self._known.forget(changes)
        self._pending += changed_rows.statements(changes)
        self._operation = (*changes.past, changes.operation)[-1] or self._operation
        self._head = changes.head

    def commit(self) -> None:
        if self._head.seq > self._first_seq:
            # Channel and payload are no part of the workspace's rows.
            self._pending.append(("notify", ()))
        try:
            self._send(("COMMIT", ()))
        except psycopg.Error as error:
            if not faults.is_lost(error):
                raise
            if self._operation is None:
                raise faults.ConnectionLost(self._pool.address) from error
            self.doubt = Doubt(self._operation, error)
        self.grown = self._head.seq > self._first_seq

    def link(self, operation: int) -> str | None:
        """The link of an operation in the chain of hashes, if it is in the log."""
        row: Any = self._connection.execute(SQL["is_committed"], (self._name, operation)).fetchone()
        return None if row is None else row[0]

    def _fetch(self, questions: Sequence[Question]) -> None:
        """Send what waits and these questions in one round trip, and keep the answers."""
        if not questions:
            return
        if len(questions) == 1 and not self._pending:
            answers = [self._connection.execute(*self._asked(questions[0]))]
        else:
            answers = self._send(*map(self._asked, questions))
        self._keep(questions, answers)

    def _keep(self, questions: Sequence[Question], answers: Sequence[Cursor]) -> None:
        for question, answer in zip(questions, answers, strict=True):
            self._known.keep(question, answer.fetchall())

    def _asked(self, question: Question) -> tuple[str, tuple[Any, ...]]:
        """A question as a statement with parameters."""
        statement, parameters = question
        return SQL[statement], (self._id, *map(bound, parameters))

    def _send(self, *last: tuple[str, tuple[Any, ...]]) -> list[Cursor]:
        """Send what waits and then some statements, in one round trip. What those answer."""
        pending, self._pending = self._pending, []
        try:
            with self._connection.pipeline():
                for name, parameters in pending:
                    self._connection.execute(SQL[name], self._given(name, parameters))
                return [self._connection.execute(*statement) for statement in last]
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
        question = statement, frozen(parameters)
        known = self._known.answer(question)
        if known is None:
            self._fetch([question])
            known = self._known.answer(question)
        return known or []

    def _places(self, statement: str, *parameters: Any) -> list[str]:
        return [row[0] for row in self._all(statement, *parameters)]

    def _value(self, statement: str, *parameters: Any) -> str | None:
        rows = self._all(statement, *parameters)
        return rows[0][0] if rows else None
