"""Lint: what is amiss in a plan or task, and the calls that mend it."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from gatepost.engine.engine import Engine
from gatepost.operations.catalog import BY_NAME
from tests.givens import CONFIRMED, PROVEN, World, memory_store, supplied


class FixedClock:
    """A clock that stands still."""

    def __init__(self, at: str) -> None:
        self._at = at

    def now(self) -> str:
        return self._at


PROVABLE = {"criteria": ["c"], "tests": ["t"]}
FORCED = {"completed": True, "force": True, "reason": "seen by eye"}


def sound(world: World, **arguments: Any) -> str:
    """A task in which nothing is amiss."""
    return world.task(steps=[{"title": "a", **PROVABLE}, {"title": "b", **PROVABLE}], **arguments)


def codes(world: World, target: str) -> list[str]:
    return [finding["code"] for finding in world.ok("tasks_lint", task=target)["findings"]]


def done_before_what_it_needs(world: World) -> str:
    task = sound(world, depends_on=[world.task()])
    for path in ("s:0", "s:1"):
        world.close(task, path)
    world.ok("tasks_complete", task=task)
    return task


def forced(world: World) -> str:
    task = sound(world)
    world.ok("tasks_progress", task=task, path="s:0", **FORCED)
    return task


def all_done(world: World) -> str:
    task = sound(world)
    for path in ("s:0", "s:1"):
        world.close(task, path)
    return task


def plan_all_done(world: World) -> str:
    plan = world.plan()
    task = world.task("a", plan=plan)
    world.close(task, "s:0")
    world.ok("tasks_complete", task=task)
    return plan


def with_checklist(world: World) -> str:
    plan = plan_all_done(world)
    world.ok("tasks_plan", plan=plan, steps=["tell them"])
    return plan


def on_a_word(world: World) -> str:
    task = sound(world)
    world.ok("tasks_close_step", task=task, path="s:0", checkpoints=CONFIRMED)
    return task


def in_bulk(world: World) -> str:
    task = world.task(steps=[{"title": title, **PROVABLE} for title in "abc"])
    closings = [{"task": task, "path": path, "checkpoints": PROVEN} for path in ("s:0", "s:1")]
    world.ok("tasks_batch", operations=[{"tool": "tasks_close_step", "arguments": it} for it in closings])
    return task


def blocked_silently(world: World) -> str:
    task = sound(world)
    world.ok("tasks_block", task=task, path="s:0", reason="said")
    world.ok("tasks_block", task=task, path="s:1")
    return task


def done_and_empty(world: World) -> str:
    task = world.task()
    world.ok("tasks_complete", task=task)
    return task


Making = Callable[[World], str]
AMISS: list[tuple[str, Making, str | None]] = [
    ("DONE_DEPENDS_ON_OPEN", done_before_what_it_needs, None),
    ("UNPROVEN", forced, "tasks_progress"),
    ("WORD_ALONE", on_a_word, None),
    ("CLOSED_IN_BULK", in_bulk, None),
    ("WAITS", lambda world: sound(world, depends_on=[world.task()]), None),
    ("BLOCKED_WITHOUT_REASON", blocked_silently, None),
    ("ALL_DONE_NOT_COMPLETE", all_done, "tasks_complete"),
    ("ALL_DONE_NOT_COMPLETE", plan_all_done, "tasks_complete"),
    ("ALL_DONE_NOT_COMPLETE", with_checklist, None),
    ("PLAN_WITHOUT_TASKS", lambda world: world.plan(), "tasks_create"),
    ("NO_STEPS", lambda world: world.task(), "tasks_decompose"),
    ("NO_CRITERIA_OR_TESTS", lambda world: world.task(steps=[{"title": "a", "tests": ["t"]}]), None),
]
each_amiss = pytest.mark.parametrize(
    ("code", "make", "mended_by"), AMISS, ids=[f"{row[0]}-{at}" for at, row in enumerate(AMISS)]
)


@pytest.mark.requirement("tasks.lint.findings", "tasks.lint.read-only", "proof.word-alone.named")
@each_amiss
def test_a_finding_has_a_code_and_where_one_exists_the_call_that_mends_it(
    world: World, code: str, make: Making, mended_by: str | None
) -> None:
    target = make(world)
    before = world.everything()

    reply = world.ok("tasks_lint", task=target)

    assert world.everything() == before
    assert (reply["count"], reply["counts"], reply["has_more"]) == (1, {code: 1}, False)
    (finding,) = reply["findings"]
    assert finding["code"] == code
    assert finding["task"] == target
    assert finding["says"]
    assert finding.get("fix", {}).get("tool") == mended_by
    if mended_by is not None:
        call = finding["fix"]
        assert set(call) <= {"tool", "arguments", "supply"}
        assert not BY_NAME[mended_by].destructive
        assert "checkpoints" not in call["arguments"]
        world.ok(call["tool"], **supplied({"because": target, **call}))
        assert code not in codes(world, target)


@pytest.mark.requirement("tasks.lint.findings")
def test_nothing_is_found_where_nothing_is_amiss(world: World) -> None:
    plan = world.plan()
    task = sound(world, plan=plan)
    world.close(task, "s:0")
    world.ok("tasks_block", task=task, path="s:1", reason="rain")

    for target in (task, plan):
        reply = world.ok("tasks_lint", task=target)
        assert (reply["findings"], reply["count"], reply["counts"], reply["has_more"]) == ([], 0, {}, False)


@pytest.mark.requirement("tasks.lint.findings")
def test_a_step_whose_check_proves_its_tests_lacks_no_tests(world: World) -> None:
    proven = {"title": "a", "criteria": ["it works"], "checks": [{"run": "pytest"}]}
    task = world.task(steps=[proven, {"title": "b", "checks": [{"run": "pytest"}]}])

    (finding,) = world.ok("tasks_lint", task=task)["findings"]
    (risk,) = world.ok("tasks_handoff", task=task)["risks"]["items"]

    assert (finding["code"], finding["path"]) == ("NO_CRITERIA_OR_TESTS", "s:1")
    assert "no criteria." in finding["says"]
    assert (risk["path"], risk["lacks"]) == ("s:1", ["criteria"])


@pytest.mark.requirement("tasks.lint.findings")
def test_what_is_forced_or_waits_is_not_called_complete_but_for_its_status(world: World) -> None:
    shut, waiting = forced(world), all_done(world)
    world.close(shut, "s:1")
    world.ok("tasks_edit", task=waiting, depends_on=[shut])

    assert codes(world, shut) == ["UNPROVEN"]
    assert codes(world, waiting) == ["WAITS"]


@pytest.mark.requirement("tasks.lint.without-steps")
def test_a_done_task_without_steps_is_warned_of(world: World) -> None:
    plan = world.plan()
    task = world.task(plan=plan)
    world.ok("tasks_complete", task=task)

    for target in (task, plan):
        found = [row for row in world.ok("tasks_lint", task=target)["findings"] if row["code"] == "NO_STEPS"]
        assert [row["task"] for row in found] == [task]
        assert "DONE" in found[0]["says"]
        assert "fix" not in found[0], "adding steps would reopen it, which nobody asked for"


@pytest.mark.requirement("tasks.lint.findings")
def test_a_word_alone_names_the_step_and_evidence_makes_it_more(world: World) -> None:
    task = on_a_word(world)

    (finding,) = world.ok("tasks_lint", task=task)["findings"]
    world.ok("tasks_progress", task=task, path="s:0", completed=False)
    shown = {"items": [{"kind": "note", "content": "9 pass"}], "checkpoints": ["criteria", "tests"]}
    world.ok("tasks_evidence_capture", task=task, path="s:0", **shown)
    world.ok("tasks_close_step", task=task, path="s:0", checkpoints=CONFIRMED)

    assert (finding["path"], finding["step_id"]) == ("s:0", world.step(task, "s:0")["step_id"])
    assert "criteria and tests" in finding["says"]
    assert codes(world, task) == []


@pytest.mark.requirement("tasks.lint.findings")
def test_steps_closed_in_bulk_are_named_with_who_closed_them_until_they_are_closed_again(world: World) -> None:
    task = in_bulk(world)

    (finding,) = world.ok("tasks_lint", task=task)["findings"]
    world.ok("tasks_progress", task=task, path="s:1", completed=False)
    world.close(task, "s:1")

    assert all(word in finding["says"] for word in ("tester", "2 steps", "in one call", "“a” (s:0)", "“b” (s:1)"))
    assert codes(world, task) == []


@pytest.mark.requirement("tasks.lint.findings")
@pytest.mark.parametrize(("apart", "actors", "found"), [(0.9, 1, True), (1, 1, False), (0.9, 2, False)])
def test_steps_are_closed_in_bulk_if_one_actor_closes_them_within_a_second(
    world: World, apart: float, actors: int, found: bool
) -> None:
    task = sound(world)
    for number in range(2):
        world.engine = Engine(world.store, FixedClock(f"2026-01-01T00:00:0{apart * number:.3f}Z"))
        world.caller = replace(world.caller, actor=f"agent {number % actors}")
        world.close(task, f"s:{number}")

    assert ("CLOSED_IN_BULK" in codes(world, task)) is found


@pytest.mark.requirement("tasks.lint.findings")
def test_a_step_closed_together_with_the_last_one_below_it_is_not_closed_in_bulk(world: World) -> None:
    below = {"title": "below", **PROVABLE}
    task = world.task(steps=[{"title": "over", **PROVABLE, "steps": [below]}, {"title": "other", **PROVABLE}])
    closings = [{"task": task, "path": path, "checkpoints": PROVEN} for path in ("s:0.s:0", "s:0")]

    world.ok("tasks_batch", operations=[{"tool": "tasks_close_step", "arguments": it} for it in closings])

    assert codes(world, task) == []


@pytest.mark.requirement("tasks.lint.findings")
def test_a_step_is_named_by_id_and_path_with_what_is_missing(world: World) -> None:
    task = forced(world)
    world.ok("tasks_define", task=task, path="s:1", tests=None)

    unproven, bare = world.ok("tasks_lint", task=task)["findings"]

    assert (unproven["path"], bare["path"]) == ("s:0", "s:1")
    assert unproven["step_id"] == world.step(task, "s:0")["step_id"]
    assert "criteria and tests" in unproven["says"]
    assert "no tests" in bare["says"]
    assert unproven["fix"]["arguments"]["completed"] is False


@pytest.mark.requirement("tasks.lint.findings")
def test_a_plan_is_checked_with_all_its_tasks(world: World) -> None:
    plan = world.plan()
    first, second = sound(world, plan=plan), world.task("bare", plan=plan)
    world.task("bare, elsewhere")
    world.ok("tasks_progress", task=first, path="s:0", **FORCED)
    world.ok("tasks_edit", task=plan, depends_on=[world.task(title="Needed")])

    reply = world.ok("tasks_lint", plan=plan)

    found = [(finding["code"], finding["task"]) for finding in reply["findings"]]
    assert found == [("WAITS", plan), ("UNPROVEN", first), ("NO_CRITERIA_OR_TESTS", second)]


@pytest.mark.requirement("tasks.lint.findings")
def test_all_are_counted_and_each_code_is_named_within_the_limit(one_world: World) -> None:
    task = one_world.task(*["bare"] * 150)
    one_world.ok("tasks_progress", task=task, path="s:149", **FORCED)

    reply = one_world.ok("tasks_lint", task=task, limit=5)

    assert (reply["count"], reply["counts"]) == (150, {"UNPROVEN": 1, "NO_CRITERIA_OR_TESTS": 149})
    assert "at_least" not in reply
    assert [finding["code"] for finding in reply["findings"]] == ["UNPROVEN", *["NO_CRITERIA_OR_TESTS"] * 4]
    assert [finding["path"] for finding in reply["findings"]] == ["s:149", "s:0", "s:1", "s:2", "s:3"]
    assert reply["has_more"]


@pytest.mark.requirement("tasks.lint.findings")
def test_where_counting_stops_the_count_says_that_there_are_at_least_so_many(one_world: World) -> None:
    task = one_world.task(*["bare"] * 300)
    plan = one_world.plan()
    for _ in range(60):
        sound(one_world, plan=plan)

    steps, tasks = one_world.ok("tasks_lint", task=task), one_world.ok("tasks_lint", plan=plan)

    assert (steps["counts"], steps["at_least"]) == ({"NO_CRITERIA_OR_TESTS": 200}, True)
    assert (tasks["count"], tasks["at_least"], tasks["has_more"]) == (0, True, True)


@pytest.mark.requirement("tasks.lint.findings")
@pytest.mark.parametrize("max_chars", [512, 700, 2_000, None])
@pytest.mark.parametrize("target", ["TASK-001", "PLAN-001"])
def test_findings_stay_within_the_cap_whatever_was_written(target: str, max_chars: int | None) -> None:
    world = World(memory_store(), "acme/" + "w" * 123)
    plan = world.plan(title="p" * 300)
    task = world.task(title="t" * 300, plan=plan, steps=[{"title": '"' * 300}] * 300)
    for number in range(60):
        world.ok("tasks_progress", task=task, path=f"s:{number}", **FORCED)
        world.ok("tasks_block", task=task, path=f"s:{number + 100}")
    world.task(title="e" * 300, plan=plan, depends_on=[task])
    cap = {} if max_chars is None else {"max_chars": max_chars}

    text = world.ask("tasks_lint", task=target, limit=200, **cap).text

    reply = json.loads(text)
    assert reply["budget"]["used_chars"] == len(text) <= (max_chars or 16_000)
    assert reply["target"]["id"] == target
    assert reply["findings"]
    assert reply["has_more"]
    assert reply["counts"] == world.ok("tasks_lint", task=target)["counts"]


def test_where_there_is_nothing_nothing_is_amiss(world: World) -> None:
    assert world.ok("tasks_lint") == {"target": None, "findings": [], "count": 0, "counts": {}, "has_more": False}
