"""Checks that take long: nobody else waits for them, their client hears about them, and they end with it."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp_types import TextContent

from gatepost.checks import trust_record
from tests.checks.programs import marked, running
from tests.givens import WORKSPACE
from tests.mcp.sdk_clients import MODES, TRANSPORTS, store, talk
from tests.mcp.servers import PATIENCE, Server, server
from tests.wire.credentials import EVERY


class Gate:
    """A project whose checks say that they began, and then wait until they are let through."""

    def __init__(self, folder: Path, steps: int = 1) -> None:
        self.mark = marked()
        self.folder = folder
        trust_record.change(str(folder.resolve()), lambda record: record._replace(allow=(("sh", "-c"),)))
        (folder / "said").write_text(f"with {EVERY['ghp']}\n")
        for number in range(steps):
            os.mkfifo(folder / f"begun{number}")
            os.mkfifo(folder / f"go{number}")
        script = "export MARK=$1; cat said; echo > begun$2; cat go$2"
        made = [
            {"title": "a", "checks": [{"run": ["sh", "-c", script, "sh", self.mark, str(number)]}]}
            for number in range(steps)
        ]
        with store(folder) as gatepost:
            gatepost.call("tasks_create", workspace=WORKSPACE, kind="task", title="t", steps=made)

    def wait(self, number: int = 0) -> None:
        """Until a check has begun."""
        assert (self.folder / f"begun{number}").read_text() == "\n"

    def let_through(self, number: int = 0) -> None:
        """Let a check go on to its end."""
        (self.folder / f"go{number}").write_text("done\n")

    def is_quiet(self) -> None:
        """Nothing of the checks is left running, at the latest in a while, and nothing is recorded."""
        until = time.monotonic() + PATIENCE
        while running(self.mark) and time.monotonic() < until:
            time.sleep(0.02)
        assert running(self.mark) == []
        with store(self.folder) as gatepost:
            events = gatepost.call("tasks_delta", workspace=WORKSPACE, since=0)["events"]
        assert not [event for event in events if event["type"] in ("evidence_captured", "step_verified")]


@pytest.fixture
def trusting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def check(here: Server, number: int = 0) -> int:
    return here.begin("tasks_check", task="TASK-001", path=f"s:{number}")


@pytest.mark.usefixtures("trusting")
@pytest.mark.requirement("proof.check.delays-nobody")
def test_other_calls_and_pings_are_answered_while_a_check_runs(tmp_path: Path) -> None:
    gate = Gate(tmp_path)
    with server(tmp_path) as here:
        slow = check(here)
        gate.wait()

        here.ping()
        here.ok("tasks_note", task="TASK-001", note="meanwhile")
        gate.let_through()
        answered = here.next()

    assert answered["id"] == slow
    assert json.loads(answered["result"]["content"][0]["text"])["confirmed"] == ["tests"]


@pytest.mark.usefixtures("trusting")
def test_a_third_check_waits_for_its_turn_and_an_id_in_use_is_refused(tmp_path: Path) -> None:
    gate = Gate(tmp_path, steps=3)
    with server(tmp_path) as here:
        ids = [check(here, number) for number in range(3)]
        gate.wait(0)
        gate.wait(1)
        here._write({"jsonrpc": "2.0", "id": ids[2], "method": "ping"})
        refused = here.next()
        here.ping()

        gate.let_through(0)
        first = here.next()
        gate.wait(2)
        gate.let_through(2)
        third = here.next()
        gate.let_through(1)
        second = here.next()

    assert refused["error"]["code"] == -32600
    assert [first["id"], second["id"], third["id"]] == ids


@pytest.mark.usefixtures("trusting")
@pytest.mark.requirement("proof.check.cancelled-leaves-nothing")
def test_a_cancelled_check_ends_without_a_reply_and_one_that_waits_never_begins(tmp_path: Path) -> None:
    gate = Gate(tmp_path, steps=3)
    with server(tmp_path) as here:
        ids = [check(here, number) for number in range(3)]
        gate.wait(0)
        gate.wait(1)

        for request_id in reversed(ids):
            here.notify("notifications/cancelled", requestId=request_id)
        gate.is_quiet()
        here.ping()


def hang_up(here: Server) -> None:
    assert here.hang_up() == 0


def interrupt(here: Server) -> None:
    here.process.send_signal(signal.SIGINT)
    assert here.process.wait(PATIENCE) == 0


def terminate(here: Server) -> None:
    here.process.send_signal(signal.SIGTERM)
    assert here.process.wait(PATIENCE) == 0


@pytest.mark.usefixtures("trusting")
@pytest.mark.parametrize("end", [hang_up, interrupt, terminate, Server.kill])
@pytest.mark.requirement("proof.check.cancelled-leaves-nothing")
def test_a_check_ends_with_its_client_and_with_its_server(tmp_path: Path, end: Callable[[Server], None]) -> None:
    gate = Gate(tmp_path)
    with server(tmp_path) as here:
        check(here)
        gate.wait()

        end(here)

        gate.is_quiet()
    assert (tmp_path / "stderr").read_text() == ""


@pytest.mark.usefixtures("trusting")
@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("mode", MODES)
def test_a_client_hears_how_a_check_goes_on(tmp_path: Path, transport: str, mode: str) -> None:
    gate, heard = Gate(tmp_path), list[tuple[float, str | None]]()

    async def use(client: Client) -> None:
        async def hear(progress: float, total: float | None, message: str | None) -> None:
            assert total is None
            heard.append((progress, message))
            if len(heard) == 2:
                await anyio.to_thread.run_sync(gate.let_through)

        async with anyio.create_task_group() as group:
            group.start_soon(lambda: anyio.to_thread.run_sync(gate.wait))
            given = {"workspace": WORKSPACE, "task": "TASK-001", "path": "s:0"}
            done = await client.call_tool("tasks_check", given, progress_callback=hear)
        assert isinstance(done.content[0], TextContent)
        assert json.loads(done.content[0].text)["confirmed"] == ["tests"]

    talk(transport, mode, tmp_path, use)

    assert [seconds for seconds, _ in heard] == sorted({seconds for seconds, _ in heard})
    assert all(message and "[redacted: GitHub token]" in message for _, message in heard)
    assert not any(EVERY["ghp"] in str(message) for _, message in heard)


@pytest.mark.usefixtures("trusting")
@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.requirement("proof.check.cancelled-leaves-nothing")
def test_a_client_that_gives_up_ends_its_check_and_goes_on(tmp_path: Path, transport: str, mode: str) -> None:
    gate = Gate(tmp_path)

    async def use(client: Client) -> None:
        given: dict[str, Any] = {"workspace": WORKSPACE, "task": "TASK-001", "path": "s:0"}
        async with anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "tasks_check", given)
            await anyio.to_thread.run_sync(gate.wait)
            group.cancel_scope.cancel()
        await anyio.to_thread.run_sync(gate.is_quiet)
        assert not (await client.call_tool("tasks_radar", {"workspace": WORKSPACE})).is_error

    talk(transport, mode, tmp_path, use)


def test_a_line_of_nested_lists_is_answered_and_ends_nothing() -> None:
    lines = ["[" * 900 + "]" * 900, '{"jsonrpc":"2.0","id":1,"method":"ping"}']
    ended = subprocess.run(
        [sys.executable, "-m", "gatepost", "mcp", "--store", "memory:"],
        input="\n".join(lines) + "\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert (ended.returncode, ended.stderr) == (0, "")
    assert json.loads(ended.stdout.splitlines()[-1]) == {"jsonrpc": "2.0", "id": 1, "result": {}}
