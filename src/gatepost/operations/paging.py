"""Cursors: opaque to callers, and good whatever others write meanwhile, because a place never changes."""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Final, NamedTuple

from gatepost.domain.refusals import InvalidInput


def cursor(place: str) -> str:
    """The cursor that continues after a place."""
    return urlsafe_b64encode(place.encode()).decode().rstrip("=")


def after(given: str | None) -> str:
    """The place after which a page begins."""
    if given is None:
        return ""
    place = _read(given)
    if not place.replace(".", "").isalnum() or _ranked.fullmatch(place):
        raise InvalidInput([_NOT_OURS])
    return place + "\0"


class Rank(NamedTuple):
    """A position in a list of hits: those in titles first, then the newest first."""

    untitled: bool
    age: int


def rank_cursor(upto: int, rank: Rank) -> str:
    """The cursor that continues after a hit, among those that were there when the first page was made."""
    return cursor(f"w.{upto}.{rank.untitled:d}.{-rank.age}")


def after_rank(given: str | None) -> tuple[int | None, Rank | None]:
    """The newest hit that counts, and the one after which a page begins."""
    if given is None:
        return None, None
    match = _ranked.fullmatch(_read(given))
    if match is None:
        raise InvalidInput([_NOT_OURS])
    return int(match[1]), Rank(match[2] == "1", -int(match[3]))


_ranked: Final = re.compile(r"w\.([0-9]{1,18})\.([01])\.([0-9]{1,18})")
_NOT_OURS: Final = ("cursor", "must be a cursor as an earlier reply gave it")


def _read(given: str) -> str:
    try:
        text = urlsafe_b64decode(given + "=" * (-len(given) % 4)).decode()
    except ValueError:
        text = ""
    if not text or cursor(text) != given:
        raise InvalidInput([_NOT_OURS])
    return text
