"""The lock of a session tree: a thread that changes a session has the whole tree to itself until its call returns.

A thread inside such a call never waits for another tree: two threads could deadlock. Work on
a busy tree runs after the call has released its own tree; work that cannot be put off is refused.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from logging import getLogger
from threading import get_ident
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self, TypeAlias

from gatepost.runtime.awaitables import Awaitables
from gatepost.runtime.failures import Failures

if TYPE_CHECKING:
    from threading import RLock

Lock: TypeAlias = "RLock"

_PATIENCE_S: Final = 1.0
_log: Final = getLogger("gatepost.runtime")

held: Final[dict[int, "OuterCall"]] = {}
"""The outermost call of each thread that is inside one."""


def current() -> "OuterCall | None":
    """The outermost call that this thread is in."""
    return held.get(get_ident()) if held else None


@contextmanager
def acquired(lock: Lock, session_id: str) -> Iterator[None]:
    """Hold a tree's lock for work that cannot be put off. Inside another call, wait only briefly, then give up."""
    if not lock.acquire(timeout=-1 if current() is None else _PATIENCE_S):
        raise RuntimeError(
            f"{session_id} is busy in another thread, which may be waiting for this one. Begin the transaction "
            "outside the other session's subscribers and reducers"
        )
    try:
        yield
    finally:
        lock.release()


class OuterCall:
    """A thread's outermost call into a tree of sessions, with the work that is left after the lock is released."""

    __slots__ = ("_lock", "_over", "awaitables", "failures", "later")

    def __init__(self, lock: Lock) -> None:
        self._lock: Final = lock
        self._over = False
        self.awaitables: Final = Awaitables()
        self.failures: Final = Failures()
        self.later: Final[list[Callable[[], OuterCall | None]]] = []
        """Work that runs after this call, because another tree was busy."""

    def __enter__(self) -> Self:
        self._lock.acquire()
        held[get_ident()] = self
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        del held[get_ident()]
        self._lock.release()
        if error is not None:
            self.awaitables.abandon(error)
            return
        try:
            while self.later:
                with self.failures:
                    self._absorb(self.later.pop(0)())
        except BaseException as interrupt:
            self.awaitables.abandon(interrupt)
            raise

    def settle(self, doing: str, what: str | type) -> None:
        """Await everything, then raise failures."""
        self.awaitables.settle()
        self._report(doing, what)

    async def settled(self, doing: str, what: str | type) -> None:
        """Like `settle`, on the running event loop."""
        await self.awaitables.settled()
        self._report(doing, what)

    def failed(self, error: BaseException) -> None:
        """Report a failed awaitable to the caller, or to the log if the caller has already returned."""
        if self._over or not isinstance(error, Exception):
            _log.error("%r failed in the background", error, exc_info=error)
        else:
            self.failures.found.append(error)

    def _report(self, doing: str, what: str | type) -> None:
        self._over = True
        self.failures.report(doing, what)

    def _absorb(self, other: "OuterCall | None") -> None:
        if other is not None:
            self.awaitables.absorb(other.awaitables)
            self.failures.found.extend(other.failures.found)
