"""A file as the doctor sees it: opened read-only, never upgraded, and read as far as possible."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Final

import apsw
import apsw.ext

from gatepost.domain.refusals import StoreFault
from gatepost.engine.doctor.readable_tables import ReadableTables
from gatepost.engine.port import BadRow, Defect, StoreMeasures, UnreadableTable
from gatepost.engine.rows import Head, Table, in_log_order
from gatepost.storage.faults import NotAStore, StoreDamaged
from gatepost.storage.sqlite import connection_settings, faults, schema
from gatepost.storage.sqlite.read_only_file import FixedFile
from gatepost.storage.sqlite.search_index import SearchIndex

_PATIENCE: Final = 15_000
_FORMATS: Final = (1, 2)
_ENCODINGS: Final = ("UTF-8", "(pending)")
"""The second is for a file whose first page is still in the write-ahead log."""
_SQL: Final = schema.statements()
_OF_SQLITE: Final = "sqlite_stat"
"""The tables of `ANALYZE`: harmless, and not ours."""


@contextmanager
def inspecting(path: str, fault: StoreFault | None = None) -> Iterator["SqliteInspection"]:
    """A consistent view of a file, which may be damaged. Changes nothing.

    `fault` is the reason why it did not open as a store. Damage is left to the doctor; everything else is raised.
    """
    if fault is not None and not isinstance(fault, StoreDamaged | NotAStore):
        raise fault
    connection = _opened(path)
    try:
        if isinstance(fault, NotAStore) and fault.__cause__ is None and not _holds_ours(connection):
            raise fault
        connection.execute("BEGIN")
        yield SqliteInspection(connection, fault)
    finally:
        connection.close()


def readable(connection: apsw.Connection) -> Iterator[tuple[int, ReadableTables]]:
    """Every workspace by its row number, without unreadable rows.

    For migrations: a damaged row must not stop an upgrade, since nothing could repair it then.
    """
    rows: Any = connection.execute(_SQL["all_workspaces"]).fetchall()
    for number, name in rows:
        yield number, ReadableTables(name, SqliteTables(connection, name))


def _holds_ours(connection: apsw.Connection) -> bool:
    """Whether all our tables are there, so that only the file's header is damaged."""
    return _shape_as_made().keys() <= _shape(connection).keys()


def _opened(path: str) -> apsw.Connection:
    try:
        connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
    except apsw.Error as error:
        raise faults.answer_to(error, path) or error from error
    connection.set_busy_timeout(_PATIENCE)
    connection_settings.harden(connection)
    try:
        connection.pragma("user_version")
    except (apsw.CantOpenError, apsw.ReadOnlyError, apsw.FullError, apsw.IOError):
        connection.close()  # no room for SQLite's side files
        return FixedFile(path)
    except apsw.Error:
        return connection  # damaged; the doctor reports how
    return connection


class SqliteInspection:
    """A consistent view of one file. Damage becomes a defect, `BadRow` or `UnreadableTable`."""

    def __init__(self, connection: apsw.Connection, fault: StoreFault | None = None) -> None:
        self._connection = connection
        self._fault = fault

    def measures(self) -> StoreMeasures:
        """The file's size with that of its write-ahead log, and the schema's number."""
        path = self._connection.filename
        sizes = [os.stat(name).st_size for name in (path, f"{path}-wal") if os.path.exists(name)]
        try:
            number = self._connection.pragma("user_version")
        except apsw.Error:
            number = None
        return StoreMeasures(f"SQLite {apsw.sqlite_lib_version()}", number, sum(sizes))

    def defects(self) -> Iterator[Defect]:
        """Everything wrong with the file: its header, pages and schema, and rows of unknown workspaces."""
        if self._fault is not None:
            yield Defect(self._fault.code, "the file", self._fault.message)
        for look in (self._header, self._pages, self._schema, self._orphans):
            try:
                yield from look()
            except (apsw.Error, UnicodeDecodeError) as error:
                yield Defect("DAMAGED_FILE", "the file", str(error))

    def workspaces(self) -> list[str]:
        """The workspaces whose names can be read."""
        found: list[str] = []
        try:
            for row in _Rows(self._connection, _SQL["all_workspaces"], ()):
                found += [row[1]] if isinstance(row[1], str) else []
        except (BadRow, UnreadableTable):
            pass  # reported as a defect of the pages, or as an orphan
        return sorted(set(found))

    def tables(self, workspace: str) -> "SqliteTables":
        """One workspace, as far as it is readable."""
        return SqliteTables(self._connection, workspace)

    def _header(self) -> Iterator[Defect]:
        mark, version = self._connection.pragma("application_id"), self._connection.pragma("user_version")
        if mark != schema.APPLICATION:
            yield Defect("DAMAGED_HEADER", "application_id", f"is {mark}, which is not Gatepost's")
        known = len(schema.migrations())
        if version != known:
            yield Defect(
                "DAMAGED_HEADER", "user_version", f"is {version}, while this version of Gatepost knows {known}"
            )
        info = apsw.ext.dbinfo(self._connection)[0]
        if info is not None:
            if info.write_format not in _FORMATS or info.read_format not in _FORMATS:
                yield Defect("DAMAGED_HEADER", "file format", f"is {info.write_format} and {info.read_format}")
            if info.text_encoding not in _ENCODINGS:
                yield Defect("DAMAGED_HEADER", "text encoding", f"is {info.text_encoding}")

    def _pages(self) -> Iterator[Defect]:
        for (says,) in self._connection.execute(_SQL["integrity"]):
            if says != "ok":
                yield Defect("DAMAGED_PAGES", "the file", " ".join(str(says).split()))

    def _schema(self) -> Iterator[Defect]:
        """What the schema has too much or too little."""
        held, made = _shape(self._connection), _shape_as_made()
        for (kind, name), text in held.items():
            if (kind, name) not in made and not name.startswith(_OF_SQLITE):
                yield Defect(f"FOREIGN_{kind.upper()}", name, "is not Gatepost's", foreign=True)
            elif (kind, name) in made and made[kind, name] != text:
                yield Defect("ALTERED_SCHEMA", f"{kind} {name}", "differs from what Gatepost created")
        for kind, name in made:
            if (kind, name) not in held:
                yield Defect("ALTERED_SCHEMA", f"{kind} {name}", "is missing")

    def _orphans(self) -> Iterator[Defect]:
        for table, workspace, rows in self._connection.execute(_SQL["orphans"]):
            yield Defect(
                "ORPHANED_ROWS", str(table), f"{rows} rows of workspace {workspace!r}, which does not exist"
            )


class SqliteTables:
    """The tables of one workspace."""

    def __init__(self, connection: apsw.Connection, workspace: str) -> None:
        self._connection = connection
        self._name = workspace
        self._id = 0
        self._head: Head | None = None

    def head(self) -> Head:
        """The counters, whatever their types."""
        if self._head is None:
            for row in _Rows(self._connection, _SQL["head_by_scan"], (self._name,)):
                self._id, self._head = row[0], Head(*row[1:])
        return self._head or Head()

    def find(self, name: str) -> str | None:
        """The place of a step or node by its id."""
        self.head()
        for row in _Rows(self._connection, _SQL["find"], (self._id, name)):
            place: str = row[0]
            return place
        return None

    def rows(self, table: Table) -> Iterator[tuple[Any, ...]]:
        """Every readable row of a table."""
        self.head()
        if table == "searched":
            return self._searched()
        return _Salvage(self._connection, table, self._id)

    def _searched(self) -> Iterator[tuple[Any, ...]]:
        try:
            yield from SearchIndex(self._connection, _SQL).rows(self._id)
        except (apsw.Error, UnicodeDecodeError, AttributeError, TypeError) as error:  # or values of wrong types
            raise UnreadableTable(str(error)) from error


class _Rows:
    """The rows of a query. A row that is not UTF-8 does not end it."""

    def __init__(self, connection: apsw.Connection, sql: str, bindings: tuple[Any, ...]) -> None:
        self._query = (connection, sql, bindings)
        self._cursor: Iterator[tuple[Any, ...]] | None = None

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return self

    def __next__(self) -> tuple[Any, ...]:
        try:
            if self._cursor is None:
                connection, sql, bindings = self._query
                self._cursor = connection.execute(sql, bindings)
            return next(self._cursor)
        except UnicodeDecodeError as error:
            raise BadRow(f"holds text that is not UTF-8: {error.reason} at {error.start}") from error
        except apsw.Error as error:
            raise UnreadableTable(str(error)) from error


class _Salvage:
    """The rows of a table in order. Rows after an unreadable page are read from the other end."""

    def __init__(self, connection: apsw.Connection, table: Table, workspace: int) -> None:
        self._connection = connection
        self._table = table
        self._workspace = workspace
        self._seen: tuple[Any, ...] | None = None
        self._error: UnreadableTable | None = None
        self._rest: Iterator[tuple[Any, ...]] = self._read("all")

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return self

    def __next__(self) -> tuple[Any, ...]:
        try:
            row = next(self._rest)
        except UnreadableTable as error:
            self._error = error
            self._rest = iter(self._saved())
            return next(self)
        except StopIteration:
            failure, self._error = self._error, None
            if failure is None:
                raise
            raise failure from None
        self._seen = self._order(row)
        return row

    def _read(self, way: str) -> Iterator[tuple[Any, ...]]:
        sql = _SQL.get(f"{way}_{self._table}") or _SQL[f"all_{self._table}"]
        return _Rows(self._connection, sql, (self._workspace,))

    def _saved(self) -> list[tuple[Any, ...]]:
        """The rows readable from the other end that were not returned yet."""
        found = {row: None for way in ("first", "last") for row in _readable(self._read(way))}
        rows = sorted(found, key=self._order)
        seen = self._seen
        return rows if seen is None else [row for row in rows if self._order(row) > seen]

    def _order(self, row: tuple[Any, ...]) -> tuple[Any, ...]:
        """A sort key that also works for values of the wrong type."""
        return tuple((type(value).__name__, value) for value in in_log_order(self._table, row))


def _readable(rows: Iterator[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    while True:
        try:
            yield next(rows)
        except BadRow:
            continue
        except (StopIteration, UnreadableTable):
            return


def _shape(connection: apsw.Connection) -> dict[tuple[str, str], str | None]:
    rows: Any = connection.execute(_SQL["schema"])
    return {(str(kind), str(name)): text for kind, name, text in rows}


@cache
def _shape_as_made() -> dict[tuple[str, str], str | None]:
    return {(kind, name): text for kind, name, _, text in schema.as_created()}
