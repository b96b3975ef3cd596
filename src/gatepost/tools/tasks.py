"""Gatepost's own operations as a session's tools, on a store in this process or behind a server."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final, Protocol

from gatepost.domain.refusals import WorkspaceMismatch
from gatepost.runtime import Dispatcher, Session
from gatepost.runtime.publication import Publisher, ToolCaller
from gatepost.tools.schemas import Parameters
from gatepost.tools.tool import Tool
from gatepost.views.guidance import FIRST_STEPS


class TaskStore(Publisher, Protocol):
    """A store and its tools, as returned by `gatepost.connect`."""

    def tools(self, toolset: str = "core") -> list[dict[str, Any]]:
        """The operations of a set, as MCP lists them."""


class TaskToolsSection:
    """Tells a model how to manage tasks, and offers it the operations of a tool set, in one workspace.

    Calls are made in the session's name. The todo list is left to `TodoToolsSection`, which `publish` shows others.
    """

    def __init__(
        self,
        *,
        session: Session,
        gp: TaskStore,
        workspace: str,
        toolset: str = "core",
        dispatcher: Dispatcher | None = None,
        key: str = "task-tools",
    ) -> None:
        self.key: Final = key
        self.session: Final = session
        self.dispatcher: Final = session.dispatcher if dispatcher is None else dispatcher
        self._offered: Final = (gp, workspace, toolset)
        asked = gp.for_session(session.id)
        self.tools: Final = tuple(
            _tool(shown, asked, workspace).bound(session, self.dispatcher)
            for shown in gp.tools(toolset)
            if not shown["name"].startswith("todo_")
        )

    def render(self) -> str:
        """The guidance."""
        return FIRST_STEPS

    def clone(self, *, session: Session, dispatcher: Dispatcher | None = None) -> "TaskToolsSection":
        """The same tools on the same store, called in another session's name."""
        gp, workspace, toolset = self._offered
        return TaskToolsSection(
            session=session, gp=gp, workspace=workspace, toolset=toolset, dispatcher=dispatcher, key=self.key
        )


def _tool(shown: Mapping[str, Any], asked: ToolCaller, workspace: str) -> Tool:
    schema = shown["inputSchema"]
    own = {
        **schema,
        "properties": {name: _typed(item) for name, item in schema["properties"].items() if name != "workspace"},
        "required": [name for name in schema.get("required", ()) if name != "workspace"],
    }
    return Tool(
        name=shown["name"],
        description=shown["description"],
        params=Parameters(own, partial(_placed, workspace)),
        handler=lambda given: asked.call(shown["name"], **given),
    )


def _typed(item: Mapping[str, Any]) -> dict[str, Any]:
    """A tool list has no unions, so it gives a moment, a number or a text, no type. Strict mode needs one."""
    return {**item} if "type" in item else {"anyOf": [{"type": "integer"}, {"type": "string"}], **item}


def _placed(workspace: str, given: dict[str, Any]) -> dict[str, Any]:
    """Add the workspace to the arguments. A suggestion from the store already has it."""
    asked = given.setdefault("workspace", workspace)
    if asked != workspace:
        raise WorkspaceMismatch(str(asked), workspace)
    return given
