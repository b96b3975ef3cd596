"""Replies are typed: no field hides its shape, and the published schemas describe what is sent."""

from types import UnionType
from typing import Any, get_args

import msgspec
import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it comes without types
from msgspec import inspect, structs

from gatepost.domain.events import EVENTS
from gatepost.operations.catalog import BY_NAME, OPERATIONS
from gatepost.operations.registry import Operation
from gatepost.replies.events import LoggedEvent
from gatepost.wire.reply_schemas import output_schema
from tests.givens import CONFIRMED, World, memory_store
from tests.operations.calls import ASKED, GOOD, ready

FREE = {
    ("RootDetail", "contract_data"),
    ("ContractChanged", "contract_data"),
    ("PastOperation", "contract_data_before"),
    ("SuggestedCall", "arguments"),
    ("FieldChange", "before"),
    ("FieldChange", "after"),
    ("ChangedField", "before"),
    ("ChangedField", "after"),
    ("PastValue", "value"),
    ("Batched", "results"),
}
"""What holds any JSON: what users wrote, the arguments of a call, and the replies of other calls."""

READS = [
    operation
    for operation in OPERATIONS
    if not operation.writes and not operation.files and operation.name != "workspace_digest_scan"
]


def test_no_reply_has_a_field_without_a_shape_but_for_free_json() -> None:
    opaque: set[tuple[str, str]] = set()
    seen: set[type] = set()
    for operation in OPERATIONS:
        walk(inspect.type_info(operation.reply), ("", ""), opaque, seen)

    assert opaque == FREE


def walk(kind: inspect.Type, where: tuple[str, str], opaque: set[tuple[str, str]], seen: set[type]) -> None:
    match kind:
        case inspect.AnyType():
            opaque.add(where)
        case inspect.Metadata(type=inner) | inspect.DictType(value_type=inner):
            walk(inner, where, opaque, seen)
        case inspect.VarTupleType(item_type=inner) | inspect.ListType(item_type=inner):
            walk(inner, where, opaque, seen)
        case inspect.UnionType(types=members):
            for member in members:
                walk(member, where, opaque, seen)
        case inspect.StructType(cls=struct, fields=fields) if struct not in seen:
            seen.add(struct)
            for field in fields:
                walk(field.type, (struct.__name__, field.encode_name), opaque, seen)


def test_no_two_objects_in_replies_share_a_name() -> None:
    seen: set[type] = set()
    for operation in OPERATIONS:
        walk(inspect.type_info(operation.reply), ("", ""), set(), seen)

    names = [struct.__name__ for struct in seen]
    assert sorted(names) == sorted(set(names))


def test_a_logged_event_has_the_fields_of_every_type_of_event() -> None:
    known = {field.encode_name: field.type for field in structs.fields(LoggedEvent)}

    for event in EVENTS:
        for field in structs.fields(event):
            types = set(get_args(field.type)) if isinstance(field.type, UnionType) else {field.type}
            shown = known[field.encode_name]
            assert types <= {*get_args(shown), shown}, (event, field.name)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_an_operation_answers_with_the_reply_that_its_command_names(operation: Operation) -> None:
    if not operation.files:
        returned = operation.handler.__annotations__["return"]
        assert operation.reply in (returned, *get_args(returned), *map(one, get_args(returned)))


def one(kind: Any) -> Any:
    return next(iter(get_args(kind)), None)


@pytest.fixture(scope="module")
def validators() -> dict[str, Draft202012Validator]:
    return {
        operation.name: Draft202012Validator(closed(output_schema(operation.reply))) for operation in OPERATIONS
    }


def closed(schema: Any) -> Any:
    """A schema that refuses fields it does not name, so that none is left undescribed."""
    if isinstance(schema, dict):
        shut = {"additionalProperties": False} if "properties" in schema and "type" in schema else {}
        return {name: closed(value) for name, value in schema.items()} | shut
    return [closed(item) for item in schema] if isinstance(schema, list) else schema


def test_replies_fit_their_schemas_and_types_at_every_budget(validators: dict[str, Draft202012Validator]) -> None:
    world = World(memory_store())

    def check(tool: str, **arguments: Any) -> None:
        reply = world.ok(tool, **arguments)
        validators[tool].validate(reply)
        msgspec.convert(reply, BY_NAME[tool].reply)

    ready(world)
    furnished(world)
    for operation in READS:
        arguments = ASKED.get(operation.name, {})
        budgets = (512, 640, 900, 2_000) if "max_chars" in operation.command.__struct_fields__ else ()
        targets = ({}, {"task": "TASK-001"}, {"plan": "PLAN-001"}) if targeted(operation) else ({},)
        for target in targets:
            check(operation.name, **arguments, **target)
            for budget in budgets:
                if operation.name != "recall_mind":
                    check(operation.name, **arguments, **target, max_chars=budget)
    for tool, arguments in GOOD.items():
        answered = world.ask(tool, **arguments)
        if answered.refusal is None:
            reply = msgspec.json.decode(answered.text)
            validators[tool].validate(reply)
            msgspec.convert(reply, BY_NAME[tool].reply)


def targeted(operation: Operation) -> bool:
    return {"task", "plan"} <= set(operation.command.__struct_fields__) and operation.name != "tasks_tree"


def furnished(world: World) -> None:
    """Something in every corner that a reply can show."""
    long = "A long sentence about the wall. " * 12
    world.ok("tasks_edit", task="TASK-001", description=long, tags=["x"])
    world.ok("tasks_contract", plan="PLAN-001", current=long, contract_data={"a": [1, {"b": long}]})
    world.ok("tasks_plan", plan="PLAN-001", steps=[long, "Go"])
    waiting = world.task("wall", plan="PLAN-001", depends_on=["TASK-001"], description=long)
    steps = [{"title": f"wall {n}", "criteria": [long], "tests": ["t"], "blockers": ["rain"]} for n in range(5)]
    busy = world.ok("tasks_create", kind="task", title="Busy", plan="PLAN-001", steps=steps)["id"]
    world.close(busy, "s:0")
    world.ok("tasks_block", task=busy, path="s:1", reason=long)
    world.ok("tasks_progress", task=busy, path="s:2", completed=True, force=True, reason=long)
    world.ok("tasks_evidence_capture", task=busy, items=[{"kind": "note", "content": long}], checkpoints=["perf"])
    world.ok("clear_mind", reminder_content=long, task=busy)
    world.ok("tasks_verify", task=waiting, path="s:0", checkpoints=CONFIRMED)
