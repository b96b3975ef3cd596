"""The context pack: the radar and the latest events."""

import json
from typing import Any

import pytest

from tests.givens import World, memory_store, supplied

RADAR = {"target", "now", "why", "verify", "next", "blockers", "counts"}


def radar_of(view: dict[str, Any]) -> dict[str, Any]:
    return {key: view[key] for key in RADAR}


def busy(world: World, notes: int = 30) -> str:
    """A task with a log, beside another one with a log of its own."""
    task, other = world.task("a", "b", description="d" * 300), world.task("elsewhere")
    for number in range(notes):
        world.ok("tasks_note", task=task, note=f"{number} " + "n" * 100)
        world.ok("tasks_note", task=other, note="beside")
    return task


@pytest.mark.requirement("tasks.context-pack.radar-and-delta")
@pytest.mark.parametrize("target", [{"task": "TASK-001"}, {}])
def test_a_pack_is_the_radar_and_the_end_of_the_target_s_log(world: World, target: dict[str, str]) -> None:
    task = busy(world)
    world.ok("tasks_focus_set", task=task)

    pack = world.ok("tasks_context_pack", **target)

    log = world.ok("tasks_delta", task=task, limit=200)["events"]
    assert set(pack) == {*RADAR, "delta"}
    assert radar_of(pack) == radar_of(world.ok("tasks_radar", **target))
    assert pack["delta"]["events"] == log[-20:]
    assert pack["delta"]["earlier"]


@pytest.mark.requirement("tasks.context-pack.radar-and-delta")
def test_a_pack_is_gone_on_with_by_tasks_delta(world: World) -> None:
    task = busy(world)

    since = world.ok("tasks_context_pack", task=task)["delta"]["next"]
    assert world.ok("tasks_delta", task=task, since=since)["events"] == []
    made = world.logged(world.close(task, "s:0"))

    assert world.ok("tasks_delta", task=task, since=since)["events"] == made


@pytest.mark.requirement("tasks.context-pack.delta-limit")
@pytest.mark.parametrize("limit", [0, 1, 7, 200])
def test_a_delta_limit_bounds_the_events_and_keeps_the_newest(world: World, limit: int) -> None:
    task = busy(world)
    log = world.ok("tasks_delta", task=task, limit=200)["events"]

    delta = world.ok("tasks_context_pack", task=task, delta_limit=limit)["delta"]

    assert delta["events"] == log[len(log) - min(limit, len(log)) :]
    assert delta["earlier"] == (limit < len(log))
    world.no("INVALID_INPUT", "tasks_context_pack", task=task, delta_limit=201)


@pytest.mark.requirement("tasks.context-pack.radar-and-delta")
def test_a_plan_s_pack_tells_what_happened_in_its_tasks_and_nowhere_else(world: World) -> None:
    plan = world.plan()
    task, other = world.task("a", plan=plan), world.task("b")
    world.close(other, "s:0")
    world.close(task, "s:0")
    world.ok("tasks_edit", task=plan, title="Better")

    pack = world.ok("tasks_context_pack", plan=plan)

    assert radar_of(pack) == radar_of(world.ok("tasks_radar", plan=plan))
    assert [event["type"] for event in pack["delta"]["events"]] == [
        *("plan_created", "task_created", "steps_added"),
        *("step_verified", "step_done", "plan_edited"),
    ]
    assert not pack["delta"]["earlier"]


@pytest.mark.requirement("tasks.context-pack.radar-and-delta")
def test_a_pack_loses_its_oldest_events_first_and_all_of_them_before_the_radar(world: World) -> None:
    task = busy(world)
    seqs = [event["seq"] for event in world.ok("tasks_delta", task=task, limit=200)["events"]]
    radar = world.ok("tasks_radar", task=task)
    length = len(world.ask("tasks_context_pack", task=task, max_chars=100_000).text)

    for less in (100, 1_000, 3_000):
        cut = world.ok("tasks_context_pack", task=task, max_chars=length - less)
        shown = [event["seq"] for event in cut["delta"]["events"]]
        assert set(cut["budget"]["omitted"]) == {"events"}
        assert shown == seqs[-len(shown) :]
        assert len(shown) == 20 - cut["budget"]["omitted"]["events"]
        assert radar_of(cut) == radar_of(radar)
    bare = world.ok("tasks_context_pack", task=task, max_chars=1_000)
    assert (bare["delta"]["events"], bare["delta"]["earlier"]) == ([], True)
    assert {**bare["now"], "notes": []} == {**radar["now"], "notes": []}


@pytest.mark.requirement("tasks.context-pack.radar-and-delta")
@pytest.mark.parametrize("max_chars", [512, 700, 2_000, None])
@pytest.mark.parametrize("target", [{"task": "TASK-001"}, {"plan": "PLAN-001"}])
def test_a_pack_stays_within_its_cap_whatever_was_written(target: dict[str, str], max_chars: int | None) -> None:
    world = World(memory_store(), "acme/" + "w" * 123)
    plan = world.plan(title="p" * 300, contract="Ü" * 30_000)
    step = {"title": "\\" * 300, "criteria": ['"' * 2_000] * 20, "required": ["security", "perf", "docs"]}
    task = world.task(title="t" * 300, plan=plan, steps=[step] * 3)
    for _ in range(60):
        world.ok("tasks_note", task=task, note="😀" * 8_000)
    world.ok("tasks_block", task=task, path="s:1", reason="r" * 16_000)
    cap = {} if max_chars is None else {"max_chars": max_chars}

    text = world.ask("tasks_context_pack", **target, delta_limit=200, **cap).text

    pack = json.loads(text)
    assert pack["budget"]["used_chars"] == len(text) <= (max_chars or 16_000)
    assert set(pack) == {*RADAR, "delta", "budget"}
    assert pack["now"]["step_id"] == world.step(task, "s:0")["step_id"]
    assert pack["next"]["tool"] == "tasks_close_step"
    assert pack["delta"]["next"] == world.everything()["head"].seq


def test_where_there_is_nothing_a_pack_says_how_to_begin(world: World) -> None:
    pack = world.ok("tasks_context_pack")

    assert (pack["target"], pack["delta"]) == (None, {"events": [], "next": 0, "earlier": False})
    world.rehearse(pack["next"]["tool"], supplied(pack["next"]))
