"""Glob patterns: `*`, `?` and `[…]` within a segment, `**` across segments, `{a,b}` for either."""

import re
from collections.abc import Iterable, Iterator
from fnmatch import translate
from functools import lru_cache
from itertools import pairwise
from typing import Final

from gatepost.domain.refusals import InvalidInput
from gatepost.files import guard

MAX_PATTERN: Final = 200

_MAX_ALTERNATIVES: Final = 64
_ACROSS: Final = "**"

Place = tuple[int, int]
"""An alternative of a pattern, and how many of its segments are used up."""


class State:
    """How far the segments so far have led into a pattern."""

    __slots__ = ("after", "asks", "goes_on", "matches", "places")

    def __init__(self, places: frozenset[Place], alternatives: "tuple[tuple[_Segment, ...], ...]") -> None:
        waiting = [
            ((number, used), alternatives[number][used])
            for number, used in places
            if used < len(alternatives[number])
        ]
        self.places = places
        self.matches: Final = len(waiting) < len(places)
        """Whether they are what the pattern asks for."""
        self.goes_on: Final = bool(waiting)
        """Whether something deeper could match."""
        self.asks: Final = tuple((place, segment) for place, segment in waiting if not segment.across)
        self.after: Final[dict[tuple[bool, ...], State]] = {}


class Glob:
    """A pattern that is asked segment by segment, so that a walk need not enter what cannot match.

    Begin with `start`; `step` takes one segment further. There are few states, and the ways between them are worked
    out once: a name costs one look for each segment that it could be.
    """

    __slots__ = ("_alternatives", "_states", "literals", "start")

    def __init__(self, alternatives: tuple[tuple[str, ...], ...]) -> None:
        self._alternatives: Final = tuple(tuple(_Segment(part) for part in parts) for parts in alternatives)
        self.literals: Final = tuple(
            segment.literal for parts in self._alternatives for segment in parts if segment.literal is not None
        )
        """The segments that stand for one name only."""
        self._states: Final[dict[frozenset[Place], State]] = {}
        self.start: Final = self._settled((number, 0) for number in range(len(alternatives)))

    def step(self, state: State, name: str) -> State:
        """The state after one more segment."""
        fits = tuple([segment.fits(name) for _, segment in state.asks])
        known = state.after.get(fits)
        if known is None:
            known = state.after[fits] = self._settled(self._moved(state, fits))
        return known

    def _moved(self, state: State, fits: tuple[bool, ...]) -> Iterator[Place]:
        for place in state.places:
            if self._is_across(place):
                yield place
        for ((number, used), _), fit in zip(state.asks, fits, strict=True):
            if fit:
                yield number, used + 1

    def _settled(self, places: Iterable[Place]) -> State:
        """These places, and those behind a `**`, which may stand for nothing at all."""
        found: set[Place] = set()
        for place in places:
            number, used = place
            found.add(place)
            while self._is_across((number, used)):
                used += 1
                found.add((number, used))
        key = frozenset(found)
        return self._states.setdefault(key, State(key, self._alternatives))

    def _is_across(self, place: Place) -> bool:
        parts = self._alternatives[place[0]]
        return place[1] < len(parts) and parts[place[1]].across


def compiled(pattern: str, *, field: str = "pattern") -> Glob:
    """A pattern, ready to be asked; refuses what leads out of the directory or is no pattern of ours.

    And what spells out something that the guard keeps closed.
    """
    if not isinstance(pattern, str):
        raise _bad(field, f"must be a text, not {type(pattern).__name__}")
    if not pattern:
        raise _bad(field, "must not be empty; `**` matches everything below")
    if len(pattern) > MAX_PATTERN:
        raise _bad(field, f"has {len(pattern)} characters; at most {MAX_PATTERN} are taken")
    try:
        found = _compiled(pattern)
    except _NoPattern as wrong:
        raise _bad(field, str(wrong)) from None
    guard.admit_pattern(pattern, found.literals, field=field)
    return found


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> Glob:
    return Glob(tuple(dict.fromkeys(_parts(text) for text in _expanded(pattern))))


class _NoPattern(Exception):
    """Why a text is not a pattern."""


class _Segment:
    """One segment of a pattern."""

    __slots__ = ("_matches", "across", "literal")

    def __init__(self, text: str) -> None:
        self.across = text == _ACROSS
        self.literal = None if any(sign in text for sign in "*?[") else text
        # Of many stars the leftmost places will do: what is made of them never goes back.
        self._matches = re.compile(translate(text)).match

    def fits(self, name: str) -> bool:
        """Whether a name is what this segment asks for."""
        return name == self.literal if self.literal is not None else self._matches(name) is not None


def _parts(text: str) -> tuple[str, ...]:
    """An alternative's segments; `**` after `**` says nothing new."""
    if text.startswith("/"):
        raise _NoPattern("must be relative to `path`, without a leading `/`")
    found: list[str] = []
    for part in text.split("/"):
        if part == "..":
            raise _NoPattern("must not hold `..`; choose another `path` instead")
        if part in ("", ".") or (part == _ACROSS and found[-1:] == [_ACROSS]):
            continue
        found.append(part)
    if not found:
        raise _NoPattern("must name something below `path`")
    return tuple(found)


def _expanded(pattern: str) -> list[str]:
    """The pattern once for each choice that its braces leave."""
    waiting = [pattern]
    done: list[str] = []
    while waiting:
        text = waiting.pop()
        group = _braces(text)
        if group is None:
            done.append(text)
        else:
            begin, end, choices = group
            waiting.extend(text[:begin] + choice + text[end + 1 :] for choice in choices)
        if len(waiting) + len(done) > _MAX_ALTERNATIVES:
            raise _NoPattern(f"stands for more than {_MAX_ALTERNATIVES} patterns; use fewer braces")
    return done


def _braces(text: str) -> tuple[int, int, list[str]] | None:
    """The first group of braces that offers a choice: where it begins and ends, and what it offers."""
    for begin, sign in enumerate(text):
        cuts = _cuts(text, begin) if sign == "{" else []
        if len(cuts) > len("{}"):
            return begin, cuts[-1], [text[left + 1 : right] for left, right in pairwise(cuts)]
    return None


def _cuts(text: str, begin: int) -> list[int]:
    """Where the group that opens here is parted: its braces and its own commas; nowhere if it is not closed."""
    cuts, depth = [begin], 0
    for at in range(begin, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return [*cuts, at]
        if text[at] == "," and depth == 1:
            cuts.append(at)
    return []


def _bad(field: str, problem: str) -> InvalidInput:
    return InvalidInput([(field, problem)])
