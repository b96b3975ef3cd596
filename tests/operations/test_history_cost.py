"""What reads of history cost: the store's work is counted, not the time."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing

import pytest

from tests.givens import World, new_store
from tests.operations.test_tasks_cost import work

SMALL, LARGE = 100, 3_000


def busy(world: World, size: int) -> None:
    """A task with a little history between much that happened to others, before and after."""
    plan = world.plan()
    mine = world.task("a", "b", plan=plan)
    others(world, size)
    world.ok("tasks_edit", task=mine, title="Two")
    world.close(mine, "s:0")
    world.ok("tasks_edit", task=mine, title="Three")
    others(world, size)
    world.task("last")


def others(world: World, size: int) -> None:
    """So many calls, each an operation of its own."""
    other = world.task("x", "y")
    for start in range(0, size, 100):
        calls = [
            {"tool": "tasks_edit", "arguments": {"task": other, "title": f"{number}"}}
            for number in range(start, start + 100)
        ]
        world.ok("tasks_batch", operations=calls, atomic=False)


Pair = tuple[World, World]


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    with ExitStack() as stores:
        worlds = []
        for size in (SMALL, LARGE):
            store = new_store("sqlite", tmp_path_factory.mktemp("cost"))
            stores.enter_context(closing(store))
            world = World(store)
            busy(world, size)
            worlds.append(world)
        yield worlds[0], worlds[1]


READS: dict[str, Callable[[World], object]] = {
    "an operation": lambda world: world.ok("tasks_history", operation=1),
    "blame": lambda world: world.ok("tasks_history", task="TASK-001", field="title"),
    "blame of all": lambda world: world.ok("tasks_history", task="TASK-001", path="s:0", field="*"),
    "diff of a task": lambda world: world.ok("tasks_diff", **{"from": 0}, task="TASK-001"),
    "diff of a plan": lambda world: world.ok("tasks_diff", **{"from": 0}, plan="PLAN-001"),
    "diff of the last call": lambda world: world.ok(
        "tasks_diff", **{"from": world.ok("tasks_history", limit=2)["operations"][1]["operation"]}
    ),
    "away": lambda world: world.ok(
        "tasks_away", since=world.ok("tasks_history", limit=2)["operations"][1]["operation"]
    ),
}


@pytest.mark.requirement("history.reads.cost")
@pytest.mark.parametrize("name", READS)
def test_a_read_of_history_costs_the_same_in_a_log_thirty_times_longer(pair: Pair, name: str) -> None:
    small, large = (work(world, READS[name]) for world in pair)

    assert large.statements == small.statements
    assert (large.scans, large.sorts) == (small.scans, 0)
    assert large.instructions <= small.instructions * 1.5 + 100


@pytest.mark.requirement("history.reads.cost")
def test_a_time_is_found_by_halves(pair: Pair) -> None:
    small, large = (
        work(world, lambda world: world.ok("tasks_delta", since="2026-01-01T00:00:30Z", limit=1)) for world in pair
    )

    assert small.statements <= 20
    assert large.statements <= small.statements + 8


@pytest.mark.requirement("history.reads.cost")
def test_a_page_of_a_busy_log_looks_at_a_bounded_part_of_it(pair: Pair) -> None:
    _, large = pair

    page = work(large, lambda world: world.ok("tasks_diff", **{"from": 0}))

    assert page.statements <= 7_000
    assert large.ok("tasks_diff", **{"from": 0})["has_more"] is True
