"""`gatepost claim` and `release`: who works on what, on the command line."""

import json
import re

import pytest

from tests.cli.givens import Desk

ANN = ("--actor", "human:ann")
BOB = ("--actor", "human:bob")


@pytest.fixture
def task(desk: Desk) -> str:
    """A task with two steps."""
    return desk.world.task("first", "second")


def test_each_gets_a_step_of_its_own_until_nothing_is_free(desk: Desk, task: str) -> None:
    first, second = desk.here("claim", *ANN), desk.here("claim", *BOB)
    again, third = desk.here("claim", task, *ANN), desk.here("claim", "--actor", "human:cleo")

    assert [ran.out.partition(" is yours until ")[0] for ran in (first, second, again)] == [
        f"{task} s:0",
        f"{task} s:1",
        f"{task} s:0",
    ]
    assert [line.partition(": in progress")[0] for line in third.out.splitlines()] == [
        "Nothing is free.",
        f"{task} s:0  first",
        f"{task} s:1  second",
    ]
    assert "by human:ann" in desk.here("show", task).out


def test_where_nothing_is_free_and_nobody_holds_anything_it_says_where_to_look(desk: Desk, task: str) -> None:
    for path in ("s:0", "s:1"):
        desk.world.ok("tasks_block", task=task, path=path, reason="The power is off.")

    assert desk.here("claim", *ANN).out.splitlines() == ["Nothing is free.", "To see why, run: gatepost radar"]


def test_what_another_holds_is_refused_with_the_command_that_takes_it_over(desk: Desk, task: str) -> None:
    desk.here("claim", task, "s:1", *ANN)

    refused = desk.here("claim", task, "s:1", *BOB)

    assert "human:ann has been working on" in refused.err
    assert "or take this one over and say why:" in refused.err
    assert "tasks_claim" not in refused.err
    assert "take_over" not in refused.err
    assert (refused.code, refused.err.splitlines()[-1]) == (4, f"  gatepost claim {task} s:1 --take-over '…'")
    assert desk.here("release", task, "s:1", *BOB).code == 4
    assert desk.here("claim", task, "s:1", "--take-over", "Ann is ill.", *BOB).code == 0
    assert desk.here("release", task, "s:1", *BOB).out == f"{task} s:1 is free: second\n"
    assert desk.here("release", task, "s:1", *BOB).out == f"{task} s:1 was not claimed: second\n"


def test_the_list_says_who_works_on_a_task_and_since_when(desk: Desk, task: str) -> None:
    desk.world.task("third")
    desk.here("claim", task, "s:0", *ANN)

    one = desk.here("ls").out.splitlines()
    desk.here("claim", task, "s:1", *BOB)
    two = desk.here("ls").out.splitlines()

    assert re.search(r"in progress since \d\d:\d\d by human:ann$", one[0])
    assert "in progress" not in one[1]
    assert two[0].endswith("by human:ann, 1 more")


def test_the_handoff_says_who_works_on_a_step_and_since_when(desk: Desk, task: str) -> None:
    desk.here("claim", task, "s:0", "--actor", "agent:codex/7f31")

    said = desk.here("handoff", task).out

    assert re.search(r"s:0 .*in progress since \d\d:\d\d by agent:codex/7f31", said)


def test_no_tool_is_named_to_whoever_uses_the_command_line(desk: Desk, task: str) -> None:
    desk.here("claim", task, "s:0", *ANN)
    define = {"task": task, "path": "s:0", "title": "Other"}
    batch = desk.folder / "batch.json"
    batch.write_text(json.dumps([{"tool": "tasks_define", "arguments": define}]))

    alone = desk.here("block", task, "s:0", "Rain.", "--actor", "agent:codex/7f31")
    together = desk.here("batch", str(batch), "--workspace", desk.world.workspace)

    for refused, place in ((alone, ""), (together, f" --workspace {desk.world.workspace}")):
        assert "human:ann has been working on TASK-001 s:0 since " in " ".join(refused.err.split())
        assert "tasks_claim" not in refused.err
        assert refused.err.splitlines()[-1] == f"  gatepost claim {task} s:0 --take-over '…'{place}"


def test_a_task_that_is_held_whole_is_taken_over_whole(desk: Desk, task: str) -> None:
    desk.here("claim", task, "--whole", *BOB)

    shown = desk.here("show", task).out.splitlines()
    refused = desk.here("claim", task, "s:0", *ANN)

    assert re.fullmatch(r"in progress since \d\d:\d\d by human:bob", shown[2])
    assert refused.err.splitlines()[-1] == f"  gatepost claim {task} --whole --take-over '…'"
    assert desk.here("claim", task, "--whole", "--take-over", "It is urgent.", *ANN).code == 0
