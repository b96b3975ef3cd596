"""Demands: the policy that holds for a plan, a task or a step, and what closing a step takes by it."""

from typing import Final

from gatepost.domain import places, policies
from gatepost.domain.documents import WorkspacePolicy
from gatepost.domain.policies import Demand, Policy
from gatepost.domain.policy_refusals import ApprovalRequired
from gatepost.domain.roots import Plan, Root, Task
from gatepost.domain.steps import Step
from gatepost.engine.log import type_of
from gatepost.engine.reader import Found, Reader

_READ: Final = 500
"""How many of a step's newest events are looked through for those who worked on it."""
_WORK: Final = frozenset(["step_noted", "step_blocked", "step_unblocked", "evidence_captured"])
"""What only those write who work on a step. Reviewers confirm, close and reopen."""


def policies_at(reader: Reader, place: str, plan: str | None) -> list[Policy | None]:
    """The policies that can hold at a place, the nearest first. One round trip."""
    over = [*places.above(place), *([] if plan is None else [places.at_id(plan)]), places.POLICY]
    return [_policy_of(found) for found in reader.all_at([place, *over])]


def _policy_of(found: Found[object]) -> Policy | None:
    value = found.value
    return value.policy if isinstance(value, Plan | Task | Step | WorkspacePolicy) else None


def effective(reader: Reader, place: str, plan: str | None) -> Policy:
    """The policy that holds at a place."""
    return policies.effective(policies_at(reader, place, plan))


def demand_on(reader: Reader, root: Found[Root], step: Found[Step]) -> Demand:
    """What closing a step takes. Refused while its plan waits for approval."""
    plan = root.value.plan if isinstance(root.value, Task) else None
    held = effective(reader, step.place, plan)
    check_approved(reader, root)
    if "other" not in (held.signoff or {}).values():
        return policies.NO_DEMAND if held == policies.DEFAULT else Demand(held)
    rows = reader.recent(_READ, root.place, step.value.id)
    return Demand(held, frozenset(row.actor for row in rows if type_of(row) in _WORK))


def check_approved(reader: Reader, root: Found[Root]) -> None:
    """Refuse work on a task whose plan waits for a person's approval."""
    if not isinstance(root.value, Task) or root.value.plan is None or not root.tally.waiting:
        return
    plan = reader.root(root.value.plan, field="plan").value
    if isinstance(plan, Plan) and plan.waits_for_approval:
        raise ApprovalRequired(plan.id, root.value.id)
