"""Claims in rows: who works on a step, where a reply shows the step. What nobody claimed loads nothing."""

from gatepost.domain.documents import Member
from gatepost.engine.reader import Reader
from gatepost.replies.steps import StepClaim


def row_claim(reader: Reader, member: Member) -> StepClaim | None:
    """Who holds a step or task node now, as a row shows it."""
    if member.claim is None:
        return None
    from gatepost.operations.held_steps import shown_claim

    return shown_claim(reader, member.claim)
