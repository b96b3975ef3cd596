"""One call, one transaction."""

from collections.abc import Callable, Iterator
from typing import TypeVar

from gatepost.domain.value import Stamp
from gatepost.engine.clock import Clock
from gatepost.engine.draft import Draft
from gatepost.engine.port import EventRow, Store
from gatepost.engine.reader import Reader

R = TypeVar("R")

_PAGE = 500


class Engine:
    """Runs what is asked against a store: reads on a snapshot, writes alone and all at once."""

    def __init__(self, store: Store, clock: Clock, home: str | None = None, *, lasting: bool = True) -> None:
        self.store = store
        self.home = home
        self._clock = clock
        self._lasting = lasting

    def rehearsing(self) -> "Engine":
        """The same, but nothing that is written lasts: to see what a call would do."""
        return Engine(self.store, self._clock, self.home, lasting=False)

    def read(self, workspace: str, ask: Callable[[Reader], R], *, bound: bool = False) -> R:
        """Ask one consistent snapshot."""
        with self.store.reading(workspace) as snapshot:
            return ask(Reader(workspace, snapshot, self.store, bound=bound, home=self.home))

    def write(
        self, tool: str, workspace: str, actor: str, change: Callable[[Draft], R], *, bound: bool = False
    ) -> R:
        """Draft a change and commit it. If it is refused, or fails, or changes nothing, nothing is left."""
        stamp = Stamp(self._clock.now(), actor)
        blank = self.store.blank()
        if blank is not None:
            reply = change(Draft(workspace, blank, self.store, tool, stamp, self.home, bound=bound))
            if not self._lasting:
                return reply
        with self.store.writing(workspace) as transaction:
            draft = Draft(workspace, transaction, self.store, tool, stamp, self.home, bound=bound)
            reply = change(draft)
            if draft.lasting and self._lasting:
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
