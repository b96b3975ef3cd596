"""The formats of the common harnesses: what they send before and after a tool call and when a session or a turn
begins, and the answers they expect.

| harness | before a call | no | other arguments |
|---|---|---|---|
| Claude Code | `PreToolUse` | `permissionDecision` | `updatedInput` |
| Codex | `PreToolUse` | `permissionDecision` | |
| Gemini CLI | `BeforeTool` | `decision` | |
| Cursor | `preToolUse`, `beforeShellExecution`, … | `permission` | `updated_input` |
| Copilot | (no name) | `permissionDecision` | `modifiedArgs` |

| harness | after a call | message in |
|---|---|---|
| Claude Code | `PostToolUse`, `PostToolUseFailure` | `reason`, `additionalContext` |
| Codex | `PostToolUse` | `additionalContext` |
| Gemini CLI | `AfterTool` | `additionalContext` |
| Cursor | `postToolUse`, `afterShellExecution`, … | `additional_context` |
| Copilot | (no name) | `additionalContext` |

| harness | when a session or a turn begins | message in |
|---|---|---|
| Claude Code, Codex | `SessionStart`, `UserPromptSubmit` | `additionalContext` |
| Gemini CLI | `SessionStart`, `BeforeAgent` | `additionalContext` |
| Cursor | `sessionStart`, `beforeSubmitPrompt` | `additional_context` |
| Copilot | (no name) | `additionalContext` |

| harness | when the agent stops | keeps it working |
|---|---|---|
| Claude Code, Codex | `Stop` | `decision`, `reason` |
| VS Code | `Stop` | the same in `hookSpecificOutput` |
| Gemini CLI | `AfterAgent` | `decision`, `reason` |
| Cursor | `stop` | `followup_message` |
| Copilot | (no name) | `decision`, `reason` |

| harness | before the context is cut | message in |
|---|---|---|
| Claude Code | `PreCompact` | plain text, added to the instructions for the summary |
| Codex, VS Code | `PreCompact` | `systemMessage`, for the user |
| Gemini CLI | `PreCompress` | `systemMessage`, for the user |
| Cursor | `preCompact` | `user_message`, for the user |

The call is in `tool_name` and `tool_input`; Copilot has `toolName` and `toolArgs`, and some events of Cursor are
flat. No objection means no output: an explicit "allow" would skip the user's own confirmation. Changed arguments
replace the call's own and do not approve it either.
"""

from __future__ import annotations

import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final

CLAUDE: Final = "claude-code"
CODEX: Final = "codex"
GEMINI: Final = "gemini-cli"
CURSOR: Final = "cursor"
COPILOT: Final = "copilot"
VSCODE: Final = "vscode"

PROJECT_VARIABLES: Final = ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CURSOR_PROJECT_DIR")
"""Variables in which harnesses name the project's folder."""

_BEFORE: Final = {
    "PreToolUse": CLAUDE,
    "BeforeTool": GEMINI,
    "preToolUse": CURSOR,
    "beforeShellExecution": CURSOR,
    "beforeReadFile": CURSOR,
    "beforeTabFileRead": CURSOR,
    "beforeMCPExecution": CURSOR,
}
_AFTER: Final = {
    "PostToolUse": CLAUDE,
    "PostToolUseFailure": CLAUDE,
    "AfterTool": GEMINI,
    "postToolUse": CURSOR,
    "postToolUseFailure": CURSOR,
    "afterShellExecution": CURSOR,
    "afterFileEdit": CURSOR,
    "afterTabFileEdit": CURSOR,
    "afterMCPExecution": CURSOR,
}
BEGINNINGS: Final = {
    "SessionStart": CLAUDE,
    "UserPromptSubmit": CLAUDE,
    "BeforeAgent": GEMINI,
    "sessionStart": CURSOR,
    "beforeSubmitPrompt": CURSOR,
}
_SESSION_STARTS: Final = ("SessionStart", "sessionStart")
STOPS: Final = {"Stop": CLAUDE, "AfterAgent": GEMINI, "stop": CURSOR}
CUTS: Final = {"PreCompact": CLAUDE, "PreCompress": GEMINI, "preCompact": CURSOR}
_FLAT: Final = {
    "beforeShellExecution": "Shell",
    "beforeReadFile": "Read",
    "beforeTabFileRead": "Read",
    "afterShellExecution": "Shell",
    "afterFileEdit": "Edit",
    "afterTabFileEdit": "Edit",
}
_SESSIONS: Final = ("session_id", "conversation_id", "sessionId")
_TELLING: Final = (
    "command",
    "cmd",
    "script",
    "code",
    "file_path",
    "path",
    "notebook_path",
    "paths",
    "input",
    "patch",
)
_LONGEST_BRIEF: Final = 160


class NotACall(Exception):
    """The input is not a tool call of a known harness."""


class HookCall:
    """One tool call, before or after it runs."""

    __slots__ = ("cwd", "event", "harness", "input", "session", "tool")

    def __init__(self, *, harness: str, event: str, session: str, tool: str, given: object, cwd: str) -> None:
        self.harness = harness
        self.event = event
        self.session = session
        self.tool = tool
        self.input = given
        self.cwd = cwd

    @property
    def agent(self) -> str:
        """The calling agent: the harness and four characters of the session."""
        known = "".join(sign for sign in self.session if sign.isalnum() and sign.isascii())[:4]
        return f"{self.harness}/{known}" if known else self.harness

    @property
    def brief(self) -> str:
        """The call in one short line: the tool and its command or path."""
        given = self.input
        if isinstance(given, dict):
            given = next((given[key] for key in _TELLING if given.get(key)), "")
        if isinstance(given, list):
            given = " ".join(word for word in given if isinstance(word, str))
        target = " ".join(given.split()) if isinstance(given, str) else ""
        line = f"{self.tool}: {target}" if target else self.tool
        return line if len(line) <= _LONGEST_BRIEF else f"{line[: _LONGEST_BRIEF - 1]}…"


def read(payload: bytes, *, after: bool = False) -> HookCall | None:
    """The tool call in a payload; None for any other event. Raises `NotACall`."""
    found = _event(payload)
    event = found.get("hook_event_name") or found.get("hookEventName") or ""
    events = _AFTER if after else _BEFORE
    if event == "":
        harness = COPILOT if "toolName" in found else CLAUDE
    elif isinstance(event, str) and event in events:
        harness = CODEX if events[event] == CLAUDE and "turn_id" in found else events[event]
    else:
        return None
    tool = found.get("tool_name", found.get("toolName", _FLAT.get(event)))
    if not isinstance(tool, str):
        raise NotACall("the input names no tool")
    given, session = _tool_arguments(found, event), next((found[key] for key in _SESSIONS if found.get(key)), "")
    return HookCall(harness=harness, event=event, session=str(session), tool=tool, given=given, cwd=_cwd(found))


def read_moment(payload: bytes, events: Mapping[str, str]) -> HookCall | None:
    """An event that is no tool call, if it is one of these; None for any other. Its fields are the `input`. Raises
    `NotACall`.
    """
    found = _event(payload)
    event = found.get("hook_event_name") or found.get("hookEventName") or ""
    if event == "":
        harness = COPILOT
    elif isinstance(event, str) and event in events:
        harness = _of_family(found) if events[event] == CLAUDE else events[event]
    else:
        return None
    session = next((found[key] for key in _SESSIONS if found.get(key)), "")
    return HookCall(harness=harness, event=event, session=str(session), tool="", given=found, cwd=_cwd(found))


def begins_session(event: HookCall) -> bool:
    """Whether a session begins, and not only a turn: Copilot names no event, but only a turn has a prompt."""
    found = event.input
    has_prompt = isinstance(found, dict) and "prompt" in found
    return event.event in _SESSION_STARTS or (not event.event and not has_prompt)


def _of_family(found: Mapping[str, object]) -> str:
    """Which of the harnesses that share Claude Code's names for events sent this one."""
    transcript = str(found.get("transcript_path") or "").rpartition("/")[2]
    if "turn_id" in found or transcript.startswith("rollout-"):  # a session of Codex begins without a turn
        return CODEX
    if "GEMINI_PROJECT_DIR" in os.environ:
        return GEMINI
    return VSCODE if "sessionId" in found or "timestamp" in found else CLAUDE


def _event(payload: bytes) -> dict[str, object]:
    try:
        found = json.loads(payload)
    except (ValueError, RecursionError) as error:
        raise NotACall(f"the input is not JSON ({type(error).__name__})") from error
    if not isinstance(found, dict):
        raise NotACall("the input is not a JSON object")
    return found


def objection(harness: str, reason: str) -> str:
    """A refusal in a harness's format."""
    if harness == GEMINI:
        return json.dumps({"decision": "deny", "reason": reason})
    if harness == CURSOR:
        return json.dumps({"permission": "deny", "user_message": reason, "agent_message": reason})
    verdict = {"permissionDecision": "deny", "permissionDecisionReason": reason}
    if harness == COPILOT:
        return json.dumps(verdict)
    return json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", **verdict}})


def amended(harness: str, given: Mapping[str, object]) -> str:
    """Changed arguments for a call, in a harness's format."""
    if harness == CURSOR:
        return json.dumps({"permission": "allow", "updated_input": given})
    if harness == COPILOT:
        return json.dumps({"modifiedArgs": given})
    return json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": given}})


def notice(call: HookCall, words: str, *, broke: bool) -> str:
    """A message for the agent after its call, in its harness's format. `broke`: the call broke the rule.

    Claude Code shows a `reason` next to the tool's result; elsewhere it would replace the result.
    """
    if call.harness == CURSOR:
        return json.dumps({"additional_context": words})
    if call.harness == COPILOT:
        return json.dumps({"additionalContext": words})
    if call.harness == CLAUDE and broke and call.event != "PostToolUseFailure":
        return json.dumps({"decision": "block", "reason": words})
    event = call.event or "PostToolUse"
    return json.dumps({"hookSpecificOutput": {"hookEventName": event, "additionalContext": words}})


def continuation(call: HookCall, reason: str) -> str:
    """What keeps an agent from stopping, in its harness's format."""
    if call.harness == CURSOR:
        return json.dumps({"followup_message": reason})
    verdict = {"decision": "deny" if call.harness == GEMINI else "block", "reason": reason}
    if call.harness == VSCODE:
        return json.dumps({"hookSpecificOutput": {"hookEventName": "Stop", **verdict}})
    return json.dumps(verdict)


def is_repeated_stop(call: HookCall) -> bool:
    """Whether a hook kept the agent working already, or it did not stop by itself."""
    found = call.input
    if not isinstance(found, dict):
        return True
    if call.harness == CURSOR:
        return bool(found.get("loop_count")) or found.get("status", "completed") != "completed"
    return bool(found.get("stop_hook_active") or found.get("stopHookActive"))


def _tool_arguments(found: Mapping[str, object], event: object) -> object:
    """The tool's arguments. Some harnesses send them as JSON text; any other text is the only argument."""
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
