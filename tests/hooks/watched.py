"""A project whose packages the post-tool hook watches."""

import json
import subprocess
import sys
from typing import Any

from gatepost.surfaces.hooks.main import after
from tests.hooks.givens import encoded
from tests.tsk.projects import Project

PATIENCE = 120


class Watched(Project):
    """A project in git with a package that git knows in an older state, and the hook after each call."""

    _seen = 0

    def shell(self, command: str) -> None:
        subprocess.run(["bash", "-c", command], cwd=self.root, timeout=PATIENCE, stderr=subprocess.DEVNULL)

    def output(self, command: str) -> str:
        return subprocess.check_output(["bash", "-c", command], cwd=self.root, text=True)

    def event(self, tool: str = "Bash", command: str = "ls", **more: object) -> dict[str, Any]:
        given = {"command": command} if tool == "Bash" else {"file_path": command}
        call = {"tool_name": tool, "tool_input": given, "tool_response": {"stdout": ""}}
        return {"hook_event_name": "PostToolUse", "session_id": "3f2a-77", "cwd": str(self.root), **call, **more}

    def hears(self, command: str = "ls", *, apart: bool = False, **more: Any) -> str:
        """What the agent is told after a call, in Claude Code's words; by a process of its own, or by this one."""
        event = encoded(self.event(command=command, **more))
        answer = apart_from_here(event).stdout.decode() if apart else after(event)
        if not answer:
            return ""
        said = json.loads(answer)
        if "hookSpecificOutput" in said:
            return str(said["hookSpecificOutput"]["additionalContext"])
        assert said.keys() == {"decision", "reason"}
        assert said["decision"] == "block"
        return str(said["reason"])

    def does(self, command: str) -> str:
        """Run a command as an agent does; what the agent is told then."""
        self.shell(command)
        return self.hears(command)

    def on_disk(self) -> dict[str, bytes]:
        """The files of the package whose bytes do not tell when they were written."""
        return {path.name: path.read_bytes() for path in self.package().iterdir() if path.name != "meta.json"}

    def news(self) -> list[dict[str, Any]]:
        """The events since this was asked last."""
        events: list[dict[str, Any]] = []
        more = True
        while more:
            page = self.ok("tasks_delta", since=self._seen, limit=200)
            events += page["events"]
            self._seen, more = page["next"], page["has_more"]
        return events


def apart_from_here(event: bytes) -> subprocess.CompletedProcess[bytes]:
    """The hook in a process of its own."""
    command = [sys.executable, "-m", "gatepost", "hook", "post-tool"]
    return subprocess.run(command, input=event, capture_output=True, timeout=PATIENCE)
