"""The ready queue: what can be started, the most urgent first, then by plan, then the oldest first."""

from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gatepost.domain import terms
from gatepost.domain.roots import Priority
from gatepost.engine.caller import Caller
from gatepost.operations import ready_queue
from tests.givens import World, memory_store
from tests.operations.test_claims import ANN, BOB, by
from tests.operations.test_cursors import budgets, given_budget, paged, sizes
from tests.operations.test_tasks_cost import work

QUICKLY = settings(deadline=None, max_examples=40, suppress_health_check=list(HealthCheck))


def queue(world: World, **filters: Any) -> list[str]:
    return [row["id"] for row in world.ok("tasks_context", ready=True, **filters)["items"]]


def test_every_priority_has_its_place_in_the_queue() -> None:
    assert sorted(terms.PRIORITIES) == sorted(get_args(Priority))


@pytest.mark.requirement("crew.queue.order")
def test_the_queue_goes_by_priority_then_by_plan_then_by_age(world: World) -> None:
    for _ in range(11):
        world.plan()
    alone = world.task(priority="CRITICAL")
    late = world.task(plan="PLAN-011")
    early = [world.task(plan="PLAN-002") for _ in range(2)]
    urgent = world.task(plan="PLAN-011", priority="CRITICAL")
    low = world.task(plan="PLAN-001", priority="LOW")
    loose = world.task()

    tasks = queue(world, kind="task")

    assert tasks == [urgent, alone, *early, late, loose, low]


@pytest.mark.requirement("crew.queue.order")
def test_a_plan_comes_before_its_tasks_where_both_are_asked_for(world: World) -> None:
    world.plan()
    world.plan(priority="HIGH")
    first, second = world.task(plan="PLAN-001"), world.task(plan="PLAN-002")

    assert queue(world) == ["PLAN-002", "PLAN-001", first, second]
    assert queue(world, kind="plan") == ["PLAN-002", "PLAN-001"]
    assert queue(world, kind="plan", plan="PLAN-001") == []


@pytest.mark.requirement("crew.queue.order")
def test_an_edit_moves_a_task_in_the_queue_and_an_undo_moves_it_back(world: World) -> None:
    first, second = world.task(), world.task()

    world.ok("tasks_edit", task=second, priority="CRITICAL")
    edited = queue(world)
    world.ok("tasks_undo")

    assert (edited, queue(world)) == ([second, first], [first, second])


@pytest.mark.requirement("crew.queue.order")
def test_what_is_blocked_waits_or_is_done_is_not_in_the_queue(world: World) -> None:
    free = world.task("a")
    blocked = world.task("a")
    world.ok("tasks_block", task=blocked, path="s:0", reason="Which?")
    waits = world.task("a", depends_on=[free])
    done = world.task()
    world.ok("tasks_complete", task=done)

    assert queue(world) == [free]
    assert waits not in queue(world)


@pytest.mark.requirement("crew.queue.order")
@pytest.mark.parametrize(("passed", "most_sorted"), [(200, 500), (1, 500), (1, 0)])
@QUICKLY
@given(
    plans=st.lists(st.sampled_from(terms.PRIORITIES), max_size=12),
    tasks=st.lists(
        st.tuples(st.sampled_from(terms.PRIORITIES), st.integers(0, 12), st.sampled_from(["red", "blue"])),
        max_size=15,
    ),
    filters=st.fixed_dictionaries(
        {},
        optional={
            "kind": st.sampled_from(["plan", "task"]),
            "plan": st.sampled_from(["PLAN-001", "PLAN-010", "PLAN-077"]),
            "priority": st.sampled_from(terms.PRIORITIES),
            "tag": st.sampled_from(["red", "green"]),
        },
    ),
    limit=sizes,
    max_chars=budgets,
)
def test_pages_of_the_queue_hold_each_row_once_and_in_order(
    passed: int,
    most_sorted: int,
    plans: list[Priority],
    tasks: list[tuple[Priority, int, str]],
    filters: dict[str, Any],
    limit: int,
    max_chars: int | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ready_queue, "_MOST_PASSED", passed)
    monkeypatch.setattr(ready_queue, "_MOST_SORTED", most_sorted)
    world = World(memory_store())
    rows: list[tuple[int, int, int, str, dict[str, Any]]] = []
    for number, priority in enumerate(plans, 1):
        name = world.plan(priority=priority)
        rows.append((terms.PRIORITIES.index(priority), number, 0, name, {"kind": "plan", "priority": priority}))
    for number, (priority, plan, tag) in enumerate(tasks, 1):
        inside = {"plan": f"PLAN-{plan:03d}"} if 0 < plan <= len(plans) else {}
        name = world.task(priority=priority, tags=[tag], **inside)
        known = {"kind": "task", "priority": priority, "tag": tag, **inside}
        rows.append((terms.PRIORITIES.index(priority), plan if inside else 99, number, name, known))

    listed = paged(world, "tasks_context", "items", ready=True, limit=limit, **filters, **given_budget(max_chars))

    expected = [
        name for *_, name, known in sorted(rows, key=lambda row: row[:3]) if filters.items() <= known.items()
    ]
    assert [row["id"] for row in listed] == expected


@pytest.mark.requirement("paging.cursor.survives-writes")
def test_a_cursor_of_the_queue_survives_that_its_row_leaves_the_queue(world: World) -> None:
    tasks = [world.task() for _ in range(4)]
    first = world.ok("tasks_context", ready=True, limit=2)

    world.ok("tasks_delete", task=tasks[0])
    world.ok("tasks_complete", task=tasks[1])
    rest = world.ok("tasks_context", ready=True, cursor=first["cursor"])

    assert [row["id"] for row in rest["items"]] == tasks[2:]


def test_a_cursor_of_one_list_is_refused_by_the_other(world: World) -> None:
    for _ in range(3):
        world.task()
        world.plan()
    queued = world.ok("tasks_context", ready=True, limit=1)["cursor"]
    listed = world.ok("tasks_context", limit=1)["cursor"]

    for wrong, arguments in ((queued, {}), (listed, {"ready": True})):
        error = world.no("INVALID_INPUT", "tasks_context", cursor=wrong, **arguments)
        assert error["problems"][0]["field"] == "cursor"


@pytest.mark.requirement("crew.queue.order")
def test_the_tasks_of_a_draft_are_queued_with_those_that_are_stored(world: World) -> None:
    world.plan()
    stored = world.task(plan="PLAN-001")
    urgent = {"kind": "task", "title": "t", "plan": "PLAN-001", "priority": "HIGH"}

    reply = world.ok(
        "tasks_batch",
        operations=[
            {"tool": "tasks_create", "arguments": urgent},
            {"tool": "tasks_context", "arguments": {"ready": True, "plan": "PLAN-001"}},
        ],
    )

    assert [row["id"] for row in reply["results"][1]["items"]] == ["TASK-002", stored]


@pytest.mark.requirement("crew.queue.claims")
def test_what_others_hold_is_not_in_the_queue_but_what_the_caller_holds_is(world: World) -> None:
    free, single, whole = world.task("a", "b"), world.task("a"), world.task("a", "b")
    by(world, ANN, "tasks_claim", task=free)
    by(world, ANN, "tasks_claim", task=single)
    by(world, ANN, "tasks_claim", task=whole, whole=True)

    own, others = (queue(world_of(world, who)) for who in (ANN, BOB))
    by(world, ANN, "tasks_release", task=whole)

    assert (own, others) == ([free, single, whole], [free])
    assert queue(world_of(world, BOB)) == [free, whole]


@pytest.mark.requirement("crew.queue.claims")
def test_a_task_without_steps_that_others_hold_is_not_in_the_queue(world: World) -> None:
    task = world.task()
    by(world, ANN, "tasks_claim", task=task, whole=True)

    assert queue(world_of(world, BOB)) == queue(world, text="task") == []
    assert queue(world_of(world, ANN)) == queue(world, text="task") == [task]


@pytest.mark.requirement("crew.queue.claims")
def test_a_plan_in_which_others_hold_all_that_is_ready_is_not_in_the_queue(world: World) -> None:
    world.plan()
    first, other = (world.task(name, plan="PLAN-001") for name in ("a", "b"))
    by(world, ANN, "tasks_claim", task=first, whole=True)
    half = queue(world_of(world, BOB))

    by(world, ANN, "tasks_claim", task=other)

    assert (half, queue(world_of(world, BOB))) == (["PLAN-001", other], [])
    assert queue(world_of(world, ANN)) == ["PLAN-001", first, other]
    way = by(world, BOB, "tasks_radar", plan="PLAN-001")["next"]
    assert way["because"].startswith("Others hold every step that is ready in PLAN-001.")


@pytest.mark.requirement("crew.queue.claims")
def test_a_claim_and_the_radar_of_a_plan_go_by_the_queue_and_past_what_others_hold(world: World) -> None:
    world.plan()
    usual, urgent = world.task("a", plan="PLAN-001"), world.task("a", plan="PLAN-001", priority="HIGH")

    first = by(world, ANN, "tasks_claim", plan="PLAN-001")["task"]
    mine = by(world, ANN, "tasks_radar", plan="PLAN-001")["now"]["step_id"]
    seen = by(world, BOB, "tasks_radar", plan="PLAN-001")["next"]["arguments"]["task"]
    second = by(world, BOB, "tasks_claim", plan="PLAN-001")["task"]

    assert (first, seen, second) == (urgent, usual, usual)
    assert mine == world.step(urgent, "s:0")["step_id"]


@pytest.mark.requirement("crew.queue.claims")
def test_a_radar_without_a_target_passes_over_what_others_hold(world: World) -> None:
    held, free = world.task("a"), world.task("b")
    by(world, ANN, "tasks_claim", task=held)

    assert by(world, BOB, "tasks_radar")["now"]["title"] == "b"
    assert by(world, ANN, "tasks_radar")["now"]["title"] == "a"
    by(world, BOB, "tasks_claim", task=free)
    assert by(world, Caller("agent:third/cccc", session="session-cccc"), "tasks_radar")["now"] is None


@pytest.mark.requirement("crew.queue.claims")
def test_in_the_past_nobody_holds_anything(world: World) -> None:
    task = world.task("a")
    by(world, ANN, "tasks_claim", task=task, whole=True)
    moment = world.engine.read(world.workspace, ANN, lambda reader: reader.head().seq)
    world.task()

    assert queue(world_of(world, BOB), at=moment) == [task]


def world_of(world: World, who: Caller) -> World:
    world.caller = who
    return world


@pytest.mark.requirement("crew.queue.cost")
@pytest.mark.parametrize(
    "filters", [{}, {"kind": "task"}, {"plan": "PLAN-002"}, {"tag": "rare"}, {"tag": "usual"}], ids=str
)
def test_the_queue_costs_what_it_shows(filters: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ready_queue, "_MOST_PASSED", 20)

    small, large = (work(filled(size), lambda world: queue(world, limit=5, **filters)) for size in (100, 1_000))

    assert large.statements <= small.statements * 1.1 + 2
    assert (large.scans, large.sorts) == (0, 0)
    assert large.instructions <= small.instructions * 1.5 + 100


def filled(size: int) -> World:
    """Many tasks in ten plans, three of them with a tag that no other task has."""
    world = World(memory_store())
    for _ in range(10):
        world.plan()
    calls = [
        {
            "kind": "task",
            "title": "t",
            "plan": f"PLAN-{number % 10 + 1:03d}",
            "tags": ["rare" if number % (size // 3) == 1 else "usual"],
        }
        for number in range(size)
    ]
    for start in range(0, size, 100):
        made = [{"tool": "tasks_create", "arguments": call} for call in calls[start : start + 100]]
        world.ok("tasks_batch", operations=made)
    return world
