"""Nobody who calls over MCP is a person, whatever a client, a flag, a variable or a file says."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatepost.domain.people import is_person, seems_person
from gatepost.settings import Settings
from gatepost.surfaces.mcp.toolbox import GatepostTools
from tests.givens import WORKSPACE
from tests.look_alikes import LOOK_ALIKES
from tests.mcp.servers import PATIENCE, server

NAMES = st.sampled_from(LOOK_ALIKES) | st.builds(
    lambda before, name: before + name, st.text(max_size=3), st.sampled_from(LOOK_ALIKES)
)


def actor(settings: Settings, client: str | None) -> str:
    """Who a call is recorded as."""
    tools = GatepostTools(settings, "core", output_schemas=False)
    return tools.resources(client)._caller.actor


def calls(*names: str) -> str:
    """A conversation of a client of that name, in the era with a handshake."""
    (name,) = names
    info = {"name": name, "version": "1"}
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}
    arguments = {"workspace": WORKSPACE, "kind": "task", "title": "Login"}
    log = {"workspace": WORKSPACE}
    messages: list[tuple[str, dict[str, Any]]] = [
        ("initialize", hello),
        ("tools/call", {"name": "tasks_create", "arguments": arguments}),
        ("tools/call", {"name": "tasks_delta", "arguments": log}),
    ]
    return "".join(
        json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n"
        for number, (method, params) in enumerate(messages)
    )


def ran(folder: Path, *options: str, client: str = "raw", **environment: str) -> "subprocess.CompletedProcess[str]":
    """A real server that hears one conversation."""
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "gatepost",
            "mcp",
            "--store",
            str(folder / "gp.db"),
            "--root",
            str(folder),
            *options,
        ],
        input=calls(client),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env={"PATH": os.environ["PATH"], "GATEPOST_SYNCHRONOUS": "NORMAL", **environment},
    )


def recorded(done: "subprocess.CompletedProcess[str]") -> list[str]:
    """The actors in the log that the last answer shows."""
    text = json.loads(done.stdout.splitlines()[-1])["result"]["content"][0]["text"]
    return [event["actor"] for event in json.loads(text)["events"]]


@given(client=st.none() | st.text() | NAMES, named=st.none() | NAMES)
def test_no_name_of_a_client_or_a_setting_makes_a_person(client: str | None, named: str | None) -> None:
    settings = Settings("/nowhere", {"store": "memory:", **({} if named is None else {"actor": named})})

    found = actor(settings, client)

    assert not is_person(found)
    assert not seems_person(found)


@pytest.mark.parametrize("name", ["human:boss", "Human:boss", " human:boss", "\u0433uman:boss"])
def test_a_server_for_a_person_is_refused_at_its_start(tmp_path: Path, name: str) -> None:
    done = ran(tmp_path, "--actor", name)

    assert (done.returncode, done.stdout) == (2, "")
    assert "MCP callers cannot act as a person" in done.stderr
    assert "--actor agent:builder" in done.stderr
    assert not (tmp_path / "gp.db").exists()


@pytest.mark.parametrize("road", ["variable", "file", "trusted file"])
def test_a_persons_name_in_the_surroundings_is_not_the_agents(tmp_path: Path, road: str) -> None:
    config = {"XDG_CONFIG_HOME": str(tmp_path / "config")}
    if road != "variable":
        (tmp_path / "gatepost.toml").write_text('actor = "human:boss"\n')
    if road == "trusted file":
        trust = [sys.executable, "-m", "gatepost", "trust", "--yes", "--root", str(tmp_path)]
        subprocess.run(trust, check=True, env={"PATH": os.environ["PATH"], **config}, timeout=PATIENCE)
    done = ran(tmp_path, **config, **({"GATEPOST_ACTOR": "human:boss"} if road == "variable" else {}))

    (actor,) = recorded(done)
    assert actor.startswith("agent:raw/")
    assert road == "file" or "'human:boss' is a person's name" in done.stderr


def test_a_client_that_calls_itself_a_person_is_an_agent_of_that_name(tmp_path: Path) -> None:
    (actor,) = recorded(ran(tmp_path, client="human:boss"))

    assert actor.startswith("agent:human:boss/")


def test_no_argument_of_a_tool_names_the_actor(tmp_path: Path) -> None:
    with server(tmp_path) as agent:
        for name in ("actor", "as", "by", "_meta", "caller"):
            agent.no("INVALID_INPUT", "tasks_create", kind="task", title="x", **{name: "human:boss"})
