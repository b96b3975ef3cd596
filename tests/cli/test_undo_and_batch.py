"""Commands that change something: undo, redo, batch, dry runs; and the reports that go with them."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.givens import Desk, Ran
from tests.givens import WORKSPACE

NOTE = {"tool": "tasks_note", "arguments": {"task": "TASK-001", "note": "hello"}}
DELETE = {"tool": "tasks_delete", "arguments": {"task": "TASK-001", "path": "s:0"}}


@pytest.fixture
def seeded(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A desk with a task of two steps on it."""
    monkeypatch.setenv("GATEPOST_WORKSPACE", WORKSPACE)
    desk.world.task("One", "Two")
    return desk


def ok(desk: Desk, *words: str) -> Ran:
    """A command that must end well."""
    ran = desk.here(*words)
    assert ran.code == 0, ran
    return ran


def test_a_batch_runs_whole_and_asks_before_it_deletes(seeded: Desk, tmp_path: Path) -> None:
    file = tmp_path / "calls.json"
    file.write_text(json.dumps([NOTE, DELETE]))

    refused = seeded.here("batch", str(file))
    looked = json.loads(ok(seeded, "batch", str(file), "--dry-run").out)
    untouched = ok(seeded, "show", "TASK-001").out
    done = json.loads(ok(seeded, "batch", str(file), "--yes").out)

    assert refused.code == 2
    assert "tasks_delete TASK-001" in refused.err
    assert len(looked["results"]) == len(done["results"]) == 2
    assert "One" in untouched
    assert "One" not in ok(seeded, "show", "TASK-001").out


def test_a_batch_that_fails_names_the_call_and_leaves_nothing(seeded: Desk, tmp_path: Path) -> None:
    file = tmp_path / "calls.json"
    file.write_text(json.dumps([NOTE, {"tool": "tasks_done", "arguments": {"task": "TASK-001", "path": "s:0"}}]))

    failed = seeded.here("batch", str(file), "--json")

    assert failed.code == 4
    assert json.loads(failed.out)["error"]["operation_index"] == 1
    assert "hello" not in ok(seeded, "log").out
    people = seeded.here("batch", str(file)).err
    assert people.index("Call 1 (tasks_done)") < people.index("criteria") < people.index("Correct call 1")
    assert "gatepost call tasks_resume" in people


def test_undo_says_what_it_would_take_back_and_wants_a_yes(seeded: Desk) -> None:
    ok(seeded, "call", "tasks_edit", json.dumps({"task": "TASK-001", "title": "Renamed"}))

    asked = seeded.here("undo")
    looked = ok(seeded, "undo", "--dry-run").out
    still = ok(seeded, "ls").out
    ok(seeded, "undo", "TASK-001", "--yes")
    back = ok(seeded, "ls").out
    ok(seeded, "redo", "--yes")

    assert asked.code == 2
    assert "tasks_edit" in looked
    assert "TASK-001 title: Renamed -> A task" in looked
    assert "Renamed" in still
    assert "A task" in back
    assert "Renamed" in ok(seeded, "ls").out
    assert seeded.here("redo", "--yes").code == 4


def test_an_operation_of_another_can_be_undone_by_its_number(seeded: Desk) -> None:
    nothing = seeded.here("undo", "--yes")
    looked = ok(seeded, "undo", "--operation", "1", "--yes").out

    assert nothing.code == 4
    assert "You (cli) have nothing to undo" in nothing.err
    assert "Undid operation 1 (tasks_create) by tester" in looked
    assert seeded.here("show", "TASK-001").code == 3


def test_on_a_terminal_undo_asks_and_takes_a_no(seeded: Desk) -> None:
    above, below = pty.openpty()
    command = [sys.executable, "-m", "gatepost", "undo", "TASK-001"]
    with subprocess.Popen(
        command, stdin=below, stdout=below, stderr=below, cwd=seeded.folder, env=dict(os.environ)
    ) as process:
        os.write(above, b"n\n")
        assert process.wait(20) == 0
    shown = os.read(above, 65_536).decode()
    os.close(above)
    os.close(below)

    assert "tasks_create" in shown
    assert "[y/N]" in shown
    assert "A task" in ok(seeded, "ls").out


def test_a_dry_run_of_any_call_shows_its_reply_and_leaves_nothing(seeded: Desk) -> None:
    before = ok(seeded, "log", "--json").out

    reply = json.loads(ok(seeded, "call", "tasks_delete", '{"task": "TASK-001"}', "--dry-run").out)

    assert reply["deleted"] == 3
    assert ok(seeded, "log", "--json").out == before


def test_the_handoff_tells_what_is_done_what_remains_and_what_may_go_wrong(seeded: Desk) -> None:
    marks = {"criteria": {"confirmed": True}, "tests": {"confirmed": True}}
    ok(seeded, "call", "tasks_close_step", json.dumps({"task": "TASK-001", "path": "s:0", "checkpoints": marks}))
    ok(seeded, "call", "tasks_block", json.dumps({"task": "TASK-001", "path": "s:1", "reason": "no key"}))

    shown = ok(seeded, "handoff", "TASK-001").out
    plain = ok(seeded, "handoff", "TASK-001", "--json").out

    for label in ("Done", "Remaining", "Questions", "Risks", "Next", "no key", "closed by cli", "word only"):
        assert label in shown
    assert json.loads(plain)["done"]["count"] == 1


def test_lint_exits_with_one_when_it_finds_something_and_says_how_to_mend_it(seeded: Desk) -> None:
    found = seeded.here("lint", "TASK-001")
    plain = seeded.here("lint", "TASK-001", "--json")

    assert found.code == plain.code == 1
    assert "NO_CRITERIA_OR_TESTS" in found.out
    assert json.loads(plain.out)["findings"]
