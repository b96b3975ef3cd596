"""The sessions of legacy MCP clients: their names, their state, and the cleanup when they end."""

import asyncio
import os
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, contextmanager, suppress
from threading import Event, Lock
from time import monotonic
from typing import Final

from gatepost.domain import places
from gatepost.domain.refusals import ImportUnfinished, Refusal
from gatepost.domain.todos import Todos
from gatepost.engine import processes
from gatepost.engine.caller import Caller
from gatepost.engine.engine import Engine
from gatepost.operations.answer import answer
from gatepost.operations.sessions import is_shared, release
from gatepost.surfaces.http.client_questions import ClientQuestions
from gatepost.surfaces.http.mcp_subscriptions import McpSubscriptions
from gatepost.surfaces.http.problems import busy, problem
from gatepost.surfaces.mcp.messages import Peer

IDLE: Final = 30 * 60.0
UNPROVEN: Final = 60.0
"""Seconds of silence allowed for a client that never came back after its first message: most never do."""
MOST: Final = 4096
MOST_WORKSPACES: Final = 64
"""In how many workspaces a session's lists are remembered. With more, all workspaces are searched when it ends."""


class McpSession:
    """One client's session. `id` is its secret key; `name`, which its todo list shows, grants nothing.

    Belongs to the event loop's thread, except for `serving`, `uses`, `end` and plain reads.
    """

    __slots__ = (
        *("_calls", "_cancellable", "_ended", "_holders", "_lock", "_loop", "_streams", "_workspaces"),
        *("id", "left", "name", "peer", "process", "proven", "questions", "seen", "watch"),
    )

    def __init__(self) -> None:
        self.id = os.urandom(16).hex()
        self.name = f"mcp-{os.urandom(4).hex()}"
        self.watch = McpSubscriptions()
        self.peer = Peer(subscriptions=self.watch, asks=True)
        self.process = processes.this()
        self.seen = monotonic()
        self.proven = False
        self.questions = ClientQuestions()
        self._loop = asyncio.get_running_loop()
        self._lock = Lock()
        self._ended = False
        self._calls = 0
        self._cancellable: dict[Event, str | int | None] = {}
        self._streams = 0
        self._workspaces: set[str] | None = set()
        self._holders: dict[tuple[str, str], Caller] = {}
        self.left = False
        """Whether its client ended it. One that only fell silent may still work on what it holds."""

    def in_use(self) -> None:
        """Record that the client is active."""
        self.seen = monotonic()

    def silent(self, now: float) -> bool:
        """Whether the client has been silent for too long."""
        return self.idle and now - self.seen > (IDLE if self.proven else UNPROVEN)

    @property
    def idle(self) -> bool:
        """Whether no call and no stream of the client is in progress."""
        return not (self._calls or self._streams)

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Wraps a call, in its thread. No call starts once the session has ended."""
        with self._lock:
            if self._ended:
                raise problem(404, "NOT_FOUND", "This session has ended.", "Initialize again.")
            self._calls += 1
        try:
            yield
        finally:
            with self._lock:
                self._calls -= 1
            self.in_use()

    @contextmanager
    def cancellable(self, request_id: str | int | None, cancelled: Event) -> Iterator[None]:
        """Wraps a call that its client can cancel, and that ends with the session."""
        self._cancellable[cancelled] = request_id
        try:
            yield
        finally:
            del self._cancellable[cancelled]

    def cancel(self, request_id: str | int | None) -> None:
        """End a call, if it is one that can be cancelled."""
        for cancelled, found in list(self._cancellable.items()):
            if found == request_id:
                cancelled.set()

    async def streaming(self, source: Callable[[], AsyncGenerator[bytes, None]]) -> AsyncGenerator[bytes, None]:
        """A source's frames. The session is not idle meanwhile."""
        self._streams += 1
        try:
            async with aclosing(source()) as frames:
                async for frame in frames:
                    yield frame
        finally:
            self._streams -= 1
            self.in_use()

    def uses(self, workspace: str) -> None:
        """Remember where the session may have a list."""
        with self._lock:
            if self._workspaces is None or workspace in self._workspaces:
                return
            # Forgetting the oldest would leave its list there as long as this server lives.
            full = len(self._workspaces) >= MOST_WORKSPACES
            self._workspaces = None if full else {*self._workspaces, workspace}

    def workspaces(self) -> list[str] | None:
        """Where the session may have lists; none if there are too many to remember."""
        with self._lock:
            return None if self._workspaces is None else sorted(self._workspaces)

    def holds(self, workspace: str, caller: Caller) -> None:
        """Remember where the session may hold work. With too many callers, the oldest claims end with time."""
        with self._lock:
            self._holders[workspace, caller.holder_name] = caller
            if len(self._holders) > MOST_WORKSPACES:
                del self._holders[next(iter(self._holders))]

    def holders(self) -> list[tuple[str, Caller]]:
        """Where the session may hold work that is to be released, and as whom."""
        with self._lock:
            return [(workspace, who) for (workspace, _), who in self._holders.items()] if self.left else []

    def end(self) -> None:
        """Refuse further calls, and end the stream."""
        with self._lock:
            self._ended = True
        for cancelled in list(self._cancellable):
            cancelled.set()
        with suppress(RuntimeError):  # the loop has already ended
            self._loop.call_soon_threadsafe(self.watch.end)


class McpSessions:
    """The open sessions, and ended ones that may have left lists. Safe to use from any thread."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._lock = Lock()
        self._open: dict[str, McpSession] = {}
        self._ended: dict[str, McpSession] = {}

    def find(self, key: str | None) -> McpSession | None:
        """An open session by its key. Finding it marks it as in use."""
        with self._lock:
            found = self._open.get(key or "")
            if found is not None:
                found.proven = True
                found.in_use()
        return found

    def add(self, session: McpSession) -> None:
        """Open a session. If there are too many, an idle one is ended."""
        with self._lock:
            if len(self._open) >= MOST:
                self._make_room()
            self._open[session.id] = session

    def remove(self, key: str | None) -> McpSession | None:
        """End a session for its client, if it is open. It must then be cleared."""
        with self._lock:
            found = self._open.get(key or "")
            if found is not None:
                found.left = True
                self._end(found)
        return found

    def expire(self) -> list[McpSession]:
        """End the sessions that were silent for too long. Returns all sessions whose lists must be cleared."""
        with self._lock:
            now = monotonic()
            for silent in [session for session in self._open.values() if session.silent(now)]:
                self._end(silent)
            return list(self._ended.values())

    def clear(self, session: McpSession) -> None:
        """Clear the lists of an ended session, and release what it held if its client ended it. Blocks: call it in
        a thread.

        If that fails, for example because the store is busy, it is done later.
        """
        over = session.idle  # read first: a call that still runs may write later
        for workspace, who in session.holders():
            with suppress(ImportUnfinished):
                release(self._engine, workspace, who)
        known = session.workspaces()
        for workspace in self._engine.store.workspaces() if known is None else known:
            with suppress(ImportUnfinished):
                self._clear(workspace, session)
        if over:
            with self._lock:
                self._ended.pop(session.id, None)

    def close(self) -> None:
        """End every session with the server."""
        with self._lock:
            for session in list(self._open.values()):
                self._end(session)
            ended = list(self._ended.values())
        for session in ended:
            with suppress(Refusal):  # busy: the next cleanup finds that our process is gone
                self.clear(session)

    def _make_room(self) -> None:
        idle = [session for session in self._open.values() if session.idle]
        if not idle:
            raise busy(f"{MOST} sessions are already open and in use.")
        # Clients that never came back go first, so that they cannot crowd out the others.
        self._end(min(idle, key=lambda session: (session.proven, session.seen)))

    def _end(self, session: McpSession) -> None:
        del self._open[session.id]
        session.end()
        if session.workspaces() != [] or session.holders() or not session.idle:
            self._ended[session.id] = session

    def _clear(self, workspace: str, session: McpSession) -> None:
        who, place = Caller("gatepost", session=session.name), places.named(places.SESSION, session.name)
        found = self._engine.read(workspace, who, lambda reader: reader.at(place))
        if found is None or (isinstance(found.value, Todos) and is_shared(found.value, session.process)):
            return  # nothing to clear, or other processes share it: the last of them clears it
        refused = answer(self._engine, "todo_clear", {"workspace": workspace}, who).refusal
        if refused is not None:
            raise refused
