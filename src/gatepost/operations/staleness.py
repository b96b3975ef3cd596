"""Staleness: proofs that a check made before files changed. A view looks at the source tree at most once."""

from collections.abc import Sequence
from typing import Final

from gatepost.domain import places, terms
from gatepost.domain.steps import Step, stale_proofs
from gatepost.engine.reader import Found, Reader

_LOOKED_AT: Final = 200


def stale_steps(reader: Reader, tasks: Sequence[str]) -> tuple[list[Found[Step]], bool]:
    """The done steps of some tasks that have stale proofs, and whether there may be more: few proofs are judged."""
    if not reader.judges_proofs or not tasks:
        return [], False
    found = reader.postings_in(((terms.CHECKED,),), [places.below(place) for place in tasks], _LOOKED_AT + 1)
    steps = [step for step in reader.steps(found[:_LOOKED_AT]) if stale_proofs(step.value, reader.is_stale)]
    return steps, len(found) > _LOOKED_AT
