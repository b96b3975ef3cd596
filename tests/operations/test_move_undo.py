"""Undo and redo of moves, and several moves in one batch."""

from functools import partial

import pytest

from tests.engine import books
from tests.givens import World
from tests.operations.house import batched, built, healthy, ids, proofs, tree


@pytest.fixture
def house(world: World) -> World:
    return built(world)


@pytest.mark.requirement("crew.move.undo")
def test_undo_and_redo_put_a_step_back_and_there_again_with_its_ids(house: World) -> None:
    named, before = ids(house), tree(house)
    house.ok("tasks_move", task="TASK-001", path="s:0", parent="s:1")
    after = tree(house)

    for tool, expected in (("tasks_undo", before), ("tasks_redo", after), ("tasks_undo", before)):
        house.ok(tool)
        assert tree(house) == expected
        assert ids(house) == named
        house.ok("tasks_note", task="TASK-001", step_id=named["clay"], note="Still mine.")
        assert healthy(house)


def test_a_preview_of_the_undo_shows_each_path_before_and_after(house: World) -> None:
    house.ok("tasks_move", task="TASK-001", path="s:0.s:0", parent="s:1")
    before = house.everything()

    shown = house.ok("tasks_undo", apply=False)

    rows = [(row["where"], row["field"], row["before"], row["after"]) for row in shown["diff"]]
    assert rows == [
        ("TASK-001 s:1.s:0", "path", "s:1.s:0", "s:0.s:0"),
        ("TASK-001 s:1.s:0.s:0", "path", "s:1.s:0.s:0", "s:0.s:0.s:0"),
    ]
    assert house.everything() == before


def test_after_an_undo_the_path_between_leads_back(house: World) -> None:
    house.ok("tasks_move", task="TASK-001", path="s:0.s:0")
    house.ok("tasks_undo")

    assert house.no("UNKNOWN_ID", "tasks_resume", task="TASK-001", path="s:2")["moved"]["path"] == "s:0.s:0"


def test_undo_takes_an_open_step_back_below_a_parent_that_was_closed_since_and_reopens_it(house: World) -> None:
    house.ok("tasks_move", task="TASK-001", path="s:0.s:0")
    house.close("TASK-001", "s:0.s:1")
    house.close("TASK-001", "s:0")
    operation = next(
        row["operation"]
        for row in house.ok("tasks_history", task="TASK-001")["operations"]
        if row["tool"] == "tasks_move"
    )

    house.ok("tasks_undo", operation=operation)

    assert house.step("TASK-001", "s:0")["done"] is False


def test_what_is_added_below_a_moved_step_stands_in_the_way_of_the_undo(house: World) -> None:
    moved = house.ok("tasks_move", task="TASK-001", path="s:0.s:0")
    house.ok("tasks_decompose", task="TASK-001", path="s:2", steps=[{"title": "new"}])

    refused = house.no("UNDO_CONFLICT", "tasks_undo", operation=moved["events"][0]["seq"])

    assert "TASK-001 s:2.s:1" in refused["message"]


def test_the_refusal_names_the_later_move_that_is_in_the_way_and_no_other_call(house: World) -> None:
    moved = house.ok("tasks_move", task="TASK-001", path="s:0.s:0", parent="s:1")
    later = house.ok("tasks_move", task="TASK-001", path="s:1", parent="s:0")["events"][0]["seq"]
    house.ok("tasks_edit", task="TASK-001", title="Another title")

    refused = house.no("UNDO_CONFLICT", "tasks_undo", operation=moved["events"][0]["seq"])

    assert f"the newest first: Operation {later} (tasks_move)" in refused["recovery"]
    house.ok("tasks_undo", operation=later)
    house.ok("tasks_undo", operation=moved["events"][0]["seq"])


def test_what_a_step_was_before_its_move_is_not_undone_at_its_new_place(house: World) -> None:
    defined = house.ok("tasks_define", task="TASK-001", path="s:0.s:0", title="stones")
    house.ok("tasks_move", task="TASK-001", path="s:0.s:0")

    refused = house.no("UNDO_CONFLICT", "tasks_undo", operation=defined["events"][0]["seq"])

    assert "was moved to s:2" in refused["message"]
    assert "tasks_move" in refused["recovery"]


def test_a_step_that_is_moved_while_its_checks_run_is_proven_and_closed_where_it_is(house: World) -> None:
    house.ok("tasks_define", task="TASK-001", path="s:1", checks=[{"run": "true"}])
    house.checks.meanwhile = partial(house.ask, "tasks_move", task="TASK-001", path="s:1", parent="s:0")

    reply = house.ok(
        "tasks_close_step",
        task="TASK-001",
        path="s:1",
        run_checks=True,
        checkpoints={"criteria": {"confirmed": True}},
        expected_step_revision=2,
    )

    assert (reply["step"]["path"], reply["step"]["step_id"]) == ("s:0.s:2", ids(house)["roof"])
    step = house.step("TASK-001", "s:0.s:2")
    assert (step["done"], proofs(step)["tests"]) == (True, "machine")


@pytest.mark.requirement("crew.move.undo")
def test_what_a_check_proved_after_the_move_stays_when_the_move_is_undone(house: World) -> None:
    house.ok("tasks_define", task="TASK-001", path="s:1", checks=[{"run": "true"}])
    roof = ids(house)["roof"]
    house.ok("tasks_move", task="TASK-001", path="s:1", parent="s:0")
    assert house.ok("tasks_check", task="TASK-001", step_id=roof)["confirmed"] == ["tests"]

    house.ok("tasks_undo")

    step = house.ok("tasks_resume", task="TASK-001", step_id=roof)
    assert step["step"]["path"] == "s:1"
    assert proofs(step["step"]) == {"tests": "machine"}
    assert len(step["evidence"]) == 1
    assert healthy(house)


def test_several_moves_in_one_batch_are_one_operation_and_leave_no_trace_between(house: World) -> None:
    before = tree(house)
    made = {"tool": "tasks_decompose", "arguments": {"task": "TASK-001", "steps": [{"title": "new"}]}}
    define = {"tool": "tasks_define", "arguments": {"task": "TASK-001", "path": "s:1.s:1", "title": "tiles"}}
    calls = [
        *batched({"path": "s:0.s:0", "parent": "s:1"}, {"path": "s:0.s:1", "parent": "s:1"}),
        define,
        *batched({"path": "s:1.s:0", "parent": "s:1.s:1"}),
        made,
        *batched({"path": "s:1"}, {"path": "s:2", "parent": "s:0"}, {"path": "s:3.s:1", "parent": "s:0"}),
    ]

    house.ok("tasks_batch", operations=calls)

    assert tree(house) == {
        "s:0": "walls",
        "s:0.s:2": "new",
        "s:0.s:3": "tiles",
        "s:0.s:3.s:0": "bricks",
        "s:0.s:3.s:0.s:0": "clay",
        "s:3": "roof",
    }
    assert healthy(house)
    assert house.no("UNKNOWN_ID", "tasks_resume", task="TASK-001", path="s:0.s:1")["moved"]["path"] == "s:0.s:3"
    house.ok("tasks_undo")
    assert tree(house) == before
    house.ok("tasks_redo")
    assert tree(house)["s:0.s:3.s:0.s:0"] == "clay"
    assert healthy(house)


def _call(tool: str, **given: object) -> dict[str, object]:
    return {"tool": tool, "arguments": {"task": "TASK-001", **given}}


def test_the_id_of_what_a_batch_moves_and_deletes_leads_to_where_it_was_before(house: World) -> None:
    named, before = ids(house), tree(house)
    house.ok("tasks_note", task="TASK-001", step_id=named["clay"], note="Quicklime hardens.")
    bricks = {"step_id": named["bricks"]}

    house.ok(
        "tasks_batch",
        operations=[
            _call("tasks_move", **bricks, parent="s:1"),
            _call("tasks_note", step_id=named["clay"], note="Riverbank clay."),  # an id is looked up: this writes
            _call("tasks_move", **bricks),
            _call("tasks_delete", **bricks),
        ],
    )

    def found(text: str) -> list[str]:
        return [hit["path"] for row in house.ok("tasks_context", text=text)["items"] for hit in row["hits"]]

    assert dict(house.everything()["names"])[named["clay"]] == "ta1.sa0.sa0.sa0"
    assert found("quicklime") == found("riverbank") == []
    assert healthy(house)
    house.ok("tasks_undo")
    assert (tree(house), ids(house)) == (before, named)
    assert found("quicklime") == found("riverbank") == ["s:0.s:0.s:0"]
    assert healthy(house)
    house.ok("tasks_redo")
    assert tree(house) == {"s:0": "walls", "s:0.s:1": "mortar", "s:1": "roof"}
    assert healthy(house)


def test_a_place_that_a_batch_gave_and_took_again_has_no_revision(house: World) -> None:
    for title in ("stones", "bricks"):
        house.ok("tasks_define", task="TASK-001", path="s:0.s:0", title=title)
    known = house.step("TASK-001", "s:0.s:0")["revision"]

    house.ok(
        "tasks_batch",
        operations=[_call("tasks_move", path="s:0.s:0", parent="s:1"), _call("tasks_delete", path="s:1.s:0")],
    )

    kept = house.everything()
    books.check_revisions(kept)
    assert "ta1.sa1.sa0" not in {row[0] for row in kept["tallies"]}
    assert healthy(house)
    house.ok("tasks_undo")
    assert house.step("TASK-001", "s:0.s:0")["revision"] == known
    assert healthy(house)


def test_a_path_that_a_batch_gave_and_took_again_is_not_given_to_another_step(house: World) -> None:
    new = [{"title": "new", "steps": [{"title": "newer"}]}]
    house.ok(
        "tasks_batch",
        operations=[
            _call("tasks_decompose", path="s:0.s:0", steps=new),
            _call("tasks_move", path="s:0", parent="s:1"),
            _call("tasks_evidence_capture", path="s:1.s:0.s:1", items=[{"kind": "note", "content": "Seen."}]),
            _call("tasks_move", path="s:1.s:0.s:0.s:1", parent="s:1.s:0"),
            _call("tasks_move", path="s:1.s:0.s:1"),
            _call("tasks_delete", path="s:2"),
            _call("tasks_delete", path="s:1.s:0.s:2"),
        ],
    )
    assert tree(house) == {"s:1": "roof", "s:1.s:0": "walls", "s:1.s:0.s:0": "bricks", "s:1.s:0.s:0.s:0": "clay"}
    assert healthy(house)

    for path in (None, "s:1.s:0", "s:1.s:0.s:0"):
        house.ok("tasks_decompose", task="TASK-001", steps=[{"title": "later"}], **({"path": path} if path else {}))

    assert [path for path, title in tree(house).items() if title == "later"] == [
        "s:1.s:0.s:0.s:2",
        "s:1.s:0.s:3",
        "s:3",
    ]
    assert healthy(house)
