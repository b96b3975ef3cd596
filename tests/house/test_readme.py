"""Everything the README shows is run, and gives what it says."""

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
BIN = str(Path(sys.executable).parent)
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
VARIES = re.compile(r"\b\d\d:\d\d:\d\d\b|\b\d+\.\d s\b|(?<=Allowed in )\S+(?=: )")
"""The time, how long a check took, and the folder."""
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


def blocks(language: str) -> list[str]:
    """The README's blocks in a language, in order."""
    return [text for found, text in FENCE.findall(README) if found == language]


def exchanges() -> Iterator[tuple[str, str]]:
    """Every command of the console sessions, with the output shown below it."""
    for block in blocks("console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            lines = part.split("\n")
            typed = [lines.pop(0)]
            while lines and lines[0].startswith("> "):
                typed.append(lines.pop(0)[2:])
            yield "\n".join(typed), "\n".join(lines).strip()


@pytest.fixture
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A shell in which `gatepost` is on the PATH, nobody trusts anything yet, and nothing else is set."""
    path, trust = f"{BIN}{os.pathsep}{os.environ['PATH']}", str(tmp_path_factory.mktemp("trust"))
    return {"PATH": path, "LANG": "C.UTF-8", "COLUMNS": "100", "XDG_CONFIG_HOME": trust}


def test_the_console_sessions_print_what_the_readme_shows(tmp_path: Path, environment: dict[str, str]) -> None:
    for typed, shown in exchanges():
        if typed.startswith("export "):
            name, _, value = typed.removeprefix("export ").partition("=")
            environment[name] = value
            continue
        # A person at a terminal need not say that they mean it.
        command = f"{typed} --yes" if typed.startswith("gatepost trust ") else typed
        done = subprocess.run(
            ["bash", "-c", command], capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=240
        )
        printed = "\n".join(line.rstrip() for line in (done.stdout + done.stderr).strip().split("\n"))
        assert VARIES.sub("…", printed) == VARIES.sub("…", shown), typed


@pytest.mark.parametrize(("program", "shown"), list(zip(blocks("python"), blocks("text"), strict=True)))
def test_a_python_example_prints_what_the_readme_shows(
    program: str, shown: str, tmp_path: Path, environment: dict[str, str]
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=240
    )

    assert (done.stdout, done.stderr) == (shown, "")


def test_every_client_configuration_starts_a_server(tmp_path: Path, environment: dict[str, str]) -> None:
    read = [*map(json.loads, blocks("json")), *map(tomllib.loads, blocks("toml"))]
    servers = [next(iter(configuration.values()))["gatepost"] for configuration in read]

    assert len(servers) == 3
    for server in servers:
        command = [server["command"], *server["args"]]
        asked = json.dumps(LIST_TOOLS) + "\n"
        done = subprocess.run(
            command, input=asked, capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=240
        )
        assert "tasks_radar" in done.stdout


def test_the_two_commands_are_targets_of_the_makefile() -> None:
    makefile = (Path(__file__).parents[2] / "Makefile").read_text(encoding="utf-8")
    (commands,) = blocks("sh")

    for target in re.findall(r"^make (\w+)", commands, re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_the_first_run_plays_to_its_end(environment: dict[str, str]) -> None:
    script = Path(__file__).parents[2] / "examples" / "first_run.py"

    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, env=environment, timeout=240
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert "CHECKPOINTS_NOT_CONFIRMED" in done.stdout
    assert "claude mcp add gatepost" in done.stdout
