"""Moving a step, with everything below it, to another parent."""

from typing import Any

import pytest

from tests.givens import PROVEN, World
from tests.operations.house import built, healthy, ids, tree


@pytest.fixture
def house(world: World) -> World:
    return built(world)


@pytest.mark.requirement("crew.move.step")
def test_a_step_moves_below_another_with_everything_below_it_and_keeps_its_ids(house: World) -> None:
    named = ids(house)

    reply = house.ok("tasks_move", task="TASK-001", path="s:0.s:0", parent="s:1")

    assert reply["step"] == {"step_id": named["bricks"], "path": "s:1.s:0", "title": "bricks"}
    assert reply["moved"] == 2
    (event,) = house.logged(reply)
    assert (event["type"], event["from"], event["to"]) == ("step_moved", "s:0.s:0", "s:1.s:0")
    assert (event["step_id"], event["path"]) == (named["bricks"], "s:1.s:0")
    assert tree(house) == {
        "s:0": "walls",
        "s:0.s:1": "mortar",
        "s:1": "roof",
        "s:1.s:0": "bricks",
        "s:1.s:0.s:0": "clay",
    }
    assert ids(house) == named
    assert house.ok("tasks_resume", task="TASK-001", step_id=named["clay"])["step"]["path"] == "s:1.s:0.s:0"
    assert healthy(house)


def test_without_a_parent_a_step_becomes_the_last_one_of_its_task(house: World) -> None:
    reply = house.ok("tasks_move", task="TASK-001", path="s:0.s:0")

    assert reply["step"]["path"] == "s:2"
    assert tree(house)["s:2.s:0"] == "clay"
    assert house.ok("tasks_move", task="TASK-001", path="s:0.s:1", parent=None)["step"]["path"] == "s:3"


def test_a_move_within_its_parent_puts_a_step_last_and_the_last_one_stays(house: World) -> None:
    assert house.ok("tasks_move", task="TASK-001", path="s:0.s:0", parent="s:0")["step"]["path"] == "s:0.s:2"
    before = house.everything()

    again = house.ok("tasks_move", task="TASK-001", path="s:0.s:2", parent="s:0")

    assert (again["changed"], again["step"]["path"]) == (False, "s:0.s:2")
    assert house.everything() == before


@pytest.mark.requirement("crew.move.old-path")
def test_an_old_path_is_refused_with_the_new_one_named_and_so_are_those_below_it(house: World) -> None:
    named = ids(house)
    house.ok("tasks_move", task="TASK-001", path="s:0.s:0", parent="s:1")

    refused = house.no("UNKNOWN_ID", "tasks_note", task="TASK-001", path="s:0.s:0", note="Where?")
    assert "s:1.s:0" in refused["message"]
    assert refused["moved"] == {"step_id": named["bricks"], "path": "s:1.s:0"}
    assert refused["suggestion"]["arguments"]["step_id"] == named["bricks"]
    deeper = house.no("UNKNOWN_ID", "tasks_decompose", task="TASK-001", path="s:0.s:0.s:0", steps=[{"title": "x"}])
    assert deeper["moved"]["path"] == "s:1.s:0.s:0"
    house.no("TARGET_MISMATCH", "tasks_note", task="TASK-001", path="s:0.s:0", step_id=named["bricks"], note="?")

    house.ok("tasks_move", task="TASK-001", path="s:1.s:0")
    again = house.no("UNKNOWN_ID", "tasks_resume", task="TASK-001", path="s:0.s:0.s:0")
    assert again["moved"]["path"] == "s:2.s:0"

    house.ok("tasks_delete", task="TASK-001", path="s:2")
    assert "moved" not in house.no("UNKNOWN_ID", "tasks_resume", task="TASK-001", path="s:0.s:0")


def test_the_path_of_a_step_that_was_moved_is_never_given_again(house: World) -> None:
    house.ok("tasks_move", task="TASK-001", path="s:0.s:1")
    added = house.ok("tasks_decompose", task="TASK-001", path="s:0", steps=[{"title": "new"}])

    assert added["steps"][0]["path"] == "s:0.s:2"
    assert healthy(house)


@pytest.mark.requirement("crew.move.step")
def test_confirmations_evidence_notes_and_answers_go_along(house: World) -> None:
    where = {"task": "TASK-001", "path": "s:0.s:0.s:0"}
    clay = ids(house)["clay"]
    item = {"kind": "cmd_output", "title": "the kiln", "content": "900 degrees"}
    captured = house.ok("tasks_evidence_capture", **where, items=[item], checkpoints=["tests"])
    house.ok("tasks_note", **where, note="It is wet.")
    house.ok("tasks_block", **where, reason="Which colour?")
    house.ok("tasks_block", **where, blocked=False, answer="Red.")
    house.ok("tasks_close_step", **where, checkpoints=PROVEN)
    before = house.ok("tasks_resume", task="TASK-001", step_id=clay)

    house.ok("tasks_move", task="TASK-001", path="s:0.s:0", parent="s:1")
    house.ok("tasks_evidence_capture", task="TASK-001", step_id=clay, items=[{"kind": "note", "content": "Later."}])

    after = house.ok("tasks_resume", task="TASK-001", step_id=clay)
    assert [piece.get("content") for piece in after["evidence"]] == ["Later.", "900 degrees"]
    assert after["notes"] == before["notes"]
    assert after["step"]["answer"] == before["step"]["answer"]
    assert after["step"]["confirmed"] == before["step"]["confirmed"]
    (listed,) = house.ok("tasks_resume", task="TASK-001", step_id=ids(house)["bricks"], proofs=True)["steps"]
    assert {piece["seq"] for piece in listed["evidence"]} >= {captured["events"][0]["seq"]}

    house.ok("tasks_undo", task="TASK-001")
    back = house.ok("tasks_resume", task="TASK-001", step_id=clay)
    assert back["step"]["path"] == "s:0.s:0.s:0"
    assert [piece.get("content") for piece in back["evidence"]] == ["Later.", "900 degrees"]


def test_the_words_of_a_moved_step_and_of_what_was_said_of_it_are_found_where_it_is(house: World) -> None:
    house.ok("tasks_note", task="TASK-001", path="s:0.s:1", note="Quicklime hardens.")
    house.ok("tasks_move", task="TASK-001", path="s:0.s:1", parent="s:1")

    def found(text: str) -> list[str]:
        hits = house.ok("tasks_context", text=text)["items"]
        return [hit["path"] for row in hits for hit in row["hits"]]

    assert found("quicklime") == ["s:1.s:0"]
    assert found("mortar") == ["s:1.s:0"]
    house.ok("tasks_undo")
    assert found("quicklime") == ["s:0.s:1"]
    assert healthy(house)


@pytest.mark.requirement("crew.move.step")
def test_the_revision_of_a_step_goes_on_and_a_move_does_not_raise_it(house: World) -> None:
    clay, bricks = ids(house)["clay"], ids(house)["bricks"]
    for title in ("wet clay", "red clay"):
        house.ok("tasks_define", task="TASK-001", step_id=clay, title=title)
    known = house.ok("tasks_resume", task="TASK-001", step_id=clay)["step"]["revision"]

    house.ok("tasks_move", task="TASK-001", step_id=bricks, parent="s:1")

    assert house.ok("tasks_resume", task="TASK-001", step_id=clay)["step"]["revision"] == known
    where = {"task": "TASK-001", "step_id": clay}
    house.ok("tasks_define", **where, title="fired clay", expected_step_revision=known)
    house.no("REVISION_MISMATCH", "tasks_define", **where, title="No.", expected_step_revision=known)
    house.no("REVISION_MISMATCH", "tasks_move", task="TASK-001", step_id=bricks, expected_step_revision=9)
    assert healthy(house)


def test_parents_that_gain_or_lose_a_step_have_a_new_revision(house: World) -> None:
    def revision(path: str) -> int:
        found: int = house.step("TASK-001", path)["revision"]
        return found

    walls, roof = revision("s:0"), revision("s:1")

    house.ok("tasks_move", task="TASK-001", path="s:0.s:0", parent="s:1")

    assert (revision("s:0"), revision("s:1")) == (walls + 1, roof + 1)


def test_an_open_step_reopens_the_done_parent_that_it_moves_below(house: World) -> None:
    house.close("TASK-001", "s:1")

    reply = house.ok("tasks_move", task="TASK-001", path="s:0.s:1", parent="s:1")

    assert [event["type"] for event in reply["events"]] == ["step_moved", "step_reopened"]
    assert house.step("TASK-001", "s:1")["done"] is False


def test_a_done_step_leaves_a_done_parent_done(house: World) -> None:
    house.close("TASK-001", "s:1")
    house.close("TASK-001", "s:0.s:1")

    reply = house.ok("tasks_move", task="TASK-001", path="s:0.s:1", parent="s:1")

    assert [event["type"] for event in reply["events"]] == ["step_moved"]
    assert house.step("TASK-001", "s:1")["done"] is True
    assert house.ok("tasks_radar", task="TASK-001")["counts"]["done"] == 2


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"path": "s:0", "parent": "s:0"}, "INVALID_INPUT"),
        ({"path": "s:0", "parent": "s:0.s:0.s:0"}, "INVALID_INPUT"),
        ({"path": "s:0", "parent": "s:9"}, "UNKNOWN_ID"),
        ({"path": "s:9"}, "UNKNOWN_ID"),
        ({"path": "s:0", "parent": "roof"}, "INVALID_INPUT"),
        ({"path": "s:0", "plan": None}, "INVALID_INPUT"),
        ({"path": "s:0", "plan": "PLAN-001", "parent": "s:1"}, "INVALID_INPUT"),
        ({"parent": "s:1"}, "INVALID_INPUT"),
        ({"parent": "s:1", "plan": None}, "INVALID_INPUT"),
        ({"path": "s:0", "expected_revision": 9}, "REVISION_MISMATCH"),
    ],
)
def test_a_move_that_cannot_be_is_refused(house: World, given: dict[str, Any], says: str) -> None:
    house.no(says, "tasks_move", task="TASK-001", **given)


def test_a_parent_that_was_moved_is_named_where_it_is(house: World) -> None:
    house.ok("tasks_move", task="TASK-001", path="s:0.s:0")

    refused = house.no("UNKNOWN_ID", "tasks_move", task="TASK-001", path="s:1", parent="s:0.s:0")

    assert (refused["field"], refused["moved"]["path"]) == ("parent", "s:2")


def test_a_tree_never_has_more_than_sixteen_levels(world: World) -> None:
    deep: dict[str, Any] = {"title": "the deepest"}
    for _ in range(13):
        deep = {"title": "deep", "steps": [deep]}
    pair = {"title": "upper", "steps": [{"title": "lower", "steps": [{"title": "lowest"}]}]}
    task = world.ok("tasks_create", kind="task", title="Deep", steps=[deep, pair])["id"]
    deepest = ".".join(["s:0"] * 14)

    refused = world.no("INVALID_INPUT", "tasks_move", task=task, path="s:1", parent=deepest)
    assert "17 levels" in refused["message"]

    assert world.ok("tasks_move", task=task, path="s:1.s:0", parent=deepest)["moved"] == 2
    assert healthy(world)


def test_a_task_node_moves_below_steps_only(house: World) -> None:
    house.ok("tasks_task_add", task="TASK-001", parent_step="s:0", title="a node")
    house.ok("tasks_decompose", task="TASK-001", path="s:0.t:0", steps=[{"title": "in it"}])
    house.no("INVALID_INPUT", "tasks_move", task="TASK-001", path="s:0.t:0")

    reply = house.ok("tasks_move", task="TASK-001", path="s:0.t:0", parent="s:1")

    assert (reply["step"]["path"], reply["moved"]) == ("s:1.t:0", 2)
    house.ok("tasks_move", task="TASK-001", path="s:0.s:1", parent="s:1.t:0")
    assert tree(house)["s:1.t:0.s:1"] == "mortar"
    house.no("INVALID_INPUT", "tasks_move", task="TASK-001", path="s:1.t:0", parent="s:1.t:0")
    assert healthy(house)


def test_a_step_remembers_the_paths_with_evidence_however_often_it_moves(
    house: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gatepost.engine.former_places._MOST", 2)
    house.ok("tasks_evidence_capture", task="TASK-001", path="s:0", items=[{"kind": "note", "content": "First."}])
    walls = ids(house)["walls"]

    for _ in range(6):
        house.ok("tasks_move", task="TASK-001", step_id=walls)
        house.ok("tasks_move", task="TASK-001", step_id=ids(house)["roof"])

    found = house.ok("tasks_resume", task="TASK-001", step_id=walls)
    assert [piece["content"] for piece in found["evidence"]] == ["First."]
    assert "moved" not in house.no("UNKNOWN_ID", "tasks_resume", task="TASK-001", path="s:2")
