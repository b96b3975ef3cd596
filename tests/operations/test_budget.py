"""Budgets: the text that is sent never outgrows them, counts itself, and says what was left out."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gatepost.engine.caller import Caller
from gatepost.operations.answer import answer
from gatepost.views.budget import DEFAULT
from tests.givens import World, memory_store

LEAST = 512
MAIN_KEYS = {
    "tasks_radar": {"target", "now", "why", "verify", "next", "blockers", "counts", "budget"},
    "tasks_context": {"items", "has_more", "budget"},
    "tasks_delta": {"events", "next", "has_more", "budget"},
    "tasks_resume": {"target", "steps", "has_more", "budget"},
}
VIEWS = pytest.mark.parametrize("tool", MAIN_KEYS)
GENEROUSLY = settings(
    deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
WIDEST = "acme/" + "w" * 123

texts = st.sampled_from(["a", "naïve", '"quoted\\', "漢字", "🌱", "\u202eabc", "\t"])
lines = st.builds(lambda text, times: ("x" + text.replace("\t", "-") * times)[:300], texts, st.integers(1, 300))
prose = st.builds(lambda text, times: ("x" + text * times)[:16_000], texts, st.sampled_from([1, 50, 16_000]))
limits = st.integers(LEAST, 700) | st.integers(LEAST, 20_000)


@st.composite
def contents(draw: st.DrawFn) -> World:
    """A workspace full of long and odd texts."""
    world = World(memory_store(), draw(st.sampled_from(["acme/repo", WIDEST])))
    plan = world.plan(title=draw(lines), contract=draw(prose), contract_data={"says": draw(prose)})
    step = {
        "title": draw(lines),
        "criteria": draw(st.lists(lines, max_size=12)),
        "tests": draw(st.lists(lines, max_size=4)),
        "blockers": draw(st.lists(lines, max_size=3)),
        "required": ["security", "docs"],
    }
    steps = [step] * draw(st.sampled_from([1, 3, 30]))
    tags = [f"tag-{number}" for number in range(draw(st.sampled_from([0, 20])))]
    described = {"description": draw(prose), "tags": tags, "domain": "garden"}
    task = world.task(title=draw(lines), plan=plan, steps=steps, **described)
    for number in range(draw(st.sampled_from([0, 8]))):
        world.task(title=draw(lines), plan=plan, depends_on=[task], domain=f"bed-{number}")
    for path in [f"s:{number}" for number in range(1, len(steps))][: draw(st.sampled_from([0, 12]))]:
        world.ok("tasks_block", task=task, path=path, reason=draw(prose))
    for _ in range(draw(st.sampled_from([1, 5]))):
        world.ok("tasks_note", task=task, note=draw(prose))
    return world


targets = st.sampled_from([{}, {"task": "TASK-001"}, {"plan": "PLAN-001"}, {"task": "TASK-001", "path": "s:0"}])


def drawn_arguments(tool: str, data: st.DataObject) -> dict[str, Any]:
    if tool == "tasks_radar":
        target = data.draw(targets)
        return {name: target[name] for name in target if name != "path"}
    if tool == "tasks_resume":
        return {**data.draw(targets), "events_limit": data.draw(st.sampled_from([0, 50]))}
    return {}


@VIEWS
@pytest.mark.requirement("budget.count.exact-text", "budget.count.hard-cap", "budget.kept.main-keys")
@pytest.mark.requirement("budget.block.present", "budget.truncated.only-if-removed", "budget.omitted.how-many")
@pytest.mark.requirement("budget.kept.ids-now-next", "budget.context.max-chars", "budget.delta.max-chars")
@GENEROUSLY
@given(data=st.data())
def test_any_content_fits_into_any_budget(tool: str, data: st.DataObject) -> None:
    world = data.draw(contents())
    arguments = drawn_arguments(tool, data)
    max_chars = data.draw(limits)

    text = world.ask(tool, **arguments, max_chars=max_chars).text

    cut, whole = json.loads(text), json.loads(world.ask(tool, **arguments, max_chars=1_000_000).text)
    assert not whole["budget"]["truncated"]
    assert len(text) <= max_chars
    assert cut["budget"]["used_chars"] == len(text)
    assert cut["budget"]["max_chars"] == max_chars
    assert cut.keys() >= MAIN_KEYS[tool]
    same = {**cut, "budget": 0} == {**whole, "budget": 0}
    assert cut["budget"]["truncated"] == (not same)
    assert ("omitted" in cut["budget"]) == cut["budget"]["truncated"]
    assert all(count > 0 for count in cut["budget"].get("omitted", {}).values())
    check_kept(tool, cut, whole)


def check_kept(tool: str, cut: dict[str, Any], whole: dict[str, Any]) -> None:
    """Ids, `now` and the first `next` are there at any budget."""
    if tool == "tasks_radar":
        assert cut["target"]["id"] == whole["target"]["id"]
        assert (cut["now"] is None) == (whole["now"] is None)
        if whole["now"] is not None:
            assert cut["now"]["step_id"] == whole["now"]["step_id"]
            assert cut["now"]["task"] == whole["now"]["task"]
        assert cut["next"]["tool"] == whole["next"]["tool"]
        for name in ("task", "plan", "step_id"):
            assert cut["next"]["arguments"].get(name) == whole["next"]["arguments"].get(name)
    elif tool == "tasks_context":
        assert [item["id"] for item in cut["items"]] == [item["id"] for item in whole["items"]][: len(cut["items"])]
        assert cut["items"]
    elif tool == "tasks_delta":
        assert [event["seq"] for event in cut["events"]] == list(range(1, len(cut["events"]) + 1))
        assert cut["events"]
    else:
        assert cut["target"]["id"] == whole["target"]["id"]
        assert cut.get("step", {}).get("step_id") == whole.get("step", {}).get("step_id")
        rows = [row["step_id"] for row in whole["steps"]]
        assert [row["step_id"] for row in cut["steps"]] == rows[: len(cut["steps"])]


@VIEWS
@pytest.mark.requirement("budget.minimum.refused")
def test_less_than_the_minimum_is_refused_and_the_minimum_taken(tool: str, world: World) -> None:
    world.task("a step")

    error = world.no("INVALID_INPUT", tool, max_chars=LEAST - 1)

    assert error["problems"] == [{"field": "max_chars", "problem": "must be at least 512; got 511"}]
    assert world.ok(tool, max_chars=LEAST)["budget"]["max_chars"] == LEAST


@VIEWS
@pytest.mark.requirement("budget.default.cap")
def test_without_a_budget_every_view_stays_within_the_default(tool: str, world: World) -> None:
    steps = [{"title": f"{number} " + "x" * 290, "criteria": ["y" * 1_900] * 12} for number in range(100)]
    task = world.task(steps=steps, description="z" * 32_000)
    for number in range(100):
        world.task(title=f"{number} " + "w" * 290, tags=["a" * 60, "b" * 60])
        world.ok("tasks_note", task=task, note="n" * 1_000)

    reply = world.ask(tool, **({"task": task} if tool in ("tasks_radar", "tasks_resume") else {}))

    assert DEFAULT == 16_000
    assert len(reply.text) <= DEFAULT
    assert json.loads(reply.text)["budget"]["truncated"]


@pytest.mark.requirement("budget.list.cut-from-tail", "budget.order.fields-before-rows", "budget.omitted.how-many")
def test_a_list_loses_its_optional_fields_before_its_last_rows(world: World) -> None:
    for number in range(10):
        world.task(title=f"Task {number}", tags=["red"], domain="garden")
    whole = world.ask("tasks_context", max_chars=100_000)
    length = len(whole.text)

    little = world.ok("tasks_context", max_chars=length - 40)
    much = world.ok("tasks_context", max_chars=1_000)

    assert [item["id"] for item in little["items"]] == [f"TASK-{number:03d}" for number in range(1, 11)]
    assert set(little["budget"]["omitted"]) == {"fields"}
    gone = much["budget"]["omitted"]["items"]
    assert [item["id"] for item in much["items"]] == [f"TASK-{number:03d}" for number in range(1, 11 - gone)]
    assert not any({"tags", "domain", "priority"} & item.keys() for item in much["items"])
    assert much["has_more"]


@pytest.mark.requirement("budget.list.cut-from-tail")
def test_events_are_cut_from_the_tail_so_that_none_is_stepped_over(world: World) -> None:
    task = world.task()
    for number in range(10):
        world.ok("tasks_note", task=task, note=f"{number} " + "n" * 150)

    cut = world.ok("tasks_delta", max_chars=1_000)

    seqs = [event["seq"] for event in cut["events"]]
    assert seqs == list(range(1, len(seqs) + 1))
    assert cut["budget"]["omitted"]["events"] == 11 - len(seqs)
    assert cut["next"] == seqs[-1]
    assert cut["has_more"]


@pytest.mark.requirement("budget.order.history-first", "budget.order.oldest-first")
def test_of_a_task_in_full_the_past_goes_first_and_its_oldest_before_all(world: World) -> None:
    task = world.task(*[f"step {number}" for number in range(5)], description="d" * 300)
    for number in range(20):
        world.ok("tasks_note", task=task, note=f"{number} " + "n" * 100)
    length = len(world.ask("tasks_resume", task=task, events_limit=20, max_chars=100_000).text)

    cut = world.ok("tasks_resume", task=task, events_limit=20, max_chars=length - 300)

    assert set(cut["budget"]["omitted"]) == {"events"}
    seqs = [event["seq"] for event in cut["events"]]
    newest = world.everything()["head"].seq
    assert seqs == list(range(newest, newest - len(seqs), -1)), "the newest stay"
    assert len(seqs) == 20 - cut["budget"]["omitted"]["events"]
    assert len(cut["steps"]) == 5
    assert cut["target"]["description"] == "d" * 300


@pytest.mark.requirement("budget.order.fields-before-rows")
def test_a_plans_bulky_data_goes_before_the_rows_of_its_tasks(world: World) -> None:
    plan = world.plan(contract_data={"table": ["r" * 100] * 300})
    for _ in range(10):
        world.task(plan=plan)

    shown = world.ok("tasks_resume", plan=plan)

    assert shown["budget"]["truncated"]
    assert len(shown["tasks"]) == 10


@pytest.mark.requirement("budget.near-minimum.shrinks", "budget.kept.ids-now-next")
def test_near_the_minimum_now_shrinks_to_ids_and_next_to_the_tool_and_its_target() -> None:
    world = World(memory_store(), WIDEST)
    step = {
        "title": "t" * 300,
        "criteria": ["c" * 2_000] * 10,
        "tests": ["t" * 2_000] * 10,
        "blockers": ["b" * 2_000],
    }
    task = world.task(title="T" * 300, description="d" * 5_000, steps=[step, *[{"title": "u" * 300}] * 12])
    for number in range(1, 12):
        world.ok("tasks_block", task=task, path=f"s:{number}", reason="r" * 5_000)
    step_id = world.step(task, "s:0")["step_id"]

    shown = world.ok("tasks_radar", task=task, max_chars=LEAST)

    assert shown["now"] == {"task": task, "step_id": step_id}
    assert shown["next"]["tool"] == "tasks_close_step"
    assert {"task": task, "step_id": step_id}.items() <= shown["next"]["arguments"].items()
    assert "because" not in shown["next"]
    assert shown["target"]["id"] == task


@pytest.mark.requirement("budget.count.hard-cap")
def test_the_deepest_and_widest_paths_fit_into_the_smallest_budget() -> None:
    world = World(memory_store(), WIDEST)
    task = world.task()
    path: dict[str, str] = {}
    for _ in range(16):
        steps = [{"title": "s" * 300}] * 101
        made = world.ok("tasks_decompose", task=task, **path, steps=steps)
        path = {"path": made["steps"][-1]["path"]}
    deepest = path["path"]
    parent = deepest.rpartition(".")[0]

    for tool, arguments in (
        ("tasks_resume", {"task": task, "path": parent, "limit": 50}),
        ("tasks_resume", {"task": task, "path": deepest}),
        ("tasks_radar", {"task": task}),
    ):
        text = answer(world.engine, tool, {"workspace": WIDEST, **arguments, "max_chars": LEAST}, Caller("x")).text
        assert len(text) <= LEAST, text
        assert json.loads(text)["budget"]["used_chars"] == len(text)
