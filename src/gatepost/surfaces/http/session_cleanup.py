"""Cleanup: while a server runs, it removes the lists of sessions that ended long ago."""

from collections.abc import Callable
from functools import partial
from threading import Event, Thread
from typing import Final, TypeVar

from gatepost.domain.refusals import Refusal
from gatepost.engine.engine import Engine
from gatepost.operations import sessions
from gatepost.surfaces import faults
from gatepost.surfaces.http.mcp_sessions import McpSessions

EVERY: Final = 30.0

R = TypeVar("R")


class SessionCleaner:
    """A thread that cleans up at once and then periodically.

    It clears the lists of killed processes, in every workspace or in the bound one, and those of the server's own
    sessions: silent ones, and those that ended while the store was busy.
    """

    def __init__(
        self, engine: Engine, bound: str | None, every: float = EVERY, own: McpSessions | None = None
    ) -> None:
        self._engine = engine
        self._bound = bound
        self._every = every
        self._own = own
        self._ailing: set[str] = set()
        self._stopping = Event()
        self._thread = Thread(target=self._run, name="sweeper", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Start no other cleanup."""
        self._stopping.set()

    def join(self, seconds: float) -> bool:
        """Whether it ended in time. It may be waiting for other writers."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._clear_own()
            self._sweep_all()
            self._stopping.wait(self._every)

    def _clear_own(self) -> None:
        if self._own is None:
            return
        for session in self._own.expire():
            if self._stopping.is_set():
                return
            self._tried(f"while clearing the lists of {session.name}", partial(self._own.clear, session))

    def _sweep_all(self) -> None:
        for workspace in self._workspaces():
            if self._stopping.is_set():
                return
            self._tried(f"while sweeping {workspace}", partial(sessions.sweep, self._engine, workspace))

    def _workspaces(self) -> list[str]:
        if self._bound is not None:
            return [self._bound]
        return self._tried("while looking for what to sweep", self._engine.store.workspaces) or []

    def _tried(self, where: str, work: Callable[[], R]) -> R | None:
        """The result of the work. A failure is reported once, until it succeeds again."""
        try:
            done = work()
        except Refusal:  # busy: the next round does it
            return None
        except Exception as error:  # noqa: BLE001 - the thread's edge: neither the server nor the other workspaces suffer
            if where not in self._ailing:
                self._ailing.add(where)
                faults.report(where, error)
            return None
        self._ailing.discard(where)
        return done
