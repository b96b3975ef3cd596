"""Proofs in words and signs, for the command line and the terminal interface.

The signs differ in shape, so that they can be told apart without colour. Without Unicode they are letters.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Final, get_args

from msgspec import Struct
from msgspec.structs import replace

from gatepost.domain.checkpoints import CHECKPOINTS, Checkpoint, Provenance
from gatepost.domain.policies import ProofLevel, Signer

if TYPE_CHECKING:
    from gatepost.domain.checks import Check
    from gatepost.replies.evidence import KeptEvidence
    from gatepost.replies.policies import PolicyFields
    from gatepost.replies.step_details import CheckResult, Need, ProofBasis
    from gatepost.surfaces.terminal import Glyphs


class _Kind(Struct, frozen=True):
    word: str
    """The word of the legend."""
    said: str
    by: str
    """What stands between what was done and who did it."""
    how: str
    """The end of "confirmed tests …"."""
    style: str


_KINDS: Final[dict[Provenance, _Kind]] = {
    "asserted": _Kind("word only", "word only", ", by", "by word only", "yellow"),
    "noted": _Kind("noted", "noted", " by", "with a note", ""),
    "evidenced": _Kind("evidence", "confirmed with evidence", " by", "with evidence", "blue"),
    "machine": _Kind("checked", "checked", ", run by", "by a check", "green"),
    "human": _Kind("confirmed by a person", "confirmed by a person", ",", "in person", "magenta"),
}
_PROOFS: Final[dict[ProofLevel, str]] = {
    "word": "a word",
    "note": "a note",
    "evidence": "evidence",
    "machine": "a check that passes",
}
_SIGNERS: Final[dict[Signer, str]] = {
    "anyone": "anyone",
    "other": "someone who did not work on it",
    "human": "a person",
}
_SIGNS: Final[dict[Signer, str]] = {
    "anyone": "Anyone",
    "other": "Someone who did not work on the step",
    "human": "A person",
}
_ORDER: Final[tuple[str, ...]] = get_args(Provenance)
_COMMIT: Final = 7
STATES: Final = {"passed": "passed", "failed": "failed", "stale": "stale", "not_run": "not run"}
"""The states of a check, in words."""


def lamp(glyphs: Glyphs, provenance: Provenance | None, *, stale: bool = False) -> str:
    """The sign of a checkpoint."""
    sign = glyphs.off if provenance is None else glyphs.lamps[_ORDER.index(provenance)]
    return f"{sign}{glyphs.stale}" if stale else sign


def lamp_style(provenance: Provenance | None, *, stale: bool = False) -> str:
    """The colour of that sign, which says no more than its shape."""
    return "yellow" if provenance is None or stale else _KINDS[provenance].style


class Lamp(Struct, frozen=True):
    """A checkpoint in short: its first letter and its sign, and what they say."""

    text: str
    provenance: Provenance | None
    stale: bool


def lamps(
    glyphs: Glyphs, names: Collection[str], confirmed: Mapping[Checkpoint, Provenance], stale: Collection[str]
) -> list[Lamp]:
    """The named checkpoints, and those that are confirmed."""
    return [
        Lamp(f"{name[0]}{lamp(glyphs, basis, stale=name in stale)}", basis, name in stale)
        for name in CHECKPOINTS
        for basis in [confirmed.get(name)]
        if name in names or basis is not None
    ]


def legend(glyphs: Glyphs) -> list[tuple[str, str]]:
    """Every sign and its meaning."""
    kinds = [(lamp(glyphs, name), kind.word) for name, kind in _KINDS.items()]
    return [(glyphs.off, "not confirmed"), *kinds, (glyphs.stale, "stale: files changed since")]


def proof_words(
    proof: ProofBasis, actor: str | None, when: str | None = None, evidence: Iterable[KeptEvidence] = ()
) -> str:
    """What a confirmation rests on, by whom and when, who signed it off, its note, and whether it is stale.

    The run of a check is shown if it is among the `evidence`.
    """
    kind, signed = _KINDS[proof.provenance], proof.signed
    if proof.provenance == "human" and signed is not None:  # a person signed what somebody else had confirmed
        kind = replace(kind, said="confirmed", by=" by")
    runs = _runs(proof, evidence) if proof.provenance == "machine" else ""
    said = f"{kind.said} by {runs}" if runs else kind.said
    if proof.commit is not None:
        said += f", commit {proof.commit[:_COMMIT]}{' with uncommitted changes' if proof.dirty else ''}"
    said += "" if proof.worktree is None else f", in worktree {proof.worktree}"
    if actor is not None:
        said += f"{kind.by} {actor}"
    said += "" if when is None else f", {when}"
    said += "" if signed is None else f", signed off by {signed.actor}"
    said += ", stale: files changed since" if proof.stale else ""
    return said if proof.note is None else f"{said}: {' '.join(proof.note.split())}"


def basis_word(provenance: Provenance) -> str:
    """What a confirmation rests on, in the words of the legend."""
    return _KINDS[provenance].word


def check_words(check: Check, result: CheckResult | None) -> str:
    """A check: its command, what it is for, and how its newest run came out."""
    said = f"{check.line} (for {check.checkpoint}): {STATES['not_run' if result is None else result.state]}"
    if result is not None and result.state == "failed" and result.exit_code is not None:
        said += f", exit {result.exit_code}"
    return said if result is None or result.seconds is None else f"{said}, {_seconds(result.seconds)}"


def confirmation_words(
    marks: Mapping[Checkpoint, bool], provenance: Mapping[Checkpoint, Provenance], signed: Collection[str]
) -> str:
    """What a verification did: "confirmed tests by a check and criteria with a note, withdrew docs"."""
    ways: dict[str, list[str]] = {}
    for name, confirmed in marks.items():
        if confirmed and name not in signed:
            basis = provenance.get(name)
            kind = None if basis is None else _KINDS.get(basis)
            ways.setdefault("" if kind is None else f" {kind.how}", []).append(name)
    done = [f"{' and '.join(names)}{how}" for how, names in ways.items()]
    gone = [name for name, confirmed in marks.items() if not confirmed]
    parts = [f"confirmed {', '.join(done)}"] if done else []
    parts += [f"signed off {' and '.join(signed)}"] if signed else []
    parts += [f"withdrew {' and '.join(gone)}"] if gone else []
    return ", ".join(parts)


def need_words(need: Need) -> str:
    """What a confirmation lacks."""
    if need.signoff is not None:
        return f"{need.checkpoint} needs sign-off by {_SIGNERS[need.signoff]}"
    return f"{need.checkpoint} needs {_PROOFS[need.proof or 'word']}"


def policy_words(policy: PolicyFields) -> list[str]:
    """What a policy wants, in sentences."""
    said = [] if policy.proof is None else [f"Each confirmation needs {_PROOFS[policy.proof]}."]
    said += [f"{_SIGNS[who]} signs off {name}." for name, who in (policy.signoff or {}).items()]
    said += ["A person approves the plan before work begins."] if policy.approval == "human" else []
    return [*said, "A stale proof reopens its step."] if policy.stale == "reopen" else said


def _runs(proof: ProofBasis, evidence: Iterable[KeptEvidence]) -> str:
    """The commands that proved a checkpoint, each with the time that it took."""
    return " and ".join(
        f"`{piece.command}`" + ("" if piece.seconds is None else f", {_seconds(piece.seconds)}")
        for piece in evidence
        if piece.seq == proof.evidence and piece.command and proof.checkpoint in (piece.checkpoints or ())
    )


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f} s"
