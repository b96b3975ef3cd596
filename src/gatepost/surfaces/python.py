"""Python: the same operations as calls."""

import re
from collections.abc import Iterator
from types import TracebackType
from typing import Any

import msgspec

from gatepost import wiring
from gatepost.domain.names import SESSION
from gatepost.domain.refusals import InvalidInput
from gatepost.engine import processes
from gatepost.engine.caller import Caller
from gatepost.engine.engine import Engine
from gatepost.engine.log import shown
from gatepost.operations.answer import answer, caller
from gatepost.operations.catalog import BY_COMMAND, in_toolset
from gatepost.operations.registry import TOOLSETS, Command
from gatepost.operations.tools import tool
from gatepost.surfaces.settings import settings
from gatepost.wire.texts import MEANINGS


class Gatepost:
    """An open store. Safe to share between threads; use it as a context manager, or close it.

    Closing lets go of files; a later call opens them again.
    """

    def __init__(self, engine: Engine, who: Caller) -> None:
        self.engine = engine
        self._caller = who

    def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Ask by name. Returns the reply; raises `gatepost.Refusal` if the answer is no."""
        reply: dict[str, Any] = msgspec.json.decode(self._text(tool, arguments))
        return reply

    def do(self, command: Command) -> Any:
        """Ask by a typed command from `gatepost.commands`. Returns its typed reply, or raises a `Refusal`."""
        operation = BY_COMMAND[type(command)]
        return msgspec.json.decode(self._text(operation.name, _spelled(command)), type=operation.reply)

    def follow(self, workspace: str, after: int = 0) -> Iterator[dict[str, Any]]:
        """Every event after a `seq`, then each new one as it comes, without end."""
        self.call("tasks_delta", workspace=workspace, since=after, limit=1)  # refuses what cannot be followed
        return (shown(row) for row in self.engine.follow(workspace, after))

    def tools(self, toolset: str = "core") -> list[dict[str, Any]]:
        """The operations of a tool set as tools, as MCP lists them; those on files are left out."""
        if toolset not in TOOLSETS:
            raise InvalidInput([("toolset", f"must be one of {', '.join(TOOLSETS)}; got {toolset}")])
        return [tool(operation) for operation in in_toolset(toolset) if not operation.files]

    def for_session(self, session: str) -> "Gatepost":
        """The same store, asked by a session. It ends with this process at the latest: its todo list is swept."""
        if re.match(SESSION, session) is None:
            raise InvalidInput([("session", MEANINGS[SESSION])])
        actor = caller(f"{self._caller.actor}/{session}").actor
        return Gatepost(self.engine, self._caller._replace(actor=actor, session=session, process=processes.this()))

    def close(self) -> None:
        """Let go of the store."""
        self.engine.store.close()

    def __enter__(self) -> "Gatepost":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _text(self, tool: str, arguments: dict[str, Any]) -> str:
        bound = self._caller.bound
        given = arguments if bound is None else {"workspace": bound, **arguments}
        answered = answer(self.engine, tool, given, self._caller)
        if answered.refusal is not None:
            raise answered.refusal
        return answered.text


def connect(
    store: str | None = None,
    *,
    actor: str | None = None,
    workspace: str | None = None,
    synchronous: str | None = None,
) -> Gatepost:
    """Open a store: `sqlite:///path`, a file path, `memory:`, or nothing for the default one.

    With `workspace`, calls need not name it, and calls in any other workspace are refused.
    """
    found = settings({"store": store, "actor": actor, "synchronous": synchronous})
    engine = wiring.engine(
        found.store, found.synchronous, found.home, faced=found.faced, secrets=found.secrets, tracked=found.tracked
    )
    return Gatepost(engine, caller(found.actor or "python", workspace))


def _spelled(command: Command) -> dict[str, Any]:
    """A command as the arguments that spell it: what was left out stays out."""
    given: dict[str, Any] = msgspec.to_builtins(command)
    defaults = {field.name: field.default for field in msgspec.structs.fields(command)}
    return {name: value for name, value in given.items() if value is not None or defaults[name] is msgspec.UNSET}
