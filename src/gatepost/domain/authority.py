"""Authority: who may write which proof.

Asked at every commit, for every document that changed, so that no call, batch, patch, undo or template can write a
proof that was not made: only checks that ran make a confirmation `machine`, and only a person makes it `human`.
"""

from msgspec import Struct

from gatepost.domain.checkpoints import Checkpoint
from gatepost.domain.documents import Document
from gatepost.domain.people import is_person
from gatepost.domain.steps import Step

MACHINE = ""
"""In place of a person: the proof of checks that ran."""


class Attestation(Struct, frozen=True):
    """A proof that not everybody can write: whose it is (a person, or `MACHINE`), of what and when."""

    whose: str
    checkpoint: Checkpoint
    at: str
    evidence: int | None = None


def claims(document: Document | None) -> frozenset[Attestation]:
    """The proofs in a document that only a check or a person can have made."""
    if not isinstance(document, Step) or not document.confirmed:
        return _NONE
    found = [
        Attestation(MACHINE if mark.basis == "machine" else mark.actor, mark.checkpoint, mark.at, mark.evidence)
        for mark in document.confirmed
        if mark.basis in ("machine", "human")
    ]
    signed = [(mark.checkpoint, mark.signed) for mark in document.confirmed if mark.signed is not None]
    found += [Attestation(sign.actor, name, sign.at) for name, sign in signed if is_person(sign.actor)]
    return frozenset(found)


def unearned(
    before: Document | None, after: Document | None, actor: str, *, checked: bool
) -> frozenset[Attestation]:
    """The new proofs that this actor cannot have made. `checked`: this call ran checks."""
    new = claims(after)
    if not new:
        return _NONE
    return frozenset(
        claim
        for claim in new - claims(before)
        if not (checked if claim.whose == MACHINE else claim.whose == actor and is_person(actor))
    )


_NONE: frozenset[Attestation] = frozenset()
