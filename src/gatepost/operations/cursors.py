"""Cursors: opaque to callers, and good whatever others write meanwhile, because a place never changes."""

import re
from typing import Final

from msgspec import Struct

from gatepost.domain.refusals import InvalidInput


def cursor(place: str) -> str:
    """The cursor that continues after a place."""
    from base64 import urlsafe_b64encode

    return urlsafe_b64encode(place.encode()).decode().rstrip("=")


def after(given: str | None) -> str:
    """The place after which a page begins."""
    if given is None:
        return ""
    place = _read(given)
    if not place.replace(".", "").isalnum() or re.fullmatch(f"{_RANKED}|{_QUEUED}", place):
        raise InvalidInput([_NOT_OURS])
    return place + "\0"


class Rank(Struct, frozen=True, order=True):
    """A position in a list of hits: those in titles first, then the newest first."""

    untitled: bool
    age: int


class HitPosition(Struct, frozen=True):
    """Where a page of hits begins: with the best of those from number `upto` back, or `after` one of them. What has
    number `rest` or less is left for later."""

    upto: int | None = None
    rest: int = 0
    after: Rank | None = None


def hit_cursor(position: HitPosition) -> str:
    """The cursor that continues at a spot, among the hits that were there when the first page was made."""
    after = position.after
    return cursor(f"w.{position.upto}" + (f".{position.rest}.{after.untitled:d}.{-after.age}" if after else ""))


def hit_position(given: str | None) -> HitPosition:
    """Where a page of hits begins."""
    if given is None:
        return HitPosition()
    match = re.fullmatch(_RANKED, _read(given))
    if match is None:
        raise InvalidInput([_NOT_OURS])
    upto, rest, untitled, number = match.groups()
    return HitPosition(int(upto), int(rest or 0), Rank(untitled == "1", -int(number)) if number else None)


class QueuePosition(Struct, frozen=True, order=True):
    """A position in the ready queue: the rank of a priority, the number of a plan, and a place."""

    rank: int
    number: str
    place: str


def queue_cursor(position: QueuePosition) -> str:
    """The cursor that continues after a position in the queue."""
    return cursor(f"q.{position.rank}.{position.number}.{position.place}")


def queue_position(given: str | None) -> QueuePosition | None:
    """The position after which a page of the queue begins."""
    if given is None:
        return None
    match = re.fullmatch(_QUEUED, _read(given))
    if match is None:
        raise InvalidInput([_NOT_OURS])
    return QueuePosition(int(match[1]), match[2], match[3])


def pair_cursor(first: int, second: int) -> str:
    """The cursor that continues at a pair of numbers."""
    return cursor(f"n.{first}.{second}")


def pair(given: str | None) -> tuple[int, int] | None:
    """The pair of numbers at which a page begins."""
    if given is None:
        return None
    match = re.fullmatch(_PAIRED, _read(given))
    if match is None:
        raise InvalidInput([_NOT_OURS])
    return int(match[1]), int(match[2])


def inbox_cursor(kind: int, place: str) -> str:
    """The cursor that continues after a place, within one kind of item."""
    return cursor(f"i.{kind}.{place}")


def inbox_position(given: str | None) -> tuple[int, str]:
    """The kind of item that a page begins with, and the place after which it begins."""
    if given is None:
        return 0, ""
    match = re.fullmatch(_OF_KIND, _read(given))
    if match is None:
        raise InvalidInput([_NOT_OURS])
    return int(match[1]), match[2] + "\0"


_OF_KIND: Final = r"i\.([0-4])\.([a-z0-9._-]{1,300})"


def placed_cursor(place: str, *numbers: int) -> str:
    """The cursor that continues at a place, with numbers that say in which list."""
    return cursor(f"c.{'.'.join(map(str, numbers))}/{place}")


def placed(given: str, count: int) -> tuple[str, list[int]]:
    """The place and the numbers at which a page begins."""
    match = re.fullmatch(_PLACED, _read(given))
    numbers = [] if match is None else [int(number) for number in match[1].split(".")]
    if match is None or len(numbers) != count:
        raise InvalidInput([_NOT_OURS])
    return match[2], numbers


_PLACED: Final = r"c\.([0-9]{1,16}(?:\.[0-9]{1,16}){0,3})/([A-Za-z0-9_:~=.-]{0,200})"
_PAIRED: Final = r"n\.([0-9]{1,16})\.([0-9]{1,16})"
_QUEUED: Final = r"q\.([0-3])\.([a-z][0-9]{1,12}|~)\.([pt][a-z][0-9]{1,12})"
_RANKED: Final = r"w\.([0-9]{1,18})(?:\.([0-9]{1,18})\.([01])\.([0-9]{1,18}))?"
_NOT_OURS: Final = ("cursor", "must be a cursor from an earlier reply")


def _read(given: str) -> str:
    try:
        from base64 import urlsafe_b64decode

        text = urlsafe_b64decode(given + "=" * (-len(given) % 4)).decode()
    except ValueError:
        text = ""
    if not text or cursor(text) != given:
        raise InvalidInput([_NOT_OURS])
    return text
