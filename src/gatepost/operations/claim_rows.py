"""Claims in rows: who works on a step, where a reply shows the step. What nobody claimed loads nothing."""

from typing import TypeVar

from msgspec.structs import replace

from gatepost.domain.documents import Member
from gatepost.domain.roots import Root
from gatepost.engine.reader import Found, Reader
from gatepost.replies.roots import RootRow
from gatepost.replies.steps import StepClaim

Row = TypeVar("Row", bound=RootRow)


def row_claim(reader: Reader, member: Member) -> StepClaim | None:
    """Who holds a step or task node now, as a row shows it."""
    if member.claim is None:
        return None
    from gatepost.operations.held_steps import shown_claim

    return shown_claim(reader, member.claim)


def with_claims(reader: Reader, root: Found[Root], row: Row) -> Row:
    """The row of a plan or task with the claims that live now. Its count has those of killed sessions too."""
    if row.claimed is None:
        return row
    from gatepost.operations.held_steps import living_claims, shown_claim

    living = living_claims(reader, root)
    return replace(row, claimed=len(living) or None, claim=shown_claim(reader, living[0]) if living else None)
