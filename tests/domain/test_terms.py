"""Terms: what documents are found by."""

from typing import Any

import pytest
from msgspec.structs import replace

from gatepost.domain import terms
from gatepost.domain.checkpoints import Confirmation
from gatepost.domain.questions import Question
from gatepost.domain.roots import Plan, Task
from gatepost.domain.steps import Step
from gatepost.domain.tallies import NONE, Tally

ASSERTED = tuple(
    Confirmation(checkpoint=name, at="2026-01-01T00:00:00.000Z", actor="tester") for name in ("criteria", "tests")
)
SIGNED = tuple(replace(mark, actor="human:ada") for mark in ASSERTED)
ASKED = Question(ask="Which?", actor="tester", at="2026-01-01T00:00:00.000Z")
PROVEN = tuple(replace(mark, note="Looked at it.") for mark in ASSERTED)


SAID: dict[str, Any] = {"criteria": ("it works",), "tests": ("pytest",)}


@pytest.mark.parametrize(
    ("step", "tally", "found_by"),
    [
        (Step(id="STEP-00000001", title="open", **SAID), NONE, {terms.NOW}),
        (Step(id="STEP-00000001", title="proven", confirmed=PROVEN, **SAID), NONE, {terms.NOW, terms.UNSIGNED}),
        (Step(id="STEP-00000001", title="half proven", confirmed=PROVEN[:1], **SAID), NONE, {terms.NOW}),
        (Step(id="STEP-00000001", title="signed", confirmed=SIGNED, **SAID), NONE, {terms.NOW}),
        (
            Step(id="STEP-00000001", title="asks", blocked=True, question=ASKED),
            NONE,
            {terms.BLOCKED, terms.asked(None)},
        ),
        (
            Step(id="STEP-00000001", title="asks people", blocked=True, question=replace(ASKED, for_="human:ada")),
            NONE,
            {terms.BLOCKED, terms.asked("human")},
        ),
        (
            Step(id="STEP-00000001", title="asks an agent", blocked=True, question=replace(ASKED, for_="agent:x")),
            NONE,
            {terms.BLOCKED, terms.asked("agent:x")},
        ),
        (Step(id="STEP-00000001", title="over open ones", **SAID), Tally(total=2, done=1), set()),
        (Step(id="STEP-00000001", title="over done ones", **SAID), Tally(total=2, done=2), {terms.NOW}),
        (Step(id="STEP-00000001", title="says nothing"), NONE, {terms.NOW, terms.BARE}),
        (Step(id="STEP-00000001", title="nothing, over open"), Tally(total=1), {terms.BARE}),
        (Step(id="STEP-00000001", title="blocked", blocked=True), NONE, {terms.BLOCKED}),
        (Step(id="STEP-00000001", title="both", blocked=True), Tally(total=1), {terms.BLOCKED}),
        (Step(id="STEP-00000001", title="done", done_at="now", confirmed=PROVEN), NONE, set()),
        (Step(id="STEP-00000001", title="on a word", done_at="now", confirmed=ASSERTED), NONE, {terms.ASSERTED}),
        (
            Step(id="STEP-00000001", title="half a word", done_at="now", confirmed=ASSERTED[:1]),
            NONE,
            {terms.ASSERTED, terms.UNPROVEN},
        ),
        (Step(id="STEP-00000001", title="forced", done_at="now"), NONE, {terms.UNPROVEN}),
    ],
    ids=lambda value: value.title if isinstance(value, Step) else "",
)
def test_a_step_is_found_by_what_can_be_done_with_it(step: Step, tally: Tally, found_by: set[str]) -> None:
    assert terms.of(step, tally) == found_by


def test_a_task_is_found_by_each_field_that_a_list_can_be_narrowed_by() -> None:
    task = Task(
        id="TASK-001",
        title="Fix it",
        plan="PLAN-002",
        priority="HIGH",
        domain="backend",
        tags=("urgent",),
        depends_on=("TASK-009",),
    )

    found_by = terms.of(task, NONE)

    assert found_by >= {
        terms.kind("task"),
        terms.status("TODO"),
        terms.priority("HIGH"),
        terms.plan("PLAN-002"),
        terms.domain("backend"),
        terms.tag("urgent"),
        terms.needs("TASK-009"),
        terms.READY,
    }


@pytest.mark.parametrize(
    ("root", "tally", "ready"),
    [
        (Task(id="TASK-001", title="t"), NONE, True),
        (Task(id="TASK-001", title="t", status="ACTIVE"), NONE, True),
        (Task(id="TASK-001", title="t"), Tally(waiting=1), False),
        (Task(id="TASK-001", title="t", status="DONE"), NONE, False),
        (Plan(id="PLAN-001", title="p"), NONE, True),
        (Plan(id="PLAN-001", title="p"), Tally(waiting=2), False),
    ],
)
def test_what_is_open_and_waits_for_nothing_is_ready(root: Plan | Task, tally: Tally, ready: bool) -> None:
    found_by = terms.of(root, tally)

    assert (terms.READY in found_by) is ready
    assert (terms.NOT_READY in found_by) is not ready
