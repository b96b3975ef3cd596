"""One call, one transaction."""

from collections.abc import Callable, Iterator
from typing import TypeVar

from gatepost.domain.refusals import InvalidInput
from gatepost.domain.value import Stamp
from gatepost.engine.caller import Caller
from gatepost.engine.clock import Clock
from gatepost.engine.draft import Draft
from gatepost.engine.port import EventRow, Store
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
        lasting: bool = True,
    ) -> None:
        self.store = store
        self.home = home
        self.files = files
        self.lasting = lasting
        self._clock = clock

    def rehearsing(self) -> "Engine":
        """The same, but nothing that is written lasts: to see what a call would do."""
        return Engine(self.store, self._clock, self.home, files=self.files, lasting=False)

    def read(self, workspace: str, caller: Caller, ask: Callable[[Reader], R]) -> R:
        """Ask one consistent snapshot."""
        with self.store.reading(workspace) as snapshot:
            return ask(Reader(workspace, snapshot, self.store, caller, self.home))

    def write(self, tool: str, workspace: str, caller: Caller, change: Callable[[Draft], R]) -> R:
        """Draft a change and commit it. If it is refused, or fails, or changes nothing, nothing is left."""
        stamp = Stamp(self._clock.now(), caller.actor)
        blank = self.store.blank()
        if blank is not None:
            reply = change(Draft(workspace, blank, self.store, caller, tool, stamp, self.home))
            if not self.lasting:
                return reply
        with self.store.writing(workspace) as transaction:
            draft = Draft(workspace, transaction, self.store, caller, tool, stamp, self.home)
            reply = change(draft)
            if draft.lasting and self.lasting:
                draft.commit()
            return reply

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
