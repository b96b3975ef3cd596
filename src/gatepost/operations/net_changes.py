"""Net changes: what differs between two moments, document by document.

The operations between them are read newest first, and a document is shown at its last change. So the cost of a page
depends on what it shows, and the next page continues where it stopped, whatever others write in the meantime. Where
a document was only claimed, it did not change.
"""

from collections.abc import Iterator, Sequence
from heapq import merge
from typing import Final

from msgspec import Struct

from gatepost.domain import places
from gatepost.domain.refusals import InvalidInput
from gatepost.engine.reader import Reader
from gatepost.engine.rows import LAST_PLACE, ImageRow
from gatepost.operations.cursors import placed, placed_cursor
from gatepost.operations.document_changes import document_change
from gatepost.operations.field_changes import has_shown_change
from gatepost.operations.moved_places import destination, origin, text_at
from gatepost.replies.history import DocumentChange
from gatepost.views.budget import DEFAULT, Body, Cut, clipped_deeply, only, rows

_FIRST_PAGE: Final = 10
_PAGE: Final = 100
_MOST_LOOKED_AT: Final = 2_000
"""The most images and operations that one page looks at, so that a page with few changes is limited too."""
_NOT_SHOWN: Final = (places.ROUND, places.JOURNAL)
"""Records of agents and programs, which are not state of the work."""


class LogSpan(Struct, frozen=True):
    """What was done after operation `since`, up to operation `upto`; only in some plans and tasks, if they are
    given."""

    since: int
    upto: int
    roots: frozenset[str] | None = None

    def wants(self, place: str) -> bool:
        """Whether a document is asked for."""
        if self.roots is None:
            return place[0] not in _NOT_SHOWN
        return places.in_tree(place) and places.root_of(place) in self.roots


class ChangePage(Struct, frozen=True):
    """Changes, the cursor after each of them, and the cursor of the next page, if there is one."""

    changes: tuple[DocumentChange, ...]
    cursors: tuple[str, ...]
    cursor: str | None

    @property
    def cuts(self) -> Sequence[Cut]:
        """How to make a reply smaller that has the changes as its `documents`."""

        def stop(body: Body) -> None:
            body["has_more"] = True
            body["cursor"] = self.cursors[len(body["documents"]) - 1]

        return (
            Cut("texts", _without_compared),
            Cut("texts", clipped_deeply("documents", 200)),
            Cut("documents", rows("documents", least=1, after=stop)),
            Cut("fields", only("documents", "where", "kind", "what", "operation", "step_id")),
        )


def span_of(cursor: str | None, span: LogSpan) -> LogSpan:
    """The span that a cursor belongs to. A span up to now keeps the end that it had on the first page."""
    if cursor is None:
        return span
    _, (since, upto, _) = placed(cursor, 3)
    if since != span.since or upto > span.upto:
        raise InvalidInput([("cursor", "belongs to a call with other arguments")])
    return LogSpan(since, upto, span.roots)


def change_page(reader: Reader, span: LogSpan, cursor: str | None, limit: int, max_chars: int | None) -> ChangePage:
    """One page of changes, the newest first. The span is the one that the cursor belongs to."""
    start = (span.upto, "")
    if cursor is not None:
        place, (_, _, operation) = placed(cursor, 3)
        start = (operation, place)
    enough = 4 * (max_chars or DEFAULT)
    found: list[DocumentChange] = []
    cursors: list[str] = []
    weight, here = 0, cursor
    for looked, ((operation, place), change) in enumerate(_walk(reader, span, *start)):
        full = len(found) == limit or weight > enough
        if (full and change is not None) or looked == _MOST_LOOKED_AT:
            return ChangePage(tuple(found), tuple(cursors), here)
        here = placed_cursor(place, span.since, span.upto, operation)
        if change is not None:
            found.append(change)
            cursors.append(here)
            weight += sum(len(str(field)) for field in change.fields)
    return ChangePage(tuple(found), tuple(cursors), None)


def _walk(
    reader: Reader, span: LogSpan, operation: int, place: str
) -> Iterator[tuple[tuple[int, str], DocumentChange | None]]:
    """Everything that is looked at, after a place in an operation: its position, and what is to be shown of it."""
    first, end = "", LAST_PLACE
    if span.roots is not None and len(span.roots) == 1:
        (root,) = span.roots
        first, end = root, root + "/"
    for number in _operations(reader, operation + 1, span):
        start = max(first, place + "\0") if place and number == operation else first
        while images := reader.images(number, start, end, _PAGE):
            yield from _changes(reader, span, images)
            start = images[-1].place + "\0"
        yield (number - 1, ""), None


def _operations(reader: Reader, before: int, span: LogSpan) -> Iterator[int]:
    """The operations to look at, newest first, each once."""
    if span.roots is None:
        yield from _of_root(reader, before, span.since, None)
        return
    ways = [_of_root(reader, before, span.since, root) for root in span.roots]
    last = 0
    for number in merge(*ways, reverse=True):
        if number != last:
            yield number
        last = number


def _of_root(reader: Reader, before: int, since: int, root: str | None) -> Iterator[int]:
    size = _FIRST_PAGE
    while page := reader.operations(before, size, root):
        for row in page:
            if row.operation <= since:
                return
            yield row.operation
        before, size = page[-1].operation, _PAGE


def _changes(
    reader: Reader, span: LogSpan, images: Sequence[ImageRow]
) -> Iterator[tuple[tuple[int, str], DocumentChange | None]]:
    """What is to be shown of images of one operation."""
    operation = images[0].operation
    asked = [image.place for image in images if span.wants(image.place)]
    firsts = reader.images_after(asked, span.since) if asked else {}
    later = reader.images_after(asked, operation) if asked else {}
    for image in images:
        place, change = image.place, None
        if place in firsts and _is_shown(image) and not _is_shown_later(reader, later.get(place), span.upto):
            change = _change(reader, span, image, firsts[place].before)
        yield (operation, place), change


def _is_shown_later(reader: Reader, later: ImageRow | None, upto: int) -> bool:
    """Whether a document changes again in a field that is shown, given its next image."""
    while later is not None and later.operation <= upto:
        if _is_shown(later):
            return True
        later = reader.images_after([later.place], later.operation).get(later.place)
    return False


def _is_shown(image: ImageRow) -> bool:
    """Whether an image changes a field that is shown. That of a claim does not. The walk through a task does not
    come to it either, because it raises no revision, so nothing can be shown there."""
    return image.before is None or image.after is None or has_shown_change(image.before, image.after)


def _change(reader: Reader, span: LogSpan, image: ImageRow, was: str | None) -> DocumentChange | None:
    """How a document changed. None if it was moved away: it is shown at its new place."""
    place, now, came = image.place, image.after, None
    if not places.in_tree(place):
        return document_change(reader, place, was, now, image.operation)
    if now is None and was is not None and destination(reader, place, was, span.since, span.upto) is not None:
        return None
    if now is not None and was is None:
        came = origin(reader, place, now, span.since, span.upto)
        was = None if came is None else text_at(reader, came, span.since)
    return document_change(reader, place, was, now, image.operation, came)


def _without_compared(body: Body, _over: int) -> int:
    """Drop texts that are also there as a diff."""
    compared = [field for document in body["documents"] for field in document["fields"] if "diff" in field]
    return sum(field.pop(name, None) is not None for field in compared for name in ("before", "after"))
