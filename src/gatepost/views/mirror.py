"""The mirror: a plan or task in four words a row, for those who keep a copy elsewhere."""

from typing import Final

from gatepost.domain import places
from gatepost.domain.documents import Member
from gatepost.domain.nodes import Node
from gatepost.domain.roots import Root
from gatepost.domain.steps import provenance
from gatepost.domain.tallies import Tally
from gatepost.replies.mirror import MirrorRow, MirrorStatus
from gatepost.replies.steps import StepClaim

_STATES: Final[dict[str, MirrorStatus]] = {"TODO": "todo", "ACTIVE": "in_progress", "DONE": "done"}


def task_row(task: Root, tally: Tally) -> MirrorRow:
    """A task of a plan. It is blocked when it waits for others, or when every step that could come next is."""
    state = _STATES[task.status]
    if not task.done and (tally.waiting or (tally.blocked and not tally.ready)):
        state = "blocked"
    return MirrorRow(task=task.id, title=task.title, status=state)


def step_row(place: str, member: Member, tally: Tally, now: str | None, claim: StepClaim | None) -> MirrorRow:
    """A step or task node; `now` is the place that is being worked on. So is what somebody claimed."""
    here = claim is not None or (now is not None and f"{now}.".startswith(f"{place}."))
    return MirrorRow(
        path=places.path_of(place),
        step_id=member.id,
        title=member.title,
        status=_state(member, tally, here=here),
        provenance=provenance(member),
        claim=claim,
    )


def _state(member: Member, tally: Tally, *, here: bool) -> MirrorStatus:
    if isinstance(member, Node):
        return "in_progress" if member.status == "TODO" and (here or tally.done) else _STATES[member.status]
    if member.done:
        return "done"
    if member.blocked:
        return "blocked"
    return "in_progress" if here or tally.done or member.confirmed else "todo"
