"""Sweeping: while a server runs, nobody sees the lists of sessions that are over for long."""

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
    """A thread that sweeps at once and then again and again.

    It clears what killed processes left, in every workspace or in the one that the server is for, and what the
    server's own sessions left: those that fell silent, and those whose end found the store busy.
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
        """Begin no other sweep."""
        self._stopping.set()

    def join(self, seconds: float) -> bool:
        """Whether it came to its end in time. It may be waiting for other writers."""
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
        """What the work gives. What fails is told once, not every time, until it goes well again."""
        try:
            done = work()
        except Refusal:  # busy: the next round will do it
            return None
        except Exception as error:  # noqa: BLE001 - the thread's edge: neither the server nor the other workspaces suffer
            if where not in self._ailing:
                self._ailing.add(where)
                faults.report(where, error)
            return None
        self._ailing.discard(where)
        return done
