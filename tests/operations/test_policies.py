"""Policies: what a confirmation must be, whose it must be, and who may ask for less."""

from typing import Any

import pytest

from gatepost.domain.refusals import InvalidInput
from gatepost.engine.caller import Caller
from gatepost.engine.engine import Engine
from gatepost.engine.policies import from_settings
from tests.givens import CONFIRMED, PROVEN, TickingClock, World

PERSON = Caller("human:ada")
OTHER = Caller("agent:other")


def by(world: World, caller: Caller) -> World:
    """The same world, for somebody else."""
    twin = World(world.store, world.workspace)
    twin.engine, twin.caller = world.engine, caller
    return twin


def holds(world: World, **target: str) -> dict[str, Any]:
    found: dict[str, Any] = world.ok("tasks_policy", **target)["holds"]
    return found


@pytest.mark.requirement("policy.proof.least")
def test_without_a_policy_a_word_is_enough_and_reading_it_changes_nothing(world: World) -> None:
    task = world.task("step")
    before = world.everything()

    reply = world.ok("tasks_policy", task=task)

    assert reply["set"] == {}
    assert reply["holds"] == {"proof": "word", "approval": "none", "stale": "tell"}
    assert (reply["changed"], reply["events"]) == (False, [])
    assert world.everything() == before
    world.ok("tasks_close_step", task=task, path="s:0", checkpoints=CONFIRMED)


@pytest.mark.requirement("policy.fields.nearest-holds")
def test_each_field_holds_where_nothing_nearer_sets_it(world: World) -> None:
    plan = world.plan()
    task = world.task("outer", plan=plan)
    world.ok("tasks_policy", proof="note", signoff={"tests": "human"}, stale="reopen")
    world.ok("tasks_policy", plan=plan, proof="evidence")
    by(world, PERSON).ok("tasks_policy", task=task, signoff={"tests": "anyone", "criteria": "other"})

    assert holds(world) == {"proof": "note", "signoff": {"tests": "human"}, "approval": "none", "stale": "reopen"}
    assert holds(world, plan=plan)["proof"] == "evidence"
    assert holds(world, task=task)["signoff"] == {"criteria": "other"}
    assert holds(world, task=task)["proof"] == "evidence"


@pytest.mark.requirement("policy.fields.nearest-holds")
def test_null_clears_a_field_and_what_is_farther_away_holds_again(world: World) -> None:
    task = world.task("step")
    world.ok("tasks_policy", proof="note")
    world.ok("tasks_policy", task=task, proof="machine", stale="reopen")

    reply = by(world, PERSON).ok("tasks_policy", task=task, proof=None)

    assert reply["set"] == {"stale": "reopen"}
    assert reply["holds"]["proof"] == "note"
    (event,) = world.logged(reply)
    assert (event["type"], event["fields"], event["loosened"]) == ("policy_set", ["proof"], ["proof"])


@pytest.mark.parametrize(
    ("proof", "weak", "strong"),
    [
        ("note", CONFIRMED, PROVEN),
        ("evidence", PROVEN, None),
        ("machine", PROVEN, None),
    ],
)
@pytest.mark.requirement("policy.proof.least")
def test_a_confirmation_that_rests_on_less_does_not_close_a_step(
    world: World, proof: str, weak: dict[str, Any], strong: dict[str, Any] | None
) -> None:
    task = world.task("step")
    world.ok("tasks_policy", task=task, proof=proof)

    error = world.no("PROOF_REQUIRED", "tasks_close_step", task=task, path="s:0", checkpoints=weak)

    has = "asserted" if proof == "note" else "noted"
    assert error["missing"] == [{"checkpoint": name, "has": has, "proof": proof} for name in ("criteria", "tests")]
    if strong is not None:
        world.ok("tasks_close_step", task=task, path="s:0", checkpoints=strong)


@pytest.mark.parametrize("road", ["tasks_done", "tasks_progress", "tasks_batch"])
@pytest.mark.requirement("policy.proof.every-road")
def test_every_road_to_done_asks_the_policy(world: World, road: str) -> None:
    task = world.task("step")
    world.ok("tasks_verify", task=task, path="s:0", checkpoints=CONFIRMED)
    world.ok("tasks_policy", proof="note")
    step = {"task": task, "path": "s:0"}

    if road == "tasks_batch":
        error = world.no("BATCH_FAILED", road, operations=[{"tool": "tasks_done", "arguments": step}])
        assert error["error"]["code"] == "PROOF_REQUIRED"
    else:
        more = {"completed": True} if road == "tasks_progress" else {}
        world.no("PROOF_REQUIRED", road, **step, **more)


def test_a_step_that_was_forced_still_owes_what_the_policy_wants(world: World) -> None:
    task = world.task("step")
    world.ok("tasks_policy", task=task, proof="note")
    world.ok("tasks_verify", task=task, path="s:0", checkpoints=CONFIRMED)

    forced = world.ok("tasks_progress", task=task, path="s:0", completed=True, force=True, reason="Seen by eye.")

    assert world.logged(forced)[0]["missing"] == ["criteria", "tests"]
    world.no("CHECKPOINTS_NOT_CONFIRMED", "tasks_complete", task=task)
    world.no("PROOF_REQUIRED", "tasks_verify", task=task, path="s:0", checkpoints=CONFIRMED)
    world.ok("tasks_verify", task=task, path="s:0", checkpoints=PROVEN)
    world.ok("tasks_complete", task=task)


@pytest.mark.requirement("policy.signoff.human")
def test_a_person_must_confirm_what_people_sign_off(world: World) -> None:
    task = world.task("step")
    world.ok("tasks_policy", signoff={"tests": "human"})

    error = world.no("SIGNOFF_REQUIRED", "tasks_close_step", task=task, path="s:0", checkpoints=PROVEN)

    assert error["missing"] == [{"checkpoint": "tests", "confirmed_by": "tester", "signoff": "human"}]
    world.ok("tasks_verify", task=task, path="s:0", checkpoints=PROVEN)
    by(world, PERSON).ok("tasks_close_step", task=task, path="s:0", checkpoints={"tests": {"confirmed": True}})


@pytest.mark.requirement("policy.signoff.other")
def test_who_worked_on_a_step_does_not_sign_it_off(world: World) -> None:
    task = world.task("step")
    world.ok("tasks_policy", signoff={"criteria": "other"})
    world.ok("tasks_note", task=task, path="s:0", note="I am at it.")
    other = by(world, OTHER)
    close = {"task": task, "path": "s:0", "checkpoints": PROVEN}

    world.no("SIGNOFF_REQUIRED", "tasks_close_step", **close)
    other.ok("tasks_close_step", **close)

    again = world.task("another")
    other.no("SIGNOFF_REQUIRED", "tasks_close_step", **{**close, "task": again})
    other.ok("tasks_verify", task=again, path="s:0", checkpoints=PROVEN)
    world.ok("tasks_close_step", **{**close, "task": again})


@pytest.mark.parametrize(
    ("strict", "looser"),
    [
        ({"proof": "evidence"}, {"proof": "note"}),
        ({"proof": "evidence"}, {"proof": None}),
        ({"signoff": {"tests": "human"}}, {"signoff": {"tests": "other"}}),
        ({"signoff": {"tests": "other"}}, {"signoff": None}),
        ({"stale": "reopen"}, {"stale": "tell"}),
        ({"approval": "human"}, {"approval": "none"}),
    ],
)
@pytest.mark.parametrize("level", ["workspace", "plan"])
@pytest.mark.requirement("policy.people.loosen")
def test_only_a_person_loosens_a_policy(
    world: World, strict: dict[str, Any], looser: dict[str, Any], level: str
) -> None:
    target = {"plan": world.plan()} if level == "plan" else {}
    world.ok("tasks_policy", **target, **strict)

    error = world.no("HUMAN_REQUIRED", "tasks_policy", **target, **looser)
    reply = by(world, PERSON).ok("tasks_policy", **target, **looser)

    assert error["loosened"] == list(strict)
    assert world.logged(reply)[0]["loosened"] == list(strict)


@pytest.mark.requirement("policy.people.loosen")
def test_a_nearer_policy_that_asks_for_less_is_a_loosening_too(world: World) -> None:
    plan = world.plan()
    task = world.task("step", plan=plan)
    world.ok("tasks_policy", plan=plan, proof="machine")
    step = {"task": task, "path": "s:0"}

    world.no("HUMAN_REQUIRED", "tasks_policy", task=task, proof="word")
    world.no("HUMAN_REQUIRED", "tasks_define", **step, policy={"proof": "word"})
    operations = [{"tool": "tasks_define", "arguments": {**step, "policy": {"proof": "note"}}}]
    assert world.no("BATCH_FAILED", "tasks_batch", operations=operations)["error"]["code"] == "HUMAN_REQUIRED"
    by(world, PERSON).ok("tasks_define", **step, policy={"proof": "word"})
    world.ok("tasks_close_step", **step, checkpoints=CONFIRMED)


@pytest.mark.requirement("policy.people.loosen")
def test_undo_and_redo_loosen_nothing_for_an_agent(world: World) -> None:
    task = world.task("step")
    world.ok("tasks_policy", task=task, proof="machine")

    world.no("HUMAN_REQUIRED", "tasks_undo", task=task)
    by(world, PERSON).ok("tasks_undo", task=task)

    assert holds(world, task=task)["proof"] == "word"
    by(world, PERSON).ok("tasks_redo", task=task)
    assert holds(world, task=task)["proof"] == "machine"


def test_undo_passes_over_the_policy_of_the_workspace(world: World) -> None:
    world.task("step")
    world.ok("tasks_policy", proof="note")

    undone = world.ok("tasks_undo")

    assert undone["tool"] == "tasks_create"
    assert holds(world)["proof"] == "note"


def test_a_new_workspace_starts_with_the_policy_of_the_settings(world: World) -> None:
    policy = from_settings({"proof": "note"})
    strict = World(world.store)
    strict.engine = Engine(world.store, TickingClock(), first_policy=policy)
    step = {"task": "TASK-001", "path": "s:0", "checkpoints": CONFIRMED}
    create = {"kind": "task", "title": "A task", "steps": [{"title": "step"}]}
    both = [{"tool": "tasks_create", "arguments": create}, {"tool": "tasks_close_step", "arguments": step}]

    strict.no("BATCH_FAILED", "tasks_batch", operations=both)
    assert strict.everything()["head"].seq == 0
    made = strict.ok("tasks_create", **create)

    assert [event["type"] for event in made["events"]] == ["task_created", "steps_added"]
    assert holds(strict)["proof"] == "note"
    strict.ok("tasks_undo")
    assert holds(strict)["proof"] == "note"


@pytest.mark.parametrize(
    ("given", "field"), [({"proof": "words"}, "policy.proof"), ({"signoff": {"tests": "me"}}, "policy.signoff")]
)
def test_a_wrong_policy_in_the_settings_is_named(given: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput, match=field) as refused:
        from_settings(given)

    assert "gatepost.toml" in refused.value.recovery


def test_a_step_in_full_says_which_policy_holds_and_what_closing_it_still_takes(world: World) -> None:
    task = world.task("step")
    assert "holds" not in world.ok("tasks_resume", task=task, path="s:0")
    world.ok("tasks_policy", task=task, proof="note", signoff={"criteria": "human"})

    world.ok("tasks_verify", task=task, path="s:0", checkpoints=CONFIRMED)

    shown = world.ok("tasks_resume", task=task, path="s:0")
    assert shown["holds"] == {"proof": "note", "signoff": {"criteria": "human"}}
    assert shown["step"]["needs"] == [
        {"checkpoint": "criteria", "proof": "note"},
        {"checkpoint": "tests", "proof": "note"},
        {"checkpoint": "criteria", "signoff": "human"},
    ]


def test_a_person_who_signs_off_leaves_nothing_to_need(world: World) -> None:
    task = world.task("step")
    world.ok("tasks_policy", task=task, proof="note", signoff={"criteria": "human"})
    world.ok("tasks_verify", task=task, path="s:0", checkpoints=PROVEN)

    by(world, PERSON).ok("tasks_verify", task=task, path="s:0", checkpoints=PROVEN)

    assert "needs" not in world.step(task, "s:0")


def test_the_radar_says_what_the_policy_asks_for_and_how_to_get_it(world: World) -> None:
    task = world.task("step")
    world.ok("tasks_policy", task=task, proof="machine")

    seen = world.ok("tasks_radar", task=task)

    assert seen["verify"]["policy"] == {"proof": "machine"}
    assert (seen["next"]["tool"], seen["next"]["supply"]) == ("tasks_define", ["checks"])
    checks = [{"run": "true", "for": name} for name in ("criteria", "tests")]
    given = {name: value for name, value in seen["next"]["arguments"].items() if name != "workspace"}
    world.ok("tasks_define", **given, checks=checks)
    seen = world.ok("tasks_radar", task=task)
    assert seen["next"]["arguments"]["run_checks"] is True
    assert "supply" not in seen["next"]


def test_a_step_that_waits_for_a_sign_off_sends_its_agent_elsewhere(world: World) -> None:
    task = world.task("step")
    world.ok("tasks_policy", task=task, signoff={"tests": "human"})
    world.ok("tasks_verify", task=task, path="s:0", checkpoints=PROVEN)

    seen = world.ok("tasks_radar", task=task)

    assert seen["verify"]["policy"] == {"signoff": {"tests": "human"}}
    assert (seen["next"]["tool"], seen["next"]["because"][:8]) == ("tasks_context", "A person")


@pytest.mark.parametrize("policy", [{"proof": "machine"}, {"signoff": {"criteria": "human"}}])
def test_undo_and_redo_close_no_step_that_its_policy_would_not_let_close_now(
    world: World, policy: dict[str, Any]
) -> None:
    task = world.task("step")
    world.ok("tasks_close_step", task=task, path="s:0", checkpoints=CONFIRMED)
    world.ok("tasks_undo", task=task)
    by(world, PERSON).ok("tasks_policy", **policy)

    code = "PROOF_REQUIRED" if "proof" in policy else "SIGNOFF_REQUIRED"
    world.no(code, "tasks_redo", task=task)

    assert not world.step(task, "s:0")["done"]


def test_a_note_of_whoever_signs_counts_as_a_note(world: World) -> None:
    task = world.task("step")
    world.ok("tasks_policy", proof="note")
    world.ok("tasks_verify", task=task, path="s:0", checkpoints=CONFIRMED)

    by(world, OTHER).ok("tasks_close_step", task=task, path="s:0", checkpoints=PROVEN)


def test_a_person_who_answered_a_question_can_sign_the_step_off(world: World) -> None:
    task = world.task("step")
    person = by(world, PERSON)
    world.ok("tasks_policy", signoff={"tests": "other"})
    world.ok("tasks_block", task=task, path="s:0", reason="Which currency?")
    person.ok("tasks_block", task=task, path="s:0", blocked=False, answer="Euro.")
    world.ok("tasks_verify", task=task, path="s:0", checkpoints=PROVEN)

    person.ok("tasks_close_step", task=task, path="s:0", checkpoints=PROVEN)


def test_an_agent_can_undo_its_own_deletion_of_what_a_person_confirmed(world: World) -> None:
    task = world.task("step")
    by(world, PERSON).ok("tasks_close_step", task=task, path="s:0", checkpoints=PROVEN)
    world.ok("tasks_delete", task=task)

    world.ok("tasks_undo")

    assert world.step(task, "s:0")["done"]


@pytest.mark.requirement("policy.people.loosen")
def test_an_agent_cannot_delete_a_stricter_policy_with_what_has_it(world: World) -> None:
    task = world.task("step", "other")
    world.ok("tasks_define", task=task, path="s:0", policy={"proof": "machine"})

    world.no("HUMAN_REQUIRED", "tasks_delete", task=task, path="s:0")
    world.no("HUMAN_REQUIRED", "tasks_delete", task=task)
    world.ok("tasks_delete", task=task, path="s:1")
    by(world, PERSON).ok("tasks_delete", task=task)
