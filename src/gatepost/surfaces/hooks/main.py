"""`gatepost hook EVENT`: one event on stdin, a verdict on stdout, and never a traceback.

Exit code 0 is a verdict, with or without output. Bad usage is 1, not 2 as in other commands: to harnesses, 2 means
"block", and a typo in a settings file must not block every tool.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Final

    from gatepost.surfaces.hooks.harnesses import HookCall

USAGE: Final = """\
gatepost hook EVENT < event.json

Answer one event of an agent's harness. `gatepost init` adds these hooks to the
harnesses of a project.

pre-tool       judges a tool call before the agent makes it: paths, patterns,
               patches and shell commands that lead into a taskdoc package
               (*.tsk) or .gatepost are denied.
post-tool      checks the packages after the call. It restores what the call
               changed, keeps the changed text in the log, and tells the agent.
               If the call moved git's HEAD, it only reports.
session-start  shows in a few lines what to work on, its notes, the goals, what
               the last round left, what waits for a person and what was
               answered. At the start of a turn (UserPromptSubmit), only what
               waits, was answered or is held.
pre-compact    asks to keep the claimed step when the context is cut, and to
               leave a note.
stop           keeps an agent working that holds an open step, once, and says
               which. It lets the agent stop the second time.

All read the hook format of Claude Code, Codex, VS Code, Gemini CLI, Cursor and
Copilot on stdin and answer in the same format. No output means no objection or
nothing to say. No parser catches every shell command, so use pre-tool and
post-tool together.

Claude Code, .claude/settings.json (Codex: .codex/hooks.json, the same without
PostToolUseFailure):

  {"hooks": {
    "SessionStart": [{"hooks":
      [{"type": "command", "command": "gatepost hook session-start"}]}],
    "UserPromptSubmit": [{"hooks":
      [{"type": "command", "command": "gatepost hook session-start"}]}],
    "PreToolUse": [{"matcher": "*", "hooks":
      [{"type": "command", "command": "gatepost hook pre-tool"}]}],
    "PostToolUse": [{"matcher": "*", "hooks":
      [{"type": "command", "command": "gatepost hook post-tool"}]}],
    "PostToolUseFailure": [{"matcher": "*", "hooks":
      [{"type": "command", "command": "gatepost hook post-tool"}]}],
    "PreCompact": [{"hooks":
      [{"type": "command", "command": "gatepost hook pre-compact"}]}],
    "Stop": [{"hooks":
      [{"type": "command", "command": "gatepost hook stop"}]}]}}
"""
FAILED: Final = (
    "The guard of taskdoc packages failed on this call, so the call is refused. Use a simpler command. "
    "Read the taskdoc with recall_mind and change it with change_mind."
)
_BAD_USAGE: Final = 1
_PRE: Final = "pre-tool"
_START: Final = "session-start"
_CUT: Final = "pre-compact"
_STOP: Final = "stop"
_HOOKS: Final = (_PRE, "post-tool", _START, _CUT, _STOP)
_HELP: Final = ("--help", "-h")


def run(words: list[str]) -> int:
    """Answer one event and return the exit code. Never raises."""
    name, *more = words or [""]
    if name in _HELP or (name in _HOOKS and more and more[0] in _HELP):
        return _say(USAGE)
    if name not in _HOOKS or more:
        _note(
            f"unknown hook: {' '.join(words) or '(none)'}. Use gatepost hook pre-tool, post-tool, session-start,"
            " pre-compact or stop."
        )
        return _BAD_USAGE
    try:
        payload = sys.stdin.buffer.read()
    except (OSError, AttributeError, ValueError) as error:
        _note(f"cannot read the event: {error}")
        return 0
    answers = {_PRE: verdict, _START: beginning, _CUT: compacting, _STOP: stopping}
    return _say(answers.get(name, after)(payload))


def verdict(payload: bytes) -> str:
    """The answer to an event; empty if there is no objection.

    Input that is not a tool call is accepted with a note on stderr. A call that makes the guard fail is refused:
    breaking the guard must not be a way around it.
    """
    from gatepost.surfaces.hooks import harnesses

    try:
        call = harnesses.read(payload)
    except harnesses.NotACall as error:
        _note(f"no objection: {error}")
        return ""
    if call is None:
        return ""
    try:
        from gatepost.surfaces.hooks.pretool import narrowed, reason_against

        reason = reason_against(call)
        other = None if reason else narrowed(call)
    except Exception as error:  # noqa: BLE001 - the edge: a harness takes a crash for consent
        _note(f"refused, because the guard failed: {type(error).__name__}: {error}")
        reason, other = FAILED, None
    if other is not None:
        return f"{harnesses.amended(call.harness, other)}\n"
    return f"{harnesses.objection(call.harness, reason)}\n" if reason else ""


def after(payload: bytes) -> str:
    """The answer after a call; almost always empty. Whatever happens, the harness continues."""
    from gatepost.surfaces.hooks import harnesses

    try:
        call = harnesses.read(payload, after=True)
        if call is None:
            return ""
        from gatepost.surfaces.hooks.posttool import reports_after

        reports = reports_after(call)
    except harnesses.NotACall as error:
        _note(f"no package was checked: {error}")
        return ""
    except Exception as error:  # noqa: BLE001 - the edge: the harness must not stumble over us
        _note(f"no package was checked, because the hook failed: {type(error).__name__}: {error}")
        return ""
    message = "\n".join(report.message for report in reports)
    broke = any(report.broke_rule for report in reports)
    return f"{harnesses.notice(call, message, broke=broke)}\n" if message else ""


def beginning(payload: bytes) -> str:
    """The answer when a session or a turn begins; empty if there is nothing to say."""
    from gatepost.surfaces.hooks import harnesses

    def words(event: HookCall) -> str:
        from gatepost.surfaces.hooks.session_start import news

        said = news(event)
        return harnesses.notice(event, said, broke=False) if said else ""

    return _answer(payload, harnesses.BEGINNINGS, words)


def compacting(payload: bytes) -> str:
    """The answer before the context is cut; empty if the agent holds nothing."""
    from gatepost.surfaces.hooks import harnesses

    def words(event: HookCall) -> str:
        from gatepost.surfaces.hooks.held_work import before_cut

        return before_cut(event)

    return _answer(payload, harnesses.CUTS, words)


def stopping(payload: bytes) -> str:
    """The answer when an agent stops; empty if it may. It may always stop after it was kept working once."""
    from gatepost.surfaces.hooks import harnesses

    def words(event: HookCall) -> str:
        if harnesses.is_repeated_stop(event):
            return ""
        from gatepost.surfaces.hooks.held_work import reason_to_continue

        reason = reason_to_continue(event)
        return harnesses.continuation(event, reason) if reason else ""

    return _answer(payload, harnesses.STOPS, words)


def _answer(payload: bytes, events: Mapping[str, str], words: Callable[[HookCall], str]) -> str:
    """The answer to one of these events. Whatever happens, the harness continues."""
    from gatepost.surfaces.hooks import harnesses

    try:
        event = harnesses.read_moment(payload, events)
        said = "" if event is None else words(event)
    except harnesses.NotACall as error:
        _note(f"nothing to say: {error}")
        return ""
    except Exception as error:  # noqa: BLE001 - the edge: the harness must not stumble over us
        _note(f"nothing to say, because the hook failed: {type(error).__name__}: {error}")
        return ""
    return f"{said}\n" if said else ""


def _say(text: str) -> int:
    try:
        sys.stdout.buffer.write(text.encode("utf-8", "replace"))  # whatever the locale is
        sys.stdout.buffer.flush()
    except (OSError, AttributeError, ValueError):
        return 1 if text else 0
    return 0


def _note(text: str) -> None:
    try:
        sys.stderr.write(f"gatepost hook: {text.encode('ascii', 'backslashreplace').decode()}\n")
    except (OSError, AttributeError, ValueError):
        return
