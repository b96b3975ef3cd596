"""Random walks: states that calls lead to, and calls of every operation that fit, nearly fit or do not."""

import random
from collections.abc import Iterator
from typing import Any

from msgspec import inspect

from gatepost.operations.catalog import OPERATIONS
from gatepost.operations.registry import Operation
from tests.givens import CONFIRMED, World
from tests.operations.calls import ASKED, GOOD, HOLDER, ready

Call = tuple[str, dict[str, Any]]
SECRET = "".join(("gh", "p_16C7e42F292c6912E7710c838347Ae178B4a"))

_CONFIRMED_ALL = {name: {"confirmed": True} for name in ("criteria", "tests", "security", "perf", "docs")}
_TREE = [{"title": "Branch", "criteria": ["It holds."], "steps": [{"title": "Leaf", "required": ["docs"]}]}]
_POOL: dict[str, list[Any]] = {
    "task": ["TASK-001", "TASK-002", "TASK-003", "TASK-004", "PLAN-001", "TASK-999"],
    "plan": ["PLAN-001", "PLAN-002", "PLAN-999"],
    "path": ["s:0", "s:1", "s:0.s:0", "s:0.t:0", "s:7"],
    "parent_step": ["s:0", "s:1", "s:7"],
    "expected_revision": [0, 1, 2, 3, 99],
    "expected_step_revision": [1, 2, 99],
    "checkpoints": [
        CONFIRMED,
        _CONFIRMED_ALL,
        {"criteria": {"confirmed": False}},
        {"tests": {"confirmed": True}},
        {},
    ],
    "steps": [[{"title": "One"}, {"title": "Two"}], _TREE, [{"titel": "One"}], []],
    "title": ["Another", "x" * 301, ""],
    "description": ["So that it stands."],
    "kind": ["plan", "task"],
    "status": ["TODO", "ACTIVE", "DONE"],
    "depends_on": [["TASK-001"], ["TASK-002"], ["PLAN-001"], ["TASK-999"]],
    "current": [0, 1, 9],
    "limit": [1, 50, 0],
    "max_chars": [512, 700, 1],
    "cursor": ["nowhere"],
    "text": ["dig"],
    "taskdoc": ["garden", "orchard", "none"],
    "selector": ["goals", "progress", "sideways"],
    "content": ["Roses by June.", "", "password = 'hunter2hunter2hunter2'", SECRET],
    "session": ["main", "garden", "no such/name"],
    "holder": [HOLDER, "other"],
    "name": ["orchard", "garden", "Not A Name"],
    "template": ["bugfix", "bugfx"],
    "note": ["Mind the wet end.", SECRET],
    "reason": ["The supplier has not answered."],
    "answer": ["They have now."],
    "ask": ["Which bulbs?"],
    "options": [["Tulips", "Roses"], []],
    "for": ["human", "agent:gardener", "nobody"],
    "pattern": ["*", "(", "plan.tsk/**"],
    "source": ["a.txt", "none.txt"],
    "target": ["b.txt", "plan.tsk"],
    "since": [0, 5, 9_999],
    "operation": [1, 5, 999],
}
_FILE_PATHS = ["a.txt", "none.txt", "plan.tsk/goals.md", "../out", "."]
_BATCHES: list[list[dict[str, Any]]] = [
    [{"tool": "tasks_radar", "arguments": {}}, {"tool": "tasks_lint", "arguments": {}}],
    [{"tool": "tasks_done", "arguments": {"task": "TASK-001", "path": "s:0"}}],
    [{"tool": "tasks_handoff", "arguments": {"plan": "PLAN-001"}}],
    [{"tool": "tasks_undo", "arguments": {}}],
    [{"tool": "tasks_nothing", "arguments": {}}],
    [
        {"tool": "tasks_decompose", "arguments": {"task": "TASK-001", "steps": [{"title": f"s{n}" * 40}]}}
        for n in range(90)
    ],
]


def state(world: World, seed: int) -> World:
    """A world in which much has happened, by chance, but for each number always the same."""
    chance = random.Random(seed)
    if seed == 0:
        return world
    ready(world)
    world.files.write("a.txt", "One line.\n")
    world.ok("tasks_create", kind="task", title="In the plan", plan="PLAN-001", steps=_TREE)
    world.ok("tasks_edit", task="TASK-002", depends_on=["TASK-001"])
    world.ok("tasks_plan", plan="PLAN-001", steps=["Pack", "Go"])
    world.ok("tasks_focus_clear")
    told = world.task("Blocked", "Done", "Open")
    world.ok("tasks_block", task=told, path="s:0", reason="The supplier has not answered.")
    world.close(told, "s:1")
    world.plan(title="At the end of its tasks")
    world.ok("tasks_plan", plan="PLAN-002", steps=["Sweep up"])
    for _ in range(40 * (seed - 1)):
        operation = chance.choice([found for found in OPERATIONS if found.writes and not found.files])
        if operation.name not in ("tasks_delete", "session_close") or chance.random() < 0.1:
            world.ask(operation.name, **_arguments(operation, world, chance))
    return world


def calls(world: World, seed: int, each: int) -> Iterator[Call]:
    """Several calls of every operation, and some of operations that do not exist."""
    chance = random.Random(seed)
    for operation in OPERATIONS:
        for turn in range(each):
            given = GOOD.get(operation.name, ASKED.get(operation.name, {})) if turn == 0 else None
            yield operation.name, _arguments(operation, world, chance) if given is None else given
        yield operation.name, {"no_such_field": 1}
    for name in ("tasks_raddar", "close", "zzz"):
        yield name, {}
    yield from TELLING
    for step_id in _step_ids(world)[:1]:
        yield "tasks_resume", {"task": "TASK-001", "path": "s:7", "step_id": step_id}


TELLING: tuple[Call, ...] = (
    ("tasks_close_step", {"task": "TASK-005", "path": "s:0", "checkpoints": CONFIRMED}),
    ("tasks_define", {"task": "TASK-005", "path": "s:1", "criteria": ["Otherwise."]}),
    ("tasks_close_step", {"task": "TASK-005", "path": "s:2", "checkpoints": {"criteria": {"confirmed": True}}}),
    ("tasks_complete", {"task": "TASK-005"}),
    ("tasks_complete", {"task": "PLAN-002"}),
    ("tasks_delete", {"task": "TASK-001"}),
    ("tasks_redo", {"task": "TASK-005"}),
    ("tasks_note", {"task": "TASK-005", "note": SECRET}),
    ("tasks_resume", {"task": "TASK-005", "path": "s:0", "step_id": "STEP-00000000"}),
    ("tasks_edit", {"task": "TASK-001", "depends_on": ["TASK-002"]}),
    ("recall_mind", {"taskdoc": "none"}),
    ("taskdoc_create", {"name": "garden"}),
)
"""Calls that are refused by a rule of their own in every state but the first."""


def _arguments(operation: Operation, world: World, chance: random.Random) -> dict[str, Any]:
    steps = _step_ids(world)
    given: dict[str, Any] = {}
    known = GOOD.get(operation.name) or ASKED.get(operation.name) or {}
    kinds = inspect.type_info(operation.command)
    assert isinstance(kinds, inspect.StructType)
    for field in kinds.fields:
        name = field.encode_name
        if name == "workspace" or not (field.required or chance.random() < 0.4):
            continue
        if name == "operations":
            given[name] = chance.choice(_BATCHES)
        elif name == "path" and operation.files:
            given[name] = chance.choice(_FILE_PATHS)
        elif name == "step_id":
            given[name] = chance.choice([*steps, "STEP-00000000"])
        elif name in known and chance.random() < 0.5:
            given[name] = known[name]
        else:
            given[name] = chance.choice(_POOL.get(name) or [_plain(field.type)])
    return given


def _step_ids(world: World) -> list[str]:
    found = world.ask("tasks_mirror", task="TASK-001", limit=200)
    if found.refusal is not None:
        return []
    rows = world.ok("tasks_mirror", task="TASK-001", limit=200)["items"]
    return [row["step_id"] for row in rows][:3]


def _plain(kind: inspect.Type) -> Any:
    """Some value of a type."""
    while isinstance(kind, inspect.Metadata):
        kind = kind.type
    if isinstance(kind, inspect.UnionType):
        return _plain(kind.types[0])
    if isinstance(kind, inspect.LiteralType):
        return kind.values[0]
    plain: tuple[tuple[type, Any], ...]
    plain = ((inspect.BoolType, True), (inspect.IntType, 1), (inspect.StrType, "x"), (inspect.VarTupleType, []))
    return next((value for sort, value in plain if isinstance(kind, sort)), {})
