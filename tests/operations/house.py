"""A house to move the steps of, and how it looks then."""

from typing import Any, Final

from gatepost.engine import doctor
from tests.givens import World

TREE: Final[list[dict[str, Any]]] = [
    {"title": "walls", "steps": [{"title": "bricks", "steps": [{"title": "clay"}]}, {"title": "mortar"}]},
    {"title": "roof"},
]


def built(world: World) -> World:
    """TASK-001: walls (s:0), in it bricks (s:0.s:0), in those clay; mortar (s:0.s:1); roof (s:1)."""
    world.ok("tasks_create", kind="task", title="A house", steps=TREE)
    return world


def tree(world: World) -> dict[str, str]:
    """The titles of the task's steps by path."""
    rows = world.ok("tasks_mirror", task="TASK-001", limit=200)["items"]
    return {row["path"]: row["title"] for row in rows}


def ids(world: World) -> dict[str, str]:
    """The ids of the task's steps by title."""
    rows = world.ok("tasks_mirror", task="TASK-001", limit=200)["items"]
    return {row["title"]: row["step_id"] for row in rows}


def healthy(world: World) -> bool:
    return doctor.examine(world.store, world.workspace).findings == []


def proofs(step: dict[str, Any]) -> dict[str, str]:
    """What each confirmation of a step rests on."""
    return {mark["checkpoint"]: mark["provenance"] for mark in step["confirmed"]}


def batched(*moves: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"tool": "tasks_move", "arguments": {"task": "TASK-001", **given}} for given in moves]
