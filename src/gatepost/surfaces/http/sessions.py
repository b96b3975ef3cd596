"""The sessions of legacy MCP clients: what they are called, and what is theirs."""

import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from time import monotonic
from typing import Final

from gatepost.domain.names import WORKSPACE
from gatepost.domain.refusals import Refusal
from gatepost.engine import processes
from gatepost.engine.caller import Caller
from gatepost.engine.engine import Engine
from gatepost.operations import sessions
from gatepost.operations.answer import answer
from gatepost.surfaces.http.asking import Asking, Desk
from gatepost.surfaces.http.problems import busy
from gatepost.surfaces.http.watches import Watch
from gatepost.surfaces.mcp.exchange import Question
from gatepost.surfaces.mcp.messages import Peer

IDLE: Final = 30 * 60.0
MOST: Final = 4096

_workspace = re.compile(WORKSPACE)


class Session:
    """One client's. `id` is its key to come back with; `name`, under which its todo list is seen, opens nothing."""

    __slots__ = ("_desk", "id", "name", "peer", "process", "seen", "watch", "workspaces")

    def __init__(self) -> None:
        self.id = os.urandom(16).hex()
        self.name = f"mcp-{os.urandom(4).hex()}"
        self.watch = Watch()
        self.peer = Peer(subscriptions=self.watch, asks=True)
        self._desk = Desk()
        self.process = processes.this()
        self.seen = monotonic()
        self.workspaces: set[str] = set()

    def ask(self, questions: Mapping[str, Question]) -> Asking:
        """Await the client's answers."""
        return self._desk.ask(questions)

    def answer(self, message: Mapping[str, object]) -> None:
        """Take an answer of the client."""
        self._desk.answer(message)

    def in_use(self) -> None:
        """The client is there."""
        self.seen = monotonic()

    def uses(self, engine: Engine, workspace: object) -> None:
        """Remember where the session may have a list; sweep there first what killed servers left behind."""
        if isinstance(workspace, str) and workspace not in self.workspaces and _workspace.match(workspace):
            self.workspaces.add(workspace)
            with suppress(Refusal):  # busy: the next one who comes will do it
                sessions.sweep(engine, workspace)


class Sessions:
    """Those that are open. The oldest silent ones end when new ones come."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._open: dict[str, Session] = {}

    def find(self, key: str | None) -> Session | None:
        """An open session by its key; finding it shows that it is in use."""
        found = self._open.get(key or "")
        if found is not None:
            found.in_use()
        return found

    def check_room(self) -> None:
        """Refuse one more where too many are open and in use."""
        if len(self._open) >= MOST and not self._silent():
            raise busy(f"{MOST} sessions are open already.")

    def add(self, session: Session) -> list[Session]:
        """Open a session. Answers with those that ended for their silence, whose lists are to be cleared."""
        expired = self._silent()
        for silent in expired:
            self.remove(silent.id)
        self._open[session.id] = session
        return expired

    def remove(self, key: str | None) -> Session | None:
        """Close a session, if it is open; its lists are to be cleared."""
        found = self._open.pop(key or "", None)
        if found is not None:
            found.watch.end()
        return found

    def clear(self, ended: Iterable[Session]) -> None:
        """Clear the todo lists of sessions that have ended. Blocks: call it in a thread."""
        for session in ended:
            who = Caller("gatepost", session=session.name)
            for workspace in sorted(session.workspaces):
                answer(self._engine, "todo_clear", {"workspace": workspace}, who)  # refused if busy: swept later

    def close(self) -> None:
        """The server ends, and every session with it."""
        ended, self._open = list(self._open.values()), {}
        self.clear(ended)

    def _silent(self) -> list[Session]:
        since = monotonic() - IDLE
        return [session for session in self._open.values() if session.seen < since]
