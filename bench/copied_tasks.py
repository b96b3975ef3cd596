"""Copied tasks: what calls wrote for one task, written again under new ids, as fast as PostgreSQL takes rows.

The rows are those that the same calls would have written for each further task, with a chain of hashes that holds:
the doctor finds nothing wrong.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

import psycopg
from psycopg import sql

from bench.timing import Progress
from gatepost.domain import names, places
from gatepost.engine import chain
from gatepost.engine.chain import OperationRecord
from gatepost.engine.rows import EventRow, ImageRow, OperationRow

Connection = psycopg.Connection[tuple[object, ...]]

_SCHEMA: Final = "gatepost"
_ORDERS: Final = {
    "documents": ("place",),
    "tallies": ("place",),
    "terms": ("place", "term"),
    "names": ("place",),
    "events": ("seq",),
    "images": ("operation", "place"),
    "touches": ("operation", "place"),
    "operations": ("operation",),
    "searched": ("number",),
}
"""The tables, and the order in which calls write their rows."""
_GIVEN_BY_DATABASE: Final = ("number",)
_AT_ONCE: Final = 10
_named = re.compile(r'STEP-[0-9A-F]{8}|"id":"TASK-001"')


class Table(NamedTuple):
    """The columns of a table, and the rows of the task that is copied."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]


def copy_task(connection: Connection, workspace: str, tasks: int, progress: Progress) -> None:
    """Copy the only task of a workspace, with its log, until there are so many tasks."""
    original = _Original(connection, workspace)
    with _only_keys(connection):
        for first in range(2, tasks + 1, _AT_ONCE):
            numbers = range(first, min(first + _AT_ONCE, tasks + 1))
            original.copy(numbers)
            progress.add(original.steps * len(numbers))
    connection.execute("VACUUM (ANALYZE)")
    connection.execute("CHECKPOINT")  # or those who write next would pay for it


class _Original:
    """The task that is copied."""

    def __init__(self, connection: Connection, workspace: str) -> None:
        self._connection = connection
        self._workspace = workspace
        head = "SELECT id, seq, nodes, hash FROM gatepost.workspaces WHERE name = %s"
        row: Any = connection.execute(head, [workspace]).fetchone()
        self._id, self._seq, self.steps, self._hash = row
        self._tables = {name: self._table(name) for name in _ORDERS}
        self._ids = {name: names.node_number(workspace, name) for (name, _) in self._tables["names"].rows}

    def copy(self, numbers: Sequence[int]) -> None:
        """Write copies, each with the number of a task, in one transaction."""
        copies = [self._copied(number) for number in numbers]
        with self._connection.transaction(), self._connection.cursor() as cursor:
            for name, table in self._tables.items():
                columns = sql.SQL(", ").join(map(sql.Identifier, ("workspace", *table.columns)))
                into = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(_SCHEMA, name), columns)
                with cursor.copy(into) as lines:
                    for each in copies:
                        for row in each[name]:
                            lines.write_row((self._id, *row))
            cursor.execute(
                "UPDATE gatepost.workspaces SET seq = %s, tasks = %s, nodes = %s, hash = %s WHERE id = %s",
                (self._seq * numbers[-1], numbers[-1], self.steps * numbers[-1], self._hash, self._id),
            )

    def _table(self, name: str) -> Table:
        chosen = sql.SQL("SELECT * FROM {} WHERE workspace = {} ORDER BY {}")
        order = sql.SQL(", ").join(map(sql.Identifier, _ORDERS[name]))
        cursor = self._connection.execute(chosen.format(sql.Identifier(_SCHEMA, name), self._id, order))
        assert cursor.description is not None
        kept = [
            place
            for place, column in enumerate(cursor.description)
            if column.name not in ("workspace", *_GIVEN_BY_DATABASE)
        ]
        columns = [cursor.description[place].name for place in kept]
        return Table(columns, [[row[place] for place in kept] for row in cursor])

    def _copied(self, number: int) -> dict[str, list[list[Any]]]:
        """The rows of a copy."""
        changes = self._changes(number)
        made = {name: list(_changed(table, changes)) for name, table in self._tables.items()}
        for row in made["operations"]:
            self._hash = row[-1] = self._link(OperationRow(*row), made)
        return made

    def _changes(self, number: int) -> Mapping[str, Callable[[Any], Any]]:
        """What becomes of the values in columns that are not the same in a copy."""
        root, new_root = places.root(places.TASK, 1), places.root(places.TASK, number)
        seqs, steps = self._seq * (number - 1), self.steps * (number - 1)
        new = {name: names.node_id(self._workspace, before + steps) for name, before in self._ids.items()}
        new['"id":"TASK-001"'] = f'"id":"{places.root_id(new_root)}"'

        def text(value: str) -> str:
            return _named.sub(lambda match: new[match[0]], value)

        def place(value: str) -> str:
            return places.moved(value, root, new_root)

        def seq(value: int) -> int:
            return value and value + seqs  # the words of a document have the seq 0

        return {
            **dict.fromkeys(("seq", "operation", "last_seq"), seq),
            **dict.fromkeys(("place", "root"), place),
            **dict.fromkeys(("text", "body", "before", "after", "name", "step_id"), text),
        }

    def _link(self, operation: OperationRow, made: Mapping[str, Sequence[Sequence[Any]]]) -> str:
        events, images, touches = (
            [row for row in made[name] if row[1] == operation.operation] for name in ("events", "images", "touches")
        )
        record = OperationRecord(
            operation,
            [EventRow(*row) for row in events],
            [ImageRow(*row[:4]) for row in images],  # without the column that only PostgreSQL has
            [(place, number, revision) for place, number, revision in touches],
            (),
        )
        return chain.hashed(self._workspace, self._hash, record)


def _changed(table: Table, changes: Mapping[str, Callable[[Any], Any]]) -> Iterator[list[Any]]:
    changed = [(place, changes[column]) for place, column in enumerate(table.columns) if column in changes]
    for row in table.rows:
        new = list(row)
        for place, change in changed:
            if new[place] is not None:
                new[place] = change(new[place])
        yield new


@contextmanager
def _only_keys(connection: Connection) -> Iterator[None]:
    """Without the indexes that are no keys. They are built again at the end, which is many times faster."""
    found = connection.execute(
        "SELECT indexname, indexdef FROM pg_indexes "
        "WHERE schemaname = %s AND indexname NOT IN (SELECT conname FROM pg_constraint)",
        [_SCHEMA],
    ).fetchall()
    for name, _ in found:
        connection.execute(sql.SQL("DROP INDEX {}").format(sql.Identifier(_SCHEMA, str(name))))
    try:
        yield
    finally:
        for _, definition in found:
            connection.execute(str(definition))
