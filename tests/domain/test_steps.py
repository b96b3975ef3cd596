"""The rules of steps, without any store."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from gatepost.domain import refusals, step_rules
from gatepost.domain.checkpoints import (
    CHECKPOINTS,
    Checkpoint,
    CheckpointMark,
    Optional,
)
from gatepost.domain.events import StepDefined, StepDone, StepReopened
from gatepost.domain.gate import NOTHING_OPEN, OpenBelow
from gatepost.domain.refusals import StepAddress
from gatepost.domain.steps import Step
from gatepost.domain.value import Stamp

WHERE = StepAddress("TASK-001", "STEP-00000001", "s:0")
BELOW = OpenBelow(1, (StepAddress("TASK-001", "STEP-00000002", "s:0.s:0"),))
NOW = Stamp("2026-01-01T00:00:00.000Z", "tester")
LATER = Stamp("2026-01-02T00:00:00.000Z", "somebody else")
OPTIONAL: tuple[Optional, ...] = ("security", "perf", "docs")

STEP = Step(id="STEP-00000001", title="A step", criteria=("it works",), tests=("pytest",))
MARKS = st.dictionaries(st.sampled_from(CHECKPOINTS), st.builds(CheckpointMark, confirmed=st.booleans()))


def confirm(*names: Checkpoint) -> dict[Checkpoint, CheckpointMark]:
    return {name: CheckpointMark(confirmed=True) for name in names}


def proven(step: Step = STEP) -> Step:
    return step_rules.verify(step, WHERE, confirm("criteria", "tests"), NOW)[0]


def closed(step: Step = STEP) -> Step:
    return step_rules.finish(proven(step), WHERE, NOTHING_OPEN, NOW)[0]


@pytest.mark.requirement("tasks.gate.criteria-and-tests", "tasks.gate.declared", "tasks.gate.undeclared")
def test_a_step_closes_exactly_when_all_that_it_needs_is_confirmed() -> None:
    every_subset = [set(some) for size in range(6) for some in combinations(CHECKPOINTS, size)]

    for required in (subset for subset in every_subset if subset <= set(OPTIONAL)):
        needed = {"criteria", "tests"} | required
        for confirmed in every_subset:
            step = Step(id=STEP.id, title="t", required=tuple(n for n in OPTIONAL if n in required))
            marked, _ = step_rules.verify(step, WHERE, confirm(*sorted(confirmed)), NOW)

            assert set(marked.missing) == needed - confirmed
            if needed <= confirmed:
                assert step_rules.finish(marked, WHERE, NOTHING_OPEN, NOW)[0].done
            else:
                with pytest.raises(refusals.CheckpointsNotConfirmed):
                    step_rules.finish(marked, WHERE, NOTHING_OPEN, NOW)


def test_what_is_missing_is_told_in_the_order_of_the_checkpoints() -> None:
    assert replace(STEP, required=("docs", "security")).missing == ("criteria", "tests", "security", "docs")


@given(marks=MARKS)
def test_confirming_the_same_twice_is_no_change_the_second_time(marks: dict[Checkpoint, CheckpointMark]) -> None:
    once, _ = step_rules.verify(STEP, WHERE, marks, NOW)

    twice, events = step_rules.verify(once, WHERE, marks, Stamp(LATER.at, NOW.actor))

    assert twice == once
    assert events == ()


@given(before=MARKS, after=MARKS)
def test_a_verification_touches_no_checkpoint_that_it_does_not_name(
    before: dict[Checkpoint, CheckpointMark], after: dict[Checkpoint, CheckpointMark]
) -> None:
    step, _ = step_rules.verify(STEP, WHERE, before, NOW)

    marked, _ = step_rules.verify(step, WHERE, after, LATER)

    unnamed = [mark for mark in step.confirmed if mark.checkpoint not in after]
    assert [mark for mark in marked.confirmed if mark.checkpoint not in after] == unnamed
    assert {mark.checkpoint for mark in marked.confirmed if mark.checkpoint in after} == {
        name for name, mark in after.items() if mark.confirmed
    }


@given(marks=MARKS, blocked=st.booleans(), below=st.sampled_from([NOTHING_OPEN, BELOW]))
def test_closing_in_one_go_ends_as_verifying_and_then_closing_would(
    marks: dict[Checkpoint, CheckpointMark], blocked: bool, below: OpenBelow
) -> None:
    step = step_rules.block(STEP, WHERE, None)[0] if blocked else STEP
    verified, _ = step_rules.verify(step, WHERE, marks, NOW)

    try:
        at_once = step_rules.close(step, WHERE, below, marks, NOW)[0]
    except refusals.Refusal as refusal:
        if all(mark.confirmed for mark in marks.values()):
            with pytest.raises(type(refusal)):
                step_rules.finish(verified, WHERE, below, NOW)
    else:
        assert at_once == step_rules.finish(verified, WHERE, below, NOW)[0]


@given(marks=MARKS)
def test_no_close_that_denies_a_checkpoint_goes_through(marks: dict[Checkpoint, CheckpointMark]) -> None:
    denied = {**confirm("criteria", "tests"), **marks, "docs": CheckpointMark(confirmed=False)}

    with pytest.raises(refusals.CheckpointsNotConfirmed):
        step_rules.close(STEP, WHERE, NOTHING_OPEN, denied, NOW)


def test_a_refused_close_lists_every_checkpoint_that_shut_the_gate() -> None:
    denied = CheckpointMark(confirmed=False)
    marks = {**confirm("criteria"), "tests": denied, "docs": denied}

    with pytest.raises(refusals.CheckpointsNotConfirmed) as refused:
        step_rules.close(STEP, WHERE, NOTHING_OPEN, marks, NOW)

    assert refused.value.details["missing"] == ["tests", "docs"]


def test_a_block_is_told_before_open_children_and_those_before_checkpoints() -> None:
    blocked = step_rules.block(STEP, WHERE, "no network")[0]

    with pytest.raises(refusals.StepIsBlocked, match="no network"):
        step_rules.finish(blocked, WHERE, BELOW, NOW)
    with pytest.raises(refusals.ChildrenOpen):
        step_rules.finish(STEP, WHERE, BELOW, NOW)


@pytest.mark.parametrize("field", ["criteria", "tests"])
def test_rewriting_a_promise_voids_its_confirmation_and_no_other(field: Checkpoint) -> None:
    step = proven()

    defined, (event,) = step_rules.define(step, WHERE, {field: ("something else",), "title": "New"})

    assert [mark.checkpoint for mark in defined.confirmed] == [
        name for name in ("criteria", "tests") if name != field
    ]
    assert event == StepDefined(fields=(field, "title"), withdrawn=(field,))


def test_writing_the_same_promise_again_voids_nothing() -> None:
    step = proven()

    defined, events = step_rules.define(step, WHERE, {"criteria": step.criteria, "tests": step.tests})

    assert defined == step
    assert events == ()


@pytest.mark.parametrize("field", ["criteria", "tests"])
def test_the_promises_of_a_done_step_stand(field: str) -> None:
    step = closed()

    with pytest.raises(refusals.StepIsDone, match=field):
        step_rules.define(step, WHERE, {field: ("easier",)})


def test_a_forced_close_tells_what_was_missing_and_an_unneeded_one_forces_nothing() -> None:
    half = step_rules.verify(STEP, WHERE, confirm("criteria"), NOW)[0]

    forced, (event,) = step_rules.force(half, WHERE, NOTHING_OPEN, "the demo is today", NOW)
    _, (plain,) = step_rules.force(proven(), WHERE, NOTHING_OPEN, "just in case", NOW)

    assert forced.done
    assert event == StepDone(forced=True, missing=("tests",), reason="the demo is today")
    assert plain == StepDone(reason="just in case")


def test_reopening_clears_the_time_and_withdraws_the_confirmations() -> None:
    step = closed()

    opened, (event,) = step_rules.reopen(step, reason="it broke")

    assert opened == replace(proven(), confirmed=())
    assert event == StepReopened(reason="it broke", withdrawn=("criteria", "tests"))


def test_reopening_what_is_open_and_closing_what_is_done_change_nothing() -> None:
    done = closed()

    assert step_rules.reopen(STEP) == (STEP, ())
    assert step_rules.finish(done, WHERE, NOTHING_OPEN, LATER) == (done, ())
    assert step_rules.force(done, WHERE, NOTHING_OPEN, "again", LATER) == (done, ())
    assert step_rules.close(done, WHERE, NOTHING_OPEN, confirm("criteria", "tests"), LATER) == (done, ())


def test_blocking_a_done_step_is_refused_and_unblocking_it_changes_nothing() -> None:
    done = closed()

    with pytest.raises(refusals.StepIsDone):
        step_rules.block(done, WHERE, "too late")

    assert step_rules.unblock(done, NOW) == (done, ())
