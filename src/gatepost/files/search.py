"""Regular expressions over lines: the answer of `re.search` on every line, without asking line by line."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from typing import Final

from gatepost.domain.refusals import InvalidInput
from gatepost.files.ambiguity import effort, explodes
from gatepost.files.automaton import TooInvolved, automaton
from gatepost.files.confinement import confined
from gatepost.files.expressions import words
from gatepost.files.paths import Segments, shown
from gatepost.files.rarity import begun_rarely

MAX_PATTERN: Final = 1_000

_TRIALS_PER_SIGN: Final = 250
"""What `re` may try, at worst, for each character of a line; beyond that, a line is gone through sign by sign."""
_AT_ONCE: Final = 2**16
"""Characters of a text that `re` may search in one go: no other thread runs meanwhile."""
_TRIALS_AT_ONCE: Final = 2_000
"""The same for such a text. It is more, for to look for long lines has to be cheaper than to search."""
_MOST_TRIALS: Final = 10**8
"""What `re` may try, at worst, in one line for a pattern that it alone understands."""
_FEW_TRIALS: Final = 500
"""What `re` has tried before one has looked for a few words in a line."""
_LONGEST: Final = 2**25
"""No text has as many characters."""


class Search:
    """A regular expression that finds lines.

    A line ends with a line feed, or a carriage return and a line feed; its end is no part of it. `^` and `$` are
    the borders of a line, and nothing matches across them.
    """

    __slots__ = (
        "_at_once",
        "_automaton",
        "_bearable",
        "_confined",
        "_pattern",
        "_reach",
        "_reach_at_once",
        "_short",
        "_words",
    )

    def __init__(self, pattern: str) -> None:
        self._pattern = re.compile(pattern)
        self._words = words(pattern)
        # `re` skips to where a match can begin only if it knows the first characters; if not, it is slow over a
        # whole text, and to look for words is faster.
        at_once = self._words.in_front and not self._words.enough
        self._confined = confined(begun_rarely(pattern)) if at_once else None
        cost = effort(pattern)
        self._reach = _longest(lambda length: cost.over(length) // length, _TRIALS_PER_SIGN)
        self._reach_at_once = _longest(lambda length: cost.over(length) // length, _TRIALS_AT_ONCE)
        self._at_once = min(self._reach_at_once, _AT_ONCE)
        self._short = min(self._reach, _longest(cost.over, _FEW_TRIALS))
        self._bearable = _longest(cost.over, _MOST_TRIALS)
        self._automaton = automaton(pattern) if self._reach < _LONGEST else None

    def lines(self, text: str, at: Segments = ()) -> Iterable[tuple[int, str]]:
        """The lines that the expression is found in, with their numbers from 1; often none, at once.

        Refuses a line too long for the expression; `at` is where that stands.
        """
        # To ask for one character is far faster than to replace two that are not there.
        plain = text.replace("\r\n", "\n") if "\r" in text else text
        if self._confined is not None and (len(plain) <= self._at_once or self._fits_at_once(plain)):
            match = self._confined.search(plain)
            return _all_at_once(self._confined, plain, match) if match else ()
        texts, _, any_case, _, _ = self._words
        if not texts or (any_case and not plain.isascii()):
            return self._among_all(plain, at)
        folded = plain.lower() if any_case else plain
        if len(texts) > 1:
            nearest = _Nearest(texts, folded)
            return self._among_those_with(nearest, nearest(0), plain, folded, at)
        first = folded.find(texts[0])
        return () if first < 0 else self._among_those_with(partial(folded.find, texts[0]), first, plain, folded, at)

    def _fits_at_once(self, text: str) -> bool:
        return len(text) <= _AT_ONCE and not _has_longer(text, self._reach_at_once)

    def _among_all(self, text: str, at: Segments) -> Iterator[tuple[int, str]]:
        lines = text.split("\n")
        if not lines[-1]:
            lines.pop()
        matches, reach = self._pattern.search, self._reach
        for number, line in enumerate(lines, 1):
            if matches(line) if len(line) <= reach else self._is_in_long(line, at):
                yield number, line

    def _among_those_with(
        self, find: Callable[[int], int], first: int, text: str, folded: str, at: Segments
    ) -> Iterator[tuple[int, str]]:
        """Go from one line with a needed word to the next; lines are counted only up to those that do match.

        `find` tells where in `folded` the next such word is, and `first` is the first of them.
        """
        enough, matches, short = self._words.enough, self._pattern.search, self._short
        number, counted, found = 1, 0, first
        while found >= 0:
            start = text.rfind("\n", counted, found) + 1 or counted
            end = text.find("\n", found)
            line = text[start:end] if end >= 0 else text[start:]
            if enough or (matches(line) if len(line) <= short else self._is_in(line, folded, start, at)):
                number += text.count("\n", counted, start)
                counted = start
                yield number, line
            if end < 0:
                return
            found = find(end + 1)

    def _is_in(self, line: str, folded: str, start: int, at: Segments) -> bool:
        """The answer for a line that is so long that it pays to look for all that a match needs first."""
        end = start + len(line)
        for need in self._words.others:
            if not any(folded.find(text, start, end) >= 0 for text in need):
                return False
        return self._pattern.search(line) is not None if len(line) <= self._reach else self._is_in_long(line, at)

    def _is_in_long(self, line: str, at: Segments) -> bool:
        """The answer for a line over which `re` could take too long."""
        if self._automaton is not None:
            try:
                return self._automaton.finds(line)
            except TooInvolved:
                pass
        if len(line) > self._bearable:
            raise _bad(
                f"could take for ever over a line of {len(line):,} characters in {shown(at)}: it has several "
                "repeats, such as `.*`, whose borders can lie anywhere in the line",
                "Begin `pattern` with `^`, use fewer `.*`, or let each stop at something, as `[^;]*;` does; or "
                "leave that file out with `glob`.",
            )
        return self._pattern.search(line) is not None


def compiled(pattern: str) -> Search:
    """An expression, ready to search with; refuses what is none, and what could take for ever."""
    if not isinstance(pattern, str):
        raise _bad(f"must be a text, not {type(pattern).__name__}")
    if len(pattern) > MAX_PATTERN:
        raise _bad(f"has {len(pattern):,} characters; at most {MAX_PATTERN:,} are taken")
    try:
        return _compiled(pattern)
    except re.error as wrong:
        raise _bad(f"is no regular expression: {wrong}") from None
    except OverflowError as wrong:
        raise _bad(f"counts further than can be counted: {wrong}") from None
    except RecursionError:
        raise _bad("is nested too deeply") from None


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> Search:
    search = Search(pattern)
    if explodes(pattern):
        raise _bad(
            "repeats something that can itself be read in several ways, as `(a+)+` does, and could take for ever; "
            "let each round of the repeat begin or end with something that stands nowhere else in it"
        )
    return search


def _longest(cost: Callable[[int], int], most: int) -> int:
    """The greatest length that costs no more than that."""
    return bisect_right(range(1, _LONGEST + 1), most, key=cost)


def _has_longer(text: str, length: int) -> bool:
    """Whether a line is longer than that; looks at few places of a text whose lines are short."""
    begin = 0
    while len(text) - begin > length:
        feed = text.rfind("\n", begin, begin + length + 1)
        if feed < 0:
            return True
        begin = feed + 1
    return False


def _all_at_once(pattern: re.Pattern[str], text: str, first: re.Match[str]) -> Iterator[tuple[int, str]]:
    """Go from match to match of a confined expression, the first being known, after each on with the next line."""
    number, begin = 1, 0
    found: re.Match[str] | None = first
    while found:
        start = text.rfind("\n", begin, found.start()) + 1 or begin
        end = text.find("\n", start)
        number += text.count("\n", begin, start)
        if end < 0:
            yield number, text[start:]
            return
        yield number, text[start:end]
        number, begin = number + 1, end + 1
        found = pattern.search(text, begin)


class _Nearest:
    """Finds whichever of several texts comes next, and looks for none of them twice over the same ground."""

    def __init__(self, texts: Sequence[str], ground: str) -> None:
        self._ground = ground
        self._coming = {text: at for text in texts if (at := ground.find(text)) >= 0}

    def __call__(self, begin: int) -> int:
        coming = self._coming
        for text, at in [*coming.items()]:
            if at < begin:
                coming[text] = self._ground.find(text, begin)
                if coming[text] < 0:
                    del coming[text]
        return min(coming.values(), default=-1)


def _bad(problem: str, recovery: str | None = None) -> InvalidInput:
    return InvalidInput([("pattern", problem)], recovery)
