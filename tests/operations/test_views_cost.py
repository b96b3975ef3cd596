"""What handoff, context pack, mirror and lint cost: the store's work is counted, not the time."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing

import pytest

from gatepost.engine.rows import Clause, Range, Stored
from gatepost.storage.sqlite.transaction import SqliteTransaction
from tests.givens import CONFIRMED, World, new_store
from tests.operations.test_tasks_cost import many_tasks, mostly_blocked, one_task, to_all_but_three, work

SMALL, LARGE = 300, 3_000
"""Both are more than what is counted before counting stops."""


def long_log(world: World, size: int) -> None:
    """One small task that much was said of."""
    task = world.task("x", "y")
    world.close(task, "s:0")
    for start in range(0, size, 100):
        notes = [{"task": task, "note": f"note {number}"} for number in range(start, start + 100)]
        world.ok("tasks_batch", operations=[{"tool": "tasks_note", "arguments": note} for note in notes])


def all_closed(world: World, size: int) -> None:
    """One task in which nearly everything is done, by force."""
    one_task(world, size)
    to_all_but_three(world, size, "tasks_progress", completed=True, force=True, reason="seen")


def all_asking(world: World, size: int) -> None:
    """One task in which nearly every step waits for an answer."""
    one_task(world, size)
    to_all_but_three(world, size, "tasks_block", ask="Which one?")


def all_confirmed(world: World, size: int) -> None:
    """One task in which nearly every step waits for a person's signature."""
    one_task(world, size)
    world.ok("tasks_policy", signoff={"tests": "human"})
    to_all_but_three(world, size, "tasks_verify", checkpoints=CONFIRMED)


SHAPES = {
    "one task": one_task,
    "mostly blocked": mostly_blocked,
    "all closed": all_closed,
    "long log": long_log,
    "many tasks": many_tasks,
}
WAITING = {"all asking": all_asking, "all confirmed": all_confirmed}
Pair = tuple[World, World]


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Pair]]:
    """A small and a large workspace of each shape, filled once."""
    made: dict[str, Pair] = {}
    with ExitStack() as stores:

        def filled(shape: str, size: int) -> World:
            store = new_store("sqlite", tmp_path_factory.mktemp("cost"))
            stores.enter_context(closing(store))
            world = World(store)
            (SHAPES | WAITING)[shape](world, size)
            return world

        def pair(shape: str) -> Pair:
            if shape not in made:
                made[shape] = filled(shape, SMALL), filled(shape, LARGE)
            return made[shape]

        yield pair


@pytest.mark.requirement("tasks.views.cost-further")
@pytest.mark.parametrize("tool", ["tasks_handoff", "tasks_context_pack", "tasks_mirror", "tasks_lint"])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_view_costs_the_same_in_a_workspace_ten_times_larger(
    pairs: Callable[[str], Pair], shape: str, tool: str
) -> None:
    target = {"plan": "PLAN-001"} if shape == "many tasks" else {"task": "TASK-001"}

    small, large = (work(world, lambda world: world.ok(tool, **target)) for world in pairs(shape))

    assert large.statements <= small.statements * 1.1 + 2
    assert (large.scans, large.sorts) == (0, 0)
    assert large.instructions <= small.instructions * 1.5 + 100


@pytest.mark.requirement("tasks.views.cost-further")
@pytest.mark.parametrize("shape", [*SHAPES, *WAITING])
def test_the_inbox_costs_what_it_shows(pairs: Callable[[str], Pair], shape: str) -> None:
    small, large = (work(world, lambda world: world.ok("tasks_inbox", limit=20)) for world in pairs(shape))

    assert large.statements <= small.statements * 1.1 + 2
    assert (large.scans, large.sorts) == (0, 0)
    assert large.instructions <= small.instructions * 1.5 + 100


@pytest.mark.requirement("tasks.views.cost-further")
@pytest.mark.parametrize("shape", SHAPES)
def test_what_a_slice_costs_depends_on_its_limit_and_not_on_where_it_stands(
    pairs: Callable[[str], Pair], shape: str
) -> None:
    target = {"plan": "PLAN-001"} if shape == "many tasks" else {"task": "TASK-001"}
    _, large = pairs(shape)

    few = work(large, lambda world: world.ok("tasks_mirror", **target, limit=1))

    assert few.statements <= 10
    assert few.instructions <= 500


@pytest.mark.requirement("tasks.views.cost-further")
def test_a_list_of_tasks_is_loaded_in_one_round_trip(
    pairs: Callable[[str], Pair], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, large = pairs("many tasks")
    load, trips = SqliteTransaction.load, list[int]()

    def counted(snapshot: SqliteTransaction, places: Sequence[str]) -> dict[str, Stored]:
        trips.append(len(places))
        return load(snapshot, places)

    monkeypatch.setattr(SqliteTransaction, "load", counted)
    listed = large.ok("tasks_context", kind="task", limit=50)

    assert listed["has_more"]
    assert trips == [50]


@pytest.mark.requirement("tasks.views.cost-further")
@pytest.mark.parametrize(("tool", "trips"), [("tasks_handoff", 12), ("tasks_lint", 8)])
def test_the_tasks_of_a_plan_are_searched_in_one_round_trip_for_each_kind_of_finding(
    pairs: Callable[[str], Pair], monkeypatch: pytest.MonkeyPatch, tool: str, trips: int
) -> None:
    _, large = pairs("many tasks")
    postings, asked = SqliteTransaction.postings, list[int]()

    def counted(
        snapshot: SqliteTransaction, clauses: Sequence[Clause], ranges: Sequence[Range], limit: int
    ) -> list[str]:
        asked.append(len(ranges))
        return postings(snapshot, clauses, ranges, limit)

    monkeypatch.setattr(SqliteTransaction, "postings", counted)
    large.ok(tool, plan="PLAN-001")

    assert max(asked) == 50
    assert len(asked) <= trips
