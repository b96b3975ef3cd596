"""What a confirmation rests on, and who can make it so."""

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from gatepost.domain import authority, documents, refusals, step_rules
from gatepost.domain.checkpoints import Checkpoint, CheckpointMark, Confirmation, Signature, TreeMark
from gatepost.domain.checks import Check
from gatepost.domain.confirmations import CheckPassed
from gatepost.domain.gate import NOTHING_OPEN
from gatepost.domain.proof_refusals import ChecksNotRun
from gatepost.domain.refusals import StepAddress
from gatepost.domain.steps import Step
from gatepost.domain.value import Stamp

WHERE = StepAddress("TASK-001", "STEP-00000001", "s:0")
AGENT = Stamp("2026-01-01T00:00:00.000Z", "agent:one")
OTHER = Stamp("2026-01-02T00:00:00.000Z", "agent:two")
ADA = Stamp("2026-01-03T00:00:00.000Z", "human:ada")
STEP = Step(id="STEP-00000001", title="A step", criteria=("it works",), tests=("pytest",))
CHECKED = replace(STEP, checks=(Check(run=("pytest", "-q")),))
PASSED = CheckPassed(evidence=7, tree=TreeMark(commit="abc", dirty=False, digest="d"))


def confirm(*names: Checkpoint, note: str | None = None) -> dict[Checkpoint, CheckpointMark]:
    return {name: CheckpointMark(confirmed=True, note=note) for name in names}


def verified(step: Step, stamp: Stamp, *names: Checkpoint, note: str | None = None) -> Step:
    return step_rules.verify(step, WHERE, confirm(*names, note=note), stamp)[0]


def checked(step: Step = CHECKED) -> Step:
    return step_rules.check(step, {"tests": PASSED}, (), AGENT)[0]


def held(step: Step, name: Checkpoint = "tests") -> Confirmation:
    return next(mark for mark in step.confirmed if mark.checkpoint == name)


@pytest.mark.parametrize(
    ("made", "provenance"),
    [
        (verified(STEP, AGENT, "tests"), "asserted"),
        (verified(STEP, AGENT, "tests", note="9 pass"), "noted"),
        (verified(step_rules.evidence(STEP, ("tests",), 5), AGENT, "tests", note="9 pass"), "evidenced"),
        (verified(STEP, ADA, "tests"), "human"),
        (verified(step_rules.evidence(STEP, ("tests",), 5), ADA, "tests"), "human"),
        (verified(verified(STEP, AGENT, "tests"), ADA, "tests"), "human"),
        (checked(), "machine"),
        (verified(checked(), ADA, "tests"), "machine"),
    ],
)
@pytest.mark.requirement("proof.provenance.kinds")
def test_what_a_confirmation_rests_on_follows_from_who_made_it_and_what_was_there(
    made: Step, provenance: str
) -> None:
    assert held(made).provenance == provenance


def test_a_confirmation_of_an_old_store_reads_as_before() -> None:
    old = (
        '{"kind":"step","id":"STEP-00000001","title":"t","confirmed":[{"checkpoint":"tests","at":"x","actor":"a"},'
    )
    old += '{"checkpoint":"criteria","at":"x","actor":"a","note":"seen"}]}'

    step = documents.from_text(old)

    assert isinstance(step, Step)
    assert [mark.provenance for mark in step.confirmed] == ["asserted", "noted"]
    assert documents.to_text(step) == old


def test_evidence_counts_for_what_it_names_only_and_until_the_step_is_reopened() -> None:
    supported = step_rules.evidence(STEP, ("tests",), 5)

    closed, _ = step_rules.close(supported, WHERE, NOTHING_OPEN, confirm("criteria", "tests"), AGENT)
    again, _ = step_rules.reopen(closed)

    assert (held(closed).provenance, held(closed).evidence) == ("evidenced", 5)
    assert held(closed, "criteria").provenance == "asserted"
    assert held(verified(again, AGENT, "tests")).provenance == "asserted"


def test_new_tests_or_checks_need_new_evidence() -> None:
    supported = step_rules.evidence(STEP, ("criteria", "tests"), 5)
    changes: tuple[dict[str, Any], ...] = ({"tests": ("other",)}, {"checks": CHECKED.checks})

    for change in changes:
        defined, _ = step_rules.define(supported, WHERE, change)
        assert [support.checkpoint for support in defined.supported] == ["criteria"]


def test_another_actor_signs_and_the_first_confirmation_stays() -> None:
    first = verified(STEP, AGENT, "tests", note="9 pass")

    signed = verified(first, OTHER, "tests", note="Ran them too.")

    signature = Signature(actor="agent:two", at=OTHER.at, note="Ran them too.")
    assert held(signed) == replace(held(first), signed=signature)
    assert verified(signed, OTHER, "tests", note="Again.") == signed
    assert held(verified(signed, ADA, "tests")).provenance == "human"
    assert verified(verified(signed, ADA, "tests"), Stamp(OTHER.at, "agent:three"), "tests") == verified(
        signed, ADA, "tests"
    )


def test_closing_a_done_step_again_signs_nothing() -> None:
    closed, _ = step_rules.close(STEP, WHERE, NOTHING_OPEN, confirm("criteria", "tests"), AGENT)

    assert step_rules.close(closed, WHERE, NOTHING_OPEN, confirm("criteria", "tests"), OTHER) == (closed, ())
    assert held(verified(closed, ADA, "tests")).provenance == "human"


@pytest.mark.parametrize("stamp", [AGENT, ADA])
@pytest.mark.requirement("proof.check.only-by-running")
def test_a_checkpoint_with_checks_is_confirmed_by_nothing_else(stamp: Stamp) -> None:
    with pytest.raises(ChecksNotRun, match="`pytest -q`"):
        step_rules.verify(CHECKED, WHERE, confirm("tests"), stamp)
    with pytest.raises(ChecksNotRun):
        step_rules.close(CHECKED, WHERE, NOTHING_OPEN, confirm("criteria", "tests"), stamp)
    with pytest.raises(ChecksNotRun):
        step_rules.close(CHECKED, WHERE, NOTHING_OPEN, confirm("criteria"), stamp)

    closed, _ = step_rules.close(checked(), WHERE, NOTHING_OPEN, confirm("criteria", "tests", note="seen"), AGENT)

    assert (held(closed).provenance, held(closed).note) == ("machine", "seen")


def test_a_failed_check_takes_back_what_an_earlier_one_confirmed_while_the_step_is_open() -> None:
    failed, (event,) = step_rules.check(checked(), {}, ("tests",), OTHER)
    closed, _ = step_rules.close(checked(), WHERE, NOTHING_OPEN, confirm("criteria"), AGENT)

    assert failed == CHECKED
    assert msgspec.to_builtins(event)["checkpoints"] == {"tests": {"confirmed": False}}
    assert step_rules.check(closed, {}, ("tests",), OTHER) == (closed, ())


@pytest.mark.requirement("proof.check.changed-checks-withdraw")
def test_other_checks_void_what_the_old_ones_confirmed_and_a_done_step_keeps_its_own() -> None:
    other = {"checks": (Check(run=("pytest", "-x")),)}
    closed, _ = step_rules.close(checked(), WHERE, NOTHING_OPEN, confirm("criteria"), AGENT)

    defined, _ = step_rules.define(checked(), WHERE, other)

    assert defined.missing == ("criteria", "tests")
    with pytest.raises(refusals.StepIsDone, match="its checks cannot be changed"):
        step_rules.define(closed, WHERE, other)


def test_a_check_for_docs_makes_docs_needed() -> None:
    step = replace(STEP, checks=(Check(run=("mkdocs",), checkpoint="docs"),))

    assert step.missing == ("criteria", "tests", "docs")


@pytest.mark.parametrize(
    ("after", "actor", "ran", "earned"),
    [
        (checked(), "agent:one", True, True),
        (checked(), "agent:one", False, False),
        (checked(), "human:ada", False, False),
        (verified(STEP, ADA, "tests"), "human:ada", False, True),
        (verified(STEP, ADA, "tests"), "human:bob", False, False),
        (verified(STEP, ADA, "tests"), "agent:one", True, False),
        (verified(verified(STEP, AGENT, "tests"), ADA, "tests"), "agent:one", False, False),
        (verified(verified(STEP, AGENT, "tests"), ADA, "tests"), "human:ada", False, True),
        (verified(STEP, AGENT, "tests", note="I swear"), "agent:one", False, True),
    ],
)
def test_only_checks_and_people_can_write_their_proofs(after: Step, actor: str, *, ran: bool, earned: bool) -> None:
    assert (not authority.unearned(STEP, after, actor, checked=ran)) == earned
    assert (not authority.unearned(None, after, actor, checked=ran)) == earned
    assert not authority.unearned(after, after, "anybody", checked=False)
