"""`gatepost move`."""

import json

from tests.cli.givens import Desk


def test_a_step_is_moved_below_another_and_to_the_top_by_path_or_id(desk: Desk) -> None:
    task = desk.passkeys()
    step = desk.world.step(task, "s:0.s:0")["step_id"]

    below = desk.here("move", task, "s:0.s:0", "--to", "s:1")
    assert (below.code, below.err) == (0, "")
    assert below.out.startswith(f"{step} is at s:1.s:0 now: ")

    top = desk.here("move", task, step, "--top", "-q")
    assert top.out == "s:3\n"
    again = desk.here("move", task, step)
    assert "already the last one there, at s:3" in again.out


def test_a_task_is_moved_to_a_plan_and_to_none(desk: Desk) -> None:
    task, plan = desk.passkeys(), desk.world.plan()

    assert desk.here("move", task, "--plan", plan).out == f"{task} is in {plan}.\n"
    assert desk.here("move", task, "--plan", plan).out == f"{task} is already in {plan}.\n"
    assert desk.here("move", task, "--plan", "none").out == f"{task} is in no plan.\n"
    reply = json.loads(desk.here("move", task, "--plan", plan, "--json").out)
    assert (reply["task"], reply["plan"]) == (task, plan)
    said = desk.here("log", task)
    assert f"from: {plan}" in said.out
    assert "to: none" in said.out


def test_an_old_path_is_refused_with_the_new_one_and_leaves_with_3(desk: Desk) -> None:
    task = desk.passkeys()
    assert desk.here("move", task, "s:0", "--to", "s:1").code == 0

    gone = desk.here("show", task, "s:0")

    assert gone.code == 3
    assert "was moved from s:0 to s:1.s:0" in gone.err


def test_a_move_to_nowhere_is_bad_usage_that_says_what_to_do(desk: Desk) -> None:
    task = desk.passkeys()

    for words in (
        [task],
        [task, "s:0", "--plan", "none"],
        [task, "s:0", "--to", "s:1", "--top"],
        [task, "--plan", "none", "--to", "s:0"],
    ):
        refused = desk.here("move", *words)
        assert refused.code == 2, words
        assert "Traceback" not in refused.err
    assert "--plan" in desk.here("move", task).err
    assert desk.here("move", task, "s:0", "--to", "s:0.s:0").code == 2
    assert desk.here("move", task, "--plan", "PLAN-009").code == 3
