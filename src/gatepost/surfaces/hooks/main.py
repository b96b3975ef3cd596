"""`gatepost hook EVENT`: one event on stdin, a verdict on stdout, and never a traceback.

Exit 0 is a verdict, spoken or silent. Bad usage is 1 and not the 2 of other commands: to harnesses, 2 means
"block", and a slip in a settings file must not block every tool there is.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

USAGE: Final = """\
gatepost hook pre-tool < event.json

Judge a tool call before an agent makes it: paths, patterns, patches and shell
commands that lead into a taskdoc package (*.tsk) or .gatepost are objected to.
Reads the hook format of Claude Code, Codex, Gemini CLI, Cursor and Copilot on
stdin and answers in the same; no objection is no output.

A shell can be watched, not caged: what a program does once it runs is not seen
here. gatepost doctor finds what was changed behind our back.

Claude Code, .claude/settings.json (Codex: .codex/hooks.json, the same):

  {"hooks": {"PreToolUse": [{"matcher": "*", "hooks":
    [{"type": "command", "command": "gatepost hook pre-tool"}]}]}}
"""
FAILED: Final = (
    "The guard of taskdoc packages failed on this call, so it is not let through. Say it more plainly; "
    "the taskdoc is read with recall_mind and changed with change_mind."
)
_BAD_USAGE: Final = 1


def run(words: list[str]) -> int:
    """Answer one event. The exit code; never an exception."""
    if words in (["--help"], ["-h"], ["pre-tool", "--help"], ["pre-tool", "-h"]):
        return _say(USAGE)
    if words != ["pre-tool"]:
        _note(f"there is no hook {' '.join(words) or 'without a name'}; there is: gatepost hook pre-tool")
        return _BAD_USAGE
    try:
        payload = sys.stdin.buffer.read()
    except (OSError, AttributeError, ValueError) as error:
        _note(f"no objection, for nothing could be read: {error}")
        return 0
    return _say(verdict(payload))


def verdict(payload: bytes) -> str:
    """What to answer to an event; nothing is no objection.

    What is no tool call meets no objection, for there is nothing to object to, but a note on stderr. A call that
    cannot be judged does: whoever can write a call that trips the guard must not get past it that way.
    """
    from gatepost.surfaces.hooks import harnesses

    try:
        call = harnesses.read(payload)
    except harnesses.NotACall as error:
        _note(f"no objection, for {error}")
        return ""
    if call is None:
        return ""
    try:
        from gatepost.surfaces.hooks.pretool import narrowed, reason_against

        reason = reason_against(call)
        other = None if reason else narrowed(call)
    except Exception as error:  # noqa: BLE001 - the edge: a harness takes a crash for consent
        _note(f"objected, for the guard failed: {type(error).__name__}: {error}")
        reason, other = FAILED, None
    if other is not None:
        return f"{harnesses.amended(call.harness, other)}\n"
    return f"{harnesses.objection(call.harness, reason)}\n" if reason else ""


def _say(text: str) -> int:
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except (OSError, AttributeError, ValueError):
        return 1 if text else 0
    return 0


def _note(text: str) -> None:
    try:
        sys.stderr.write(f"gatepost hook: {text.encode('ascii', 'backslashreplace').decode()}\n")
    except (OSError, AttributeError, ValueError):
        return
