"""One HTTP client's subscriptions, and how far their logs were read."""

import asyncio
from collections.abc import Iterable
from contextlib import suppress

from gatepost.surfaces.mcp.subscriptions import MOST, MOST_WORKSPACES
from gatepost.surfaces.mcp.watched_resources import WatchedResource


class McpSubscriptions:
    """The watched resources, and for each workspace the last `seq` that was read.

    Belongs to the event loop's thread, except for `add` and `remove`, which a call may use from its own.
    """

    def __init__(self, watched: Iterable[WatchedResource] = ()) -> None:
        self._loop = asyncio.get_running_loop()
        self._watched = {one.uri: one for one in watched}
        self._seqs: dict[str, int] = {}
        for one in self._watched.values():
            self._seqs.setdefault(one.workspace, one.seq)
        self._news: dict[str, None] = {}
        self._woken = asyncio.Event()
        self.ended = False
        self.turn = 0
        self.added = 0
        """How many resources were added: an earlier look does not cover them."""

    def add(self, watched: WatchedResource) -> bool:
        """Subscribe to a resource. Returns false if there are too many."""
        known = {**self._watched, watched.uri: watched}
        if len(known) > MOST or len({one.workspace for one in known.values()}) > MOST_WORKSPACES:
            return False
        self._loop.call_soon_threadsafe(self._added, watched)
        return True

    def remove(self, uri: str) -> None:
        """Unsubscribe from a resource."""
        self._loop.call_soon_threadsafe(self._removed, uri)

    def workspaces(self) -> set[str]:
        """The workspaces of the watched resources."""
        return {one.workspace for one in self._watched.values()}

    def uris(self, workspace: str) -> list[str]:
        """The watched resources in a workspace."""
        return [one.uri for one in self._watched.values() if one.workspace == workspace]

    def seq(self, workspace: str) -> int:
        """The last `seq` that was read of a log."""
        return self._seqs[workspace]

    def tell(self, workspace: str, seq: int, changed: Iterable[str]) -> None:
        """Record that a log was read up to a `seq`, and what changed."""
        self._seqs[workspace] = seq
        self.keep(uri for uri in changed if uri in self._watched)

    def keep(self, changed: Iterable[str]) -> None:
        """Keep these changes for the next notification."""
        self._news |= dict.fromkeys(changed)
        if self._news:
            self.wake()

    def wake(self) -> None:
        """Wake the stream."""
        self._woken.set()

    def news(self) -> list[str]:
        """The pending changes, once."""
        changed, self._news = list(self._news), {}
        return changed

    async def wait(self, seconds: float) -> None:
        """Wait for news or another reason to look, up to a limit."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._woken.wait()
        self._woken.clear()

    def take_over(self) -> int:
        """Become the current stream, which ends the previous one. Returns its number."""
        self.turn += 1
        self.wake()
        return self.turn

    def end(self) -> None:
        """End the stream."""
        self.ended = True
        self.wake()

    def _added(self, watched: WatchedResource) -> None:
        if not self.uris(watched.workspace):
            self._seqs[watched.workspace] = watched.seq
        self._watched[watched.uri] = watched
        self.added += 1
        self.wake()

    def _removed(self, uri: str) -> None:
        self._watched.pop(uri, None)
        self._news.pop(uri, None)
