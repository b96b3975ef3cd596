"""`--at`: what people see of the past."""

import json

import pytest

from tests.cli.givens import Desk


def test_a_task_is_shown_as_it_was(desk: Desk) -> None:
    task = desk.world.task("first", "second")
    desk.world.close(task, "s:0")
    desk.world.ok("tasks_delete", task=task, path="s:1")

    shown = desk.here("show", task, "--at", "2")

    assert shown.code == 0
    assert "(seq 2)" in shown.out.splitlines()[0]
    assert "0/2" in shown.out
    assert "second" in shown.out


@pytest.mark.parametrize("command", ["radar", "handoff"])
def test_a_report_of_the_past_says_when_it_was_and_not_what_to_do_next(desk: Desk, command: str) -> None:
    task = desk.world.task("first", "second")
    desk.world.close(task, "s:0")

    shown = desk.here(command, task, "--at", "2")

    assert "(seq 2)" in shown.out
    assert "● first" in shown.out
    assert "Next" not in shown.out


def test_a_list_continues_at_the_same_moment(desk: Desk) -> None:
    tasks = [desk.world.task() for _ in range(3)]
    moment = desk.world.everything()["head"].seq
    desk.world.ok("tasks_delete", task=tasks[0])

    shown = desk.here("ls", "--at", str(moment), "--limit", "2")

    assert tasks[0] in shown.out
    more = next(line for line in shown.out.splitlines() if line.startswith("More:"))
    assert f"--at {moment}" in more
    assert desk.here("ls", "--at", str(moment), "--quiet").out.split() == tasks


def test_before_the_first_call_there_was_nothing(desk: Desk) -> None:
    desk.world.task("first")

    assert "There was nothing to do" in desk.here("radar", "--at", "0").out
    assert desk.here("ls", "--at", "0", "--quiet").out == ""


def test_a_moment_that_has_not_come_is_refused(desk: Desk) -> None:
    desk.world.task("first")

    refused = desk.here("radar", "--at", "999", "--json")

    assert refused.code == 2
    assert json.loads(refused.err or refused.out)["error"]["code"] == "INVALID_INPUT"


def test_a_report_to_a_file_is_of_now(desk: Desk) -> None:
    task = desk.world.task("first")

    refused = desk.here("handoff", task, "--md", "--at", "0")

    assert refused.code == 2
    assert "--at does not go with --html or --md" in refused.err
