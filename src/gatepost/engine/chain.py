"""The chain of a taskdoc's changes: every commit that changes a section adds a link, whatever call it was."""

from collections.abc import Iterator, Sequence

from gatepost.domain import chains, documents, places
from gatepost.domain.chains import START, Link
from gatepost.domain.taskdocs import Section, fingerprint
from gatepost.domain.value import Stamp
from gatepost.engine.port import ArtifactRow, ImageRow, Snapshot

_MOST_AT_ONCE = 8
"""More links than one operation can add to a taskdoc: it has three sections."""


def links(
    snapshot: Snapshot, images: Sequence[ImageRow], operation: int, stamp: Stamp, first: int
) -> Iterator[ArtifactRow]:
    """The links that an operation adds, to be kept beside the log; `first` is the number of the first one."""
    ends: dict[str, str] = {}
    changed = [image for image in images if image.place[0] == places.TASKDOC and places.section_of(image.place)]
    for number, image in enumerate(sorted(changed), first):
        taskdoc = places.named(places.TASKDOC, places.name_of(image.place))
        link = Link(
            before=ends[taskdoc] if taskdoc in ends else last(snapshot, taskdoc),
            selector=places.section_of(image.place) or "",
            operation=operation,
            at=stamp.at,
            actor=stamp.actor,
            content=hashed(image.after),
        )
        body = chains.text(link)
        ends[taskdoc] = chains.hashed(body)
        yield ArtifactRow(taskdoc, operation, number, body)


def last(snapshot: Snapshot, taskdoc: str) -> str:
    """The hash that the chain of a taskdoc ends with."""
    found = snapshot.artifacts(taskdoc, _MOST_AT_ONCE)
    newest = max(found, key=lambda row: (row.seq, row.number), default=None)
    return START if newest is None else chains.hashed(newest.body)


def hashed(text: str | None) -> str | None:
    """What a section's text hashes to, by the stored document."""
    document = None if text is None else documents.from_text(text)
    return fingerprint(document.content) if isinstance(document, Section) else None


def breaks(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """Where a chain does not hold: a link that does not continue the one before, or is not what was done, when and
    by whom."""
    done = {
        (image[0], image[1]): hashed(image[3])
        for image in snapshot.rows("images")
        if places.section_of(image[0]) is not None
    }
    said = _stamps(snapshot, {operation for _, operation in done})
    end, taskdoc = START, ""
    for place, _, _, body in snapshot.rows("artifacts"):
        if place[0] != places.TASKDOC or places.section_of(place) is not None:
            continue
        if place != taskdoc:
            end, taskdoc = START, place
        link = chains.read(body)
        if link is None or link.before != end:
            where = "a link" if link is None else f"the link of operation {link.operation}"
            yield places.shown(place), f"{where} does not continue the one before"
        if link is not None:
            at = (places.section(places.name_of(place), link.selector), link.operation)
            if done.pop(at, "") != link.content or said.get(link.operation) != {(link.at, link.actor)}:
                yield places.shown(at[0]), f"the link of operation {link.operation} is not what was done"
        end = chains.hashed(body)
    for place, operation in done:
        yield places.shown(place), f"operation {operation} has no link in the chain"


def _stamps(snapshot: Snapshot, operations: set[int]) -> dict[int, set[tuple[str, str]]]:
    """When and by whom operations were made, as they and their events say."""
    said: dict[int, set[tuple[str, str]]] = {operation: set() for operation in operations}
    for operation, _, _, at, actor, *_ in snapshot.rows("operations"):
        if operation in said:
            said[operation].add((at, actor))
    for _, operation, at, actor, *_ in snapshot.rows("events"):
        if operation in said:
            said[operation].add((at, actor))
    return said
