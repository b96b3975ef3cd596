"""Items that come without ids: they stay who they are, whatever the list was called by before."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatepost.todo import TodoItem, TodoStore

REAL = [{"id": "t-1", "title": "Run"}, {"id": "t-2", "title": "Fix"}, {"id": "t-3", "title": "Run"}]


def listed(*items: Any, store: TodoStore | None = None) -> TodoStore:
    """A store that was sent a whole list."""
    store = TodoStore() if store is None else store
    assert store.apply({"todo": {"op": "replace", "items": list(items)}})
    return store


def ids(store: TodoStore) -> list[str]:
    return [item.id for item in store.items()]


@pytest.mark.requirement("stream.client.missing-ids")
@pytest.mark.parametrize(
    ("titles", "expected"),
    [
        (["Run", "Fix", "Run"], ["t-1", "t-2", "t-3"]),
        (["Fix", "Run", "Run"], ["t-2", "t-1", "t-3"]),
        (["New", "Fix", "Run"], [None, "t-2", "t-3"]),  # the one that keeps its position
        (["Run", "Fix"], ["t-1", "t-2"]),
        (["Fix", "Run"], ["t-2", "t-1"]),  # neither does: the earlier one
        (["Run", "Run", "Run", "Fix"], ["t-1", None, "t-3", "t-2"]),
    ],
)
def test_a_real_id_is_kept_when_the_list_comes_again_without_ids(
    titles: list[str], expected: list[str | None]
) -> None:
    store = listed(*titles, store=listed(*REAL))

    assert [each if each.startswith("t-") else None for each in ids(store)] == expected
    assert len(set(ids(store))) == len(titles)


@pytest.mark.parametrize(
    ("told", "left"),
    [
        ({"op": "patch", "id": "t-2", "status": "done"}, {"t-1": "todo", "t-2": "done", "t-3": "todo"}),
        ({"op": "upsert", "id": "t-2", "status": "done"}, {"t-1": "todo", "t-2": "done", "t-3": "todo"}),
        ({"op": "delete", "ids": ["t-1"]}, {"t-2": "todo", "t-3": "todo"}),
    ],
)
def test_a_change_by_a_real_id_hits_after_the_list_came_without_ids(
    told: dict[str, Any], left: dict[str, str]
) -> None:
    store = listed("Run", "Fix", "Run", store=listed(*REAL))

    store.apply({"todo": told})

    assert {item.id: item.status.value for item in store.items()} == left


@pytest.mark.parametrize(
    ("told", "left"),
    [
        ({"op": "patch", "title": "Fix", "status": "done"}, {"t-1": "todo", "t-2": "done", "t-3": "todo"}),
        ({"op": "add", "title": "Run", "status": "done"}, {"t-1": "done", "t-2": "todo", "t-3": "todo"}),
        ({"op": "delete", "items": [{"title": "Run"}, {"title": "Run"}]}, {"t-2": "todo"}),
        (
            {"op": "patch", "patches": [{"id": "t-1", "title": "Rest"}, {"title": "Run", "status": "done"}]},
            {"t-1": "todo", "t-2": "todo", "t-3": "done"},
        ),
    ],
)
def test_a_change_without_an_id_is_for_the_item_of_that_title(told: dict[str, Any], left: dict[str, str]) -> None:
    store = listed(*REAL)

    store.apply({"todo": told})

    assert {item.id: item.status.value for item in store.items()} == left


def test_an_id_that_is_given_is_taken_from_whoever_would_have_kept_it() -> None:
    store = listed("Run", {"id": "t-1", "title": "Other"}, store=listed(*REAL))

    assert ids(store) == ["t-3", "t-1"]


TITLES = st.lists(st.sampled_from(["A", "B", "C"]), max_size=6)
ROWS = st.lists(
    st.tuples(st.sampled_from(["A", "B", "C"]), st.none() | st.sampled_from(["r-1", "r-2", "r-3"])), max_size=6
)


def rows(given_rows: list[tuple[str, str | None]]) -> list[dict[str, str]]:
    return [{"title": title} if name is None else {"title": title, "id": name} for title, name in given_rows]


def kept(before: tuple[TodoItem, ...], after: tuple[TodoItem, ...]) -> Counter[str]:
    known = {item.id: item.title for item in before}
    return Counter(item.title for item in after if known.get(item.id) == item.title)


@given(st.lists(ROWS, max_size=4), TITLES)
def test_as_many_items_as_can_be_keep_their_ids_and_none_gets_another_s(
    history: list[list[tuple[str, str | None]]], titles: list[str]
) -> None:
    store = TodoStore()
    for each in history:
        listed(*rows(each), store=store)
    before = store.items()

    after = listed(*titles, store=store).items()

    assert [item.title for item in after] == titles
    assert len({item.id for item in after}) == len(after)
    assert kept(before, after) == Counter(item.title for item in before) & Counter(titles)
    strangers = {item.id for item in before} & {item.id for item in after}
    assert len(strangers) == kept(before, after).total()


@given(st.lists(ROWS, max_size=4), TITLES, st.data())
def test_items_of_one_title_keep_their_order(
    history: list[list[tuple[str, str | None]]], titles: list[str], data: st.DataObject
) -> None:
    """And so a list that comes twice, or in another order, changes no id."""
    store = TodoStore()
    for each in history:
        listed(*rows(each), store=store)
    first = listed(*titles, store=store).items()

    again = listed(*data.draw(st.permutations(titles)), store=store).items()

    assert Counter((item.title, item.id) for item in again) == Counter((item.title, item.id) for item in first)
    for title in set(titles):
        assert [item.id for item in again if item.title == title] == [
            item.id for item in first if item.title == title
        ]


@given(st.lists(ROWS, max_size=5))
def test_two_clients_that_hear_the_same_have_the_same_ids(history: list[list[tuple[str, str | None]]]) -> None:
    one, other = TodoStore(), TodoStore()

    for each in history:
        listed(*rows(each), store=one)
        listed(*rows(each), store=other)

    assert one.items() == other.items()
