"""Regular expressions over lines: the answer of `re.search` on every line, without asking line by line."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from typing import Final

from gatepost.domain.refusals import InvalidInput
from gatepost.files.ambiguity import explodes
from gatepost.files.confinement import confined
from gatepost.files.expressions import words

MAX_PATTERN: Final = 1_000


class Search:
    """A regular expression that finds lines.

    A line ends with a line feed, or a carriage return and a line feed; its end is no part of it. `^` and `$` are
    the borders of a line, and nothing matches across them.
    """

    __slots__ = ("_confined", "_pattern", "_words")

    def __init__(self, pattern: str) -> None:
        self._pattern = re.compile(pattern)
        self._words = words(pattern)
        # `re` skips to where a match can begin only if it knows the first characters; if not, it is slow over a
        # whole text, and to look for words is faster.
        self._confined = confined(pattern) if self._words.in_front and not self._words.enough else None

    def lines(self, text: str) -> Iterator[tuple[int, str]]:
        """The lines that the expression is found in, with their numbers from 1."""
        # To ask for one character is far faster than to replace two that are not there.
        plain = text.replace("\r\n", "\n") if "\r" in text else text
        if self._confined is not None:
            return _all_at_once(self._confined, plain)
        texts, any_case = self._words.texts, self._words.any_case
        if not texts or (any_case and not plain.isascii()):
            return self._among_all(plain)
        return self._among_those_with(texts, plain, plain.lower() if any_case else plain)

    def _among_all(self, text: str) -> Iterator[tuple[int, str]]:
        lines = text.split("\n")
        if not lines[-1]:
            lines.pop()
        for number, line in enumerate(lines, 1):
            if self._pattern.search(line):
                yield number, line

    def _among_those_with(self, texts: Sequence[str], text: str, folded: str) -> Iterator[tuple[int, str]]:
        """Go from one line with a needed word to the next; lines are counted only up to those that do match.

        `folded` is the text to look for the words in.
        """
        find = partial(folded.find, texts[0]) if len(texts) == 1 else _Nearest(texts, folded)
        enough, matches = self._words.enough, self._pattern.search
        number, counted, begin = 1, 0, 0
        while (found := find(begin)) >= 0:
            start = text.rfind("\n", begin, found) + 1 or begin
            end = text.find("\n", found)
            line = text[start:end] if end >= 0 else text[start:]
            if enough or matches(line):
                number += text.count("\n", counted, start)
                counted = start
                yield number, line
            begin = end + 1 if end >= 0 else len(text)


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


def _all_at_once(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, str]]:
    """Go from match to match of a confined expression, after each one on with the next line."""
    number, begin = 1, 0
    while found := pattern.search(text, begin):
        start = text.rfind("\n", begin, found.start()) + 1 or begin
        end = text.find("\n", start)
        number += text.count("\n", begin, start)
        if end < 0:
            yield number, text[start:]
            return
        yield number, text[start:end]
        number, begin = number + 1, end + 1


class _Nearest:
    """Finds whichever of several texts comes next, and looks for none of them twice over the same ground."""

    def __init__(self, texts: Sequence[str], ground: str) -> None:
        self._ground = ground
        self._coming = {text: ground.find(text) for text in texts}

    def __call__(self, begin: int) -> int:
        for text, at in self._coming.items():
            if 0 <= at < begin:
                self._coming[text] = self._ground.find(text, begin)
        return min((at for at in self._coming.values() if at >= 0), default=-1)


def _bad(problem: str) -> InvalidInput:
    return InvalidInput([("pattern", problem)])
