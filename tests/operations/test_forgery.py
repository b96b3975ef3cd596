"""No sequence of calls makes a confirmation `machine` or `human` that was not."""

import random
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from gatepost.domain import authority, documents
from gatepost.domain.checkpoints import Confirmation, Signature
from gatepost.domain.proof_refusals import HumanRequired, NotTrusted
from gatepost.domain.records import StepNoted
from gatepost.domain.steps import Step
from gatepost.engine.draft import Draft
from gatepost.engine.safeguards import ProofForged
from tests.givens import CONFIRMED, PROVEN, World, memory_store
from tests.mcp.walks import calls, state

FORGED: dict[str, Any] = {"confirmed": True, "basis": "machine"}
SHAPES = [
    {"checkpoints": {"tests": FORGED}},
    {"checkpoints": {"tests": {"confirmed": True, "provenance": "human"}}},
    {"checkpoints": {"tests": {"confirmed": True, "signed": {"actor": "human:ada", "at": "2026"}}}},
    {"checkpoints": CONFIRMED, "actor": "human:ada"},
]


def proven(seed: int) -> World:
    """A world in which much has happened, with steps that checks and a person have proven."""
    world = state(World(memory_store()), seed)
    steps = [{"title": "Run", "checks": [{"run": "true"}]}, {"title": "Seen"}, {"title": "Open"}]
    task = world.task(steps=steps)
    world.ok(
        "tasks_close_step", task=task, path="s:0", checkpoints={"criteria": PROVEN["criteria"]}, run_checks=True
    )
    world.caller = replace(world.caller, actor="human:ada")
    world.close(task, "s:1")
    world.ok("tasks_verify", task=task, path="s:0", checkpoints=CONFIRMED)
    world.caller = replace(world.caller, actor="agent:one")
    return world


def claims(world: World) -> set[tuple[str, authority.Attestation]]:
    with world.store.reading(world.workspace) as snapshot:
        rows = [row for row in snapshot.rows("documents") if row[1] is not None]
    return {(str(row[0]), claim) for row in rows for claim in authority.claims(documents.from_text(str(row[1])))}


@pytest.mark.parametrize("seed", range(1, 5))
@pytest.mark.requirement("proof.provenance.no-forgery")
def test_no_call_of_any_operation_forges_a_proof(seed: int) -> None:
    world = proven(seed)
    world.checks.refusal = NotTrusted("Nothing runs.", "Ask the user.")
    made = claims(world)
    assert {claim.whose for _, claim in made} == {authority.MACHINE, "human:ada"}
    asked = list(calls(world, seed, 3))
    random.Random(seed).shuffle(asked)
    chance = random.Random(seed)

    for tool, arguments in asked:
        world.ask(tool, **arguments)
        if chance.random() < 0.3:
            world.ask(chance.choice(("tasks_undo", "tasks_redo")))
        if chance.random() < 0.3:
            inner = [{"tool": tool, "arguments": arguments}]
            world.ask("tasks_batch", operations=inner, atomic=chance.random() < 0.5)
        assert claims(world) <= made, tool


@pytest.mark.parametrize("given", SHAPES)
@pytest.mark.requirement("proof.provenance.no-forgery")
def test_what_a_confirmation_rests_on_cannot_be_given(given: dict[str, Any], world: World) -> None:
    task = world.task("a")

    for tool in ("tasks_verify", "tasks_close_step"):
        world.no("INVALID_INPUT", tool, task=task, path="s:0", **given)
    for field in ("confirmed", "supported", "provenance"):
        step = {"title": "a", field: [{"checkpoint": "tests", "at": "x", "actor": "human:ada", "basis": "human"}]}
        world.no("INVALID_INPUT", "tasks_decompose", task=task, steps=[step])
        world.no("INVALID_INPUT", "tasks_define", task=task, path="s:0", **{field: step[field]})
        ops = [{"op": "set", "field": field, "value": step[field]}]
        world.no("INVALID_INPUT", "tasks_patch", task=task, kind="step", path="s:0", ops=ops)


@pytest.mark.parametrize(
    "mark",
    [
        Confirmation(checkpoint="tests", at="x", actor="agent:one", basis="machine"),
        Confirmation(checkpoint="tests", at="x", actor="human:ada", basis="human"),
        Confirmation(checkpoint="tests", at="x", actor="agent:one", signed=Signature(actor="human:ada", at="x")),
    ],
)
@pytest.mark.requirement("proof.provenance.no-forgery")
def test_a_handler_that_would_write_a_forged_proof_is_stopped_at_the_commit(
    mark: Confirmation, world: World
) -> None:
    task = world.task("a")
    before = world.everything()

    def forge(draft: Draft) -> None:
        root = draft.root(task)
        step = draft.step(root, "s:0", None)
        draft.put(step.place, msgspec.structs.replace(step.value, confirmed=(mark,)))
        draft.log(root.place, _noted(), step)

    with pytest.raises((ProofForged, HumanRequired), match="tests"):
        world.engine.write("tasks_note", world.workspace, world.caller, forge)
    assert world.everything() == before


@pytest.mark.requirement("proof.provenance.no-forgery")
def test_a_copy_of_a_proven_step_elsewhere_is_forged_too(world: World) -> None:
    task = world.task(steps=[{"title": "a", "checks": [{"run": "true"}]}])
    other = world.task("b")
    world.ok("tasks_check", task=task, path="s:0")

    def copy(draft: Draft) -> None:
        step = draft.step(draft.root(task), "s:0", None)
        target = draft.step(draft.root(other), "s:0", None)
        assert isinstance(step.value, Step)
        draft.put(target.place, msgspec.structs.replace(target.value, confirmed=step.value.confirmed))
        draft.log(draft.root(other).place, _noted(), target)

    with pytest.raises(ProofForged):
        world.engine.write("tasks_note", world.workspace, world.caller, copy)


def _noted() -> StepNoted:
    return StepNoted(note="x")
