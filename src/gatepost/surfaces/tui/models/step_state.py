"""A step's state as people read it: its checkpoints, a word and a sign."""

from gatepost.domain.checkpoints import ALWAYS, CHECKPOINTS, Checkpoint
from gatepost.replies.steps import StepDetail, StepProof, StepRow
from gatepost.replies.tree import TreeRow
from gatepost.surfaces.terminal import Glyphs


def checkpoints(step: StepDetail) -> dict[Checkpoint, StepProof | None]:
    """The checkpoints a step needs, each with its confirmation, if there is one."""
    marks = {mark.checkpoint: mark for mark in step.confirmed or ()}
    needed = {*ALWAYS, *(step.required or ()), *(step.unconfirmed or ()), *marks}
    return {name: marks.get(name) for name in CHECKPOINTS if name in needed}


def state_word(row: StepRow | TreeRow, *, now: bool) -> str:
    """The name of a step's state."""
    if row.done:
        return "done by force" if row.unconfirmed else "done"
    if row.blocked:
        return "blocked"
    return "now" if now else "open"


def state_sign(glyphs: Glyphs, row: StepRow | TreeRow, *, now: bool) -> str:
    """The state as a sign."""
    if row.done:
        return glyphs.done
    if row.blocked:
        return glyphs.blocked
    return glyphs.now if now else glyphs.open
