"""Demands: what closing a step takes, by the policy that holds for it."""

from typing import Final

from gatepost.domain import policies
from gatepost.domain.policies import Demand
from gatepost.domain.proof_refusals import ApprovalRequired
from gatepost.domain.roots import Plan, Root, Task
from gatepost.domain.steps import Step
from gatepost.engine.log import shown
from gatepost.engine.policies import effective
from gatepost.engine.reader import Found, Reader

_READ: Final = 500
"""How many of a step's newest events are searched for those who worked on it."""
_WORK: Final = ("step_noted", "step_blocked", "step_unblocked", "evidence_captured")
"""What those write who work on a step. Reviewers confirm, close and reopen."""


def demand_on(reader: Reader, root: Found[Root], step: Found[Step]) -> Demand:
    """What closing a step takes. Refused while its plan waits for approval."""
    check_approved(reader, root)
    held = effective(reader, step.place)
    if held == policies.DEFAULT:
        return policies.NO_DEMAND
    if "other" not in (held.signoff or {}).values():
        return Demand(held)
    rows = reader.recent(_READ, root.place, step.value.id)
    return Demand(held, frozenset(row.actor for row in rows if shown(row)["type"] in _WORK))


def check_approved(reader: Reader, root: Found[Root]) -> None:
    """Refuse to confirm or close anything in a plan that waits for a person's approval."""
    plan = root.value
    if isinstance(plan, Task) and plan.plan is not None and root.tally.waiting:
        plan = reader.root(plan.plan, field="plan").value
    if isinstance(plan, Plan) and plan.waits_for_approval:
        raise ApprovalRequired(plan.id, root.value.id)
