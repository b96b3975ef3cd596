"""Claims: a session holds what it works on, and others work elsewhere."""

from typing import Any

import pytest

from gatepost.domain import terms
from gatepost.engine.caller import Caller
from tests.givens import CONFIRMED, World

ANN = Caller("agent:coder/aaaa", session="session-aaaa")
BOB = Caller("agent:coder/bbbb", session="session-bbbb")
PERSON = Caller("human:eve")


def by(world: World, who: Caller, tool: str, **arguments: Any) -> dict[str, Any]:
    """A call that must be accepted."""
    world.caller = who
    return world.ok(tool, **arguments)


def refused(world: World, who: Caller, tool: str, **arguments: Any) -> dict[str, Any]:
    """A call that must be refused because somebody else holds the work."""
    world.caller = who
    return world.no("CLAIMED", tool, **arguments)


def test_two_agents_claim_two_steps_and_each_sees_its_own(world: World) -> None:
    task = world.task("first", "second", "third")

    first = by(world, ANN, "tasks_claim", task=task)
    second = by(world, BOB, "tasks_claim", task=task)

    assert (first["step"]["path"], second["step"]["path"]) == ("s:0", "s:1")
    assert first["now"]["step_id"] == first["step"]["step_id"]
    assert by(world, ANN, "tasks_radar", task=task)["now"]["path"] == "s:0"
    assert by(world, BOB, "tasks_radar", task=task)["now"]["path"] == "s:1"
    assert by(world, PERSON, "tasks_radar", task=task)["now"]["path"] == "s:2"
    assert [item["path"] for item in by(world, PERSON, "tasks_radar", task=task)["held"]] == ["s:0", "s:1"]


def test_a_claim_that_is_asked_for_again_is_the_same_claim(world: World) -> None:
    world.task("first", "second")
    by(world, ANN, "tasks_claim")
    before = world.everything()

    again = by(world, ANN, "tasks_claim")

    assert (again["step"]["path"], again["changed"]) == ("s:0", False)
    assert world.everything() == before


def test_a_claim_answers_what_the_step_that_it_took_must_prove_not_what_was_held_before(world: World) -> None:
    below = {"title": "below", "criteria": ["It holds."]}
    task = world.task(steps=[{"title": "first"}, {"title": "second", "steps": [below]}])
    by(world, ANN, "tasks_claim", task=task)

    now = by(world, ANN, "tasks_claim", task=task, path="s:1")["now"]

    assert (now["path"], now["criteria"]) == ("s:1.s:0", ["It holds."])


def test_what_somebody_holds_is_closed_to_others_and_says_until_when(world: World) -> None:
    task = world.task("first", "second")
    claimed = by(world, ANN, "tasks_claim", task=task)

    error = refused(world, BOB, "tasks_close_step", task=task, path="s:0", checkpoints=CONFIRMED)

    assert (error["holder"], error["until"]) == (ANN.actor, claimed["until"])
    assert (error["task"], error["path"]) == (task, "s:0")
    assert ANN.actor in error["message"]
    by(world, BOB, "tasks_close_step", task=task, path="s:1", checkpoints=CONFIRMED)
    by(world, ANN, "tasks_close_step", task=task, path="s:0", checkpoints=CONFIRMED)


WRITES: list[tuple[str, dict[str, Any]]] = [
    ("tasks_define", {"path": "s:0", "title": "Other"}),
    ("tasks_define", {"path": "s:0.s:0", "title": "Other"}),
    ("tasks_decompose", {"path": "s:0", "steps": [{"title": "more"}]}),
    ("tasks_verify", {"path": "s:0.s:0", "checkpoints": CONFIRMED}),
    ("tasks_close_step", {"path": "s:0.s:0", "checkpoints": CONFIRMED}),
    ("tasks_progress", {"path": "s:0.s:0", "completed": True, "force": True, "reason": "Now."}),
    ("tasks_block", {"path": "s:0", "reason": "Rain."}),
    ("tasks_delete", {"path": "s:0"}),
    ("tasks_delete", {}),
    ("tasks_task_add", {"parent_step": "s:0", "title": "A node"}),
    (
        "tasks_evidence_capture",
        {"path": "s:0", "items": [{"kind": "note", "content": "x"}], "checkpoints": ["docs"]},
    ),
    ("tasks_claim", {"path": "s:0"}),
    ("tasks_claim", {"path": "s:0.s:0"}),
    ("tasks_claim", {"whole": True}),
    ("tasks_release", {"path": "s:0"}),
    ("tasks_undo", {}),
]


@pytest.mark.requirement("crew.claims.holder-only")
@pytest.mark.parametrize(("tool", "arguments"), WRITES, ids=[f"{tool}-{n}" for n, (tool, _) in enumerate(WRITES)])
def test_no_write_of_others_reaches_a_held_step_or_what_is_below_it(
    world: World, tool: str, arguments: dict[str, Any]
) -> None:
    task = world.task(steps=[{"title": "first", "steps": [{"title": "below"}]}, {"title": "second"}])
    world.ok("tasks_define", task=task, path="s:0", title="Renamed")
    by(world, ANN, "tasks_claim", task=task, path="s:0")

    refused(world, BOB, tool, task=task, **arguments)

    by(world, BOB, "tasks_define", task=task, path="s:1", title="Free")


def test_a_batch_that_touches_a_held_step_does_nothing_at_all(world: World) -> None:
    task = world.task("first", "second")
    by(world, ANN, "tasks_claim", task=task)
    calls = [
        {"tool": "tasks_define", "arguments": {"task": task, "path": path, "title": "x"}} for path in ("s:1", "s:0")
    ]

    world.caller = BOB
    failed = world.no("BATCH_FAILED", "tasks_batch", operations=calls)

    assert (failed["operation_index"], failed["error"]["code"], failed["error"]["path"]) == (1, "CLAIMED", "s:0")


@pytest.mark.requirement("crew.claims.open-to-others")
def test_others_may_note_and_people_may_block_and_sign_off_what_is_held(world: World) -> None:
    task = world.task("first")
    by(world, ANN, "tasks_claim", task=task)
    by(world, ANN, "tasks_verify", task=task, path="s:0", checkpoints=CONFIRMED)

    by(world, BOB, "tasks_note", task=task, path="s:0", note="Look at the fence.")
    by(world, BOB, "tasks_evidence_capture", task=task, path="s:0", items=[{"kind": "note", "content": "Seen."}])
    by(world, BOB, "tasks_verify", task=task, path="s:0", checkpoints=CONFIRMED)
    by(world, PERSON, "tasks_block", task=task, path="s:0", reason="Wait for the paint.")
    by(world, PERSON, "tasks_block", task=task, path="s:0", blocked=False, answer="It is dry.")

    refused(world, PERSON, "tasks_define", task=task, path="s:0", title="Other")
    assert by(world, ANN, "tasks_radar", task=task)["now"]["answer"]["answer"] == "It is dry."


@pytest.mark.requirement("crew.claims.open-to-others")
def test_a_question_about_a_held_step_is_answered_by_whom_it_is_for(world: World) -> None:
    task = world.task("first")
    by(world, ANN, "tasks_claim", task=task)
    by(world, ANN, "tasks_block", task=task, path="s:0", ask="Which colour?", **{"for": BOB.actor})

    by(world, BOB, "tasks_block", task=task, path="s:0", blocked=False, answer="Green.")

    assert by(world, ANN, "tasks_claim")["now"]["answer"]["answer"] == "Green."


@pytest.mark.requirement("crew.claims.take-over")
def test_a_take_over_needs_a_reason_and_is_an_event(world: World) -> None:
    task = world.task("first")
    by(world, ANN, "tasks_claim", task=task)

    taken = by(world, BOB, "tasks_claim", task=task, path="s:0", take_over="It has been quiet for a day.")

    (event,) = world.logged(taken)
    assert (event["type"], event["taken_over"]) == ("step_claimed", ANN.actor)
    assert event["reason"] == "It has been quiet for a day."
    refused(world, ANN, "tasks_close_step", task=task, path="s:0", checkpoints=CONFIRMED)
    by(world, BOB, "tasks_close_step", task=task, path="s:0", checkpoints=CONFIRMED)


def test_a_batch_takes_over_and_goes_on(world: World) -> None:
    task = world.task("first")
    by(world, ANN, "tasks_claim", task=task)
    at = {"task": task, "path": "s:0"}
    calls = [
        {"tool": "tasks_claim", "arguments": {**at, "take_over": "Urgent."}},
        {"tool": "tasks_close_step", "arguments": {**at, "checkpoints": CONFIRMED}},
    ]

    by(world, BOB, "tasks_batch", operations=calls)

    assert world.step(task, "s:0")["done"]


@pytest.mark.requirement("crew.claims.whole")
def test_a_whole_task_is_held_with_everything_in_it(world: World) -> None:
    task = world.task("first", "second")
    other = world.task("elsewhere")

    held = by(world, ANN, "tasks_claim", task=task, whole=True)

    assert (held["step"], held["whole"], held["now"]["path"]) == (None, True, "s:0")
    refused(world, BOB, "tasks_decompose", task=task, steps=[{"title": "more"}])
    refused(world, BOB, "tasks_edit", task=task, title="Mine")
    assert by(world, BOB, "tasks_claim")["task"] == other
    by(world, ANN, "tasks_decompose", task=task, steps=[{"title": "more"}])
    by(world, ANN, "tasks_release", task=task)
    by(world, BOB, "tasks_edit", task=task, title="Mine")


def test_taking_over_a_whole_task_ends_what_others_hold_in_it(world: World) -> None:
    task = world.task("first", "second")
    by(world, ANN, "tasks_claim", task=task)

    refused(world, BOB, "tasks_claim", task=task, whole=True)
    taken = by(world, BOB, "tasks_claim", task=task, whole=True, take_over="One hand for all of it.")

    assert [event["type"] for event in world.logged(taken)] == ["step_released", "step_claimed"]
    refused(world, ANN, "tasks_close_step", task=task, path="s:0", checkpoints=CONFIRMED)


@pytest.mark.requirement("crew.claims.record")
def test_a_claim_is_no_change_of_the_step_or_the_task(world: World) -> None:
    task = world.task("first")
    before = world.revision(task), world.step(task, "s:0")["revision"]

    by(world, ANN, "tasks_claim", task=task)

    assert (world.revision(task), world.step(task, "s:0")["revision"]) == before
    assert by(world, ANN, "tasks_resume", task=task)["target"]["status"] == "TODO"


@pytest.mark.requirement("crew.claims.record")
def test_undo_passes_over_claims_and_keeps_them(world: World) -> None:
    task = world.task("first")
    by(world, ANN, "tasks_define", task=task, path="s:0", title="Better")
    by(world, ANN, "tasks_claim", task=task)

    by(world, ANN, "tasks_undo", task=task)

    assert world.step(task, "s:0")["title"] == "first"
    refused(world, BOB, "tasks_define", task=task, path="s:0", title="Mine")


@pytest.mark.requirement("crew.claims.ends")
@pytest.mark.parametrize("ending", ["close", "delete"])
def test_what_comes_back_by_undo_is_free(world: World, ending: str) -> None:
    task = world.task("first")
    by(world, ANN, "tasks_claim", task=task)
    if ending == "close":
        by(world, ANN, "tasks_close_step", task=task, path="s:0", checkpoints=CONFIRMED)
    else:
        by(world, ANN, "tasks_delete", task=task, path="s:0")

    by(world, ANN, "tasks_undo", task=task)

    assert by(world, BOB, "tasks_claim", task=task)["step"]["path"] == "s:0"


def test_a_step_that_is_closed_again_by_redo_is_no_longer_held(world: World) -> None:
    task = world.task("first", "second")
    by(world, ANN, "tasks_close_step", task=task, path="s:0", checkpoints=CONFIRMED)
    by(world, ANN, "tasks_undo", task=task)
    by(world, ANN, "tasks_claim", task=task, path="s:0")

    by(world, ANN, "tasks_redo", task=task)

    assert "held" not in by(world, BOB, "tasks_radar", task=task)


def test_where_nothing_is_free_the_answer_says_who_holds_what_and_what_to_do(world: World) -> None:
    task = world.task("first", "second")
    by(world, ANN, "tasks_claim", task=task)
    by(world, ANN, "tasks_block", task=task, path="s:1", reason="Rain.")

    nothing = by(world, BOB, "tasks_claim", task=task)

    assert (nothing["step"], nothing["changed"]) == (None, False)
    assert [(item["path"], item["holder"]) for item in nothing["held"]] == [("s:0", ANN.actor)]
    assert [item["reason"] for item in nothing["blockers"]] == ["Rain."]
    assert nothing["next"]["tool"] == "tasks_context"


def test_claims_go_by_the_ready_queue(world: World) -> None:
    world.task("later")
    urgent = world.task("now", "then", priority="CRITICAL")

    claimed = [by(world, who, "tasks_claim") for who in (ANN, BOB, PERSON)]

    assert [(one["task"], one["step"]["path"]) for one in claimed] == [
        (urgent, "s:0"),
        (urgent, "s:1"),
        ("TASK-001", "s:0"),
    ]


def test_a_plan_gives_its_steps_to_those_who_ask(world: World) -> None:
    plan = world.plan()
    tasks = [world.task("a step", plan=plan) for _ in range(2)]
    world.task("elsewhere", priority="CRITICAL")

    claimed = [by(world, who, "tasks_claim", plan=plan)["task"] for who in (ANN, BOB)]

    assert claimed == tasks
    assert by(world, PERSON, "tasks_claim", plan=plan)["step"] is None
    assert by(world, PERSON, "tasks_radar", plan=plan)["now"] is None
    assert len(by(world, PERSON, "tasks_radar", plan=plan)["held"]) == 2


@pytest.mark.requirement("crew.claims.two-holders")
def test_two_sessions_of_one_actor_are_two_holders(world: World) -> None:
    world.task("first", "second")
    one, two = Caller("agent:coder", session="session-1"), Caller("agent:coder", session="session-2")

    paths = [by(world, who, "tasks_claim")["step"]["path"] for who in (one, two, one)]

    assert paths == ["s:0", "s:1", "s:0"]


def test_a_done_step_cannot_be_claimed(world: World) -> None:
    task = world.task("first")
    world.close(task, "s:0")

    world.no("STEP_DONE", "tasks_claim", task=task, path="s:0")
    world.no("INVALID_INPUT", "tasks_claim", path="s:0")
    world.no("INVALID_INPUT", "tasks_claim", task=task, path="s:0", whole=True)
    world.no("INVALID_INPUT", "tasks_claim", task=task, take_over="No step.")
    world.no("INVALID_INPUT", "tasks_claim", expected_revision=1)


@pytest.mark.requirement("crew.claims.radar")
def test_the_radar_looks_and_takes_in_one_call(world: World) -> None:
    task = world.task("first", "second")

    shown = [by(world, who, "tasks_radar", task=task, claim=True)["now"] for who in (ANN, BOB)]

    assert [now["path"] for now in shown] == ["s:0", "s:1"]
    assert shown[0]["claim"]["holder"] == ANN.actor
    refused(world, BOB, "tasks_define", task=task, path="s:0", title="Mine")
    before = world.everything()
    assert by(world, ANN, "tasks_radar", claim=True)["now"]["path"] == "s:0"
    assert world.everything() == before
    world.no("INVALID_INPUT", "tasks_radar", claim=True, at=1)


def test_a_radar_in_a_batch_takes_too(world: World) -> None:
    task = world.task("first")

    by(world, ANN, "tasks_batch", operations=[{"tool": "tasks_radar", "arguments": {"task": task, "claim": True}}])

    refused(world, BOB, "tasks_define", task=task, path="s:0", title="Mine")


def test_the_radar_leads_to_the_work_at_hand_and_then_to_what_is_free(world: World) -> None:
    world.ok("tasks_note", task=world.task("first"), note="Begun.")
    other = world.task("elsewhere")
    by(world, ANN, "tasks_claim", task="TASK-001")
    by(world, BOB, "tasks_claim", task=other)

    assert by(world, PERSON, "tasks_radar")["now"] is None
    assert by(world, ANN, "tasks_radar")["now"]["task"] == "TASK-001"
    assert by(world, BOB, "tasks_radar")["now"]["task"] == other
    by(world, BOB, "tasks_release", task=other, path="s:0")
    assert by(world, PERSON, "tasks_radar")["now"]["task"] == other


def test_no_check_runs_for_a_step_that_somebody_else_holds(world: World) -> None:
    task = world.task(steps=[{"title": "checked", "checks": [{"run": "true"}]}])
    by(world, ANN, "tasks_claim", task=task)

    refused(world, BOB, "tasks_check", task=task, path="s:0")
    refused(world, BOB, "tasks_close_step", task=task, path="s:0", run_checks=True)

    assert world.checks.ran == []


def test_a_step_of_a_task_that_is_held_whole_can_be_claimed_too(world: World) -> None:
    task = world.task("first", "second")

    world.ok("tasks_claim", task=task, whole=True)
    world.ok("tasks_claim", task=task, path="s:0")
    world.ok("tasks_release", task=task)

    assert [place for term, place in world.everything()["terms"] if term == terms.CLAIMED] == ["ta1", "ta1.sa0"]


def test_a_step_is_moved_with_its_claim_and_only_by_its_holder(world: World) -> None:
    task = world.task("first", "second")
    by(world, ANN, "tasks_claim", task=task)

    refused(world, BOB, "tasks_move", task=task, path="s:0", parent="s:1")
    by(world, ANN, "tasks_move", task=task, path="s:0", parent="s:1")

    assert by(world, BOB, "tasks_radar", task=task)["held"][0]["path"] == "s:1.s:0"


def test_what_was_taken_over_inside_a_held_step_is_not_its_holders_next(world: World) -> None:
    task = world.task(steps=[{"title": "first", "steps": [{"title": "a"}, {"title": "b"}]}])
    by(world, ANN, "tasks_claim", task=task, path="s:0")
    by(world, BOB, "tasks_claim", task=task, path="s:0.s:0", take_over="I can do this one.")

    assert by(world, ANN, "tasks_claim", task=task)["step"]["path"] == "s:0.s:1"
    assert by(world, ANN, "tasks_radar", task=task)["now"]["path"] == "s:0.s:1"
    assert by(world, BOB, "tasks_claim")["step"]["path"] == "s:0.s:0"
