"""Write a taskdoc's package after a commit, and record what it holds."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from gatepost.domain.refusals import Busy, DiskRefused, StoreFault
from gatepost.engine import package_sync
from gatepost.engine.reader import Reader
from gatepost.engine.rows import Changes

if TYPE_CHECKING:
    from collections.abc import Callable

    from gatepost.engine.caller import Caller
    from gatepost.engine.packages import Packages
    from gatepost.engine.port import Store


class PackageWriter:
    """Writes the packages of one workspace into the project's folder."""

    def __init__(self, store: Store, workspace: str, find: Callable[[], Packages], home: str | None) -> None:
        self._store = store
        self._workspace = workspace
        self._find = find
        self._home = home

    def write(self, name: str, caller: Caller) -> list[str]:
        """Write a taskdoc's package from the log. Returns warnings about what was in the way."""
        packages = self._find()
        try:
            # The lock first: the snapshot must be at least as new as what others have written.
            with packages.locked():
                with self._store.reading(self._workspace) as snapshot:
                    reader = Reader(self._workspace, snapshot, self._store, caller, self._home, self._find)
                    done = package_sync.write(reader, name)
                if done.news:
                    # Without the record, the content on disk is still known: it is in the log.
                    with suppress(Busy, StoreFault):
                        self._record(packages.record, name, done.body)
        except DiskRefused as refused:
            return [f"The package could not be written: {refused.message} {refused.recovery}"]
        return list(done.warnings)

    def _record(self, folder: str, taskdoc: str, body: str | None) -> None:
        """Record what a package holds now, or nothing if it was removed."""
        with self._store.writing(self._workspace) as transaction:
            head = transaction.head()
            if head.seq:
                transaction.apply(Changes(head, written=((folder, taskdoc, body),)))
                transaction.commit()
