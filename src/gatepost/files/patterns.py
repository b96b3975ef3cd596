"""Glob patterns: `*`, `?` and `[…]` within a segment, `**` across segments, `{a,b}` for either."""

import re
from collections.abc import Iterable
from fnmatch import translate
from functools import lru_cache
from typing import Final

from gatepost.domain.refusals import InvalidInput
from gatepost.files import guard

MAX_PATTERN: Final = 200

_MAX_ALTERNATIVES: Final = 64
_ACROSS: Final = "**"
_choice = re.compile(r"\{((?:[^{},]|\{[^{},]*\})*,(?:[^{}]|\{[^{},]*\})*)\}")
"""Innermost braces with a comma. Braces without a comma are plain text."""


class Glob:
    """A pattern that is matched segment by segment, so that a walk skips directories that cannot match.

    `step` takes one segment further, to what is then left of the pattern. There are few such states, and the ways
    between them are worked out once: a name costs one look for each segment that it could be.
    """

    __slots__ = ("_across", "_after", "_known", "asks", "goes_on", "matches")

    def __init__(self, left: "frozenset[Left]", known: "dict[frozenset[Left], Glob]") -> None:
        """`left` is what may come next, one entry for each alternative; `known` holds the pattern's states."""
        self.matches: Final = () in left
        """Whether the segments so far match."""
        self.goes_on: Final = any(left)
        """Whether something deeper could match."""
        self.asks: Final = tuple(parts for parts in left if parts and not parts[0].across)
        self._across: Final = tuple(parts for parts in left if parts and parts[0].across)
        self._after: Final[dict[tuple[bool, ...], Glob]] = {}
        self._known: Final = known

    def step(self, name: str) -> "Glob":
        """The state after one more segment."""
        fits = tuple([parts[0].fits(name) for parts in self.asks])
        after = self._after.get(fits)
        if after is None:
            moved = [parts[1:] for parts, fit in zip(self.asks, fits, strict=True) if fit]
            after = self._after[fits] = _state((*self._across, *moved), self._known)
        return after


def _state(alternatives: "Iterable[Left]", known: "dict[frozenset[Left], Glob]") -> Glob:
    """These alternatives, also without a leading `**`, which may stand for nothing at all."""
    # Two `**` never follow one another.
    left = frozenset(
        way for parts in alternatives for way in ((parts, parts[1:]) if parts and parts[0].across else (parts,))
    )
    return known.setdefault(left, Glob(left, known))


def compiled(pattern: str, *, field: str = "pattern") -> Glob:
    """Compile a pattern. Refuses one that is invalid, leaves the directory or names what the guard keeps closed."""
    if not isinstance(pattern, str):
        raise _bad(field, f"must be a string, not {type(pattern).__name__}")
    if not pattern:
        raise _bad(field, "must not be empty; `**` matches everything below")
    if len(pattern) > MAX_PATTERN:
        raise _bad(field, f"has {len(pattern)} characters; the limit is {MAX_PATTERN}")
    try:
        found, literals = _compiled(pattern)
    except _InvalidPattern as wrong:
        raise _bad(field, str(wrong)) from None
    guard.admit_pattern(pattern, literals, field=field)
    return found


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> tuple[Glob, tuple[str, ...]]:
    """The pattern, and those of its segments that match only one name."""
    alternatives = dict.fromkeys(_parts(text) for text in _expanded(pattern))
    segments = {part: _Segment(part) for parts in alternatives for part in parts}
    start = _state((tuple(segments[part] for part in parts) for parts in alternatives), {})
    return start, tuple(segment.literal for segment in segments.values() if segment.literal is not None)


class _InvalidPattern(Exception):
    """Why a text is not a pattern."""


class _Segment:
    """One segment of a pattern."""

    __slots__ = ("_matches", "across", "literal")

    def __init__(self, text: str) -> None:
        self.across = text == _ACROSS
        self.literal = None if any(sign in text for sign in "*?[") else text
        # `translate` lets each star take its leftmost match and never backtrack, so many stars cost little.
        self._matches = re.compile(translate(text)).match

    def fits(self, name: str) -> bool:
        """Whether a name matches this segment."""
        return name == self.literal if self.literal is not None else self._matches(name) is not None


Left = tuple[_Segment, ...]
"""What is left of an alternative."""


def _parts(text: str) -> tuple[str, ...]:
    """An alternative's segments; `**` after `**` says nothing new."""
    if text.startswith("/"):
        raise _InvalidPattern("must be relative to `path`, without a leading `/`")
    found: list[str] = []
    for part in text.split("/"):
        if part == "..":
            raise _InvalidPattern("must not contain `..`; choose another `path` instead")
        if part in ("", ".") or (part == _ACROSS and found[-1:] == [_ACROSS]):
            continue
        found.append(part)
    if not found:
        raise _InvalidPattern("must name something below `path`")
    return tuple(found)


def _expanded(pattern: str) -> list[str]:
    """The pattern with all its braces expanded, inner ones first."""
    texts = [pattern]
    while any(map(_choice.search, texts)):
        texts = list(dict.fromkeys(chosen for text in texts for chosen in _chosen(text)))
        if len(texts) > _MAX_ALTERNATIVES:
            raise _InvalidPattern(f"expands to more than {_MAX_ALTERNATIVES} patterns; use fewer braces")
    return texts


def _chosen(text: str) -> list[str]:
    """The text with its first braces replaced by each choice."""
    group = _choice.search(text)
    if group is None:
        return [text]
    return [text[: group.start()] + choice + text[group.end() :] for choice in group[1].split(",")]


def _bad(field: str, problem: str) -> InvalidInput:
    return InvalidInput([(field, problem)])
