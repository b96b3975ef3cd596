"""Safeguards: what no commit may write, whatever the rules let through."""

from collections.abc import Callable, Iterable

from msgspec import Struct

from gatepost.domain import authority, documents, invariants, moves, places
from gatepost.domain.authority import Attestation
from gatepost.domain.documents import Document
from gatepost.domain.invariants import Breach
from gatepost.domain.tallies import Tally
from gatepost.engine.draft_entries import DraftEntry
from gatepost.engine.rows import ImageRow

Changed = Iterable[tuple[DraftEntry, Document | None, Tally]]
"""The places that a draft changed, each with its document and tally from before."""


class InvariantBroken(Exception):
    """A change would leave something done over open or unproven work, and no rule refused it: a bug of ours."""


class ProofForged(Exception):
    """A change would write a proof that neither a check nor a person made, and no rule refused it: our bug."""


class Author(Struct, frozen=True):
    """Who writes: the actor, whether the call ran checks, and the images of the operation that it reverses."""

    actor: str
    checked: bool
    reversed: Callable[[], Iterable[ImageRow]]


def broken(changed: Changed) -> list[tuple[str, Breach]]:
    """The invariants that a change would break: where and how. Those broken before are left out."""
    return [
        (entry.place, breach)
        for entry, document, tally in changed
        for breach in invariants.breaches(entry.document, entry.tally)
        if breach not in invariants.breaches(document, tally)
    ]


def check(changed: Changed, author: Author) -> None:
    """Raise if a commit would write what must never be."""
    changed = list(changed)
    breaches = broken(changed)
    if breaches:
        raise InvariantBroken("; ".join(f"{places.shown(place)} {breach.says}" for place, breach in breaches))
    arrived = moves.arrivals((entry.place, before, entry.document) for entry, before, _ in changed)
    was = {entry.place: before for entry, before, _ in changed}
    forged = {
        (entry.place, claim)
        for entry, _, _ in changed
        for claim in authority.unearned(
            was[arrived.get(entry.place, entry.place)], entry.document, author.actor, checked=author.checked
        )
    }
    if forged and not forged <= _made_before(author.reversed()):
        said = sorted(f"{places.shown(place)} {claim.checkpoint}" for place, claim in forged)
        raise ProofForged(f"not made by a check or by the person named: {', '.join(said)}")


def _made_before(images: Iterable[ImageRow]) -> set[tuple[str, Attestation]]:
    """The proofs that an operation to reverse held or took away: those were made."""
    texts = [(image.place, text) for image in images for text in (image.before, image.after) if text is not None]
    return {(place, claim) for place, text in texts for claim in authority.claims(documents.from_text(text))}
