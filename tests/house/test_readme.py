"""What the README and the page on MCP promise to a stranger: commands that exist, and clients that connect."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from tests.house.snippets import ROOT, program, snippets

LIST_TOOLS = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/list",
    "params": {
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        }
    },
}


def environment(folder: Path) -> dict[str, str]:
    """A shell in which `gatepost` is on the PATH, nobody trusts anything yet, and nothing else is set."""
    return {"PATH": program(), "LANG": "C.UTF-8", "COLUMNS": "100", "XDG_CONFIG_HOME": str(folder / "config")}


def test_every_client_configuration_starts_a_server(tmp_path: Path) -> None:
    shown = [one for one in snippets("docs/mcp.md") if (one.title or "").startswith(".")]
    read = [json.loads(one.text) if one.language == "json" else tomllib.loads(one.text) for one in shown]
    servers = [next(iter(configuration.values()))["gatepost"] for configuration in read]

    assert len(servers) == 3
    for command in {(server["command"], *server["args"]) for server in servers}:
        asked = json.dumps(LIST_TOOLS) + "\n"
        done = subprocess.run(
            command,
            input=asked,
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=environment(tmp_path),
            timeout=240,
        )
        assert "tasks_radar" in done.stdout


def test_the_readme_gives_the_two_commands_of_a_fresh_clone() -> None:
    commands = "".join(one.text for one in snippets("README.md") if one.language == "sh")

    assert re.findall(r"^make (\w+)", commands, re.MULTILINE) == ["up", "test"]


def test_the_first_run_plays_to_its_end(tmp_path: Path) -> None:
    script = ROOT / "examples" / "first_run.py"

    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, env=environment(tmp_path), timeout=240
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert "CHECKPOINTS_NOT_CONFIRMED" in done.stdout
    assert "claude mcp add gatepost" in done.stdout
