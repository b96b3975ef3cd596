"""The formats of the common harnesses: what they send before a tool call, and how they want to be told no.

| harness | event | the call | no | other arguments |
|---|---|---|---|---|
| Claude Code, Codex | `PreToolUse` | `tool_name`, `tool_input` | `permissionDecision` | `updatedInput` |
| Gemini CLI | `BeforeTool` | the same | `decision`, `reason` | |
| Cursor | `preToolUse`, `beforeShellExecution`, … | the same, or flat | `permission` | `updated_input` |
| Copilot | none | `toolName`, `toolArgs` | `permissionDecision` | `modifiedArgs` |

Claude Code and Codex want theirs in `hookSpecificOutput`. No objection is no output, everywhere: a spoken "allow"
would skip the user's own questions. Other arguments replace the call's own, and are no consent either.
"""

from __future__ import annotations

import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final

CLAUDE: Final = "claude"
GEMINI: Final = "gemini"
CURSOR: Final = "cursor"
COPILOT: Final = "copilot"

_EVENTS: Final = {
    "PreToolUse": CLAUDE,
    "BeforeTool": GEMINI,
    "preToolUse": CURSOR,
    "beforeShellExecution": CURSOR,
    "beforeReadFile": CURSOR,
    "beforeTabFileRead": CURSOR,
    "beforeMCPExecution": CURSOR,
}
_FLAT: Final = {"beforeShellExecution": "Shell", "beforeReadFile": "Read", "beforeTabFileRead": "Read"}


class NotACall(Exception):
    """What came in is no tool call of any harness we know."""


class Call:
    """One tool call, before it is made."""

    __slots__ = ("cwd", "harness", "input", "tool")

    def __init__(self, *, harness: str, tool: str, given: object, cwd: str) -> None:
        self.harness = harness
        self.tool = tool
        self.input = given
        self.cwd = cwd


def read(payload: bytes) -> Call | None:
    """The call in a payload; none, if the event is another one. Raises `NotACall`."""
    try:
        found = json.loads(payload)
    except (ValueError, RecursionError) as error:
        raise NotACall(f"the input is no JSON ({type(error).__name__})") from error
    if not isinstance(found, dict):
        raise NotACall("the input is no JSON object")
    event = found.get("hook_event_name") or found.get("hookEventName")
    if event is None:
        harness = COPILOT if "toolName" in found else CLAUDE
    elif isinstance(event, str) and event in _EVENTS:
        harness = _EVENTS[event]
    else:
        return None
    tool = found.get("tool_name", found.get("toolName", _FLAT.get(event) if isinstance(event, str) else None))
    if not isinstance(tool, str):
        raise NotACall("the input names no tool")
    return Call(harness=harness, tool=tool, given=_given(found, event), cwd=_cwd(found))


def objection(harness: str, reason: str) -> str:
    """A no, in the words of a harness."""
    if harness == GEMINI:
        return json.dumps({"decision": "deny", "reason": reason})
    if harness == CURSOR:
        return json.dumps({"permission": "deny", "user_message": reason, "agent_message": reason})
    verdict = {"permissionDecision": "deny", "permissionDecisionReason": reason}
    if harness == COPILOT:
        return json.dumps(verdict)
    return json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", **verdict}})


def amended(harness: str, given: Mapping[str, object]) -> str:
    """Other arguments for a call, in the words of a harness."""
    if harness == CURSOR:
        return json.dumps({"permission": "allow", "updated_input": given})
    if harness == COPILOT:
        return json.dumps({"modifiedArgs": given})
    return json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": given}})


def _given(found: Mapping[str, object], event: object) -> object:
    """The tool's arguments. Some send them as JSON in a text; a text that is none is the one argument."""
    if event in _FLAT and "tool_input" not in found:
        return found
    given = found.get("tool_input", found.get("toolArgs"))
    if isinstance(given, str) and given.lstrip().startswith("{"):
        try:
            return json.loads(given)
        except (ValueError, RecursionError):
            return given
    return given


def _cwd(found: Mapping[str, object]) -> str:
    cwd = found.get("cwd")
    roots = found.get("workspace_roots")
    if not cwd and isinstance(roots, list) and roots:
        cwd = roots[0]
    if isinstance(cwd, str) and cwd.startswith("/") and "\0" not in cwd:
        return cwd
    try:
        return os.getcwd()
    except OSError:
        return "/"
