"""What a move costs: the store's work is counted, not the time."""

from contextlib import closing
from pathlib import Path

import pytest

from tests.givens import World, new_store
from tests.operations.test_tasks_cost import LARGE, SMALL, Work, one_task, work

_WAITING = 64 * 20
"""What rows that wait for the search index may cost in one task, and not in the other."""


@pytest.mark.requirement("crew.move.cost")
@pytest.mark.parametrize("parent", [None, "s:2"])
def test_a_move_and_its_undo_cost_the_same_in_a_small_and_in_a_large_task(
    tmp_path: Path, parent: str | None
) -> None:
    costs: list[tuple[Work, Work]] = []
    for size in (SMALL, LARGE):
        folder = tmp_path / str(size)
        folder.mkdir()
        with closing(new_store("sqlite", folder)) as store:
            world = World(store)
            one_task(world, size)
            world.ok("tasks_move", task="TASK-001", path="s:1", parent=parent)  # prepares the statements
            world.ok("tasks_undo")
            move = work(world, lambda it: it.ok("tasks_move", task="TASK-001", path="s:0", parent=parent))
            costs.append((move, work(world, lambda it: it.ok("tasks_undo"))))

    for small, large in zip(*costs, strict=True):
        assert large.statements == small.statements
        assert large.instructions <= 1.3 * small.instructions + _WAITING
