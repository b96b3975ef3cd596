"""Steps with their proofs: what each confirmation rests on, and the evidence itself, bounded."""

from typing import Final

from msgspec.structs import replace

from gatepost.domain.documents import Member
from gatepost.domain.steps import Step
from gatepost.domain.value import decoder
from gatepost.engine.former_places import evidence, evidence_counts
from gatepost.engine.reader import Found, Reader
from gatepost.engine.rows import ArtifactRow
from gatepost.operations.claim_rows import row_claim
from gatepost.operations.demands import needs
from gatepost.replies.evidence import KeptEvidence
from gatepost.replies.resume import ListedStep
from gatepost.replies.step_details import Need
from gatepost.views.step_rows import step_row_as, step_texts

_PIECES: Final = 20
_COUNTED: Final = 1_000
_LONGEST: Final = 8_000

_decode = decoder(KeptEvidence).decode


def proven_steps(reader: Reader, found: list[Found[Member]], room: int) -> tuple[ListedStep, ...]:
    """Steps in full, with their evidence: as many as there is room for, and at least one."""
    counts = evidence_counts(reader, found, _COUNTED)
    steps: list[ListedStep] = []
    for item in found:
        pieces = _evidence(reader, item) if item.place in counts else ()
        room -= sum(_length(piece) for piece in pieces)
        if steps and room < 0:
            break
        steps.append(
            step_row_as(
                ListedStep,
                item.place,
                item.value,
                item.tally,
                **step_texts(item.value, reader.is_stale, pieces),
                claim=row_claim(reader, item.value),
                needs=_needs(reader, item),
                evidence=pieces or None,
                older_evidence=max(counts.get(item.place, 0) - len(pieces), 0) or None,
            )
        )
    return tuple(steps)


def kept(row: ArtifactRow) -> KeptEvidence:
    """A piece of evidence, with the event that captured it."""
    piece: KeptEvidence = _decode(row.body)
    return replace(piece, seq=row.seq)


def excerpt(piece: KeptEvidence) -> KeptEvidence:
    """A piece of evidence without the middle of a long text."""
    shown = {name: _excerpt(getattr(piece, name)) for name in ("content", "detail")}
    return replace(piece, **shown)


def _evidence(reader: Reader, step: Found[Member]) -> tuple[KeptEvidence, ...]:
    """The newest evidence, newest first, and then what the proofs rest on, if that is older."""
    rows = evidence(reader, step, _PIECES)
    oldest = rows[-1].seq if rows else 0
    marks = step.value.confirmed if isinstance(step.value, Step) else ()
    for seq in sorted({mark.evidence for mark in marks if mark.evidence is not None}, reverse=True):
        if seq < oldest:
            rows += [row for row in evidence(reader, step, _PIECES, (seq, 0)) if row.seq == seq]
    return tuple(excerpt(kept(row)) for row in rows)


def _needs(reader: Reader, step: Found[Member]) -> tuple[Need, ...] | None:
    """What closing an open step takes beyond the confirmations that it has and lacks."""
    if not isinstance(step.value, Step):
        return None
    return needs(reader, Found(step.place, step.value, step.tally)) or None


def _excerpt(text: str | None) -> str | None:
    if text is None or len(text) <= _LONGEST:
        return text
    half = _LONGEST // 2
    head, tail = text[:half], text[-half:]
    return f"{head}\n[{len(text) - _LONGEST:,} characters are left out here]\n{tail}"


def _length(piece: KeptEvidence) -> int:
    return len(piece.content or "") + len(piece.detail or "")
