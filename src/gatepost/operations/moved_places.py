"""Where a step or task node was, and where it was moved to.

Images show a move: one operation removed the document at one place and added it, with the same id, at another.
"""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from gatepost.domain import documents, places
from gatepost.domain.value import decoder
from gatepost.engine.reader import Reader
from gatepost.engine.rows import ImageRow

_PAGE: Final = 200


class _Identified(Struct, frozen=True):
    id: str = ""


_decode = decoder(_Identified).decode


def origin(reader: Reader, place: str, text: str, since: int, upto: int) -> str | None:
    """Where a document was after operation `since`, given its place after `upto`. None if it was not there yet."""
    name = _id(text)
    before = upto + 1
    while True:
        for image in _back(reader, place, before, since):
            came = None if image.before is not None else moved_from(reader, image, name)
            if came is not None:
                place, before = came, image.operation
                break
        else:
            return place if _id(text_at(reader, place, since)) == name else None


def destination(reader: Reader, place: str, text: str, since: int, upto: int) -> str | None:
    """Where a document is after operation `upto`, given its place after `since`. None if it is gone."""
    name = _id(text)
    while (image := reader.images_after([place], since).get(place)) is not None and image.operation <= upto:
        since = image.operation
        if image.after is None:
            place = _partner(reader, image, name, added=True) or place
    return place if _id(text_at(reader, place, upto)) == name else None


def moved_from(reader: Reader, image: ImageRow, name: str | None = None) -> str | None:
    """Where an operation that added a document took it from, if it moved it."""
    return _partner(reader, image, name or _id(image.after), added=False)


def text_at(reader: Reader, place: str, operation: int) -> str | None:
    """What was at a place after an operation."""
    later = reader.images_after([place], operation).get(place)
    if later is not None:
        return later.before
    found = reader.at(place)
    return None if found is None else documents.to_text(found.value)


def _back(reader: Reader, place: str, before: int, since: int) -> Iterator[ImageRow]:
    """What changed a place, newest first, between two operations."""
    while page := reader.images_of_place(place, before, _PAGE):
        for image in page:
            if image.operation <= since:
                return
            yield image
        before = page[-1].operation


def _partner(reader: Reader, image: ImageRow, name: str, *, added: bool) -> str | None:
    """Where the same operation added, or removed, what has this id."""
    if not (name and places.in_tree(image.place) and places.depth(image.place)):
        return None
    first, end = places.below(places.root_of(image.place))
    while page := reader.images(image.operation, first, end, _PAGE):
        for other in page:
            held, other_side = (other.after, other.before) if added else (other.before, other.after)
            if other_side is None and other.place != image.place and _id(held) == name:
                return other.place
        first = page[-1].place + "\0"
    return None


def _id(text: str | None) -> str:
    return "" if text is None else _decode(text).id
