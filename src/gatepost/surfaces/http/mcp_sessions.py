"""The sessions of legacy MCP clients: what they are called, what is theirs, and what they leave when they end."""

import asyncio
import os
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import aclosing, contextmanager, suppress
from threading import Lock
from time import monotonic
from typing import Final

from gatepost.domain import places
from gatepost.domain.refusals import Refusal
from gatepost.domain.todos import Todos
from gatepost.engine import processes
from gatepost.engine.caller import Caller
from gatepost.engine.engine import Engine
from gatepost.operations.answer import answer
from gatepost.operations.sessions import is_shared
from gatepost.surfaces.http.client_questions import ClientQuestions, QuestionRound
from gatepost.surfaces.http.mcp_subscriptions import McpSubscriptions
from gatepost.surfaces.http.problems import busy, problem
from gatepost.surfaces.mcp.exchange import Question
from gatepost.surfaces.mcp.messages import Peer

IDLE: Final = 30 * 60.0
UNPROVEN: Final = 60.0
"""So long may a client be silent that never came back after its first message: most of these never will."""
MOST: Final = 4096
MOST_WORKSPACES: Final = 64
"""In so many workspaces a session's lists are remembered. Who writes in more is looked for in all, when it ends."""


class McpSession:
    """One client's. `id` is its key to come back with; `name`, under which its todo list is seen, opens nothing.

    Belongs to the event loop's thread, but for `serving`, `uses` and `end`, and for what is only looked at.
    """

    __slots__ = (
        *("_calls", "_desk", "_ended", "_lock", "_loop", "_streams", "_workspaces"),
        *("id", "name", "peer", "process", "proven", "seen", "watch"),
    )

    def __init__(self) -> None:
        self.id = os.urandom(16).hex()
        self.name = f"mcp-{os.urandom(4).hex()}"
        self.watch = McpSubscriptions()
        self.peer = Peer(subscriptions=self.watch, asks=True)
        self.process = processes.this()
        self.seen = monotonic()
        self.proven = False
        self._desk = ClientQuestions()
        self._loop = asyncio.get_running_loop()
        self._lock = Lock()
        self._ended = False
        self._calls = 0
        self._streams = 0
        self._workspaces: set[str] | None = set()

    def ask(self, questions: Mapping[str, Question]) -> QuestionRound:
        """Await the client's answers."""
        return self._desk.ask(questions)

    def answer(self, message: Mapping[str, object]) -> None:
        """Take an answer of the client."""
        self._desk.answer(message)

    def in_use(self) -> None:
        """The client is there."""
        self.seen = monotonic()

    def silent(self, now: float) -> bool:
        """Whether nothing was heard of the client for so long that nothing will be."""
        return self.idle and now - self.seen > (IDLE if self.proven else UNPROVEN)

    @property
    def idle(self) -> bool:
        """Whether the client waits for nothing: neither for an answer nor on a stream."""
        return not (self._calls or self._streams)

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Around a call, in the thread that runs it. None begins once the session has ended."""
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

    async def streaming(self, source: Callable[[], AsyncGenerator[bytes, None]]) -> AsyncGenerator[bytes, None]:
        """A source's frames. As long as they are taken, the session is not idle."""
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
            # To forget the oldest would leave its list there for as long as this server lives.
            full = len(self._workspaces) >= MOST_WORKSPACES
            self._workspaces = None if full else {*self._workspaces, workspace}

    def workspaces(self) -> list[str] | None:
        """Where the session may have lists; nothing, if that is too much to remember: it may be anywhere."""
        with self._lock:
            return None if self._workspaces is None else sorted(self._workspaces)

    def end(self) -> None:
        """Let no call begin any more, and the stream come to its end."""
        with self._lock:
            self._ended = True
        with suppress(RuntimeError):  # the loop has ended before
            self._loop.call_soon_threadsafe(self.watch.end)


class McpSessions:
    """Those that are open, and those that have ended and may have left lists. May be used in any thread."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._lock = Lock()
        self._open: dict[str, McpSession] = {}
        self._ended: dict[str, McpSession] = {}

    def find(self, key: str | None) -> McpSession | None:
        """An open session by its key; finding it shows that it is in use."""
        with self._lock:
            found = self._open.get(key or "")
            if found is not None:
                found.proven = True
                found.in_use()
        return found

    def add(self, session: McpSession) -> None:
        """Open a session. Where too many are open, one gives way, unless all are being served."""
        with self._lock:
            if len(self._open) >= MOST:
                self._make_room()
            self._open[session.id] = session

    def remove(self, key: str | None) -> McpSession | None:
        """End a session, if it is open; its lists are to be cleared."""
        with self._lock:
            found = self._open.get(key or "")
            if found is not None:
                self._end(found)
        return found

    def expire(self) -> list[McpSession]:
        """End the sessions that were silent for too long. Answers with all whose lists are still to be cleared."""
        with self._lock:
            now = monotonic()
            for silent in [session for session in self._open.values() if session.silent(now)]:
                self._end(silent)
            return list(self._ended.values())

    def clear(self, session: McpSession) -> None:
        """Clear the lists of a session that has ended. Blocks: call it in a thread.

        If it is refused, because the store is busy, or fails, the lists are still to be cleared.
        """
        over = session.idle  # asked first: what a call writes that still runs is not there yet
        known = session.workspaces()
        for workspace in self._engine.store.workspaces() if known is None else known:
            self._clear(workspace, session)
        if over:
            with self._lock:
                self._ended.pop(session.id, None)

    def close(self) -> None:
        """The server ends, and every session with it."""
        with self._lock:
            for session in list(self._open.values()):
                self._end(session)
            ended = list(self._ended.values())
        for session in ended:
            with suppress(Refusal):  # busy: whoever sweeps next finds that our process is gone
                self.clear(session)

    def _make_room(self) -> None:
        idle = [session for session in self._open.values() if session.idle]
        if not idle:
            raise busy(f"{MOST} sessions are open already, and all are being served.")
        # Who only ever knocks must not drive out who works here, so those go first.
        self._end(min(idle, key=lambda session: (session.proven, session.seen)))

    def _end(self, session: McpSession) -> None:
        del self._open[session.id]
        session.end()
        if session.workspaces() != [] or not session.idle:
            self._ended[session.id] = session

    def _clear(self, workspace: str, session: McpSession) -> None:
        who, place = Caller("gatepost", session=session.name), places.named(places.SESSION, session.name)
        found = self._engine.read(workspace, who, lambda reader: reader.at(place))
        if found is None or (isinstance(found.value, Todos) and is_shared(found.value, session.process)):
            return  # there is nothing to clear, or other processes share it: it goes with the last of them
        refused = answer(self._engine, "todo_clear", {"workspace": workspace}, who).refusal
        if refused is not None:
            raise refused
