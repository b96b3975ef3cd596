"""Paging: following cursors meets every row once, whatever the budget and whatever others write meanwhile."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.givens import World, memory_store

QUICKLY = settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
budgets = st.none() | st.integers(512, 1_500)
sizes = st.integers(1, 7)


def paged(world: World, tool: str, key: str, meanwhile: Any = None, **arguments: Any) -> list[dict[str, Any]]:
    """All rows of a list, page by page."""
    rows: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    for _ in range(500):
        page = world.ok(tool, **arguments, **cursor)
        assert page[key] or not page["has_more"], "a page that says there is more must bring it nearer"
        rows += page[key]
        if not page["has_more"]:
            return rows
        cursor = {"cursor": page["cursor"]}
        if meanwhile is not None:
            meanwhile()
    raise AssertionError("the pages never end")


def given_budget(max_chars: int | None) -> dict[str, int]:
    return {} if max_chars is None else {"max_chars": max_chars}


@pytest.mark.requirement("paging.list.limit-and-cursor", "budget.cursor.continues")
@QUICKLY
@given(tasks=st.integers(0, 25), plans=st.integers(0, 4), limit=sizes, max_chars=budgets)
def test_pages_of_a_list_hold_each_row_once(tasks: int, plans: int, limit: int, max_chars: int | None) -> None:
    world = World(memory_store())
    for number in range(plans):
        world.plan(title=f"Plan {number} " + "漢" * 100)
    for number in range(tasks):
        world.task(title=f"Task {number} " + "x" * (number * 7), tags=["red", "blue"])

    rows = paged(world, "tasks_context", "items", limit=limit, **given_budget(max_chars))

    expected = [f"PLAN-{number:03d}" for number in range(1, plans + 1)]
    assert [row["id"] for row in rows] == expected + [f"TASK-{number:03d}" for number in range(1, tasks + 1)]


@pytest.mark.requirement("paging.list.limit-and-cursor")
def test_a_page_has_at_most_limit_rows_and_an_opaque_cursor_only_if_there_is_more(world: World) -> None:
    for _ in range(3):
        world.task()

    first = world.ok("tasks_context", limit=2)
    last = world.ok("tasks_context", limit=2, cursor=first["cursor"])

    assert (len(first["items"]), first["has_more"]) == (2, True)
    assert (len(last["items"]), last["has_more"], "cursor" in last) == (1, False, False)
    assert "TASK" not in first["cursor"]
    for made_up in ("TASK-002", "x", first["cursor"] + "A", "_" * 8):
        error = world.no("INVALID_INPUT", "tasks_context", cursor=made_up)
        assert error["problems"][0]["field"] == "cursor"


@pytest.mark.requirement("paging.cursor.survives-writes", "budget.cursor.continues")
@QUICKLY
@given(
    limit=sizes,
    max_chars=budgets,
    writes=st.lists(st.tuples(st.sampled_from(["new", "edit", "close", "retag"]), st.integers(1, 12)), max_size=8),
)
def test_no_row_that_was_there_throughout_is_lost_or_shown_twice(
    limit: int, max_chars: int | None, writes: list[tuple[str, int]]
) -> None:
    world = World(memory_store())
    for number in range(12):
        world.task("a step", title=f"Task {number}", tags=["keep"])
    ahead = list(writes)

    def meddle() -> None:
        way, number = ahead.pop() if ahead else ("nothing", 0)
        task = f"TASK-{number:03d}"
        if way == "new":
            world.task(title="A late comer", tags=["keep"])
        elif way == "edit":
            world.ok("tasks_edit", task=task, title="Renamed " + "r" * 200)
        elif way == "close":
            world.close(task, "s:0")
        elif way == "retag":
            world.ok("tasks_edit", task=task, tags=["keep", "more"])

    rows = paged(world, "tasks_context", "items", meddle, limit=limit, tag="keep", **given_budget(max_chars))

    ids = [row["id"] for row in rows]
    assert len(ids) == len(set(ids))
    assert ids[:12] == [f"TASK-{number:03d}" for number in range(1, 13)]


@pytest.mark.requirement("budget.cursor.continues", "paging.cursor.survives-writes")
@QUICKLY
@given(steps=st.integers(0, 25), limit=sizes, max_chars=budgets, others=st.booleans())
def test_pages_of_a_tree_hold_each_step_once_in_tree_order(
    steps: int, limit: int, max_chars: int | None, others: bool
) -> None:
    world = World(memory_store())
    nested = [{"title": f"step {number}", "steps": [{"title": "b" * 90}]} for number in range(steps)]
    task = world.task(steps=nested, description="d" * 400)

    def meddle() -> None:
        world.ok("tasks_note", task=task, note="Others are here, too.")
        if steps:
            world.ok("tasks_define", task=task, path="s:0", title="Renamed " + "r" * 100)

    budget = given_budget(max_chars)
    rows = paged(world, "tasks_resume", "steps", meddle if others else None, task=task, limit=limit, **budget)

    expected = [path for number in range(steps) for path in (f"s:{number}", f"s:{number}.s:0")]
    assert [row["path"] for row in rows if "path" in row] == expected


@pytest.mark.requirement("budget.cursor.continues")
def test_pages_of_a_plan_hold_each_task_once_at_any_budget(world: World) -> None:
    plan = world.plan(contract="c" * 3_000, contract_data={"k": "v" * 3_000})
    for number in range(12):
        world.task(title=f"Task {number} " + "x" * 100, plan=plan)

    for max_chars in (512, 700, 1_500, 16_000):
        rows = paged(world, "tasks_resume", "tasks", plan=plan, max_chars=max_chars)
        assert [row["id"] for row in rows] == [f"TASK-{number:03d}" for number in range(1, 13)]


def followed(world: World, meanwhile: Any = None, **arguments: Any) -> list[dict[str, Any]]:
    """The log, page by page, as a reader of `next` and `has_more` meets it."""
    events: list[dict[str, Any]] = []
    since = 0
    for _ in range(500):
        page = world.ok("tasks_delta", since=since, **arguments)
        assert page["next"] > since or not page["has_more"], "a page that says there is more must advance"
        events += page["events"]
        since = page["next"]
        if not page["has_more"]:
            return events
        if meanwhile is not None:
            meanwhile()
    raise AssertionError("the log never ends")


@pytest.mark.requirement("paging.delta.next-and-has-more", "paging.delta.ascending", "budget.cursor.continues")
@QUICKLY
@given(
    notes=st.lists(st.sampled_from([1, 100, 3_000]), max_size=15),
    limit=sizes,
    max_chars=budgets,
    types=st.none() | st.sampled_from([["step_noted"], ["task_created", "step_verified"], ["focus_set"]]),
    others=st.integers(0, 5),
)
def test_following_next_meets_each_event_once_in_order(
    notes: list[int], limit: int, max_chars: int | None, types: list[str] | None, others: int
) -> None:
    world = World(memory_store())
    task = world.task("a step")
    for length in notes:
        world.ok("tasks_note", task=task, note='"' * length)
    late = [others]

    def meddle() -> None:
        if late[0]:
            late[0] -= 1
            world.ok("tasks_note", task=task, note="Meanwhile.")

    chosen = {} if types is None else {"types": types}
    met = followed(world, meddle, limit=limit, **chosen, **given_budget(max_chars))

    bodies = [(row[0], row[7]) for row in world.everything()["events"]]
    expected = [seq for seq, body in bodies if types is None or any(f'"{name}"' in body for name in types)]
    assert [event["seq"] for event in met] == expected


@pytest.mark.requirement("paging.delta.since-exclusive", "paging.delta.ascending")
def test_the_log_after_a_seq_does_not_hold_that_seq(world: World) -> None:
    task = world.task()
    for _ in range(4):
        world.ok("tasks_note", task=task, note="On.")

    page = world.ok("tasks_delta", since=2)

    assert [event["seq"] for event in page["events"]] == [3, 4, 5]
    assert (page["next"], page["has_more"]) == (5, False)
    assert world.ok("tasks_delta", since=5) == {"events": [], "next": 5, "has_more": False}
    assert world.ok("tasks_delta", since=99)["next"] == 99


@pytest.mark.requirement("budget.cursor.continues", "budget.delta.max-chars")
def test_the_longest_note_does_not_stop_a_follower_with_the_smallest_budget(world: World) -> None:
    task = world.task()
    world.ok("tasks_note", task=task, note="n" * 16_000)
    world.ok(
        "tasks_verify",
        task=world.task("x"),
        path="s:0",
        checkpoints={"tests": {"confirmed": True, "note": "v" * 16_000}},
    )
    world.ok("tasks_note", task=task, note="after")

    met = followed(world, max_chars=512)

    assert [event["seq"] for event in met] == list(range(1, world.everything()["head"].seq + 1))


@pytest.mark.requirement("budget.cost.linear-in-sent")
def test_what_a_page_reads_depends_on_what_it_sends_and_not_on_what_is_stored(one_world: World) -> None:
    def rows_read(tool: str, **arguments: Any) -> int:
        steps = 0

        def count() -> bool:
            nonlocal steps
            steps += 1
            return False

        with one_world.store._connections.thread_connection() as connection:  # type: ignore[attr-defined]
            connection.set_progress_handler(count, 10)
            one_world.ok(tool, **arguments, max_chars=600)
            connection.set_progress_handler(None)
        return steps

    task = one_world.task(*["a step"] * 20)
    asked: list[tuple[str, dict[str, Any]]] = [
        ("tasks_context", {"limit": 10}),
        ("tasks_delta", {"limit": 10}),
        ("tasks_resume", {"task": task, "limit": 10}),
        ("tasks_radar", {"task": task}),
    ]
    for _ in range(20):
        one_world.task()
    small = [rows_read(tool, **arguments) for tool, arguments in asked]

    one_world.ok("tasks_decompose", task=task, steps=[{"title": "more"}] * 1_000)
    for _ in range(400):
        one_world.task()
    large = [rows_read(tool, **arguments) for tool, arguments in asked]

    for before, after in zip(small, large, strict=True):
        assert after <= 2 * before + 10
