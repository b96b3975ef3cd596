"""Listing plans and tasks: every filter alone, filters together, words, and pages."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.givens import World, memory_store

FIELDS: dict[str, list[Any]] = {
    "kind": ["plan", "task"],
    "status": ["TODO", "ACTIVE", "DONE"],
    "plan": ["PLAN-001", "PLAN-002"],
    "tag": ["red", "green"],
    "domain": ["web", "core"],
    "priority": ["LOW", "MEDIUM", "HIGH", "CRITICAL"],
    "ready": [True, False],
}


def populated(world: World) -> None:
    """Three plans and six tasks, no two alike."""
    world.plan(title="Website relaunch", domain="web", tags=["red"])
    world.plan(title="Core upkeep", priority="LOW", description="Parsers and PARSING")
    world.plan(title="Later", depends_on=["PLAN-001"])
    world.task(title="Fix the parser", plan="PLAN-002", domain="core", tags=["red", "green"])
    world.task(title="Draw a logo", plan="PLAN-001", domain="web", priority="HIGH", context="for print")
    world.task(title="Parse dates", plan="PLAN-002", domain="core", depends_on=["TASK-001"])
    world.task(title="Straße and Éclair", tags=["green"], priority="CRITICAL")
    world.task("a step", title="Write docs", plan="PLAN-001", domain="web", tags=["green"])
    world.task(title="Old work", plan="PLAN-002", domain="core")
    world.ok("tasks_note", task="TASK-005", note="begun")
    world.ok("tasks_complete", task="TASK-006")


def found(world: World, **filters: Any) -> list[str]:
    reply = world.ok("tasks_context", **filters)
    assert not reply["has_more"]
    return [row["id"] for row in reply["items"]]


@pytest.mark.requirement("tasks.context.lists")
def test_without_a_filter_all_plans_and_then_all_tasks_are_listed(world: World) -> None:
    populated(world)

    listed = found(world)

    assert listed == [f"PLAN-{n:03d}" for n in range(1, 4)] + [f"TASK-{n:03d}" for n in range(1, 7)]


@pytest.mark.requirement("tasks.context.lists")
def test_a_row_says_what_it_is_and_how_far_it_is(world: World) -> None:
    populated(world)
    world.close("TASK-005", "s:0")

    rows = {row["id"]: row for row in world.ok("tasks_context")["items"]}

    assert rows["TASK-005"] == {
        "id": "TASK-005",
        "kind": "task",
        "title": "Write docs",
        "status": "ACTIVE",
        "revision": 3,
        "counts": {"total": 1, "done": 1, "open": 0, "blocked": 0},
        "priority": "MEDIUM",
        "plan": "PLAN-001",
        "domain": "web",
        "tags": ["green"],
    }
    assert rows["PLAN-002"]["counts"]["tasks"] == {"total": 3, "done": 1, "open": 2}
    assert rows["TASK-003"]["waiting_for"] == 1


@pytest.mark.requirement("tasks.context.lists")
def test_an_empty_workspace_lists_nothing(world: World) -> None:
    assert world.ok("tasks_context") == {"items": [], "has_more": False}
    assert world.ok("tasks_context", kind="task", tag="red", text="x")["items"] == []


@pytest.mark.requirement("tasks.context.lists")
@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"kind": "plan"}, "P1 P2 P3"),
        ({"kind": "task"}, "T1 T2 T3 T4 T5 T6"),
        ({"status": "TODO"}, "P3 T1 T2 T3 T4"),
        ({"status": "ACTIVE"}, "P1 P2 T5"),
        ({"status": "DONE"}, "T6"),
        ({"plan": "PLAN-002"}, "T1 T3 T6"),
        ({"plan": "PLAN-077"}, ""),
        ({"tag": "green"}, "T1 T4 T5"),
        ({"tag": "gre"}, ""),
        ({"domain": "web"}, "P1 T2 T5"),
        ({"priority": "HIGH"}, "T2"),
        ({"priority": "LOW"}, "P2"),
        ({"ready": True}, "T4 T2 P1 T5 T1 P2"),
        ({"ready": False}, "P3 T3 T6"),
        ({"kind": "task", "domain": "core", "status": "TODO"}, "T1 T3"),
        ({"plan": "PLAN-002", "ready": True}, "T1"),
        ({"plan": "PLAN-001", "tag": "green", "domain": "web", "status": "ACTIVE"}, "T5"),
        ({"plan": "PLAN-001", "tag": "red"}, ""),
        ({"tag": "green", "text": "parser"}, "T1"),
        ({"kind": "plan", "text": "pars"}, "P2"),
    ],
    ids=str,
)
def test_a_filter_narrows_the_list_alone_and_with_others(
    world: World, filters: dict[str, Any], expected: str
) -> None:
    populated(world)

    listed = found(world, **filters)

    assert " ".join(name[0] + name[-1] for name in listed) == expected


@pytest.mark.requirement("tasks.context.lists")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("parser", "T1 P2"),
        ("PARSER", "T1 P2"),
        ("pars", "T3 T1 P2"),
        ("arse", ""),
        ("fix parser", "T1"),
        ("parser fix", "T1"),
        ("par da", "T3"),
        ("print", "T2"),
        ("strasse", "T4"),
        ("STRASSE écl", "T4"),
        ("green", "T5 T4 T1"),
        ("web", "P1 T5 T2"),
        ("nowhere", ""),
        ("parser nowhere", ""),
        ("logo!", "T2"),
    ],
)
def test_words_are_found_by_their_beginnings_whatever_their_case_and_order(
    world: World, text: str, expected: str
) -> None:
    populated(world)

    listed = found(world, text=text)

    assert " ".join(name[0] + name[-1] for name in listed) == expected


@pytest.mark.requirement("tasks.context.lists")
def test_a_beginning_that_many_words_share_finds_them_all(world: World) -> None:
    made = [world.task(title=f"word{number:03d}") for number in range(80)]

    listed = found(world, text="word", limit=200)

    assert listed == made[::-1]


@pytest.mark.requirement("tasks.context.lists")
def test_the_last_word_of_a_long_description_is_found_too(world: World) -> None:
    words = [f"w{number}" for number in range(1_000)]
    task = world.task(description=" ".join([*words, "needle"]))

    listed = found(world, text="needle")

    assert listed == [task]


def test_a_text_without_any_word_is_refused(world: World) -> None:
    populated(world)

    error = world.no("INVALID_INPUT", "tasks_context", text="?!")

    assert "text" in error["message"]


@pytest.mark.parametrize(
    "wrong",
    [{"kind": "step"}, {"priority": "high"}, {"ready": "yes"}, {"plan": "TASK-001"}, {"text": ""}, {"limit": 0}],
    ids=str,
)
def test_a_filter_of_the_wrong_form_is_refused(world: World, wrong: dict[str, Any]) -> None:
    error = world.no("INVALID_INPUT", "tasks_context", **wrong)

    assert next(iter(wrong)) in error["message"]


@pytest.mark.requirement("tasks.context.lists")
@settings(max_examples=60, deadline=None)
@given(
    filters=st.fixed_dictionaries({}, optional={k: st.sampled_from(v) for k, v in FIELDS.items()}),
    limit=st.integers(1, 10),
)
def test_filters_together_find_what_each_finds_alone_and_pages_lose_nothing(
    filters: dict[str, Any], limit: int
) -> None:
    world = World(memory_store())
    populated(world)
    alone = [set(found(world, **{name: value})) for name, value in filters.items()]
    queued = {"ready": True} if filters.get("ready") else {}
    expected = [name for name in found(world, **queued) if all(name in some for some in alone)]

    listed: list[str] = []
    page = world.ok("tasks_context", limit=limit, **filters)
    listed += [row["id"] for row in page["items"]]
    while page["has_more"]:
        page = world.ok("tasks_context", limit=limit, cursor=page["cursor"], **filters)
        assert page["items"]
        listed += [row["id"] for row in page["items"]]

    assert listed == expected
    assert "cursor" not in page


@pytest.mark.requirement("tasks.context.lists")
def test_another_workspace_lists_its_own(world: World) -> None:
    populated(world)

    there = world.ok("tasks_context", workspace="acme/other")

    assert there["items"] == []
