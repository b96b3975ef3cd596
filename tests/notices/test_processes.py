"""Who tells: the process that made the change, whichever it is, before it ends."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.notices.givens import W, task
from tests.notices.receiver import PATIENCE, Receiver

GATEPOST = [sys.executable, "-m", "gatepost"]
PLAN = json.dumps({"workspace": W, "kind": "plan", "title": "Shop"})
DONE = json.dumps({"workspace": W, "task": "PLAN-001"})


def gatepost(project: Path, *words: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*GATEPOST, *words],
        capture_output=True,
        text=True,
        cwd=project,
        env={**os.environ, **variables},
        timeout=PATIENCE,
    )


def test_a_command_tells_before_it_ends(project: Path, receiver: Receiver) -> None:
    gatepost(project, "call", "tasks_create", PLAN)

    done = gatepost(project, "call", "tasks_complete", DONE, GATEPOST_NOTIFY_URL=receiver.url)

    assert done.returncode == 0, done.stderr
    assert [got.notice["plan"] for got in receiver.rest()] == ["PLAN-001"]


def test_a_command_whose_receiver_does_not_answer_ends_all_the_same(project: Path) -> None:
    gatepost(project, "call", "tasks_create", PLAN)

    with _deaf() as port:
        done = gatepost(project, "call", "tasks_complete", DONE, GATEPOST_NOTIFY_URL=f"http://127.0.0.1:{port}/")

    assert done.returncode == 0
    assert json.loads(done.stdout)["events"][0]["type"] == "task_completed"


def test_an_mcp_server_on_stdio_tells(project: Path, receiver: Receiver) -> None:
    calls = [("tasks_create", json.loads(PLAN)), ("tasks_complete", json.loads(DONE))]
    lines = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": _HELLO},
        *(
            {
                "jsonrpc": "2.0",
                "id": 1 + at,
                "method": "tools/call",
                "params": {"name": name, "arguments": arguments},
            }
            for at, (name, arguments) in enumerate(calls)
        ),
    ]

    done = subprocess.run(
        [*GATEPOST, "mcp"],
        input="".join(json.dumps(line) + "\n" for line in lines),
        capture_output=True,
        text=True,
        cwd=project,
        env={**os.environ, "GATEPOST_NOTIFY_URL": receiver.url},
        timeout=PATIENCE,
    )

    assert len(done.stdout.splitlines()) == 3
    [got] = receiver.rest()
    assert (got.notice["plan"], got.notice["actor"].startswith("agent:tester/")) == ("PLAN-001", True)


def test_a_server_tells_what_its_callers_do_and_which_steps_get_stuck(project: Path, receiver: Receiver) -> None:
    import gatepost as library

    with _up(project, GATEPOST_NOTIFY_URL=receiver.url, GATEPOST_NOTIFY_STUCK_AFTER="2s") as address:
        with library.connect(address) as gp:
            plan = gp.call("tasks_create", workspace=W, kind="plan", title="Shop")["id"]
            gp.call("tasks_complete", workspace=W, task=plan)
            made = task(gp)
            gp.call("tasks_block", workspace=W, task=made, path="s:0", reason="no key")
            gp.call("tasks_claim", workspace=W, task=task(gp), path="s:0")
        done, *told = [receiver.next().notice for _ in range(3)]

    assert (done["kind"], [notice["kind"] for notice in told]) == ("plan_done", ["step_stuck"] * 2)
    stuck, held = sorted(told, key=lambda notice: str(notice["task"]))
    assert held["text"] == "TASK-002 s:0 “Rotate” has been in progress for 2 seconds by python."
    assert stuck["text"] == f"{made} s:0 “Rotate” has been blocked for 2 seconds: no key"
    assert (stuck["step"]["path"], stuck["reason"]) == ("s:0", "no key")
    assert receiver.rest() == []


@pytest.mark.parametrize(("words", "code"), [(["notify"], 0), (["notify", "--test"], 3)])
def test_where_nobody_is_told_the_command_says_how_to_set_it(project: Path, words: list[str], code: int) -> None:
    done = gatepost(project, *words)

    assert done.returncode == code
    assert "[notify] in gatepost.toml" in done.stdout + done.stderr


def test_a_try_says_what_became_of_it(project: Path, receiver: Receiver) -> None:
    good = gatepost(project, "notify", "--test", GATEPOST_NOTIFY_URL=receiver.url, GATEPOST_NOTIFY_COMMAND="true")
    receiver.statuses = [404]
    bad = gatepost(project, "notify", "--test", "--json", GATEPOST_NOTIFY_URL=receiver.url)

    host = f"http://{receiver.url.split('/')[2]}"
    assert good.returncode == 0
    assert f"webhook  {host} (not signed: set secret_file): delivered" in good.stdout
    assert "command  true: delivered" in good.stdout
    assert (bad.returncode, json.loads(bad.stdout.splitlines()[-1])["error"]["code"]) == (1, "NOT_DELIVERED")
    assert [got.notice["kind"] for got in receiver.rest()] == ["test", "test"]
    assert "in-the-path" not in good.stdout + bad.stdout + bad.stderr


_HELLO: dict[str, Any] = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "tester", "version": "1"},
}


@contextmanager
def _deaf() -> Iterator[int]:
    """The port of a receiver that takes connections and never answers."""
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@contextmanager
def _up(project: Path, **variables: str) -> Iterator[str]:
    """A server on the project's store, and its address."""
    with subprocess.Popen(
        [*GATEPOST, "up", "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=project,
        env={**os.environ, **variables},
    ) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().split()[-1]
        finally:
            server.send_signal(signal.SIGTERM)
            server.communicate(timeout=PATIENCE)
