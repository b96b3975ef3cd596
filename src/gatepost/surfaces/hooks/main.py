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
gatepost hook pre-tool|post-tool < event.json

Keep an agent's own tools out of taskdoc packages (*.tsk) and .gatepost.

pre-tool   judges a tool call before the agent makes it: paths, patterns,
           patches and shell commands that lead into a package are denied.
post-tool  looks at the packages after the call. What the call changed is
           restored, the other text is kept in the log, and the agent is told.
           If git's HEAD moved with the call, it only reports.

Both read the hook format of Claude Code, Codex, Gemini CLI, Cursor and Copilot
on stdin and answer in the same; nothing to say is no output. A shell can be
watched, not caged: use both.

Claude Code, .claude/settings.json (Codex: .codex/hooks.json, the same without
PostToolUseFailure):

  {"hooks": {
    "PreToolUse": [{"matcher": "*", "hooks":
      [{"type": "command", "command": "gatepost hook pre-tool"}]}],
    "PostToolUse": [{"matcher": "*", "hooks":
      [{"type": "command", "command": "gatepost hook post-tool"}]}],
    "PostToolUseFailure": [{"matcher": "*", "hooks":
      [{"type": "command", "command": "gatepost hook post-tool"}]}]}}
"""
FAILED: Final = (
    "The guard of taskdoc packages failed on this call, so it is not let through. Say it more plainly; "
    "the taskdoc is read with recall_mind and changed with change_mind."
)
_BAD_USAGE: Final = 1
_PRE: Final = "pre-tool"
_HOOKS: Final = (_PRE, "post-tool")
_HELP: Final = ("--help", "-h")


def run(words: list[str]) -> int:
    """Answer one event. The exit code; never an exception."""
    name, *more = words or [""]
    if name in _HELP or (name in _HOOKS and more and more[0] in _HELP):
        return _say(USAGE)
    if name not in _HOOKS or more:
        told = " ".join(words) or "without a name"
        _note(f"there is no hook {told}; there are: gatepost hook pre-tool, gatepost hook post-tool")
        return _BAD_USAGE
    try:
        payload = sys.stdin.buffer.read()
    except (OSError, AttributeError, ValueError) as error:
        _note(f"nothing to say, for nothing could be read: {error}")
        return 0
    return _say(verdict(payload) if name == _PRE else after(payload))


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


def after(payload: bytes) -> str:
    """What to answer after a call; nothing, nearly always. Whatever happens, the harness goes on."""
    from gatepost.surfaces.hooks import harnesses

    try:
        call = harnesses.read(payload, after=True)
        if call is None:
            return ""
        from gatepost.surfaces.hooks.posttool import kept_after

        kept = kept_after(call)
    except harnesses.NotACall as error:
        _note(f"no package was checked, for {error}")
        return ""
    except Exception as error:  # noqa: BLE001 - the edge: the harness must not stumble over us
        _note(f"no package was checked, for the hook failed: {type(error).__name__}: {error}")
        return ""
    said = "\n".join(one.says for one in kept)
    return f"{harnesses.notice(call, said, broke=any(one.broke for one in kept))}\n" if said else ""


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
