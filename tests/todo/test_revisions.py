"""Revisions: what is old, what is missing, and when a list is right again."""

from typing import Any

import pytest

from gatepost.todo import Outcome, TodoStore


def at(revision: int, *ids: str, scope: str = "main") -> TodoStore:
    """A store whose list stands at a revision."""
    store = TodoStore()
    store.apply(replace(revision, *ids, scope=scope))
    return store


def replace(revision: int | None, *ids: str, scope: str = "main") -> dict[str, Any]:
    """A snapshot."""
    items = [{"id": each, "title": each} for each in ids]
    envelope = {"op": "replace", "scopeKey": scope, "items": items}
    return {"todo": envelope if revision is None else envelope | {"revision": revision}}


def add(revision: int | None, id_: str, scope: str = "main") -> dict[str, Any]:
    """A delta."""
    return {"todo": {"op": "upsert", "revision": revision, "scopeKey": scope, "item": {"id": id_, "title": id_}}}


def ids(store: TodoStore, scope: str = "main") -> str:
    """A list by its ids."""
    return "".join(item.id for item in store.items(scope))


DELTAS: list[dict[str, Any]] = [
    {"op": "patch", "id": "a", "status": "done"},
    {"op": "upsert", "item": {"id": "z", "title": "z"}},
    {"op": "delete", "ids": ["a"]},
]


@pytest.mark.requirement("stream.revision.not-newer-ignored")
@pytest.mark.parametrize("revision", [5, 4, 0, -1])
@pytest.mark.parametrize("change", [*DELTAS, {"op": "clear"}, {"op": "replace", "items": []}])
def test_an_update_that_is_not_newer_changes_nothing(revision: int, change: dict[str, Any]) -> None:
    store = at(5, "a", "b")
    before = store.items()

    outcome = store.apply({"todo": {**change, "revision": revision, "scopeLabel": "Old name"}})

    assert outcome is Outcome.OLD
    assert not outcome
    assert store.items() == before
    assert store.scopes["main"].revision == 5
    assert store.scopes["main"].label == "main"
    assert not store.needs_snapshot()


@pytest.mark.requirement("stream.revision.scopes-apart")
def test_a_revision_of_one_scope_has_no_bearing_on_another() -> None:
    store = at(50, "a", scope="lane-a")

    store.apply(replace(3, "b", scope="lane-b"))
    store.apply(add(4, "c", scope="lane-b"))

    assert ids(store, "lane-b") == "bc"
    assert [scope.revision for scope in store.scopes.values()] == [50, 4]


@pytest.mark.requirement("stream.revision.unversioned-ignored")
@pytest.mark.parametrize("fallback", [{"todo": []}, {"todo": {"op": "clear"}}, add(None, "z"), replace(None, "z")])
def test_an_unversioned_update_is_ignored_once_a_revision_was_shown(fallback: dict[str, Any]) -> None:
    store = at(1, "a")

    assert store.apply(fallback) is Outcome.OLD
    assert ids(store) == "a"


@pytest.mark.requirement("stream.revision.unversioned-ignored")
def test_a_revision_that_was_shown_but_not_used_rules_out_unversioned_updates_too() -> None:
    store = TodoStore()
    store.apply(add(9, "z"))

    store.apply(replace(None, "stale"))

    assert store.items() == ()
    assert store.needs_snapshot("main")


@pytest.mark.requirement("stream.revision.unversioned-until-then")
def test_unversioned_updates_are_applied_as_long_as_no_revision_was_shown() -> None:
    store = TodoStore()

    taken = [
        store.apply(each) for each in (replace(None, "a"), add(None, "b"), {"todo": {"op": "delete", "id": "a"}})
    ]

    assert all(taken)
    assert ids(store) == "b"
    assert store.scopes["main"].revision is None


@pytest.mark.parametrize("revision", ["7", True, 1.5, None, [7], 10**400, float("nan")])
def test_a_revision_that_is_no_whole_number_counts_as_none(revision: object) -> None:
    store = TodoStore()

    store.apply({"todo": {"op": "replace", "revision": revision, "items": ["a"]}})

    assert store.scopes["main"].revision is None
    assert len(store.items()) == 1


def test_a_whole_number_with_a_decimal_point_is_a_revision() -> None:
    store = at(3, "a")

    store.apply({"todo": {"op": "upsert", "revision": 4.0, "id": "b", "title": "b"}})

    assert ids(store) == "ab"
    assert store.scopes["main"].revision == 4


@pytest.mark.requirement("stream.revision.gap-asks", "stream.revision.gap-uses-none")
@pytest.mark.parametrize("delta", DELTAS)
def test_a_delta_behind_a_gap_is_not_applied_and_uses_up_no_revision(delta: dict[str, Any]) -> None:
    store = at(5, "a", "b")

    outcome = store.apply({"todo": {**delta, "revision": 7}})

    assert outcome is Outcome.GAP
    assert ids(store) == "ab"
    assert store.scopes["main"].revision == 5
    assert store.needs_snapshot("main")
    assert store.scopes["main"].needs_snapshot
    assert store.ignored == 0
    assert store.apply(add(6, "c"))
    assert ids(store) == "abc"


@pytest.mark.requirement("stream.revision.gap-asks")
def test_a_scope_that_begins_in_the_middle_asks_for_a_snapshot() -> None:
    store = TodoStore()

    store.apply(add(4, "d"))

    assert store.items() == ()
    assert store.needs_snapshot("main")
    assert store.scopes["main"].revision is None


def test_a_scope_may_begin_with_its_first_delta() -> None:
    store = TodoStore()

    store.apply(add(1, "a"))

    assert ids(store) == "a"
    assert not store.needs_snapshot("main")


@pytest.mark.requirement("stream.revision.may-jump")
@pytest.mark.parametrize(
    ("whole", "left"), [(replace(40, "x"), "x"), ({"todo": {"op": "clear", "revision": 40}}, "")]
)
@pytest.mark.parametrize("gap", [True, False])
def test_replace_and_clear_jump_over_a_gap_and_end_the_need_for_a_snapshot(
    whole: dict[str, Any], left: str, gap: bool
) -> None:
    store = at(5, "a")
    if gap:
        store.apply(add(9, "z"))

    store.apply(whole)

    assert ids(store) == left
    assert store.scopes["main"].revision == 40
    assert not store.needs_snapshot()
    assert store.apply(add(41, "y"))


def test_the_need_for_a_snapshot_ends_when_all_that_was_missed_has_come() -> None:
    store = at(1, "a")
    store.apply(add(3, "c"))

    store.apply(add(2, "b"))
    still_behind = store.needs_snapshot("main")
    store.apply(add(3, "c"))

    assert still_behind
    assert not store.needs_snapshot("main")
    assert ids(store) == "abc"


@pytest.mark.parametrize("whole", [replace(7, "x"), {"todo": {"op": "clear", "revision": 7}}])
def test_any_newer_replace_or_clear_ends_the_need_for_a_snapshot(whole: dict[str, Any]) -> None:
    store = at(5, "a")
    store.apply(add(9, "z"))

    store.apply(whole)

    assert not store.needs_snapshot("main")
    assert store.apply(add(9, "z")) is Outcome.GAP


def test_an_unknown_scope_needs_no_snapshot() -> None:
    assert not TodoStore().needs_snapshot("TASK-001")
    assert not TodoStore().needs_snapshot()
