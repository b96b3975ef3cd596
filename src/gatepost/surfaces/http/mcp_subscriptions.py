"""What one client wants to hear of over HTTP, and how much of it was told."""

import asyncio
from collections.abc import Iterable
from contextlib import suppress

from gatepost.surfaces.mcp.subscriptions import MOST, MOST_WORKSPACES
from gatepost.surfaces.mcp.watched_resources import WatchedResource


class McpSubscriptions:
    """Addresses, and for each of their workspaces how far its log was looked at.

    Belongs to the event loop's thread, but for `add` and `remove`, which a call may use from its own.
    """

    def __init__(self, watched: Iterable[WatchedResource] = ()) -> None:
        self._loop = asyncio.get_running_loop()
        self._watched = {one.uri: one for one in watched}
        self._seqs: dict[str, int] = {}
        for one in self._watched.values():
            self._seqs.setdefault(one.workspace, one.seq)
        self._news: dict[str, None] = {}
        self._stirred = asyncio.Event()
        self.ended = False
        self.turn = 0
        self.added = 0
        """How often an address was added: a look that began before knows nothing of it."""

    def add(self, watched: WatchedResource) -> bool:
        """Watch one more address; false where that would be too many."""
        known = {**self._watched, watched.uri: watched}
        if len(known) > MOST or len({one.workspace for one in known.values()}) > MOST_WORKSPACES:
            return False
        self._loop.call_soon_threadsafe(self._added, watched)
        return True

    def remove(self, uri: str) -> None:
        """Watch it no more."""
        self._loop.call_soon_threadsafe(self._removed, uri)

    def workspaces(self) -> set[str]:
        """Whose logs tell of the addresses."""
        return {one.workspace for one in self._watched.values()}

    def uris(self, workspace: str) -> list[str]:
        """The addresses in a workspace."""
        return [one.uri for one in self._watched.values() if one.workspace == workspace]

    def seq(self, workspace: str) -> int:
        """How far a log was looked at."""
        return self._seqs[workspace]

    def tell(self, workspace: str, seq: int, changed: Iterable[str]) -> None:
        """A log was looked at up to there, and these changed."""
        self._seqs[workspace] = seq
        self.keep(uri for uri in changed if uri in self._watched)

    def keep(self, changed: Iterable[str]) -> None:
        """These are still to be told, by whoever tells."""
        self._news |= dict.fromkeys(changed)
        if self._news:
            self.stir()

    def stir(self) -> None:
        """Let whoever waits have a look."""
        self._stirred.set()

    def news(self) -> list[str]:
        """What there is to tell, once."""
        told, self._news = list(self._news), {}
        return told

    async def wait(self, seconds: float) -> None:
        """Wait for news, or for anything else that calls for a look, but not for ever."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stirred.wait()
        self._stirred.clear()

    def take_over(self) -> int:
        """Tell from now on; whoever told before is to stop. Answers with whose turn it is."""
        self.turn += 1
        self.stir()
        return self.turn

    def end(self) -> None:
        """Nothing is told any more."""
        self.ended = True
        self.stir()

    def _added(self, watched: WatchedResource) -> None:
        if not self.uris(watched.workspace):
            self._seqs[watched.workspace] = watched.seq
        self._watched[watched.uri] = watched
        self.added += 1
        self.stir()

    def _removed(self, uri: str) -> None:
        self._watched.pop(uri, None)
        self._news.pop(uri, None)
