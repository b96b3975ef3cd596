"""Policies and approvals: what a confirmation must be, and which plans wait for a person."""

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType
from msgspec.structs import asdict, replace

from gatepost.domain import places, policies
from gatepost.domain.checkpoints import Checkpoint
from gatepost.domain.documents import Document, WorkspacePolicy
from gatepost.domain.events import PlanApproved, PolicySet
from gatepost.domain.people import is_person
from gatepost.domain.policies import Ageing, Approver, Policy, ProofLevel, Signer
from gatepost.domain.proof_refusals import HumanRequired
from gatepost.domain.refusals import InvalidInput
from gatepost.domain.roots import Approval, Plan, Task
from gatepost.engine.draft import Draft
from gatepost.engine.policies import effective, loosened, needs_person, policy_of
from gatepost.operations.fields import PlanId, RootId, one_target
from gatepost.operations.registry import Write, operation
from gatepost.operations.step_commands import outcome
from gatepost.replies.policies import Approved, PolicyFields, PolicyReply
from gatepost.wire.prose import Note

Signers = Annotated[dict[Checkpoint, Signer], Meta(max_length=5)]


class SetPolicy(Write[PolicyReply], frozen=True, kw_only=True):
    """Read or set the policy of the workspace, a plan or a task."""

    task: RootId | None = None
    plan: PlanId | None = None
    proof: ProofLevel | UnsetType | None = UNSET
    signoff: Signers | UnsetType | None = UNSET
    approval: Approver | UnsetType | None = UNSET
    stale: Ageing | UnsetType | None = UNSET


class Approve(Write[Approved], frozen=True, kw_only=True):
    """Allow work on a plan."""

    plan: PlanId
    note: Note | None = None


@operation("tasks_policy", "tasks")
def set_policy(draft: Draft, command: SetPolicy) -> PolicyReply:
    """Read or set what closing a step takes, for the workspace, a plan or a task; the nearest policy holds.
    `proof` is the least that a confirmation rests on, `signoff` who must confirm, `approval: human` makes a plan
    wait for a person. null clears a field. Only people loosen a policy."""
    changes = {name: value for name in policies.FIELDS if (value := getattr(command, name)) is not UNSET}
    named = one_target(command.task, command.plan)
    place = _target(draft, command, named)
    set_at(draft, place, changes)
    return PolicyReply(
        task=named if place[0] == places.TASK else None,
        plan=named if place[0] == places.PLAN else None,
        set=_shown(policy_of(_document(draft, place)) or policies.NOTHING),
        holds=_shown(effective(draft, place)),
        **outcome(draft, place),
    )


@operation("tasks_approve")
def approve(draft: Draft, command: Approve) -> Approved:
    """Approve a plan that waits for a person, so that its tasks can be worked on. Only people can."""
    found = draft.root_at(command.plan, command.expected_revision, field="plan")
    plan = found.value
    if not isinstance(plan, Plan):
        raise InvalidInput([("plan", f"{command.plan} is not a plan")])
    if not is_person(draft.stamp.actor):
        raise HumanRequired(f"Only a person can approve {plan.id}.", f"gatepost approve {plan.id}")
    if plan.waits_for_approval:
        approval = Approval(actor=draft.stamp.actor, at=draft.stamp.at, note=command.note)
        draft.put(found.place, replace(plan, approved=approval))
        draft.log(found.place, PlanApproved(note=command.note))
    return Approved(plan=plan.id, **outcome(draft, found.place))


def set_at(draft: Draft, place: str, changes: Mapping[str, Any]) -> None:
    """Change fields of the policy of the workspace, a plan or a task. To demand less takes a person."""
    document = _document(draft, place)
    if isinstance(document, Task) and changes.get("approval"):
        raise InvalidInput(
            [("approval", "applies to plans only: name a plan, or leave it out to set it for the workspace")]
        )
    before = policy_of(document)
    after = policies.changed(before, changes)
    if (before or policies.NOTHING) == (after or policies.NOTHING):
        return
    weaker = loosened(draft, place, before, after)
    if weaker and not is_person(draft.stamp.actor):
        raise needs_person(place, weaker)
    if isinstance(document, Plan | Task):
        draft.put(place, replace(document, policy=after))
    else:
        draft.put(place, WorkspacePolicy(policy=after or policies.NOTHING))
    was, now = before or policies.NOTHING, after or policies.NOTHING
    fields = tuple(name for name in policies.FIELDS if getattr(was, name) != getattr(now, name))
    draft.log(place, PolicySet(fields=fields, loosened=weaker))


def _target(draft: Draft, command: SetPolicy, named: str | None) -> str:
    if named is not None:
        return draft.root_at(
            named, command.expected_revision, field="plan" if command.task is None else "task"
        ).place
    revision = draft.tally(places.POLICY).revision
    draft.check_revision("policy", places.POLICY, revision, command.expected_revision)
    return places.POLICY


def _document(draft: Draft, place: str) -> Document | None:
    found = draft.at(place)
    return None if found is None else found.value


def _shown(policy: Policy) -> PolicyFields:
    return PolicyFields(**{**asdict(policy), "signoff": policy.signoff or None})
