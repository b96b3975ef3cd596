"""The mirror's reply."""

from typing import Literal

from gatepost.domain.checkpoints import Checkpoint, Provenance
from gatepost.replies.reply import Part, TargetReply, cuttable
from gatepost.replies.roots import RootHeading
from gatepost.replies.steps import StepClaim

MirrorStatus = Literal["todo", "in_progress", "done", "blocked"]


class MirrorRow(Part, frozen=True, kw_only=True):
    """A step of a task (`path` and `step_id`), or a task of a plan. `provenance` says what each confirmation of a
    step rests on, and `claim` who works on it now."""

    task: str | None = None
    path: str | None = None
    step_id: str | None = None
    title: str = cuttable("")
    status: MirrorStatus
    provenance: dict[Checkpoint, Provenance] | None = None
    claim: StepClaim | None = None


class MirrorReply(TargetReply, frozen=True, kw_only=True):
    """A task's steps in tree order, or a plan's tasks."""

    target: RootHeading | None
    items: tuple[MirrorRow, ...]
    has_more: bool
    cursor: str | None = None
