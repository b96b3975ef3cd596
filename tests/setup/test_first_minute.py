"""A stranger's first minute: two commands, then an agent that knows only the configuration that was written."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self
from urllib.request import Request, urlopen

from gatepost.surfaces.cli.actors import AGENTS_MARKS

PATIENCE = 120
GATEPOST = str(Path(sys.executable).with_name("gatepost"))


class Agent:
    """An MCP client that plays an agent: it starts the server that a project's `.mcp.json` names."""

    def __init__(self, project: Path, environment: dict[str, str]) -> None:
        server = json.loads((project / ".mcp.json").read_text())["mcpServers"]["gatepost"]
        words = [server["command"], *server["args"]]
        pipe = subprocess.PIPE
        self._server = subprocess.Popen(words, cwd=project, env=environment, stdin=pipe, stdout=pipe, text=True)
        self._asked = 0
        client = {"name": "claude-code", "version": "2"}
        self._ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        self._send({"method": "notifications/initialized"})
        self.tools = {tool["name"] for tool in self._ask("tools/list", {})["tools"]}

    def calls(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The reply to a call of a tool that was listed."""
        assert tool in self.tools
        result = self._ask("tools/call", {"name": tool, "arguments": arguments})
        reply: dict[str, Any] = json.loads(result["content"][0]["text"])
        return reply

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.communicate(timeout=PATIENCE)

    def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._asked += 1
        self._send({"id": self._asked, "method": method, "params": params})
        assert self._server.stdout is not None
        while (answer := json.loads(self._server.stdout.readline())).get("id") != self._asked:
            pass
        result: dict[str, Any] = answer["result"]
        return result

    def _send(self, message: dict[str, Any]) -> None:
        assert self._server.stdin is not None
        self._server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self._server.stdin.flush()


@contextmanager
def page(project: Path, environment: dict[str, str]) -> Iterator[str]:
    """The address of `gatepost up`."""
    command = [GATEPOST, "up", "--port", "0"]
    with subprocess.Popen(command, cwd=project, env=environment, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().split()[-1]
        finally:
            server.send_signal(signal.SIGINT)
            server.communicate(timeout=PATIENCE)


def asked(address: str, operation: str, **arguments: Any) -> dict[str, Any]:
    """What the page reads."""
    body = json.dumps(arguments).encode()
    request = Request(f"{address}/v1/operations/{operation}", body, {"Content-Type": "application/json"})  # noqa: S310
    with urlopen(request, timeout=PATIENCE) as response:  # noqa: S310
        reply: dict[str, Any] = json.load(response)
        return reply


def test_two_commands_and_an_agent_that_knows_only_what_was_written_lead_to_a_proven_step(tmp_path: Path) -> None:
    project = tmp_path / "shop"
    project.mkdir()
    left_out = [name for name in os.environ if name.startswith("GATEPOST_") or name in AGENTS_MARKS]
    kept = {name: value for name, value in os.environ.items() if name not in left_out}
    environment = kept | {"HOME": str(tmp_path / "home"), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)

    first = [GATEPOST, "init", "--yes", "--client", "claude", "--allow", "test -f"]
    said = subprocess.run(first, cwd=project, env=environment, capture_output=True, text=True, timeout=PATIENCE)
    with page(project, environment) as address, Agent(project, environment) as agent:
        step = {"title": "Write the greeting", "checks": [{"run": "test -f greeting.txt", "for": "tests"}]}
        created = agent.calls("tasks_create", kind="task", title="Greet", steps=[step])
        confirmed = {"criteria": {"confirmed": True, "note": "Read it."}}
        where = {"task": created["id"], "path": "s:0", "checkpoints": confirmed, "run_checks": True}
        failed = agent.calls("tasks_close_step", **where)
        (project / "greeting.txt").write_text("Hello.\n")
        closed = agent.calls("tasks_close_step", **where)
        with urlopen(f"{address}/", timeout=PATIENCE) as response:  # noqa: S310
            html = response.read()
        shown = asked(address, "tasks_resume", workspace="shop", task=created["id"], path="s:0")

    assert (said.returncode, said.stderr) == (0, "")
    assert "Say to your agent:" in said.stdout
    assert "http://127.0.0.1:4870/" in said.stdout
    assert failed["error"]["code"] == "CHECK_FAILED"
    assert closed["step"]["title"] == "Write the greeting"
    assert b"<html" in html
    assert shown["step"]["done"] is True
    rests_on = {proof["checkpoint"]: proof["provenance"] for proof in shown["step"]["confirmed"]}
    assert rests_on == {"criteria": "noted", "tests": "machine"}
