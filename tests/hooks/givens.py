"""A project with a package in it, and calls as harnesses send them."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from gatepost.surfaces.hooks.main import verdict

SECTIONS = ("goals.md", "constraints.md", "progress.md")
# -S: what an environment's site packages import on every start is not ours. So the path is handed over.
PROBE = """
import sys
sys.path[:0] = {path!r}
sys.argv = ["gatepost", "hook", {hook!r}]
from gatepost.__main__ import main
code = main()
print(code, *sorted(sys.modules), file=sys.stderr)
"""
HEAVY = {
    *("typing", "argparse", "dataclasses", "pathlib", "logging", "inspect", "shlex", "subprocess", "asyncio"),
    *("tomllib", "shutil", "difflib", "glob", "tempfile", "threading", "socket", "datetime", "msgspec", "apsw"),
}


class Project:
    """A folder on disk, and what the hook says to calls made in it."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def event(self, tool: str, given: object, **more: object) -> dict[str, Any]:
        """What Claude Code and Codex send."""
        return {
            "session_id": "s-1",
            "cwd": str(self.root),
            "hook_event_name": "PreToolUse",
            "tool_name": tool,
            "tool_input": given,
            **more,
        }

    def asks(self, tool: str, given: object, **more: object) -> str | None:
        """The hook's reason against a call; none, if it has none."""
        return reason(verdict(encoded(self.event(tool, given, **more))))

    def runs(self, command: str, **more: object) -> str | None:
        """The same for a shell command."""
        return self.asks("Bash", {"command": command, "description": "speaks of a.tsk/goals.md"}, **more)


def encoded(event: Mapping[str, Any]) -> bytes:
    """An event as bytes on a pipe."""
    return json.dumps(event).encode()


def reason(answer: str) -> str | None:
    """Why a call was objected to, in the answer for Claude Code and Codex."""
    if not answer:
        return None
    said = json.loads(answer)["hookSpecificOutput"]
    assert said.keys() == {"hookEventName", "permissionDecision", "permissionDecisionReason"}
    assert (said["hookEventName"], said["permissionDecision"]) == ("PreToolUse", "deny")
    assert isinstance(said["permissionDecisionReason"], str)
    return said["permissionDecisionReason"]


def furnished(root: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """`tasks/plan.tsk`, `src/main.py`, and every kind of link that leads into the package."""
    for name in ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CURSOR_PROJECT_DIR"):
        monkeypatch.delenv(name, raising=False)
    package = root / "tasks/plan.tsk"
    package.mkdir(parents=True)
    for section in SECTIONS:
        (package / section).write_text(section)
    for folder in (".git", "src", "docs", "deep/er"):
        (root / folder).mkdir(parents=True)
    (root / "src/main.py").write_text("pass\n")
    (root / "docs/taskdocs.md").write_text("About *.tsk\n")
    (root / "link").symlink_to("tasks/plan.tsk")
    (root / "parent").symlink_to("tasks")
    (root / "goals-link.md").symlink_to("tasks/plan.tsk/goals.md")
    (root / "deep/er/up").symlink_to("../../link")
    (root / "dangling.md").symlink_to("tasks/plan.tsk/new.md")
    (root / "gone.md").symlink_to("nowhere.tsk/new.md")
    (root / "away").symlink_to("/")
    (root / ".gatepost/templates").mkdir(parents=True)
    (root / ".gatepost/templates/link.db").symlink_to("../gatepost.db")
    os.link(package / "goals.md", root / "deep/hard.md")
    os.link(root / "src/main.py", root / "src/twin.py")
    return Project(root)
