"""What a store tells of the past, against all rows of its log."""

from collections.abc import Iterator

import pytest

from gatepost.domain import places
from gatepost.engine.port import StoreSnapshot
from gatepost.engine.rows import LAST_PLACE
from tests.engine.histories import tell
from tests.givens import World


@pytest.fixture
def told(world: World) -> Iterator[StoreSnapshot]:
    """A store with some history, a task that was moved and one that was deleted."""
    tell(world)
    world.plan(title="Another plan")
    world.ok("tasks_move", task=world.task("a", plan="PLAN-001"), plan="PLAN-002")
    world.ok("tasks_delete", task=world.task("b", plan="PLAN-001"))
    with world.store.reading(world.workspace) as snapshot:
        yield snapshot


def moments(snapshot: StoreSnapshot) -> list[int]:
    return [0, *(row[0] for row in snapshot.rows("operations"))]


def test_what_changed_in_a_task_is_what_its_first_images_since_say(told: StoreSnapshot) -> None:
    roots = ["pa1", "ta1", "ta2", "ta9"]

    for moment in moments(told):
        first: dict[str, str | None] = {}
        for place, operation, before, _ in told.rows("images"):
            if operation > moment and places.in_tree(place) and places.root_of(place) in roots:
                first.setdefault(place, before)
        assert told.texts_before(roots, moment) == first


def test_the_places_of_a_range_that_changed_are_those_with_an_image_since(told: StoreSnapshot) -> None:
    for first, end in (places.all_named(places.TASKDOC), ("f", "g"), ("", LAST_PLACE)):
        for moment in moments(told):
            found = {row[0] for row in told.rows("images") if row[1] > moment and first <= row[0] < end}
            assert told.changed_places(first, end, moment) == sorted(found)


def test_the_roots_that_changed_are_those_that_the_log_since_is_about(told: StoreSnapshot) -> None:
    for moment in moments(told):
        found = {root for _, operation, _, _, root, *_ in told.rows("events") if operation > moment and root}
        assert told.changed_roots(moment) == sorted(root for root in found if places.in_tree(root))


def test_tasks_that_left_a_plan_are_found_until_they_were_there(told: StoreSnapshot) -> None:
    *_, moved, deleted = sorted(told.left_plan("PLAN-001", 0))
    last = moments(told)[-1]

    assert places.root_id(moved) < places.root_id(deleted)
    assert told.left_plan("PLAN-001", last) == []
    assert told.left_plan("PLAN-002", 0) == []


def test_a_revision_is_the_last_one_that_was_given_by_then(told: StoreSnapshot) -> None:
    wanted = sorted({row[0] for row in told.rows("touches")} | {"ta99"})

    for moment in moments(told):
        given = {place: revision for place, operation, revision in told.rows("touches") if operation <= moment}
        assert told.revisions(wanted, moment) == given


def test_the_log_ends_with_a_seq(told: StoreSnapshot) -> None:
    for upto in range(told.head().seq + 2):
        assert [row.seq for row in told.events(0, 1_000, None, upto=upto)] == list(
            range(1, min(upto, told.head().seq) + 1)
        )
        for root in ("pa1", "ta1"):
            newest = told.events(0, 1_000, root, newest=True, upto=upto)
            assert newest == [row for row in told.events(0, 1_000, root, newest=True) if row.seq <= upto]
            assert told.notes(10, root, upto=upto) == [row for row in told.notes(10, root) if row.seq <= upto]
        pieces = [row for row in told.artifacts("ta1.sa0", 10) if row.seq <= upto]
        assert told.artifacts("ta1.sa0", 10, upto=upto) == pieces
        assert told.evidence_counts(["ta1.sa0"], 10, upto=upto) == ({"ta1.sa0": len(pieces)} if pieces else {})
