"""Regular expressions over lines: the answer of `re.search` on every line, without asking line by line."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, compress, count, repeat
from operator import add
from typing import Final

from gatepost.domain.refusals import InvalidInput
from gatepost.files.ambiguity import effort, explodes
from gatepost.files.automaton import TooInvolved, automaton
from gatepost.files.confinement import Sweep, sweep
from gatepost.files.expressions import words
from gatepost.files.paths import Segments, shown
from gatepost.files.rows import row

MAX_PATTERN: Final = 1_000

_TRIALS_PER_SIGN: Final = 250
"""What `re` may try, at worst, for each character of a line; beyond that, a line is gone through sign by sign."""
_AT_ONCE: Final = 2**16
"""Characters of a text that `re` may search in one go: no other thread runs meanwhile."""
_TRIALS_AT_ONCE: Final = 2_000
"""The same for such a text if `re` skips through it: to look for long lines has to be cheaper than to search."""
_MOST_TRIALS: Final = 10**8
"""What `re` may try, at worst, in one line for a pattern that it alone understands."""
_FOLDED: Final = "\u0130\u0131\u017f\u212a"
"""The characters beyond ASCII that `re` takes for one of ASCII where case makes no difference."""
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
        "_clues",
        "_pattern",
        "_quick",
        "_reach",
        "_reach_at_once",
        "_row",
        "_signs",
        "_sweep",
        "_words",
    )

    def __init__(self, pattern: str) -> None:
        self._pattern = re.compile(pattern)
        self._words = words(pattern)
        self._sweep = sweep(pattern)
        self._clues = tuple(filter(None, (sweep(re.escape(text)) for text in self._words.texts)))
        needs = (self._words.texts, *self._words.others)
        self._signs = [need for need in needs if max(map(len, need), default=0) == 1]
        anchored, ready = (self._sweep.anchored, self._sweep.ready) if self._sweep else (False, False)
        self._row = None if self._clues or anchored else row(pattern)
        self._quick = self._sweep if ready and not self._words.enough else None
        cost = effort(pattern)
        self._reach = _longest(lambda length: cost.over(length) // length, _TRIALS_PER_SIGN)
        most = _TRIALS_AT_ONCE if ready else _TRIALS_PER_SIGN
        self._reach_at_once = _longest(lambda length: cost.over(length) // length, most)
        self._at_once = min(self._reach_at_once, _AT_ONCE)
        self._bearable = _longest(cost.over, _MOST_TRIALS)
        self._automaton = automaton(pattern) if self._reach < _LONGEST else None

    def lines(self, text: str, at: Segments = ()) -> Iterable[tuple[int, str]]:
        """The lines that the expression is found in, with their numbers from 1; often none, at once.

        Refuses a line too long for the expression; `at` is where that stands.
        """
        # To ask for one character is far faster than to replace two that are not there.
        plain = text.replace("\r\n", "\n") if "\r" in text else text
        # As below, for the many texts of which that is clear at once.
        if self._quick and len(plain) <= self._at_once:
            return _swept(self._quick, plain)
        return self._in_piece(plain, at) if len(plain) <= _AT_ONCE else self._in_pieces(plain, at)

    def _in_pieces(self, text: str, at: Segments) -> Iterator[tuple[int, str]]:
        before = 0
        for piece in _pieces(text):
            for number, line in self._in_piece(piece, at):
                yield before + number, line
            before += piece.count("\n")

    def _in_piece(self, text: str, at: Segments) -> Iterable[tuple[int, str]]:
        """The lines of a text that is not long, or is one line: whichever way is the shortest."""
        if self._sweep and self._sweep.ready and self._fits_at_once(text):
            # That a mere word is missing is seen in less time.
            lacking = self._words.enough and self._words.texts[0] not in text
            return () if lacking else _swept(self._sweep, text)
        if self._clues and not self._words.any_case:
            return self._among(self._with_words(text), at)
        if self._clues and (text.isascii() or not any(map(text.__contains__, _FOLDED))):
            # What is beyond ASCII is no letter of a word here; one sign stands for it, so that places stay.
            lower = text.encode("ascii", "replace").decode("ascii").lower()
            return self._among(_taken(text, self._with_words(lower)), at)
        # A line that may have to be refused is, whether it has the row or not.
        if self._row and not _has_longer(text, self._bearable):
            return self._among(_taken(text, _swept(self._row.sweep, self._row.signs(text))), at)
        if self._sweep and self._fits_at_once(text):
            return _swept(self._sweep, text)
        lines = text.removesuffix("\n").split("\n") if text else ()
        return self._among(enumerate(lines, 1), at)

    def _fits_at_once(self, text: str) -> bool:
        """Whether `re` can go through the whole text without keeping others waiting."""
        return len(text) <= self._at_once or (len(text) <= _AT_ONCE and not _has_longer(text, self._reach_at_once))

    def _with_words(self, text: str) -> Iterable[tuple[int, str]]:
        """The lines that hold all that a match needs."""
        # That a mere character is missing is seen in no time.
        if any(not any(map(text.__contains__, need)) for need in self._signs):
            return ()
        sign = self._words.texts[0]
        found = _holding(sign, text) if len(self._clues) == len(sign) == 1 else _with_any(self._clues, text)
        for need in self._words.others:
            found = [each for each in found if any(map(each[1].__contains__, need))]
        return found

    def _among(self, found: Iterable[tuple[int, str]], at: Segments) -> Iterable[tuple[int, str]]:
        """Those of some lines that the expression is found in."""
        numbered = list(found)
        lines = [line for _, line in numbered]
        if max(map(len, lines), default=0) <= self._reach:
            return compress(numbered, map(self._pattern.search, lines))
        return (each for each in numbered if self._is_in(each[1], at))

    def _is_in(self, line: str, at: Segments) -> bool:
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


def _swept(by: Sweep, text: str) -> Iterable[tuple[int, str]]:
    """The lines that a sweep finds. It splits a text at them, so that `re` itself goes from one to the next."""
    pattern, anchored, _ = by
    if not text:
        return ()
    framed = f"\n{text}" if anchored else text
    parts = pattern.split(framed if text[-1] == "\n" else f"{framed}\n")
    if len(parts) == 1:
        return ()
    step = pattern.groups + 1
    between, lines = parts[:-1:step], parts[1::step]
    if not anchored:
        lines = [head[head.rfind("\n") + 1 :] + tail for head, tail in zip(between, lines, strict=True)]
    feeds = accumulate(map(str.count, between, repeat("\n")))
    return zip(map(add, feeds, count(1)), lines, strict=False)


def _with_any(sweeps: Sequence[Sweep], text: str) -> Iterable[tuple[int, str]]:
    """The lines that at least one of several sweeps finds."""
    if len(sweeps) == 1:
        return _swept(sweeps[0], text)
    return sorted({each for by in sweeps for each in _swept(by, text)})


def _holding(sign: str, text: str) -> Iterator[tuple[int, str]]:
    """The lines that hold one character: to go from one to the next is faster than any sweep where it is rare."""
    number, begin, found = 1, 0, text.find(sign)
    while found >= 0:
        start = text.rfind("\n", begin, found) + 1 or begin
        end = text.find("\n", found)
        number += text.count("\n", begin, start)
        yield number, text[start:] if end < 0 else text[start:end]
        if end < 0:
            return
        number, begin = number + 1, end + 1
        found = text.find(sign, begin)


def _taken(text: str, found: Iterable[tuple[int, str]]) -> Iterable[tuple[int, str]]:
    """The same lines as they stand in another text."""
    numbers = [number for number, _ in found]
    if not numbers:
        return ()
    lines = text.split("\n")
    return [(number, lines[number - 1]) for number in numbers]


def _pieces(text: str) -> Iterator[str]:
    """A text in parts of whole lines, none longer than can be searched in one go, if lines allow."""
    begin = 0
    while begin < len(text):
        end = text.rfind("\n", begin, begin + _AT_ONCE) + 1 or text.find("\n", begin) + 1 or len(text)
        yield text[begin:end]
        begin = end


def _bad(problem: str, recovery: str | None = None) -> InvalidInput:
    return InvalidInput([("pattern", problem)], recovery)
