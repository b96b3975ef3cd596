"""Snapshots as bytes, rendered once for all clients of a workspace. A client holds a reference, not a copy.

A list is rendered again when a later revision is needed. Unused lists are dropped after a while; a client that is
still sending one keeps it until it is done.
"""

import asyncio
from collections.abc import Sequence
from itertools import takewhile
from typing import Final, NamedTuple

HELD_SECONDS: Final = 10.0
HELD_BYTES: Final = 32 * 1024 * 1024
"""The limit for cached lists. The newest list is always kept."""
_MOST_AT_ONCE: Final = 1_000


class WantedList(NamedTuple):
    """A list to send to a client, and its minimum revision."""

    scope: str
    revision: int


class CachedList(NamedTuple):
    """A list as bytes, at a revision."""

    revision: int
    data: bytes


class SnapshotCache:
    """The lists of one workspace in one format. Belongs to the event loop's thread."""

    def __init__(self) -> None:
        self.turn: Final = asyncio.Lock()
        """Held while lists are rendered: the others wait, then find them."""
        self._held: dict[str, CachedList] = {}
        self._bytes = 0
        self._used = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def find(self, wanted: Sequence[WantedList], start: int, size: int) -> list[CachedList]:
        """The cached lists from `start` on, up to the first missing one or a total size."""
        found: list[CachedList] = []
        for listed in wanted[start : start + _MOST_AT_ONCE]:
            body = self._cached(listed)
            if body is None:
                break
            found.append(body)
            size -= len(body.data)
            if size <= 0:
                break
        self._in_use()
        return found

    def missing(self, wanted: Sequence[WantedList], start: int) -> list[str]:
        """The missing scopes from `start` on, up to the first cached one."""
        ahead = wanted[start : start + _MOST_AT_ONCE]
        return [listed.scope for listed in takewhile(lambda listed: self._cached(listed) is None, ahead)]

    def _cached(self, listed: WantedList) -> CachedList | None:
        body = self._held.get(listed.scope)
        return None if body is None or body.revision < listed.revision else body

    def hold(self, scope: str, body: CachedList) -> None:
        """Cache a list. The oldest ones are dropped."""
        self._drop(scope)
        self._held[scope] = body
        self._bytes += len(body.data)
        while self._bytes > HELD_BYTES and len(self._held) > 1:
            self._drop(next(iter(self._held)))
        self._in_use()

    def clear(self) -> None:
        """Drop everything."""
        self._held.clear()
        self._bytes = 0
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _drop(self, scope: str) -> None:
        gone = self._held.pop(scope, None)
        self._bytes -= 0 if gone is None else len(gone.data)

    def _in_use(self) -> None:
        loop = asyncio.get_running_loop()
        self._used = loop.time()
        if self._timer is None and self._held:
            self._timer = loop.call_later(HELD_SECONDS, self._look)

    def _look(self) -> None:
        """Drop everything, unless it was used lately."""
        self._timer = None
        loop = asyncio.get_running_loop()
        rest = self._used + HELD_SECONDS - loop.time()
        if rest <= 0:
            self.clear()
        else:
            self._timer = loop.call_later(rest, self._look)
