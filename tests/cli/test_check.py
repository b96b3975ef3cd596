"""`gatepost check`: real commands, on a real terminal's terms."""

import json
import sys
from typing import Any

import pytest

from tests.checks.programs import marked, running
from tests.cli.givens import WORKSPACE, Desk
from tests.cli.terminals import gatepost, seated
from tests.wire.credentials import EVERY

PASSES = [sys.executable, "-c", "print('nine passed')"]
FAILS = [sys.executable, "-c", "import sys; print('one failed'); sys.exit(3)"]


def task_with(desk: Desk, *runs: list[str]) -> str:
    steps = [{"title": "a", "checks": [{"run": words, "expect": "passed|failed"}]} for words in runs]
    call = {"workspace": WORKSPACE, "kind": "task", "title": "t", "steps": steps}
    made: str = json.loads(desk.here("call", "tasks_create", json.dumps(call)).out)["id"]
    return made


def allow(desk: Desk) -> None:
    assert desk.here("trust", "--allow", f"{sys.executable} -c", "--yes").code == 0


def test_nothing_runs_before_a_person_allowed_it(desk: Desk) -> None:
    task = task_with(desk, PASSES)

    refused = desk.here("check", task)

    assert refused.code == 5
    assert "gatepost trust --allow" in refused.err


def test_checks_run_show_what_they_print_and_confirm_what_passes(desk: Desk) -> None:
    task = task_with(desk, PASSES, FAILS)
    allow(desk)

    ran = desk.here("check", task)

    assert ran.code == 4
    assert "nine passed\n" in ran.out
    assert "s:0 tests" in ran.out
    assert "It ended with exit code 3; 0 was expected." in ran.out
    shown = json.loads(desk.here("show", task, "s:0", "--json").out)
    assert shown["step"]["confirmed"][0]["provenance"] == "machine"
    assert shown["evidence"][0]["content"] == "nine passed\n"
    assert desk.here("check", task, "s:0", "--quiet").out == ""


def test_json_is_the_reply_and_nothing_else(desk: Desk) -> None:
    task = task_with(desk, PASSES)
    allow(desk)

    ran = desk.here("check", task, "s:0", "--json")

    reply: dict[str, Any] = json.loads(ran.out)
    assert (ran.code, reply["confirmed"], reply["checks"][0]["tail"]) == (0, ["tests"], "nine passed\n")


def test_a_task_without_checks_says_how_to_get_some(desk: Desk) -> None:
    ran = desk.here("check", desk.world.task("a"))

    assert ran.code == 2
    assert "no step with checks" in ran.err


@pytest.mark.requirement("proof.check.cancelled-leaves-nothing")
def test_ctrl_c_ends_a_check_and_leaves_neither_processes_nor_records(desk: Desk) -> None:
    mark = marked()
    script = "import os, sys, time; os.fork(); print('be' + 'gun', flush=True); time.sleep(1000)"
    task = task_with(desk, [sys.executable, "-c", script, mark])
    allow(desk)
    before = desk.world.everything()
    on_terminal = (
        "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
    )

    with seated([sys.executable, "-c", on_terminal, *gatepost("check", task)]) as seat:
        seat.until(lambda text: "begun" in text and " s" in text)
        seat.type("\x03")
        said = seat.rest()

    assert seat.process.returncode == 130
    assert "Traceback" not in said
    assert running(mark) == []
    assert desk.world.everything() == before


def test_what_is_shown_while_a_check_runs_has_no_credentials(desk: Desk) -> None:
    (desk.folder / "secret").write_text(EVERY["ghp"])
    task = task_with(desk, [sys.executable, "-c", "print(open('secret').read(), 'passed')"])
    allow(desk)

    ran = desk.here("check", task)

    assert "[redacted: GitHub token] passed\n" in ran.out
    assert EVERY["ghp"] not in ran.out
