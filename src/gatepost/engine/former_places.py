"""Former places: where a step was before it was moved. Its evidence is still there."""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from gatepost.domain import places
from gatepost.domain.documents import Document, Member
from gatepost.domain.nodes import Node
from gatepost.domain.steps import Step
from gatepost.engine.reader import Found, Reader
from gatepost.engine.rows import ArtifactRow

_MOST: Final = 200
"""How many former paths a step remembers, besides those with evidence."""


def relocated(reader: Reader, member: Member, old: str, new: str) -> Member:
    """A step or task node with the place that it was moved from added to its former paths."""
    was, now = places.path_of(old), places.path_of(new)
    former = [*(path for path in member.formerly if path not in (was, now)), was]
    if len(former) > _MOST:
        held = reader.evidence_counts([_place(old, path) for path in former], 1)
        former = [path for path in former[:-_MOST] if _place(old, path) in held] + former[-_MOST:]
    return replace(member, formerly=tuple(former))


def evidence(
    reader: Reader, found: Found[Document], limit: int, first: tuple[int, int] | None = None
) -> list[ArtifactRow]:
    """The evidence for a document, newest first; or from a `seq` and number on, oldest first."""
    rows = reader.artifacts(found.place, limit, first)
    former = _former(found)
    if not former:
        return rows
    rows += [row for place in former for row in reader.artifacts(place, limit, first)]
    newest_first = -1 if first is None else 1
    return sorted(rows, key=lambda row: (newest_first * row.seq, row.number))[:limit]


def evidence_counts(reader: Reader, found: Sequence[Found[Document]], most: int) -> dict[str, int]:
    """How many pieces of evidence these documents have, by place, each counted up to `most`."""
    asked = {place: item.place for item in found for place in (item.place, *_former(item))}
    counts: dict[str, int] = {}
    for place, count in reader.evidence_counts(list(asked), most).items():
        counts[asked[place]] = min(counts.get(asked[place], 0) + count, most)
    return counts


def _former(found: Found[Document]) -> list[str]:
    paths = found.value.formerly if isinstance(found.value, Step | Node) else ()
    return [_place(found.place, path) for path in paths]


def _place(within: str, path: str) -> str:
    return places.at_path(places.root_of(within), path) or within
