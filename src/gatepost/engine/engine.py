"""One call, one transaction."""

from collections.abc import Callable, Iterator
from typing import TypeVar

from msgspec import UNSET, Struct
from msgspec.structs import replace

from gatepost.domain import places
from gatepost.domain.refusals import DiskRefused, InvalidInput
from gatepost.domain.value import Stamp
from gatepost.engine import faces
from gatepost.engine.caller import Caller
from gatepost.engine.clock import Clock
from gatepost.engine.draft import Draft
from gatepost.engine.packages import Packages
from gatepost.engine.port import EventRow, Store, Transaction
from gatepost.engine.reader import Reader
from gatepost.files.protocol import Filesystem

R = TypeVar("R")

_PAGE = 500


def no_files() -> Filesystem:
    """What an engine without a project folder says to file operations."""
    raise InvalidInput([("workspace", "has no project folder here; start the server with --root")])


class Engine:
    """Runs what is asked against a store: reads on a snapshot, writes alone and all at once."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        home: str | None = None,
        *,
        files: Callable[[], Filesystem] = no_files,
        packages: Packages | None = None,
        lasting: bool = True,
    ) -> None:
        self.store = store
        self.home = home
        self.files = files
        self.packages = packages
        self.settled: set[str] = set()
        """The workspaces whose packages were looked at since this engine began."""
        self.lasting = lasting
        self._clock = clock

    def rehearsing(self) -> "Engine":
        """The same, but nothing that is written lasts: to see what a call would do."""
        return Engine(self.store, self._clock, self.home, files=self.files, packages=self.packages, lasting=False)

    def read(self, workspace: str, caller: Caller, ask: Callable[[Reader], R]) -> R:
        """Ask one consistent snapshot."""
        with self.store.reading(workspace) as snapshot:
            reader = Reader(workspace, snapshot, self.store, caller, self.home, self.packages)
            reply = ask(reader)
        if not any(reader.edited.values()):
            return reply
        # What looks like an edit may be newer than the snapshot. A snapshot newer than the look can tell.
        with self.store.reading(workspace) as snapshot:
            again = Reader(workspace, snapshot, self.store, caller, self.home, self.packages)
            again.looks = reader.looks
            return ask(again)

    def write(self, tool: str, workspace: str, caller: Caller, change: Callable[[Draft], R]) -> R:
        """Draft a change and commit it. If it is refused, or fails, or changes nothing, nothing is left."""
        stamp = Stamp(self._clock.now(), caller.actor)
        blank = self.store.blank()
        if blank is not None:
            reply = change(self._draft(workspace, blank, caller, tool, stamp))
            if not self.lasting:
                return reply
        with self.store.writing(workspace) as transaction:
            draft = self._draft(workspace, transaction, caller, tool, stamp)
            reply = change(draft)
            if not (draft.lasting and self.lasting):
                return reply
            draft.commit()
        return self._faced(workspace, draft, reply)

    def _draft(self, workspace: str, transaction: Transaction, caller: Caller, tool: str, stamp: Stamp) -> Draft:
        return Draft(workspace, transaction, self.store, caller, tool, stamp, self.home, self.packages)

    def _faced(self, workspace: str, draft: Draft, reply: R) -> R:
        """Write the packages of the taskdocs that were changed. What fails there is no failure of the change."""
        names = sorted({places.name_of(place) for place in draft.touched if place[0] == places.TASKDOC})
        if self.packages is None or not names:
            return reply
        warnings = [said for name in names for said in self.face(workspace, name, draft.caller)]
        if not warnings or not isinstance(reply, Struct) or "warnings" not in reply.__struct_fields__:
            return reply
        before = getattr(reply, "warnings", UNSET)
        return replace(reply, warnings=[*([] if before is UNSET else before), *warnings])

    def face(self, workspace: str, name: str, caller: Caller) -> list[str]:
        """Let a taskdoc's package be what the log has now; answers with what stood in the way."""
        if self.packages is None:
            return []
        try:
            # The lock first: the snapshot must be at least as new as what others have written.
            with self.packages.locked(), self.store.reading(workspace) as snapshot:
                return faces.write(Reader(workspace, snapshot, self.store, caller, self.home, self.packages), name)
        except DiskRefused as refused:
            return [f"The package could not be written: {refused.message} {refused.recovery}"]

    def follow(self, workspace: str, after: int) -> Iterator[EventRow]:
        """Every event after a `seq`, and then each new one as it comes; never one twice, never a gap."""
        while True:
            with self.store.reading(workspace) as snapshot:
                page = snapshot.events(after, _PAGE, None)
            for row in page:
                after = row.seq
                yield row
            if not page:
                self.store.wait(workspace, after, 1.0)
