"""The reply that shows one level of a tree."""

from typing import Literal

from gatepost.domain.checkpoints import Checkpoint, Optional, Provenance
from gatepost.domain.roots import Status
from gatepost.replies.reply import Part, Reply
from gatepost.replies.roots import RootRow
from gatepost.replies.step_details import StepCounts
from gatepost.replies.steps import StepClaim, StepName


class TreeRow(Part, frozen=True, kw_only=True):
    """A step or task node, with its number among its siblings (`at`). `children` is the next number below it.

    `provenance` says what each confirmation rests on; `stale` names those whose files have changed since.
    """

    at: int | None = None
    kind: Literal["step", "task"]
    blocked: str | bool
    now: bool
    children: int
    checkpoints: dict[Checkpoint, bool]
    provenance: dict[Checkpoint, Provenance] | None = None
    claim: StepClaim | None = None
    stale: tuple[Checkpoint, ...] | None = None
    required: tuple[Optional, ...]
    step_id: str
    path: str
    title: str
    done: bool
    counts: StepCounts | None = None
    status: Status | None = None
    unconfirmed: tuple[Checkpoint, ...] | None = None
    forced: bool = False


class TreeReply(Reply, frozen=True, kw_only=True):
    """The task, the step to work on, and the rows below the task or below the step that was named (`parent`).

    `children` is the next number to be given, so it is at least the number of children; 0 if there are none.
    """

    target: RootRow | None
    now: StepName | None
    children: int
    rows: tuple[TreeRow, ...]
    has_more: bool
    parent: TreeRow | None = None
