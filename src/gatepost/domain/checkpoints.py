"""The five checkpoints, and the confirmations of a step."""

from collections.abc import Mapping
from typing import Final, Literal, get_args

from gatepost.domain.people import is_person
from gatepost.domain.value import Value

Checkpoint = Literal["criteria", "tests", "security", "perf", "docs"]
Optional = Literal["security", "perf", "docs"]

CHECKPOINTS: Final[tuple[Checkpoint, ...]] = get_args(Checkpoint)
ALWAYS: Final[tuple[Checkpoint, ...]] = ("criteria", "tests")


Basis = Literal["evidenced", "machine", "human"]
Provenance = Literal["asserted", "noted", "evidenced", "machine", "human"]
"""What a confirmation rests on, the weakest first: a word alone, a note, evidence, a check that ran, a person."""


class TreeMark(Value, frozen=True, kw_only=True):
    """The source tree that a proof was made on.

    `digest` covers the content of the files that the proof is about. Without one, the proof never goes stale.
    `worktree` tells folders apart, and `linked` is git's name for a linked worktree.
    """

    commit: str | None = None
    dirty: bool | None = None
    digest: str | None = None
    worktree: str | None = None
    linked: str | None = None


class Signature(Value, frozen=True, kw_only=True):
    """A second actor, or a person, who confirmed what was confirmed already."""

    actor: str
    at: str
    note: str | None = None


class Confirmation(Value, frozen=True, kw_only=True):
    """Who confirmed a checkpoint, when, and on what.

    `basis` is set by Gatepost, never by a caller. `evidence` is the `seq` of the event that captured the evidence,
    `tree` the source tree that a check ran on.
    """

    checkpoint: Checkpoint
    at: str
    actor: str
    note: str | None = None
    basis: Basis | None = None
    evidence: int | None = None
    tree: TreeMark | None = None
    signed: Signature | None = None

    @property
    def actors(self) -> frozenset[str]:
        """Who confirmed it."""
        return frozenset([self.actor] if self.signed is None else [self.actor, self.signed.actor])

    @property
    def provenance(self) -> Provenance:
        """What the confirmation rests on."""
        if self.basis == "machine":
            return "machine"
        if self.basis == "human" or (self.signed is not None and is_person(self.signed.actor)):
            return "human"
        noted = self.note is not None or (self.signed is not None and self.signed.note is not None)
        return self.basis or ("noted" if noted else "asserted")


class Support(Value, frozen=True, kw_only=True):
    """The newest evidence for a checkpoint: the `seq` of the event that captured it."""

    checkpoint: Checkpoint
    seq: int


class CheckpointMark(Value, frozen=True, kw_only=True):
    """What a call says about one checkpoint."""

    confirmed: bool
    note: str | None = None


Marks = Mapping[Checkpoint, CheckpointMark]


def in_order(names: tuple[Optional, ...]) -> tuple[Optional, ...]:
    """Each name once, in the order of the checkpoints, so that equal demands are equal values."""
    return tuple(sorted(set(names), key=CHECKPOINTS.index))
