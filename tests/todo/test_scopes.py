"""Which list an update goes to, and what is read out of an event at all."""

from typing import Any

import pytest

from gatepost.todo import ListCounts, Outcome, TodoStore

ORDER = (
    *(("todo", key) for key in ("scopeKey", "scope_key", "scope")),
    *(("payload", key) for key in ("scopeKey", "scope_key", "scope", "lane_id", "laneId")),
    *(("payload", key) for key in ("task_id", "taskId", "agent_id", "agentId")),
)


def event(kind: str, **payload: Any) -> dict[str, Any]:
    """A session event."""
    return {"id": "7", "seq": 7, "type": kind, "session_id": "s", "turn": 1, "timestamp_ms": 1, "payload": payload}


@pytest.mark.requirement("stream.scope.inference-order")
@pytest.mark.parametrize("first", range(len(ORDER)))
def test_the_scope_is_the_first_that_is_given_in_the_ruled_order(first: int) -> None:
    todo: dict[str, Any] = {"op": "replace", "revision": 1, "items": ["x"]}
    payload: dict[str, Any] = {"todo": todo}
    for at, (level, key) in enumerate(ORDER[first:]):
        (todo if level == "todo" else payload)[key] = f"scope-{at}"
    store = TodoStore()

    store.apply(event("tool_result", **payload))

    assert list(store.scopes) == ["scope-0"]


@pytest.mark.requirement("stream.scope.inference-order")
def test_an_array_s_scope_is_inferred_from_the_payload() -> None:
    store = TodoStore()

    store.apply(event("tool_result", lane_id="lane-a", todo=["x"]))

    assert list(store.scopes) == ["lane-a"]


@pytest.mark.requirement("stream.scope.main")
def test_without_any_sign_of_a_scope_it_is_main() -> None:
    store = TodoStore()

    store.apply(event("tool_result", todo={"op": "replace", "revision": 1, "items": ["x"]}))

    assert list(store.scopes) == ["main"]


BROKEN = ["", " ", "a b", "lane a", "feature/login", "ä", "a\n", "x" * 65, ["a"], {"key": "a"}, True, 1.5]
RESERVED = ["__proto__", "constructor", "prototype", "toString", "valueOf", "hasOwnProperty", "__defineGetter__"]
UPDATES: list[dict[str, Any]] = [
    {"op": "replace", "items": ["overwritten"]},
    {"op": "clear"},
    {"op": "patch", "id": "a", "status": "done"},
    {"op": "upsert", "item": {"id": "b", "title": "B"}},
    {"op": "delete", "ids": ["a"]},
]


@pytest.mark.requirement("stream.scope.form", "stream.scope.reserved", "stream.scope.unusable")
@pytest.mark.parametrize("key", BROKEN + RESERVED)
@pytest.mark.parametrize("update", UPDATES, ids=lambda update: update["op"])
@pytest.mark.parametrize(("level", "field"), [("todo", "scopeKey"), ("payload", "scope"), ("payload", "task_id")])
def test_an_update_under_an_unusable_key_touches_no_list_and_is_counted(
    key: object, update: dict[str, Any], level: str, field: str
) -> None:
    store = TodoStore()
    for scope in ("main", "agent-1"):
        known = {"op": "replace", "revision": 1, "scopeKey": scope, "items": [{"id": "a", "title": "A"}]}
        store.apply(event("x", todo=known))
    before = [(scope, store.items(scope.key)) for scope in store.scopes.values()]
    todo = {**update, "revision": 2, **({field: key} if level == "todo" else {})}

    outcome = store.apply(event("x", agent_id="agent-1", todo=todo, **({} if level == "todo" else {field: key})))

    assert outcome is Outcome.IGNORED
    assert [(scope, store.items(scope.key)) for scope in store.scopes.values()] == before
    assert store.ignored == 1


@pytest.mark.requirement("stream.scope.unusable")
@pytest.mark.parametrize("key", ["__proto__", "lane a"])
def test_a_bare_array_and_a_tool_s_own_list_under_an_unusable_key_touch_no_list(key: str) -> None:
    store = TodoStore()
    store.apply({"todo": ["kept"]})

    store.apply(event("tool_result", lane_id=key, todo=["x"]))
    store.apply(event("tool_result", lane_id=key, tool="todo_write", result={"items": ["x"]}))

    assert list(store.scopes) == ["main"]
    assert [item.title for item in store.items()] == ["kept"]
    assert store.ignored == 2


def test_a_key_that_is_null_counts_as_absent() -> None:
    store = TodoStore()

    store.apply(event("x", lane_id="lane-a", todo={"op": "clear", "revision": 1, "scopeKey": None}))

    assert list(store.scopes) == ["lane-a"]


@pytest.mark.parametrize("key", ["a", "x" * 64, "TASK-001", "mcp:session.1_-", "proto"])
def test_a_key_of_the_form_is_used(key: str) -> None:
    store = TodoStore()

    store.apply({"todo": {"op": "clear", "revision": 1, "scopeKey": key}})

    assert list(store.scopes) == [key]


@pytest.mark.requirement("stream.scope.label")
@pytest.mark.parametrize("name", ["scopeLabel", "scope_label"])
def test_a_scope_keeps_its_label_until_it_is_given_another(name: str) -> None:
    store = TodoStore()
    store.apply({"todo": {"op": "replace", "revision": 1, name: "Release", "items": ["x"]}})

    store.apply({"todo": {"op": "clear", "revision": 2}})
    kept = store.scopes["main"].label
    store.apply({"todo": {"op": "clear", "revision": 3, name: "Release 2"}})

    assert kept == "Release"
    assert store.scopes["main"].label == "Release 2"


def test_scopes_stand_in_the_order_of_first_sight_with_their_counts() -> None:
    store = TodoStore()
    for key in ("b", "a", "b"):
        store.apply({"todo": {"op": "add", "scope": key, "title": key + str(store.scopes), "status": "done"}})

    store.apply({"todo": {"op": "add", "scope": "a", "id": "n", "status": "blocked"}})

    assert list(store.scopes) == ["b", "a"]
    assert store.scopes["b"].counts == ListCounts(done=2)
    assert store.scopes["a"].counts == ListCounts(done=1, blocked=1)
    assert store.scopes["a"].counts.total == 2
    assert store.scopes["a"].label == "a"


@pytest.mark.requirement("stream.todo.on-tool-events")
@pytest.mark.parametrize("kind", ["tool_call", "tool_result", "something_new"])
def test_todo_is_read_from_any_event_that_carries_it(kind: str) -> None:
    store = TodoStore()

    assert store.apply(event(kind, tool="bash", todo={"op": "replace", "revision": 1, "items": ["x"]}))
    assert len(store.items()) == 1


def test_a_payload_and_a_bare_envelope_do_as_well_as_an_event() -> None:
    envelope = {"op": "upsert", "revision": 1, "todo": {"id": "a", "title": "A"}}
    stores = [TodoStore() for _ in range(3)]

    for store, given in zip(stores, (event("x", todo=envelope), {"todo": envelope}, envelope), strict=True):
        store.apply(given)

    assert {store.items()[0].title for store in stores} == {"A"}
    assert {store.scopes["main"].revision for store in stores} == {1}


def test_an_op_of_some_tool_s_own_is_not_taken_for_ours() -> None:
    store = TodoStore()
    store.apply({"todo": ["a"]})

    store.apply(event("tool_call", op="clear"))
    store.apply({"type": "tool_call", "op": "clear"})
    store.apply({"tool": "redis", "op": "clear"})

    assert len(store.items()) == 1
    assert store.ignored == 0


PROSE = "Plan:\n- [ ] write\n- [x] test\nTODO: ship"


@pytest.mark.requirement("stream.client.no-prose")
@pytest.mark.parametrize(
    "said",
    [
        event("assistant_message", text=PROSE, content=[{"type": "text", "text": PROSE}]),
        event("assistant_message", items=[{"title": "write"}], todos=["write"]),
        event("tool_result", tool="todo_write", result=PROSE),
        event("tool_result", tool="todo_write", result='{"items": ["write"]}'),
        event("tool_result", tool="bash", result={"items": ["write"]}),
        PROSE,
    ],
)
def test_no_item_is_made_out_of_prose(said: object) -> None:
    store = TodoStore()

    assert store.apply(said) is Outcome.NOTHING
    assert dict(store.scopes) == {}


@pytest.mark.requirement("stream.client.todo-preferred", "stream.client.tool-payload-fallback")
@pytest.mark.parametrize("carrier", ["result", "arguments"])
@pytest.mark.parametrize("tool", ["todo_write", "TodoWrite", "mcp__gatepost__todo_write"])
def test_a_todo_tool_s_list_is_read_only_where_todo_is_absent(carrier: str, tool: str) -> None:
    own = {"tool": tool, carrier: {"todos": [{"content": "from the tool", "status": "completed"}]}}
    preferred, fallen_back = TodoStore(), TodoStore()

    preferred.apply(event("tool_result", **own, todo=["from todo"]))
    fallen_back.apply(event("tool_result", **own))

    assert [item.title for item in preferred.items()] == ["from todo"]
    assert [(item.title, item.status.value) for item in fallen_back.items()] == [("from the tool", "done")]


@pytest.mark.requirement("stream.client.todo-preferred")
def test_a_todo_that_is_not_understood_does_not_fall_back() -> None:
    store = TodoStore()

    store.apply(event("tool_result", tool="todo_write", result={"items": ["x"]}, todo={"op": "move"}))

    assert dict(store.scopes) == {}
    assert store.ignored == 1


@pytest.mark.parametrize(
    "given",
    [
        event("tool_call", tool="todo_write", arguments={"items": ["x"]}),
        event("tool_result", tool="todo_write", arguments={"items": ["x"]}, error={"code": "INVALID_INPUT"}),
        event("tool_result", tool="todo_write", arguments={"items": ["x"]}, status="error"),
    ],
)
def test_a_call_not_yet_answered_or_refused_is_no_list(given: dict[str, Any]) -> None:
    store = TodoStore()

    store.apply(given)

    assert dict(store.scopes) == {}
