"""Exit codes: one table, derived from the family of the refusal."""

import json
import os
import signal
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import pytest

from gatepost.domain import refusals
from gatepost.domain.refusals import Refusal
from gatepost.storage.sqlite import connection_pool
from gatepost.surfaces.cli import errors, exits
from tests.cli.givens import PATIENCE, WORKSPACE, Desk


def test_every_refusal_has_an_exit_code() -> None:
    families = {
        kind.family for kind in vars(refusals).values() if isinstance(kind, type) and issubclass(kind, Refusal)
    }

    assert families <= errors.EXIT_OF_FAMILY.keys()
    assert errors.EXIT_OF_FAMILY == {
        refusals.STORE: 1,
        refusals.INVALID: 2,
        refusals.UNKNOWN: 3,
        refusals.CONFLICT: 4,
        refusals.FORBIDDEN: 5,
        refusals.BUSY: 6,
    }


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ((), 0),
        (("--help",), 0),
        (("--version",), 0),
        (("help", "ls"), 0),
        (("ls", "--help"), 0),
        (("ls",), 0),
        (("radr",), 2),
        (("--json", "ls"), 2),
        (("ls", "--stat", "x"), 2),
        (("ls", "--limit", "many"), 2),
        (("ls", "--limit", "201"), 2),
        (("ls", "--status", "LOST"), 2),
        (("ls", "--cursor", "?"), 2),
        (("ls", "--store", "ftp://x"), 2),
        (("show",), 2),
        (("show", "TASK-x"), 2),
        (("show", "task-1"), 0),
        (("show", "TASK-001", "s:x"), 2),
        (("mcp", "--tools", "nothing-like-it"), 2),
        (("show", "TASK-042"), 3),
        (("show", "TASK-001", "s:99"), 3),
        (("radar", "PLAN-042"), 3),
        (("log", "TASK-042"), 3),
        (("ls", "--store", "nowhere.db"), 3),
        (("doctor", "--workspace", "no/such"), 3),
        (("call", "tasks_nothing"), 3),
    ],
)
def test_a_command_line_ends_with_its_code(desk: Desk, words: tuple[str, ...], code: int) -> None:
    desk.passkeys()

    ran = desk.here(*words)

    assert ran.code == code, ran
    assert "Traceback" not in ran.err
    assert bool(ran.err) == (code != 0 and words[0] != "call")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("tasks_note", {"note": "x", "expected_revision": 99}),
        ("tasks_done", {"path": "s:1"}),
        ("tasks_done", {"path": "s:2"}),
        ("tasks_close_step", {"path": "s:0", "checkpoints": {"criteria": {"confirmed": True}}}),
    ],
)
def test_a_conflict_ends_with_4(desk: Desk, tool: str, arguments: dict[str, object]) -> None:
    task = desk.passkeys()

    ran = desk.here("call", tool, json.dumps({"workspace": WORKSPACE, "task": task, **arguments}))

    assert ran.code == 4


def test_what_is_forbidden_ends_with_5(capsys: pytest.CaptureFixture[str]) -> None:
    error = errors.refused(refusals.WorkspaceMismatch("acme/other", "acme/repo"))
    assert error is not None

    code = exits.report(error, Namespace(json=True, command="radar"))

    assert code == 5
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "WORKSPACE_MISMATCH"


def test_a_busy_store_ends_with_6(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    task = desk.passkeys()
    monkeypatch.setattr(connection_pool, "PATIENCE", 0.05)

    with desk.world.store.writing(WORKSPACE):
        ran = desk.here("call", "tasks_note", json.dumps({"workspace": WORKSPACE, "task": task, "note": "x"}))

    assert ran.code == 6
    assert json.loads(ran.out)["error"]["code"] == "BUSY"


def test_an_interrupt_ends_quietly_with_130(desk: Desk) -> None:
    desk.passkeys()
    words = [sys.executable, "-m", "gatepost", "log", "--follow"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ)) as process:
        assert process.stdout is not None
        first = process.stdout.readline()

        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)

    assert b"task_created" in first
    assert (process.returncode, err) == (130, b"")


def test_a_reader_that_leaves_is_not_an_error_to_report(desk: Desk) -> None:
    for number in range(3):
        desk.world.task(title=f"Task {number}" + "x" * 250)
    words = [sys.executable, "-m", "gatepost", "log", "--follow"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ)) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()

        assert process.stderr is not None
        err = process.stderr.read()

    assert (process.wait(PATIENCE), err) == (141, b"")


def test_a_closed_stdout_is_no_fault(desk: Desk) -> None:
    desk.passkeys()
    line = f"{sys.executable} -m gatepost ls >&-"

    done = subprocess.run(["sh", "-c", line], capture_output=True, timeout=PATIENCE)

    assert (done.returncode, done.stderr) == (0, b"")


def test_a_command_that_ends_at_once_has_printed_everything_and_closed_its_store(bare: Path) -> None:
    arguments = json.dumps({"workspace": WORKSPACE, "kind": "task", "title": "x", "description": "long " * 6_000})
    printed: list[bytes] = []
    for words in (("tasks_create", arguments), ("tasks_resume", '{"task":"TASK-001","max_chars":100000}')):
        program = [sys.executable, "-m", "gatepost", "call", *words, "--workspace", WORKSPACE]
        printed.append(subprocess.run(program, capture_output=True, timeout=PATIENCE, check=True).stdout)
        assert [file.name for file in (bare / ".gatepost").iterdir()] == ["gatepost.db"]

    assert all(json.loads(text) for text in printed)
    assert len(printed[1]) > 30_000
