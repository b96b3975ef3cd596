"""A step's state as people read it: its checkpoints, a word and a sign."""

from typing import Final

from gatepost.domain.checkpoints import ALWAYS, CHECKPOINTS, Checkpoint, Provenance
from gatepost.replies.step_details import StepDetail, StepProof, StepRow
from gatepost.replies.tree import TreeRow
from gatepost.surfaces.proof_text import Lamp
from gatepost.surfaces.terminal import Glyphs

_LOOKS: Final[dict[Provenance, str]] = {
    "asserted": "warn",
    "noted": "plain",
    "evidenced": "info",
    "machine": "good",
    "human": "person",
}


def checkpoints(step: StepDetail) -> dict[Checkpoint, StepProof | None]:
    """The checkpoints a step needs, each with its confirmation, if there is one."""
    marks = {mark.checkpoint: mark for mark in step.confirmed or ()}
    needed = {*ALWAYS, *(step.required or ()), *(step.unconfirmed or ()), *marks}
    return {name: marks.get(name) for name in CHECKPOINTS if name in needed}


def has_checks(step: StepDetail, name: Checkpoint) -> bool:
    """Whether only running checks confirms a checkpoint."""
    return any(check.checkpoint == name for check in step.checks or ())


def look_of(provenance: Provenance | None, *, stale: bool) -> str:
    """The look of a checkpoint, by what its confirmation rests on."""
    if provenance is None:
        return "plain"
    return "warn" if stale else _LOOKS[provenance]


def lamp_look(lamp: Lamp) -> str:
    """The look of a checkpoint in short."""
    return look_of(lamp.provenance, stale=lamp.stale)


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
