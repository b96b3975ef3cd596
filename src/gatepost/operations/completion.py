"""Completion: a plan or task is done when everything in it is done and proven."""

from msgspec.structs import replace

from gatepost.domain import gate, places, roots, terms
from gatepost.domain.refusals import ChecklistOpen, CheckpointsNotConfirmed, Suggestion
from gatepost.domain.roots import DONE, Root, Status
from gatepost.engine.draft import Draft
from gatepost.engine.reader import MOST_NAMED, Found, address
from gatepost.engine.rows import LAST_PLACE
from gatepost.operations.demands import check_approved
from gatepost.operations.fields import RootId
from gatepost.operations.registry import Write, operation
from gatepost.operations.step_commands import outcome
from gatepost.operations.steps import reopen_roots
from gatepost.replies.root_writes import Completed


class Complete(Write[Completed], frozen=True, kw_only=True):
    """Set the status of a plan or task."""

    task: RootId
    status: Status = "DONE"


@operation("tasks_complete", "core", "tasks")
def complete(draft: Draft, command: Complete) -> Completed:
    """Complete a plan or task once everything in it is done and confirmed, or set its `status`."""
    root = draft.root_at(command.task, command.expected_revision)
    if command.status == DONE and not root.value.done:
        check_completable(draft, root)
    wanted = roots.shown_status(replace(root.value, status=command.status), root.tally.tasks_begun)
    value, events = roots.set_status(root.value, wanted)
    for event in events:
        draft.put(root.place, value)
        draft.log(root.place, event)
    if events and root.value.done:
        reopen_roots(draft, root.place, command.task)
    return Completed(task=command.task, status=wanted, **outcome(draft, root.place))


def check_completable(draft: Draft, root: Found[Root]) -> None:
    """Refuse to complete what is not approved, not done, not proven, or not at the end of its checklist."""
    check_approved(draft, root)
    _check_open(draft, root)
    _check_proven(draft, root)
    plan = root.value
    if isinstance(plan, roots.Plan) and plan.current < len(plan.steps):
        left = list(plan.steps[plan.current :])
        raise ChecklistOpen(
            f"{plan.id} is at {plan.current} of {len(plan.steps)} in its checklist; next: {left[0]}.",
            "Finish the checklist and advance it after each item. Then complete the plan.",
            Suggestion("tasks_resume", {"plan": plan.id}),
            missing=left[:MOST_NAMED],
        )


def _check_open(draft: Draft, root: Found[Root]) -> None:
    if isinstance(root.value, roots.Plan):
        if not root.tally.tasks_open:
            return
        mine = (terms.plan(root.value.id),)
        undone = (terms.status("TODO"), terms.status("ACTIVE"))
        found = draft.postings((mine, undone), "", LAST_PLACE, MOST_NAMED)
        raise gate.tasks_open(root.value.id, root.tally.tasks_open, [places.root_id(place) for place in found])
    if root.tally.open:
        raise gate.children_open(root.value.id, draft.open_below(root))


def _check_proven(draft: Draft, root: Found[Root]) -> None:
    """Steps that were closed by force still need their checkpoints."""
    unproven = draft.steps(draft.among(((terms.UNPROVEN,),), root.place, MOST_NAMED))
    if unproven:
        first = address(unproven[0])
        owed = " and ".join(unproven[0].value.missing)
        raise CheckpointsNotConfirmed(
            f"{root.value.id} has steps that were forced closed. The first is {first}: {owed} not confirmed.",
            "Verify what is missing and confirm it. Then complete the task.",
            Suggestion("tasks_resume", first.selector),
            missing=[
                {
                    "step_id": step.value.id,
                    "path": places.path_of(step.place),
                    "missing": list(step.value.missing),
                }
                for step in unproven
            ],
        )
