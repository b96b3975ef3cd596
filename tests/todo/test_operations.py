"""What each op does to a list, by all its names."""

from typing import Any

import pytest

from gatepost.todo import Status, TodoItem, TodoStore

ITEMS = [{"id": "t-1", "title": "Ship", "status": "done"}, {"id": "t-2", "title": "Test", "status": "in_progress"}]


def shown(store: TodoStore, scope: str = "main") -> list[tuple[str, str, str]]:
    """A list as plain values."""
    return [(item.id, item.title, item.status.value) for item in store.items(scope)]


def with_items(*more: dict[str, Any]) -> TodoStore:
    """A store that holds the two items at revision 1, and then took in more envelopes."""
    store = TodoStore()
    store.apply({"todo": {"op": "replace", "revision": 1, "items": ITEMS}})
    for envelope in more:
        store.apply({"todo": envelope})
    return store


@pytest.mark.requirement("stream.ops.replace", "stream.client.envelope")
@pytest.mark.parametrize("op", ["replace", "snapshot"])
def test_a_replace_puts_its_items_in_place_of_all_others(op: str) -> None:
    store = with_items({"op": op, "revision": 2, "items": [{"id": "t-9", "title": "New", "status": "blocked"}]})

    assert shown(store) == [("t-9", "New", "blocked")]


@pytest.mark.requirement("stream.ops.replace-order")
def test_a_replace_gives_its_own_order() -> None:
    store = with_items({"op": "replace", "revision": 2, "items": ITEMS[::-1]})

    assert [item.id for item in store.items()] == ["t-2", "t-1"]


@pytest.mark.requirement("stream.ops.clear")
@pytest.mark.parametrize("op", ["clear", "reset"])
def test_a_clear_empties_its_scope_and_no_other(op: str) -> None:
    store = with_items({"op": "replace", "revision": 1, "scopeKey": "other", "items": ITEMS})

    store.apply({"todo": {"op": op, "revision": 2}})

    assert shown(store) == []
    assert len(store.items("other")) == 2
    assert list(store.scopes) == ["main", "other"]


@pytest.mark.requirement("stream.client.empty-empties")
@pytest.mark.parametrize(
    "todo", [{"op": "replace", "revision": 2, "items": []}, {"op": "replace", "rev": 2, "todos": []}]
)
def test_an_empty_list_empties_the_scope(todo: dict[str, Any]) -> None:
    assert shown(with_items(todo)) == []


@pytest.mark.requirement("stream.client.empty-empties")
def test_an_empty_array_empties_a_scope_without_revisions() -> None:
    store = TodoStore()
    store.apply({"todo": ["one"]})

    store.apply({"todo": []})

    assert store.items() == ()


@pytest.mark.requirement("stream.ops.patch", "stream.client.field-aliases")
@pytest.mark.parametrize(
    "envelope",
    [
        {"op": "patch", "patches": [{"id": "t-2", "status": "done"}]},
        {"op": "update", "patches": {"todo_id": "t-2", "state": "done"}},
        {"op": "patch", "patch": {"todoId": "t-2", "status": "done"}},
        {"op": "patch", "patch": [{"id": "t-2", "status": "done"}]},
        {"op": "patch", "id": "t-2", "patch": {"status": "done"}},
        {"op": "patch", "id": "t-2", "status": "done"},
        {"op": "update", "item": {"id": "t-2", "status": "done"}},
    ],
)
def test_a_patch_changes_the_named_fields_and_no_others(envelope: dict[str, Any]) -> None:
    store = with_items({**envelope, "revision": 2})

    assert shown(store) == [("t-1", "Ship", "done"), ("t-2", "Test", "done")]
    assert store.scopes["main"].revision == 2


@pytest.mark.requirement("stream.ops.patch-unknown-id")
def test_a_patch_of_an_unknown_id_adds_nothing_and_uses_its_revision() -> None:
    store = with_items({"op": "patch", "revision": 2, "patches": [{"id": "t-9", "title": "Ghost"}]})

    assert [item.id for item in store.items()] == ["t-1", "t-2"]
    assert store.scopes["main"].revision == 2


@pytest.mark.requirement("stream.ops.upsert", "stream.client.field-aliases")
@pytest.mark.parametrize(
    "envelope",
    [
        {"op": "upsert", "item": {"id": "t-3", "title": "Write", "status": "todo"}},
        {"op": "add", "todo": {"id": "t-3", "content": "Write"}},
        {"op": "upsert", "id": "t-3", "text": "Write", "status": "todo"},
        {"op": "add", "items": [{"id": "t-3", "title": "Write"}]},
    ],
)
def test_an_upsert_of_a_new_id_goes_to_the_end(envelope: dict[str, Any]) -> None:
    store = with_items({**envelope, "revision": 2})

    assert shown(store)[2:] == [("t-3", "Write", "todo")]
    assert store.items()[2].extra == ()


@pytest.mark.requirement("stream.ops.upsert")
@pytest.mark.parametrize("op", ["upsert", "add"])
def test_an_upsert_of_a_known_id_updates_it_where_it_stands(op: str) -> None:
    store = with_items({"op": op, "revision": 2, "item": {"id": "t-1", "status": "blocked"}})

    assert shown(store) == [("t-1", "Ship", "blocked"), ("t-2", "Test", "in_progress")]


@pytest.mark.requirement("stream.client.position")
@pytest.mark.parametrize(("position", "order"), [(0, "312"), (1, "132"), (2, "123"), (99, "123"), (-1, "312")])
@pytest.mark.parametrize("beside", [True, False])
def test_an_upsert_comes_in_at_its_position(position: int, order: str, beside: bool) -> None:
    item: dict[str, Any] = {"id": "t-3", "title": "Write"}
    where = {"position": position}

    store = with_items(
        {"op": "upsert", "revision": 2, "item": item if beside else item | where} | (where if beside else {})
    )

    assert [item.id for item in store.items()] == [f"t-{each}" for each in order]


@pytest.mark.requirement("stream.client.position")
def test_an_upsert_with_a_position_moves_an_item_that_is_there() -> None:
    store = with_items({"op": "upsert", "revision": 2, "item": {"id": "t-2", "position": 0}})

    assert [item.id for item in store.items()] == ["t-2", "t-1"]


@pytest.mark.requirement("stream.ops.delete")
@pytest.mark.parametrize("op", ["delete", "remove"])
@pytest.mark.parametrize(
    "named",
    [
        {"ids": ["t-1"]},
        {"ids": "t-1"},
        {"id": "t-1"},
        {"todo_id": "t-1"},
        {"todoId": "t-1"},
        {"item": {"id": "t-1"}},
    ],
)
def test_a_delete_drops_the_named_items(op: str, named: dict[str, Any]) -> None:
    store = with_items({"op": op, "revision": 2, **named})

    assert [item.id for item in store.items()] == ["t-2"]


def test_a_delete_of_several_and_unknown_ids_drops_those_that_are_there() -> None:
    assert shown(with_items({"op": "delete", "revision": 2, "ids": ["t-2", "t-9", "t-1"]})) == []


@pytest.mark.requirement("stream.client.array")
@pytest.mark.parametrize(
    "wrap", [lambda todo: {"todo": todo}, lambda todo: {"type": "x", "payload": {"todo": todo}}]
)
def test_a_bare_array_is_a_snapshot(wrap: Any) -> None:
    store = TodoStore()
    store.apply(wrap([{"id": "old", "title": "Old"}]))

    store.apply(wrap(ITEMS))

    assert [item.id for item in store.items()] == ["t-1", "t-2"]
    assert store.scopes["main"].revision is None


@pytest.mark.requirement("stream.client.field-aliases")
@pytest.mark.parametrize("lists", ["items", "todos"])
@pytest.mark.parametrize("title", ["title", "content", "text"])
@pytest.mark.parametrize("status", ["status", "state"])
@pytest.mark.parametrize("id_", ["id", "todo_id", "todoId"])
@pytest.mark.parametrize("revision", ["revision", "rev", "seq", "version"])
def test_every_alias_of_a_field_is_understood(lists: str, title: str, status: str, id_: str, revision: str) -> None:
    store = TodoStore()

    store.apply({"todo": {"op": "replace", revision: 7, lists: [{id_: "a", title: "A", status: "done"}]}})

    assert store.items() == (TodoItem(id="a", title="A", status=Status.DONE),)
    assert store.scopes["main"].revision == 7


SPELLINGS = [
    *[(text, "todo") for text in ("pending", "TODO", "someday", "", "🙂")],
    *[
        (text, "in_progress")
        for text in ("in-progress", "In Progress", "IN_PROGRESS", " in  progress ", "inProgress")
    ],
    *[(text, "done") for text in ("completed", "Complete", "DONE")],
    *[(text, "canceled") for text in ("cancelled", "Canceled")],
    ("BLOCKED", "blocked"),
]


@pytest.mark.requirement("stream.client.status-spellings", "stream.client.unknown-status")
@pytest.mark.parametrize(("spelling", "status"), SPELLINGS)
@pytest.mark.parametrize(
    "envelope",
    [
        {"op": "replace", "items": [{"id": "t-2", "title": "Test", "status": ...}]},
        {"op": "patch", "patches": [{"id": "t-2", "status": ...}]},
        {"op": "upsert", "item": {"id": "t-2", "status": ...}},
        {"op": "add", "id": "t-2", "status": ...},
    ],
)
def test_the_usual_spellings_of_a_status_are_understood_in_every_op(
    envelope: dict[str, Any], spelling: str, status: str
) -> None:
    filled = {key: _spelt(held, spelling) for key, held in envelope.items()}

    store = with_items({**filled, "revision": 2})

    assert {item.id: item.status.value for item in store.items()}["t-2"] == status


def _spelt(held: Any, spelling: str) -> Any:
    if isinstance(held, list):
        return [_spelt(each, spelling) for each in held]
    if isinstance(held, dict):
        return {key: _spelt(each, spelling) for key, each in held.items()}
    return spelling if held is ... else held


@pytest.mark.requirement("stream.ops.replace-without-ids", "stream.client.missing-ids")
def test_items_without_ids_keep_the_ones_they_are_given_in_any_order() -> None:
    store = TodoStore()
    store.apply({"todo": [{"title": "Run"}, {"title": "Fix"}, {"title": "Run"}, "Rest"]})
    first = {(item.title, item.id) for item in store.items()}

    store.apply({"todo": ["Rest", {"title": "Run", "status": "done"}, {"title": "Run"}, {"title": "Fix"}]})

    assert [item.title for item in store.items()] == ["Rest", "Run", "Run", "Fix"]
    assert {(item.title, item.id) for item in store.items()} == first
    assert len({item.id for item in store.items()}) == 4


@pytest.mark.requirement("stream.client.missing-ids")
def test_a_given_id_can_be_patched_and_deleted() -> None:
    store = TodoStore()
    store.apply({"todo": {"op": "replace", "items": [{"title": "Run"}, {"title": "Fix"}]}})
    run, fix = store.items()

    store.apply({"todo": {"op": "patch", "patches": [{"id": run.id, "status": "done"}]}})
    store.apply({"todo": {"op": "delete", "ids": [fix.id]}})

    assert shown(store) == [(run.id, "Run", "done")]


def test_of_two_items_with_one_id_the_later_stands_in_the_earlier_s_place() -> None:
    store = TodoStore()

    store.apply({"todo": [{"id": 1, "title": "A"}, {"id": "2", "title": "B"}, {"id": "1", "title": "C"}]})

    assert shown(store) == [("1", "C", "todo"), ("2", "B", "todo")]


@pytest.mark.requirement("stream.client.unknown-op")
@pytest.mark.parametrize("op", ["move", "", 5, "replace-all", ["replace"]])
def test_an_unknown_op_is_counted_and_uses_up_no_revision(op: object) -> None:
    store = with_items({"op": op, "revision": 2, "items": [], "id": "t-1", "title": "X"})
    before = shown(store)

    store.apply({"todo": {"op": "delete", "revision": 2, "ids": ["t-1"]}})

    assert len(before) == 2
    assert store.ignored == 1
    assert [item.id for item in store.items()] == ["t-2"]


@pytest.mark.parametrize(
    "envelope",
    [
        {"op": "replace"},
        {"op": "replace", "items": None},
        {"op": "replace", "items": {"id": "x"}},
        {"op": "patch", "patches": [{"status": "done"}]},
        {"op": "patch", "patches": [{"status": "done"}, None, 7.5]},
        {"op": "upsert", "item": {"status": "done"}},
        {"op": "delete"},
        {"op": "delete", "ids": [None, ""]},
    ],
)
def test_an_op_that_lacks_what_it_needs_changes_nothing_and_is_counted(envelope: dict[str, Any]) -> None:
    store = with_items({**envelope, "revision": 2})

    assert shown(store) == shown(with_items())
    assert store.scopes["main"].revision == 1
    assert store.ignored == 1


JUNK: list[Any] = [None, 7.5, [], {}, {"status": "done"}, {"title": " "}, True]


@pytest.mark.requirement("stream.client.junk")
@pytest.mark.parametrize(
    ("told", "left"),
    [
        ({"op": "patch", "patches": [*JUNK, {"id": "t-2", "status": "done"}]}, ["t-1", "t-2"]),
        ({"op": "delete", "ids": ["t-1", *JUNK]}, ["t-2"]),
        ({"op": "upsert", "items": [JUNK[0], {"id": "t-3", "title": "New"}, *JUNK[1:]]}, ["t-1", "t-2", "t-3"]),
        ({"op": "replace", "items": [*JUNK, {"id": "t-2", "title": "Add tests"}]}, ["t-2"]),
    ],
)
def test_an_update_with_junk_in_it_is_taken_without_the_junk_which_is_counted(
    told: dict[str, Any], left: list[str]
) -> None:
    store = with_items({**told, "revision": 2})

    assert [item.id for item in store.items()] == left
    assert store.scopes["main"].revision == 2
    assert store.ignored == len(JUNK)
    assert not store.needs_snapshot()


@pytest.mark.requirement("stream.client.unknown-fields")
def test_unknown_fields_change_nothing_at_any_level() -> None:
    odd = {"glow": True, "deep": {"op": "clear"}, "more": [1, {"id": "t-1"}]}
    store = TodoStore()

    store.apply(
        {
            **odd,
            "payload": {
                **odd,
                "todo": {**odd, "op": "replace", "revision": 1, "items": [odd | each for each in ITEMS]},
            },
        }
    )
    store.apply(
        {"todo": {**odd, "op": "patch", "revision": 2, "patches": [{**odd, "id": "t-2", "status": "done"}]}}
    )

    assert store.items() == with_items({"op": "patch", "revision": 2, "id": "t-2", "status": "done"}).items()
    assert store.ignored == 0
    assert store.items()[0].extra == (("glow", True),)


def test_what_items_gave_does_not_change_with_the_list() -> None:
    given = [{"id": "a", "title": "A", "tag": "x"}]
    store = TodoStore()
    store.apply({"todo": given})
    before = store.items()

    given[0]["title"] = "changed behind the store's back"
    store.apply({"todo": {"op": "upsert", "id": "a", "status": "done"}})

    assert before == (TodoItem(id="a", title="A"),)
    assert store.items() == (TodoItem(id="a", title="A", status=Status.DONE),)
    assert hash(before)
