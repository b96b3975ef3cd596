"""What holds for every stream: nothing raises, a repeat is no news, and any road leads to the same lists."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatepost.todo import Outcome, TodoStore

FIELDS = st.sampled_from(
    [
        *(
            "op",
            "revision",
            "rev",
            "seq",
            "items",
            "todos",
            "item",
            "todo",
            "patches",
            "patch",
            "ids",
            "id",
            "todo_id",
        ),
        *("title", "content", "status", "state", "position", "scopeKey", "scope", "scopeLabel", "lane_id"),
        *("payload", "type", "tool", "result", "arguments", "__proto__"),
    ]
)
WORDS = st.sampled_from(
    [
        *("replace", "snapshot", "clear", "patch", "upsert", "add", "delete", "remove", "move"),
        *("main", "tool_result", "todo_write", "t-1", "done", "__proto__"),
    ]
)
# Lone surrogates and all: JSON can carry them.
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(), max_size=6)
    | WORDS
    | st.integers(0, 4)
)
JSON = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(FIELDS | st.text(max_size=3), inner, max_size=6)
        | st.fixed_dictionaries({"todo": inner})
        | st.fixed_dictionaries(
            {"op": WORDS}, optional={"items": inner, "id": inner, "item": inner, "revision": inner}
        )
    ),
    max_leaves=24,
)


@given(st.lists(JSON, max_size=6))
def test_no_json_whatever_makes_apply_raise_or_leaves_a_list_broken(stream: list[object]) -> None:
    store = TodoStore()

    for each in stream:
        outcome = store.apply(each)
        assert isinstance(outcome, Outcome)

    for key, scope in store.scopes.items():
        items = store.items(key)
        assert len({item.id for item in items}) == len(items) == scope.counts.total
        assert all(item.id.strip() for item in items)


class Liar:
    """Says it is a dict, and fails at everything."""

    @property  # type: ignore[misc]  # that is the lie
    def __class__(self) -> type:
        raise RuntimeError("no class")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no comparing")

    def __hash__(self) -> int:
        return hash("todo")


class Trap(dict[Any, Any]):
    """A dict whose every method fails."""

    def get(self, *_: object) -> Any:
        raise RuntimeError("no get")

    __getitem__ = __iter__ = __contains__ = items = keys = get


class Slippery(str):
    """A text that will not be handled."""

    __slots__ = ()

    def strip(self, *_: object) -> str:
        raise RuntimeError("no strip")

    casefold = isspace = encode = __str__ = strip  # type: ignore[assignment]  # all of them fail


CIRCLE: dict[str, Any] = {"op": "replace"}
CIRCLE.update(todo=CIRCLE, payload=CIRCLE, items=[CIRCLE])
DEEP: list[Any] = []
for _ in range(100_000):
    DEEP = [DEEP]


ODD: list[Callable[[], object]] = [  # made late: pytest itself trips over some of them
    Liar,
    lambda: {Liar(): 1, "x": Liar()},
    lambda: {"todo": Liar()},
    lambda: {"todo": {"op": Liar(), "items": Liar()}},
    lambda: {"todo": {"op": "replace", "items": [Liar(), {"id": Liar(), "title": Liar(), "status": Liar()}]}},
    lambda: {"todo": {"op": "upsert", "id": "a", "revision": Liar(), "scope": Liar(), "x": Liar()}},
    lambda: {"todo": {"op": "patch", "id": 10**5000, "title": "x"}},
    lambda: Trap(todo=[1]),
    lambda: {"todo": Trap(op="replace", items=[Trap(id="a")])},
    lambda: {"todo": [Slippery("a"), {"title": Slippery("b"), "status": Slippery("done")}]},
    lambda: {"todo": {"op": Slippery("clear"), "scopeKey": Slippery("a"), "scopeLabel": Slippery("b")}},
    lambda: {"todo": ["half a pair: \ud800"]},
    lambda: CIRCLE,
    lambda: DEEP,
    lambda: {"todo": DEEP},
    object,
    lambda: b"{}",
    lambda: {1, 2},
]


@pytest.mark.parametrize("odd", ODD)
def test_no_object_whatever_makes_apply_raise(odd: Callable[[], object]) -> None:
    assert isinstance(TodoStore().apply(odd()), Outcome)


IDS = st.sampled_from("abcde")
STATUSES = st.sampled_from(["todo", "in_progress", "done", "blocked", "canceled"])
ITEM = st.fixed_dictionaries({"id": IDS, "title": st.text(max_size=3), "status": STATUSES})
ITEMS = st.lists(ITEM, max_size=5, unique_by=lambda item: item["id"])
CHANGES = st.one_of(
    st.builds(lambda items: {"op": "replace", "items": items}, ITEMS),
    st.just({"op": "clear"}),
    st.builds(lambda id_, status: {"op": "patch", "patches": [{"id": id_, "status": status}]}, IDS, STATUSES),
    st.builds(lambda item: {"op": "upsert", "item": item}, ITEM),
    st.builds(lambda item, at: {"op": "upsert", "item": item, "position": at}, ITEM, st.integers(0, 5)),
    st.builds(lambda ids: {"op": "delete", "ids": ids}, st.lists(IDS, max_size=3)),
)
HISTORIES = st.lists(st.tuples(st.sampled_from(["x", "y"]), CHANGES), max_size=20)
Row = dict[str, Any]
Lists = dict[str, list[Row]]


def after(rows: list[Row], change: dict[str, Any]) -> list[Row]:
    """The naive model: a list of rows, made anew for each change."""
    match change["op"]:
        case "replace":
            return list(change["items"])
        case "clear":
            return []
        case "patch":
            (patch,) = change["patches"]
            return [{**each, **patch} if each["id"] == patch["id"] else each for each in rows]
        case "delete":
            return [each for each in rows if each["id"] not in change["ids"]]
    item = change["item"]
    place = [at for at, each in enumerate(rows) if each["id"] == item["id"]]
    others = [each for each in rows if each["id"] != item["id"]]
    at = change.get("position", place[0] if place else len(rows))
    return [*others[:at], item, *others[at:]]


def emitted(history: list[tuple[str, dict[str, Any]]]) -> tuple[list[dict[str, Any]], list[Lists], dict[str, int]]:
    """What a server sends for a history, its lists before and after each event, and its last revisions."""
    lists: Lists = {"x": [], "y": []}
    revisions = {"x": 0, "y": 0}
    events, states = [], [dict(lists)]
    for scope, change in history:
        revisions[scope] += 1
        lists[scope] = after(lists[scope], change)
        events.append({"payload": {"todo": {**change, "scopeKey": scope, "revision": revisions[scope]}}})
        states.append(dict(lists))
    return events, states, revisions


def held(store: TodoStore) -> Lists:
    """A store's lists as the model keeps them."""
    return {
        key: [{"id": item.id, "title": item.title, "status": item.status.value} for item in store.items(key)]
        for key in ("x", "y")
    }


@given(HISTORIES)
def test_the_lists_follow_a_naive_model_event_by_event(history: list[tuple[str, dict[str, Any]]]) -> None:
    events, states, _ = emitted(history)
    store = TodoStore()

    for event, state in zip(events, states[1:], strict=True):
        assert store.apply(event)
        assert held(store) == state


@given(HISTORIES, st.data())
def test_duplicates_are_no_news(history: list[tuple[str, dict[str, Any]]], data: st.DataObject) -> None:
    events, states, _ = emitted(history)
    store = TodoStore()

    for at, event in enumerate(events):
        store.apply(event)
        again = data.draw(st.integers(0, at))
        assert store.apply(events[again]) is Outcome.OLD

    assert held(store) == states[-1]


@given(HISTORIES, st.data())
def test_losses_duplicates_and_mixing_of_scopes_converge_after_one_snapshot_for_each_scope(
    history: list[tuple[str, dict[str, Any]]], data: st.DataObject
) -> None:
    events, states, revisions = emitted(history)
    store = TodoStore()
    lossy = data.draw(st.lists(st.sampled_from(events), max_size=30)) if events else []

    for event in lossy:
        store.apply(event)
    lagging = [key for key in ("x", "y") if held(store)[key] != states[-1][key]]
    for key in data.draw(st.permutations(["x", "y"])):
        store.apply(
            {"todo": {"op": "replace", "scopeKey": key, "revision": revisions[key], "items": states[-1][key]}}
        )

    assert held(store) == states[-1]
    assert not any(store.needs_snapshot(key) for key in lagging)


@given(HISTORIES, st.data())
def test_a_list_without_a_need_for_a_snapshot_is_one_the_server_had(
    history: list[tuple[str, dict[str, Any]]], data: st.DataObject
) -> None:
    """Losing any events never leads to a list that was never true: at worst it is an older one."""
    events, states, _ = emitted(history)
    store = TodoStore()

    for event in data.draw(st.lists(st.sampled_from(events), max_size=30)) if events else []:
        store.apply(event)

    for key, lists in held(store).items():
        assert lists in [state[key] for state in states]


def test_scopes_beyond_the_bound_take_the_place_of_empty_ones_only() -> None:
    store = TodoStore(most_scopes=3)
    for key in ("a", "b", "c"):
        store.apply({"todo": {"op": "replace", "revision": 1, "scope": key, "items": [key]}})
    store.apply({"todo": {"op": "clear", "revision": 2, "scope": "b"}})

    taken = [
        store.apply({"todo": {"op": "replace", "revision": 1, "scope": key, "items": [key]}}) for key in ("d", "e")
    ]

    assert taken == [Outcome.TAKEN, Outcome.IGNORED]
    assert list(store.scopes) == ["a", "c", "d"]
    assert store.ignored == 1


def test_an_update_beyond_the_bound_of_characters_is_passed_over_and_the_list_known_to_lag() -> None:
    store = TodoStore(most_characters=1_000)
    store.apply({"todo": {"op": "replace", "revision": 1, "items": [{"id": "a", "title": "x" * 800}]}})

    big = store.apply({"todo": {"op": "upsert", "revision": 2, "item": {"id": "b", "title": "y" * 300}}})
    behind = store.needs_snapshot("main")
    same_size = store.apply({"todo": {"op": "replace", "revision": 3, "items": [{"id": "c", "title": "z" * 800}]}})

    assert (big, behind, same_size) == (Outcome.IGNORED, True, Outcome.TAKEN)
    assert not store.needs_snapshot()
    assert [item.id for item in store.items()] == ["c"]


@given(st.lists(CHANGES, max_size=30))
def test_room_is_given_back_in_full(changes: list[dict[str, Any]]) -> None:
    store = TodoStore()

    for change in changes:
        store.apply({"todo": change})
        assert store._weight == sum(item.weight for item in store.items())


def test_many_threads_lose_no_item() -> None:
    store = TodoStore()
    start = threading.Barrier(8)

    def feed(thread: int) -> None:
        start.wait()
        for at in range(200):
            store.apply({"todo": {"op": "add", "id": f"{thread}-{at}", "title": "x"}})
            assert store.scopes["main"].counts.total >= at
            assert store.items()

    threads = [threading.Thread(target=feed, args=(each,)) for each in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(30)

    assert len(store.items()) == 1_600
