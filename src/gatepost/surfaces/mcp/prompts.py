"""MCP prompts: what a person starts with a slash command, made of what the operations answer at that moment.

Clients ask for the list right after the tools: it is made of constants, and only getting a prompt loads the engine.
"""

from __future__ import annotations

from gatepost.surfaces.mcp.messages import INVALID_PARAMS, RpcError, short

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final, Protocol

    from gatepost.surfaces.mcp.answers import CallToolResult
    from gatepost.surfaces.mcp.exchange import Exchange
    from gatepost.surfaces.mcp.messages import Request

    class Prompts(Protocol):
        """What a server lets people start. Exists for type checkers only."""

        def listed(self) -> list[dict[str, object]]:
            """Complete definitions, always in the same order."""

        def get(self, name: str, arguments: dict[str, str], exchange: Exchange) -> dict[str, object]:
            """Its description and messages; a plain `LookupError` says that no prompt has this name."""


_WORKSPACE: Final[dict[str, object]] = {
    "name": "workspace",
    "description": "The project, such as acme/repo.",
    "required": True,
}
_TASK: Final[dict[str, object]] = {
    "name": "task",
    "description": "TASK-001, say; without it, what is in focus or comes first.",
}
_ABOUT: Final = {
    "resume": ("Resume the work", "Go on where the work stands: the radar, and the task in full."),
    "handoff": ("Hand the work over", "Tell whoever goes on what is done, what remains and what is risky."),
    "plan": ("Plan the work", "Break work down into steps that say what would prove them."),
    "close": ("Close the step", "Check what the step at hand asks for, and close it if that holds."),
}

_RESUME: Final = """\
Go on with the work in {workspace}. It stands as shown below.

Work on `now`: `why` says what it is for, `verify` what would prove it, `blockers` what stands in the way. \
When its criteria and tests hold, send `next`; until then leave a tasks_note where you learn something, or \
tasks_block with the reason where you cannot go on."""
_HANDOFF: Final = """\
Hand over the work in {workspace}, which stands as shown below, to somebody who knows nothing of it.

Say in a few lines what is done, what remains in which order, and what is risky and why; name tasks and \
steps by their ids. Then say what to begin with: `now`, and `next` as the first call. Add what you know that \
is not written here, and put it down with tasks_note where it belongs, so that it outlives this talk."""
_PLAN_TASK: Final = """\
Break {task} in {workspace}, which stands as shown below, down into steps.

Look at what it asks for and at what is there, and ask the person where something is unclear. Then call \
tasks_decompose with `task`, `expected_revision` and `steps`, in the order of the work. Each step is one \
thing that can be finished and shown: a `title`, `criteria` (what will be true) and `tests` (what shows it); \
`steps` of its own where it is too large. Give `step_id` to break down a step instead of the task. \
Afterwards look at tasks_radar."""
_PLAN: Final = """\
Plan work in {workspace}, where there is what is shown below.

Ask the person what is to be achieved, unless you know, and look whether a task for it is there already: \
then break that one down with tasks_decompose. Else call tasks_create with `kind` task, a `title`, a \
`description` that says why, and `steps` in the order of the work; for several tasks, make a plan first and \
name it as their `plan`. Each step is one thing that can be finished and shown: a `title`, `criteria` (what \
will be true) and `tests` (what shows it); `steps` of its own where it is too large. Afterwards look at \
tasks_radar."""
_CLOSE: Final = """\
Close the step that is `now` in {workspace}, as shown below, if it really is done.

Check each of `verify.criteria` and `verify.tests` yourself, now: read the code, run the tests. Keep what \
shows it with tasks_evidence_capture. If all of it holds, send `next`, which confirms the checkpoints and \
closes the step. If something does not hold, finish that first, or say with tasks_block why it cannot be. \
Never confirm a checkpoint you have not checked."""


def members(prompts: Prompts, request: Request, exchange: Exchange) -> dict[str, object]:
    """The members of the result of either method."""
    if request.method == "prompts/list":
        request.one_page()
        return {"prompts": prompts.listed()}
    name, given = request.text("name"), request.mapping("arguments")
    arguments = {key: value for key, value in given.items() if isinstance(value, str)}
    if len(arguments) < len(given):
        wrong = ", ".join(sorted(given.keys() - arguments.keys()))
        raise RpcError(INVALID_PARAMS, f"arguments of a prompt are strings, unlike {wrong[:80]}")
    try:
        return prompts.get(name, arguments, exchange)
    except LookupError as error:
        if type(error) is not LookupError:  # a KeyError or IndexError is a bug, not an unknown name
            raise
        names = ", ".join(str(prompt["name"]) for prompt in prompts.listed())
        raise RpcError(INVALID_PARAMS, f"unknown prompt {short(name)}: there are {names}") from error


class WorkspacePrompts:
    """Prompts for the one workspace that the server is bound to, else for the one that is named.

    `call` answers an operation.
    """

    __slots__ = ("_bound", "_call")

    def __init__(self, bound: str | None, call: Callable[[str, dict[str, object]], CallToolResult]) -> None:
        self._bound = bound
        self._call = call

    def listed(self) -> list[dict[str, object]]:
        """All of them, each with what it may be given."""
        arguments = list(self._arguments().values())
        return [
            {"name": name, "title": title, "description": description, "arguments": arguments}
            for name, (title, description) in _ABOUT.items()
        ]

    def get(self, name: str, arguments: dict[str, str], _exchange: Exchange) -> dict[str, object]:
        """What to do, and below it what the operations answer about it."""
        if name not in _ABOUT:
            raise LookupError(name)
        workspace = self._checked(name, arguments)
        task = arguments.get("task", "").strip()
        words, tools = _said(name, task)
        shown = [f"{tool}:\n{self._answer(tool, workspace, task)}" for tool in tools]
        text = "\n\n".join((words.format(workspace=workspace, task=task), *shown))
        message = {"role": "user", "content": {"type": "text", "text": text}}
        return {"description": _ABOUT[name][1], "messages": [message]}

    def _arguments(self) -> dict[str, dict[str, object]]:
        # Who is bound to a workspace need not name it; a person types these.
        return {"task": _TASK} if self._bound else {"workspace": _WORKSPACE, "task": _TASK}

    def _checked(self, name: str, arguments: dict[str, str]) -> str:
        unknown = sorted(arguments.keys() - {"workspace", "task"})
        if unknown:
            raise RpcError(INVALID_PARAMS, f"{name} has no argument {short(unknown[0])}: it has workspace and task")
        workspace = arguments.get("workspace", "").strip() or self._bound
        if workspace is None:
            raise RpcError(INVALID_PARAMS, f"{name} needs workspace: the project, such as acme/repo")
        return workspace

    def _answer(self, tool: str, workspace: str, task: str) -> str:
        named = {} if not task or tool == "tasks_context" else {"task": task}
        answered = self._call(tool, {"workspace": workspace, **named})
        if not answered.refused:
            return answered.text
        import json

        error = json.loads(answered.text)["error"]
        raise RpcError(INVALID_PARAMS, f"{error['message']} {error['recovery']}", error)


def _said(name: str, task: str) -> tuple[str, tuple[str, ...]]:
    """What a prompt says, and the operations whose answers it shows."""
    if name == "resume":
        return _RESUME, ("tasks_radar", "tasks_resume")
    if name == "handoff":
        return _HANDOFF, ("tasks_handoff",)
    if name == "close":
        return _CLOSE, ("tasks_radar",)
    return (_PLAN_TASK, ("tasks_resume",)) if task else (_PLAN, ("tasks_context",))
