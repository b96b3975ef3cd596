"""Confirmations: what they rest on is worked out from who confirms and what is there, never taken from input."""

from collections.abc import Iterable

from msgspec.structs import replace

from gatepost.domain.checkpoints import (
    CHECKPOINTS,
    Basis,
    Checkpoint,
    CheckpointMark,
    Confirmation,
    Signature,
    Support,
    TreeMark,
)
from gatepost.domain.people import is_person
from gatepost.domain.value import Stamp, Value


class CheckPassed(Value, frozen=True, kw_only=True):
    """All checks of a checkpoint passed: the `seq` of the event with their output, and the tree they ran on."""

    evidence: int
    tree: TreeMark | None = None


def confirm(name: Checkpoint, mark: CheckpointMark, stamp: Stamp, support: int | None) -> Confirmation:
    """A new confirmation by an actor. `support` is the `seq` of the evidence for the checkpoint, if any."""
    basis: Basis | None = "human" if is_person(stamp.actor) else None if support is None else "evidenced"
    return Confirmation(
        checkpoint=name, at=stamp.at, actor=stamp.actor, note=mark.note, basis=basis, evidence=support
    )


def confirm_again(
    before: Confirmation, mark: CheckpointMark, stamp: Stamp, support: int | None, *, done: bool
) -> Confirmation:
    """A confirmation that is there already. Another actor signs it; its own actor may say more while it is open.

    What a check confirmed stays so. A person's signature is not replaced.
    """
    if stamp.actor != before.actor:
        return _signed(before, mark, stamp)
    new = mark.note is not None and mark.note != before.note
    if done or not (new or (support is not None and before.basis is None)):
        return before
    if before.basis == "machine":
        return replace(before, note=mark.note)
    said = mark if mark.note is not None else replace(mark, note=before.note)
    return confirm(before.checkpoint, said, stamp, support)


def confirm_by_check(
    name: Checkpoint, passed: CheckPassed, stamp: Stamp, before: Confirmation | None
) -> Confirmation:
    """The confirmation of a checkpoint whose checks passed. A signature stays only if the files are the same."""
    was, now = (None if proof is None or proof.tree is None else proof.tree.digest for proof in (before, passed))
    signed = before.signed if before is not None and was is not None and was == now else None
    return Confirmation(
        checkpoint=name,
        at=stamp.at,
        actor=stamp.actor,
        note=before.note if before is not None and before.actor == stamp.actor else None,
        basis="machine",
        evidence=passed.evidence,
        tree=passed.tree,
        signed=signed,
    )


def newest(supported: Iterable[Support], names: Iterable[Checkpoint], seq: int) -> tuple[Support, ...]:
    """The newest evidence of each checkpoint, when more is captured for these."""
    found = {support.checkpoint: support for support in supported}
    found |= {name: Support(checkpoint=name, seq=seq) for name in names}
    return tuple(found[name] for name in CHECKPOINTS if name in found)


def in_order(confirmations: Iterable[Confirmation]) -> tuple[Confirmation, ...]:
    """Confirmations in the order of the checkpoints, so that equal states are equal values."""
    return tuple(sorted(confirmations, key=lambda mark: CHECKPOINTS.index(mark.checkpoint)))


def _signed(before: Confirmation, mark: CheckpointMark, stamp: Stamp) -> Confirmation:
    known = before.signed
    if known is not None and (known.actor == stamp.actor or is_person(known.actor) or not is_person(stamp.actor)):
        return before
    return replace(before, signed=Signature(actor=stamp.actor, at=stamp.at, note=mark.note))
