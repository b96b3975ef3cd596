"""What views and closes cost: the store's work is counted, not the time."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from typing import Any, NamedTuple

import apsw
import pytest

from gatepost.storage.sqlite.schema import statements
from gatepost.storage.sqlite.store import SqliteStore
from tests.givens import CONFIRMED, World, new_store

SMALL, LARGE = 30, 3_000


class Work(NamedTuple):
    """What SQLite did for one call."""

    statements: int
    scans: int
    sorts: int
    instructions: int


@contextmanager
def watched(world: World) -> Iterator[list[dict[str, int]]]:
    """The counters of each statement that ends meanwhile."""
    assert isinstance(world.store, SqliteStore)
    seen: list[dict[str, int]] = []

    def note(event: dict[str, Any]) -> None:
        seen.append(event["stmt_status"])

    with world.store._connections.thread_connection() as connection:
        connection.trace_v2(apsw.SQLITE_TRACE_PROFILE, note)
        try:
            yield seen
        finally:
            connection.trace_v2(0, None)


def work(world: World, call: Callable[[World], object]) -> Work:
    """What a call costs once the statements are prepared."""
    with watched(world) as seen:
        call(world)
    return Work(
        len(seen),
        sum(status["SQLITE_STMTSTATUS_FULLSCAN_STEP"] for status in seen),
        sum(status["SQLITE_STMTSTATUS_SORT"] for status in seen),
        sum(status["SQLITE_STMTSTATUS_VM_STEP"] for status in seen),
    )


def one_task(world: World, size: int) -> None:
    """One task of so many steps, nested in threes; the last three are open."""
    for start in range(0, size, 600):
        steps = [{"title": "x", "steps": [{"title": "y"}, {"title": "z"}]}] * (min(600, size - start) // 3)
        if start == 0:
            world.ok("tasks_create", kind="task", title="A task, and a big one", steps=steps)
        else:
            world.ok("tasks_decompose", task="TASK-001", steps=steps)


def many_tasks(world: World, size: int) -> None:
    """So many steps in tasks of two, in one plan; half of the tasks wait for the first."""
    plan = world.plan(contract="All of it.")
    for number in range(size // 2):
        needs = {"depends_on": ["TASK-001"]} if number % 2 else {}
        world.task("x", "y", title="A task, and a big one", plan=plan, tags=["even"], **needs)


def mostly_blocked(world: World, size: int) -> None:
    """One task in which every step but the last is blocked."""
    one_task(world, size)
    to_all_but_three(world, size, "tasks_block")


def to_all_but_three(world: World, size: int, tool: str, **arguments: Any) -> None:
    """Make a call to every step of `one_task` but the last three, in batches."""
    paths = [path for n in range(size // 3 - 1) for path in (f"s:{n}.s:0", f"s:{n}.s:1", f"s:{n}")]
    for start in range(0, len(paths), 200):
        calls = [{"task": "TASK-001", "path": path, **arguments} for path in paths[start : start + 200]]
        world.ok("tasks_batch", operations=[{"tool": tool, "arguments": call} for call in calls])


def idle_between_ready(world: World, size: int) -> None:
    """Tasks that are ACTIVE and wait, in turn with tasks that are ready and TODO."""
    for number in range(size // 6):
        world.task("x")
        waiter = world.task("y", depends_on=["TASK-001"])
        world.ok("tasks_note", task=waiter, note=f"begun {number}")


def close(world: World, path: str) -> None:
    """Close a step without notes: the index of their words has a cost of its own."""
    world.ok("tasks_close_step", task="TASK-001", path=path, checkpoints=CONFIRMED)


CALLS: dict[str, Callable[[World], object]] = {
    "radar": lambda world: world.ok("tasks_radar"),
    "radar of a task": lambda world: world.ok("tasks_radar", task="TASK-001"),
    "context": lambda world: world.ok("tasks_context", limit=10),
    "delta": lambda world: world.ok("tasks_delta", since=1, limit=10),
    "delta of a task": lambda world: world.ok("tasks_delta", task="TASK-001", limit=10),
    "resume": lambda world: world.ok("tasks_resume", task="TASK-001", limit=10),
    "resume with its timeline": lambda world: world.ok("tasks_resume", task="TASK-001", limit=1, events_limit=1),
    "resume of a step": lambda world: world.ok("tasks_resume", task="TASK-001", path="s:1"),
    "block": lambda world: world.ok("tasks_block", task="TASK-001", path="s:1"),
    "unblock": lambda world: world.ok("tasks_block", task="TASK-001", path="s:1", blocked=False),
    "close": lambda world: close(world, world.ok("tasks_radar", task="TASK-001")["now"]["path"]),
}
PLAN_CALLS: dict[str, Callable[[World], object]] = {
    "radar of a plan": lambda world: world.ok("tasks_radar", plan="PLAN-001"),
    "resume of a plan": lambda world: world.ok("tasks_resume", plan="PLAN-001", limit=10),
    "context of a plan": lambda world: world.ok("tasks_context", limit=1, plan="PLAN-001", ready=True, tag="even"),
}

Pair = tuple[World, World]


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Pair]]:
    """A small and a large workspace of each shape, filled once."""
    shapes = {
        "one task": one_task,
        "many tasks": many_tasks,
        "mostly blocked": mostly_blocked,
        "idle between ready": idle_between_ready,
    }
    made: dict[str, list[World]] = {}
    with ExitStack() as stores:

        def pair(shape: str) -> Pair:
            if shape not in made:
                made[shape] = []
                for size in (SMALL, LARGE):
                    store = new_store("sqlite", tmp_path_factory.mktemp("cost"))
                    stores.enter_context(closing(store))
                    world = World(store)
                    shapes[shape](world, size)
                    made[shape].append(world)
            small, large = made[shape]
            return small, large

        yield pair


@pytest.mark.requirement("tasks.views.cost")
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("shape", ["one task", "many tasks"])
def test_a_call_costs_the_same_in_a_workspace_a_hundred_times_larger(
    pairs: Callable[[str], Pair], shape: str, name: str
) -> None:
    small, large = (work(world, CALLS[name]) for world in pairs(shape))

    assert large.statements == small.statements
    assert (large.scans, large.sorts) == (0, 0)
    assert large.instructions <= small.instructions * 1.5 + 100


@pytest.mark.requirement("tasks.views.cost")
@pytest.mark.parametrize("name", PLAN_CALLS)
def test_a_plan_s_views_cost_what_they_show(pairs: Callable[[str], Pair], name: str) -> None:
    small, large = (work(world, PLAN_CALLS[name]) for world in pairs("many tasks"))

    assert (large.scans, large.sorts) == (0, 0)
    assert large.statements <= small.statements * 1.5 + 10
    assert large.instructions <= small.instructions * 1.5 + 100


@pytest.mark.requirement("tasks.views.cost")
@pytest.mark.parametrize("name", ["radar of a task", "resume", "close"])
def test_thousands_of_blocked_steps_are_leapt_over(pairs: Callable[[str], Pair], name: str) -> None:
    small, large = (work(world, CALLS[name]) for world in pairs("mostly blocked"))

    assert large.statements == small.statements
    assert large.instructions <= small.instructions * 1.5 + 100


@pytest.mark.requirement("tasks.views.cost")
def test_the_radar_finds_its_target_at_once_among_many_tasks_that_wait(pairs: Callable[[str], Pair]) -> None:
    small, large = (work(world, CALLS["radar"]) for world in pairs("idle between ready"))

    assert large.statements <= small.statements * 1.5 + 10


@pytest.mark.requirement("tasks.views.cost")
@pytest.mark.parametrize("name", ["recent_of_root", "events_of_root"])
def test_the_log_of_one_task_is_read_by_its_own_index(one_world: World, name: str) -> None:
    assert isinstance(one_world.store, SqliteStore)
    statement = statements()[name]

    with one_world.store._connections.thread_connection() as connection:
        plan = connection.execute(f"EXPLAIN QUERY PLAN {statement}", [1, 1, 1, 1, "ta1"])
        assert all("events_of_root" in row[3] for row in plan)


@pytest.mark.requirement("tasks.views.cost")
def test_a_step_is_closed_for_the_same_at_any_place_of_a_large_task(one_world: World) -> None:
    one_task(one_world, LARGE)

    first, middle, last = (
        work(one_world, lambda world, path=path: close(world, path))  # type: ignore[misc]
        for path in ("s:0.s:0", "s:500.s:0", "s:999.s:1")
    )

    assert middle.statements <= first.statements
    assert last.statements <= first.statements
    assert (middle.scans, last.scans) == (0, 0)
