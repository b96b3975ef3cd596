"""The SQLite store: one file, many processes, one writer at a time."""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

import apsw

from gatepost.domain.refusals import StoreFault
from gatepost.engine.port import Inspection, Rebuild, StoreSnapshot, StoreTransaction
from gatepost.storage.sqlite import faults, schema
from gatepost.storage.sqlite.connection_pool import MEMORY, SqliteConnectionPool
from gatepost.storage.sqlite.transaction import SQL, WRITE, Transacting, answer_to

if TYPE_CHECKING:  # reads tell nobody, and wait for nobody
    from gatepost.engine.port import Ask
    from gatepost.storage.sqlite.notifier import PollIntervals, SqliteNotifier


class SqliteStore:
    """Workspaces in one SQLite file, or in a database in the memory of this process."""

    def __init__(self, path: str, synchronous: str = "FULL", pace: "PollIntervals | None" = None) -> None:
        # Absolute, so that later threads open the same file even after a change of directory.
        path = path if path == MEMORY else os.path.abspath(path)
        self._connections = SqliteConnectionPool(path, synchronous)
        self._synchronous = synchronous
        self._found = False
        self._pace = pace

    def reading(
        self,
        workspace: str,
        first: "Ask | None" = None,  # noqa: ARG002 - nothing is read ahead here
    ) -> AbstractContextManager[StoreSnapshot]:
        """A consistent view of one workspace. Reading does not create a file."""
        if self._missing():
            return self._nothing.reading(workspace)
        return Transacting(self._connections, "BEGIN", workspace, None)

    def writing(
        self,
        workspace: str,
        first: "Ask | None" = None,  # noqa: ARG002 - nothing is read ahead here
        *,
        patient: bool = True,
    ) -> AbstractContextManager[StoreTransaction]:
        """Exclusive access to the workspace. Nothing changes without a commit."""
        return Transacting(self._connections, WRITE, workspace, self._tell, patient=patient)

    def try_write(self) -> None:
        """Write a little to the disk and roll it back. Raises what prevents a write."""
        if self._missing():
            faults.check_folder(self._connections.path)
            return
        with Transacting(self._connections, WRITE, "", None) as transaction:
            transaction.rehearse()

    def migrate(self) -> tuple[int, int]:
        """Bring the schema up to date, or create the file. The schema's number before and after."""
        before = 0
        if not self._missing() and self._connections.path != MEMORY:
            try:
                before = schema.version(self._connections.path)
            except apsw.Error as error:
                raise answer_to(error, self._connections.path) from error
        with self._connections.thread_connection() as connection:
            return before, connection.pragma("user_version")

    def workspaces(self) -> list[str]:
        """The names of the workspaces that have been written to."""
        if self._missing():
            return []
        try:
            with self._connections.thread_connection() as connection:  # works within a transaction too
                return [name for (name,) in connection.execute(SQL["workspaces"])]
        except faults.POSSIBLE_FAULTS as error:
            raise answer_to(error, self._connections.path) from error

    def wait(self, workspace: str, after: int, seconds: float) -> bool:
        """Return when the log passes `after`, when the time is up, or when the store is closed.

        Commits of this process wake the caller at once, those of others by datagram; unannounced ones are found by
        polling.
        """
        return self._notifier.wait(workspace, after, seconds)

    def release(self, workspace: str) -> None:
        """End all waits for a workspace, without news."""
        self._notifier.release(workspace)

    def blank(self) -> AbstractContextManager[StoreTransaction] | None:
        """An empty workspace to try a first write on while there is no file."""
        return self._nothing.writing("") if self._missing() else None

    def inspecting(self) -> AbstractContextManager[Inspection]:
        """The file, for the doctor. Damage is no error here, and nothing is changed except an older schema."""
        from gatepost.storage.sqlite import inspection

        if self._missing():
            return self._nothing.inspecting()
        if self._connections.path == MEMORY:
            return self._inspecting_memory()
        fault: StoreFault | None = None
        try:
            with self._connections.thread_connection():
                pass
        except StoreFault as met:
            fault = met
        return inspection.inspecting(self._connections.path, fault)

    @contextmanager
    def _inspecting_memory(self) -> Iterator[Inspection]:
        from gatepost.storage.sqlite.inspection import SqliteInspection

        with self._connections.thread_connection() as connection:
            yield SqliteInspection(connection)

    def rebuilding(self) -> AbstractContextManager[Rebuild]:
        """Exclusive access to the store, to write it again from what is readable."""
        if self._connections.path == MEMORY:
            return self._rebuilding_memory()
        from gatepost.storage.sqlite import rebuild

        self.close()
        return rebuild.rebuilding(self._connections.path, SqliteStore)

    @contextmanager
    def _rebuilding_memory(self) -> Iterator[Rebuild]:
        new = SqliteStore(MEMORY)

        def finish() -> None:
            made = new._connections.thread_connection()
            with made as source, connection.backup("main", source, "main") as copying:
                copying.step()

        with self._connections.thread_connection() as connection, self._inspecting_memory() as old:
            yield Rebuild(old, new, finish)

    def describe(self) -> dict[str, Any]:
        """What kind of store this is, and where."""
        if self._connections.path == MEMORY:
            return {"kind": "memory"}
        return {
            "kind": "sqlite",
            "path": self._connections.path,
            "synchronous": self._synchronous,
            "engine": f"SQLite {apsw.sqlite_lib_version()}",
        }

    def close(self) -> None:
        """Close the connections and end all waits. A store in memory keeps its content."""
        if "_own_notifier" in vars(self):
            self._notifier.close()
        self._connections.close()

    @property
    def _notifier(self) -> "SqliteNotifier":
        """Created by the first wait or commit. If two threads create one at once, both use the first."""
        kept: SqliteNotifier | None = vars(self).get("_own_notifier")
        if kept is None:
            from gatepost.storage.sqlite import notifier

            probe = notifier.CommitProbe(self._version, self._seq)
            made = notifier.SqliteNotifier(self._connections.path, probe, self._pace or notifier.PollIntervals())
            kept = vars(self).setdefault("_own_notifier", made)
        return kept

    def _tell(self, workspace: str, seq: int) -> None:
        self._notifier.tell(workspace, seq)

    @cached_property
    def _nothing(self) -> "SqliteStore":
        """An empty store, in place of one that does not exist."""
        return SqliteStore(MEMORY)

    def _missing(self) -> bool:
        return not self._found and not self._look()

    def _look(self) -> bool:
        try:
            self._found = self._connections.path == MEMORY or bool(os.stat(self._connections.path))
        except FileNotFoundError:
            return False
        except OSError:  # opening the file reports what is in the way
            return True
        return self._found

    def _version(self) -> tuple[int, int]:
        """A value that changes with every commit of others. It restarts with each opening, so those count too."""
        if self._missing():
            return (0, 0)
        line = self._connections.thread_connection()
        with line as connection:
            return (line.openings, connection.pragma("data_version"))

    def _seq(self, workspace: str) -> int:
        with self.reading(workspace) as snapshot:
            return snapshot.head().seq
