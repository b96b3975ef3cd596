"""Proofs in words, for the command line and the terminal interface."""

from typing import Final

from gatepost.domain.checkpoints import Provenance
from gatepost.replies.steps import ProofBasis

WORDS: Final[dict[Provenance, str]] = {
    "asserted": "confirmed on a word alone",
    "noted": "confirmed",
    "evidenced": "confirmed with evidence",
    "machine": "proven by a check",
    "human": "confirmed in person",
}
"""What a confirmation rests on."""


def proof_words(proof: ProofBasis, actor: str | None, when: str | None = None) -> str:
    """What a confirmation rests on, by whom and when, who signed it, its note, and whether it is stale."""
    run = "run by" if proof.provenance == "machine" else "by"
    by = "" if actor is None else f"{',' if run == 'run by' else ''} {run} {actor}"
    signed = "" if proof.signed is None else f", signed by {proof.signed.actor}"
    stale = ", stale: files have changed since" if proof.stale else ""
    note = "" if proof.note is None else f": {' '.join(proof.note.split())}"
    return f"{WORDS[proof.provenance]}{by}{'' if when is None else f', {when}'}{signed}{stale}{note}"
