"""The published schemas: written where readers look for them, valid, and saying what the contract says."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it comes without types
from referencing import Registry, Resource

from docs.todo_contracts import EVENT, OPS, TODO, TOOL_CALL, TOOL_RESULT, contracts
from gatepost.views.session_events import PROTOCOL_VERSION
from tests.views.bridge_contract import complaints

PUBLISHED = Path(__file__).parents[2] / "docs/contracts"
HEAD = {"revision": 1, "scopeKey": "main", "scopeLabel": "main"}
ITEM = {"id": "t-1", "title": "Ship contract", "status": "done"}
EXAMPLES: list[Any] = [
    [],
    [{"title": "Run tests", "status": "in_progress"}],
    {"op": "replace", "revision": 12, "scopeKey": "main", "scopeLabel": "main", "items": [ITEM]},
    {"op": "replace", "revision": 5, "scopeKey": "lane-a", "items": [{"title": "Run tests", "status": "todo"}]},
    {"op": "patch", "revision": 6, "scopeKey": "lane-a", "patches": [{"id": "t-2", "status": "done"}]},
    {"op": "delete", "revision": 7, "scopeKey": "lane-a", "ids": ["t-2"]},
    {"op": "clear", "one_day": {"more": True}},
]

PAYLOADS: dict[str, dict[str, Any]] = {
    "tool_call": {"call_id": "c1", "tool": "todo_write", "call": {"id": "c1", "name": "todo_write"}},
    "tool_result": {"call_id": "c1", "tool": "todo_write", "status": "ok", "error": False},
}


def valid(name: str, value: Any, part: str = "") -> bool:
    found = contracts()
    registry: Registry[Any] = Registry().with_resources(
        (key, Resource.from_contents(schema)) for key, schema in found.items()
    )
    return bool(Draft202012Validator({"$ref": name + part}, registry=registry).is_valid(value))


def event(kind: str, payload: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": "7",
        "seq": 7,
        "type": kind,
        "session_id": "main",
        "turn": None,
        "timestamp_ms": 1,
        "timestamp": 1,
        "payload": payload,
        "protocol_version": "1.0",
    }


@pytest.mark.requirement("stream.schema.todo-exported")
def test_the_files_hold_what_the_code_says() -> None:
    held = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in PUBLISHED.glob("*.schema.json")}

    assert held == contracts()
    assert TODO in held


@pytest.mark.parametrize("name", [EVENT, TOOL_CALL, TOOL_RESULT, TODO])
def test_every_schema_is_a_schema(name: str) -> None:
    Draft202012Validator.check_schema(contracts()[name])


@pytest.mark.requirement("stream.schema.tool-events-refer", "stream.todo.on-tool-events")
@pytest.mark.parametrize(("name", "kind"), [(TOOL_CALL, "tool_call"), (TOOL_RESULT, "tool_result")])
def test_tool_events_carry_a_todo_that_the_todo_schema_judges(name: str, kind: str) -> None:
    payload = PAYLOADS[kind]

    assert contracts()[name]["properties"]["todo"] == {"$ref": TODO}
    assert valid(EVENT, event(kind, payload | {"todo": {"op": "clear", **HEAD}}))
    assert not valid(EVENT, event(kind, payload | {"todo": {"op": "sideways", **HEAD}}))


@pytest.mark.requirement("stream.todo.additive")
@pytest.mark.parametrize("kind", ["tool_call", "tool_result", "turn_start"])
def test_an_event_without_a_todo_is_a_valid_session_event(kind: str) -> None:
    assert valid(EVENT, event(kind, PAYLOADS.get(kind, {})))


@pytest.mark.parametrize("field", sorted(event("tool_call", {})))
def test_a_session_event_that_lacks_a_field_is_none(field: str) -> None:
    lacking = event("turn_start", {})
    del lacking[field]

    assert not valid(EVENT, lacking)


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_the_todo_schema_takes_what_the_contract_gives_as_examples(example: Any) -> None:
    assert valid(TODO, example)


@pytest.mark.parametrize("op", [name for pair in OPS.items() for name in pair])
def test_the_todo_schema_knows_every_op_by_both_its_names(op: str) -> None:
    assert valid(TODO, {"op": op, **HEAD})


@pytest.mark.parametrize(
    "wrong",
    [
        [ITEM],
        {"op": "clear", "revision": 1, "scopeKey": "main"},
        {"op": "clear", **HEAD, "scopeKey": "__proto__"},
        {"op": "clear", **HEAD, "revision": "1"},
        {"op": "reset", **HEAD},
        {"op": "replace", **HEAD, "items": []},
        {"op": "replace", **HEAD, "items": [ITEM | {"id": "todo-1"}]},
        {"op": "replace", **HEAD, "items": [ITEM | {"status": "pending"}]},
        {"op": "upsert", **HEAD, "item": {"id": "a"}},
        {"op": "patch", **HEAD, "patches": [{"id": "a"}]},
    ],
    ids=str,
)
def test_what_is_sent_is_held_to_more_than_what_is_taken(wrong: Any) -> None:
    assert not valid(TODO, wrong, "#/$defs/emitted")
    assert valid(TODO, {"op": "replace", **HEAD, "items": [ITEM]}, "#/$defs/emitted")


def test_every_status_of_the_contract_may_be_sent() -> None:
    statuses = contracts()[TODO]["$defs"]["status"]["enum"]

    assert statuses == ["todo", "in_progress", "done", "blocked", "canceled"]
    assert PROTOCOL_VERSION == "1.0"


@pytest.mark.requirement("stream.event.contract-fields")
@pytest.mark.parametrize(
    ("kind", "field"), [("tool_call", "call"), ("tool_result", "status"), ("tool_result", "error")]
)
def test_a_tool_event_without_what_the_contract_asks_for_is_refused(kind: str, field: str) -> None:
    whole = event(kind, PAYLOADS[kind])
    without = event(kind, {name: value for name, value in PAYLOADS[kind].items() if name != field})

    assert valid(EVENT, whole)
    assert complaints(whole) == []
    assert not valid(EVENT, without)
    assert complaints(without)
