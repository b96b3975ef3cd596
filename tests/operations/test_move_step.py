"""Moving a step, with everything below it, to another parent."""

from typing import Any

import pytest

from gatepost.engine import doctor
from gatepost.engine.caller import Caller
from tests.givens import CONFIRMED, PROVEN, World

PERSON = Caller("human:ada")
TREE: list[dict[str, Any]] = [
    {"title": "walls", "steps": [{"title": "bricks", "steps": [{"title": "clay"}]}, {"title": "mortar"}]},
    {"title": "roof"},
]


@pytest.fixture
def house(world: World) -> World:
    """TASK-001: walls (s:0), in it bricks (s:0.s:0), in those clay; mortar (s:0.s:1); roof (s:1)."""
    world.ok("tasks_create", kind="task", title="A house", steps=TREE)
    return world


def tree(world: World) -> dict[str, str]:
    """The titles of the task's steps by path."""
    rows = world.ok("tasks_mirror", task="TASK-001", limit=200)["items"]
    return {row["path"]: row["title"] for row in rows}


def ids(world: World) -> dict[str, str]:
    """The ids of the task's steps by title."""
    rows = world.ok("tasks_mirror", task="TASK-001", limit=200)["items"]
    return {row["title"]: row["step_id"] for row in rows}


def healthy(world: World) -> bool:
    return doctor.examine(world.store, world.workspace).findings == []


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


def test_a_move_within_its_parent_puts_a_step_last_and_the_last_one_stays(house: World) -> None:
    assert house.ok("tasks_move", task="TASK-001", path="s:0.s:0", parent="s:0")["step"]["path"] == "s:0.s:2"
    before = house.everything()

    again = house.ok("tasks_move", task="TASK-001", path="s:0.s:2", parent="s:0")

    assert (again["changed"], again["step"]["path"]) == (False, "s:0.s:2")
    assert house.everything() == before


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


def test_after_an_undo_the_path_between_leads_back(house: World) -> None:
    house.ok("tasks_move", task="TASK-001", path="s:0.s:0")
    house.ok("tasks_undo")

    assert house.no("UNKNOWN_ID", "tasks_resume", task="TASK-001", path="s:2")["moved"]["path"] == "s:0.s:0"


def test_the_path_of_a_step_that_was_moved_is_never_given_again(house: World) -> None:
    house.ok("tasks_move", task="TASK-001", path="s:0.s:1")
    added = house.ok("tasks_decompose", task="TASK-001", path="s:0", steps=[{"title": "new"}])

    assert added["steps"][0]["path"] == "s:0.s:2"
    assert healthy(house)


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


def test_what_is_added_below_a_moved_step_stands_in_the_way_of_the_undo(house: World) -> None:
    moved = house.ok("tasks_move", task="TASK-001", path="s:0.s:0")
    house.ok("tasks_decompose", task="TASK-001", path="s:2", steps=[{"title": "new"}])

    refused = house.no("UNDO_CONFLICT", "tasks_undo", operation=moved["events"][0]["seq"])

    assert "TASK-001 s:2.s:1" in refused["message"]


def test_what_a_step_was_before_its_move_is_not_undone_at_its_new_place(house: World) -> None:
    defined = house.ok("tasks_define", task="TASK-001", path="s:0.s:0", title="stones")
    house.ok("tasks_move", task="TASK-001", path="s:0.s:0")

    refused = house.no("UNDO_CONFLICT", "tasks_undo", operation=defined["events"][0]["seq"])

    assert "was moved to s:2" in refused["message"]
    assert "tasks_move" in refused["recovery"]


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


def test_what_a_person_and_a_check_confirmed_moves_along_by_an_agent(house: World) -> None:
    house.ok("tasks_define", task="TASK-001", path="s:1", checks=[{"run": "true"}])
    house.ok("tasks_check", task="TASK-001", path="s:1")
    agent, house.caller = house.caller, PERSON
    house.ok("tasks_verify", task="TASK-001", path="s:1", checkpoints={"criteria": {"confirmed": True}})
    house.caller = agent

    house.ok("tasks_move", task="TASK-001", path="s:1", parent="s:0")

    assert proofs(house.step("TASK-001", "s:0.s:2")) == {"criteria": "human", "tests": "machine"}


def proofs(step: dict[str, Any]) -> dict[str, str]:
    """What each confirmation of a step rests on."""
    return {mark["checkpoint"]: mark["provenance"] for mark in step["confirmed"]}


def test_only_a_person_moves_a_step_to_where_less_is_demanded(house: World) -> None:
    house.ok("tasks_define", task="TASK-001", path="s:0", policy={"proof": "evidence"})

    refused = house.no("HUMAN_REQUIRED", "tasks_move", task="TASK-001", path="s:0.s:0", parent="s:1")
    assert refused["loosened"] == ["proof"]
    assert "gatepost move TASK-001 s:0.s:0 --to s:1" in refused["recovery"]
    top = house.no("HUMAN_REQUIRED", "tasks_move", task="TASK-001", path="s:0.s:0")
    assert "gatepost move TASK-001 s:0.s:0 --top" in top["recovery"]
    house.ok("tasks_move", task="TASK-001", path="s:1", parent="s:0")
    house.no("HUMAN_REQUIRED", "tasks_undo")

    house.caller = PERSON
    reply = house.ok("tasks_move", task="TASK-001", path="s:0.s:0")
    assert house.logged(reply)[0]["loosened"] == ["proof"]


def test_a_step_keeps_its_own_policy_wherever_it_goes(house: World) -> None:
    house.ok("tasks_define", task="TASK-001", path="s:0.s:0", policy={"proof": "evidence"})

    house.ok("tasks_move", task="TASK-001", path="s:0.s:0", parent="s:1")

    house.no("PROOF_REQUIRED", "tasks_close_step", task="TASK-001", path="s:1.s:0.s:0", checkpoints=CONFIRMED)


def test_a_batch_of_moves_does_not_lead_out_of_the_reach_of_a_policy(house: World) -> None:
    house.ok("tasks_define", task="TASK-001", path="s:0", policy={"proof": "evidence"})
    moves = [{"path": "s:0", "parent": "s:1"}, {"path": "s:1.s:0.s:0", "parent": "s:1"}]

    house.no("HUMAN_REQUIRED", "tasks_batch", operations=batched(*moves))


def batched(*moves: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"tool": "tasks_move", "arguments": {"task": "TASK-001", **given}} for given in moves]


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
