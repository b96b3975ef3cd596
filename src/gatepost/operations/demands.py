"""Demands: what closing a step takes, by the policy that holds for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import asdict

from gatepost.domain import places, policies
from gatepost.domain.people import is_person
from gatepost.domain.policies import Demand
from gatepost.domain.roots import Plan, Root, Task
from gatepost.domain.steps import Step
from gatepost.engine.log import shown
from gatepost.engine.policies import effective
from gatepost.engine.reader import Found, Reader

if TYPE_CHECKING:
    from gatepost.replies.policies import PolicyFields
    from gatepost.replies.step_details import Need

_READ: Final = 500
"""How many of a step's newest events are searched for those who worked on it."""
_WORK: Final = ("step_noted", "step_blocked", "evidence_captured")
"""What agents write who work on a step. Reviewers confirm, close and reopen; people answer and comment."""


def demand_on(reader: Reader, root: Found[Root], step: Found[Step]) -> Demand:
    """What closing a step takes. Refused while its plan waits for approval."""
    check_approved(reader, root)
    return demand_of(reader, step)


def needs(reader: Reader, step: Found[Step]) -> tuple[Need, ...]:
    """The confirmations of an open step that do not do for the policy."""
    if step.value.done or not step.value.confirmed:
        return ()
    from gatepost.replies.step_details import Need

    demand = demand_of(reader, step)
    marks, policy = tuple(step.value.relied_on), demand.policy
    signers = policy.signoff or {}
    return (
        *(Need(checkpoint=one.checkpoint, proof=policy.proof) for one in policies.unproven(marks, policy)),
        *(
            Need(checkpoint=one.checkpoint, signoff=signers[one.checkpoint])
            for one in policies.unsigned(marks, demand)
        ),
    )


def demanded(reader: Reader, place: str) -> PolicyFields | None:
    """What the policy at a place wants beyond the default; nothing if that is all."""
    from gatepost.replies.policies import PolicyFields  # a radar does without

    held, usual = asdict(effective(reader, place)), asdict(policies.DEFAULT)
    found = {name: value for name, value in held.items() if value != usual[name]}
    return PolicyFields(**found) if found else None


def demand_of(reader: Reader, step: Found[Step]) -> Demand:
    """What the policy of a step asks for, and who worked on the step if that matters."""
    held = effective(reader, step.place)
    if held == policies.DEFAULT:
        return policies.NO_DEMAND
    if "other" not in (held.signoff or {}).values():
        return Demand(held)
    rows = reader.recent(_READ, places.root_of(step.place), step.value.id)
    return Demand(
        held, frozenset(row.actor for row in rows if not is_person(row.actor) and shown(row)["type"] in _WORK)
    )


def check_approved(reader: Reader, root: Found[Root]) -> None:
    """Refuse to confirm or close anything in a plan that waits for a person's approval."""
    plan = root.value
    if isinstance(plan, Task) and plan.plan is not None and root.tally.waiting:
        plan = reader.root(plan.plan, field="plan").value
    if isinstance(plan, Plan) and plan.waits_for_approval:
        from gatepost.domain.proof_refusals import ApprovalRequired

        raise ApprovalRequired(plan.id, root.value.id)
