"""Places: one sortable address for everything, whose order is the tree's."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatepost.domain import places

ORDINALS = st.one_of(st.integers(0, 12), st.integers(95, 105), st.integers(0, 999_999_999))
STEPS = st.lists(ORDINALS, min_size=1, max_size=places.MAX_DEPTH)


def path_of_steps(ordinals: list[int]) -> str:
    return ".".join(f"s:{ordinal}" for ordinal in ordinals)


def place_of(task: int, ordinals: list[int]) -> str:
    place = places.root(places.TASK, task)
    for ordinal in ordinals:
        place = places.child(place, places.STEP, ordinal)
    return place


@given(task=st.integers(1, 10**9), ordinals=STEPS)
def test_a_path_becomes_a_place_and_comes_back_as_the_same_path(task: int, ordinals: list[int]) -> None:
    path = path_of_steps(ordinals)

    place = places.at_path(places.root(places.TASK, task), path)

    assert place == place_of(task, ordinals)
    assert places.path_of(place) == path
    assert places.depth(place) == len(ordinals)


@settings(max_examples=200)
@given(st.lists(st.tuples(st.integers(1, 2000), STEPS), min_size=2, max_size=20))
def test_the_order_of_keys_is_the_order_of_the_tree(nodes: list[tuple[int, list[int]]]) -> None:
    in_tree_order = sorted(nodes)

    in_key_order = sorted(nodes, key=lambda node: place_of(*node))

    assert in_key_order == in_tree_order


@settings(max_examples=200)
@given(one=STEPS, other=STEPS)
def test_the_range_below_a_place_holds_its_descendants_and_nothing_else(one: list[int], other: list[int]) -> None:
    above, candidate = place_of(1, one), place_of(1, other)
    is_below = len(other) > len(one) and other[: len(one)] == one

    first, end = places.below(above)

    assert (first <= candidate < end) is is_below


@pytest.mark.parametrize(
    ("outside", "inside"),
    [("s:1", "s:1.s:0"), ("s:1", "s:1.t:0"), ("s:10", "s:10.s:999"), ("s:0.t:1", "s:0.t:1.s:0")],
)
def test_a_place_lies_outside_of_its_own_range_and_its_child_inside(outside: str, inside: str) -> None:
    root = places.root(places.TASK, 7)
    above, below = places.at_path(root, outside), places.at_path(root, inside)
    assert above is not None
    assert below is not None

    first, end = places.below(above)

    assert not first <= above < end
    assert first <= below < end


@given(task=st.integers(1, 10**9), ordinals=STEPS)
def test_what_is_above_a_place_is_each_shorter_path_and_last_the_task(task: int, ordinals: list[int]) -> None:
    place = place_of(task, ordinals)

    above = places.above(place)

    assert above == tuple(place_of(task, ordinals[:length]) for length in range(len(ordinals) - 1, -1, -1))
    assert places.root_of(place) == above[-1] == places.root(places.TASK, task)


@pytest.mark.parametrize(
    ("kind", "number", "name"),
    [
        (places.PLAN, 1, "PLAN-001"),
        (places.TASK, 1, "TASK-001"),
        (places.TASK, 999, "TASK-999"),
        (places.TASK, 1000, "TASK-1000"),
        (places.PLAN, 123_456, "PLAN-123456"),
    ],
)
def test_an_id_is_padded_to_three_digits_and_leads_back_to_its_place(kind: str, number: int, name: str) -> None:
    place = places.root(kind, number)

    assert places.root_id(place) == name
    assert places.root_id(places.child(place, places.STEP, 4)) == name
    assert places.of_id(name) == place


@pytest.mark.parametrize(
    "name", ["TASK-1", "TASK-01", "TASK-0001", "TASK-", "task-001", "STEP-001", "TASK-001\n", "PLAN-001.sa0"]
)
def test_what_is_not_an_id_has_no_place(name: str) -> None:
    place = places.of_id(name)

    assert place is None


def test_a_task_s_number_orders_tasks_past_nine_and_past_999() -> None:
    numbers = [1, 2, 9, 10, 11, 99, 100, 999, 1000, 10_000]

    keys = [places.root(places.TASK, number) for number in numbers]

    assert keys == sorted(keys)


def test_plans_come_before_tasks_and_the_kinds_are_told_apart() -> None:
    plan, task = places.root(places.PLAN, 10**6), places.root(places.TASK, 1)

    assert plan < task
    assert places.is_task(task)
    assert not places.is_task(plan)


@pytest.mark.parametrize("path", ["t:0", "s:0.t:0.t:1", ".".join(["s:0"] * 17)])
def test_a_path_that_no_tree_can_hold_has_no_place(path: str) -> None:
    place = places.at_path(places.root(places.TASK, 1), path)

    assert place is None


def test_the_deepest_path_has_a_place() -> None:
    path = ".".join(["s:0"] * places.MAX_DEPTH)

    place = places.at_path(places.root(places.TASK, 1), path)

    assert place is not None
    assert places.depth(place) == 16
