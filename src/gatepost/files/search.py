"""Regular expressions over the lines of a file, with RE2: linear time for any pattern."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, Protocol

from gatepost.domain.refusals import InvalidInput

MAX_PATTERN: Final = 1_000

_MAX_MEMORY: Final = 4 * 2**20
"""The most bytes of a compiled pattern."""
_MAX_SIZE: Final = 2_000
"""The most instructions of a pattern for ASCII text. Each may run at every character."""


class _Found(Protocol):
    def span(self) -> tuple[int, int]: ...


class _Expression(Protocol):
    def finditer(self, text: bytes) -> Iterator[_Found]: ...


class Search:
    """A regular expression that finds lines.

    A line ends with a line feed, or a carriage return and a line feed; its end is no part of it. `^` and `$` are
    the borders of a line, and nothing matches across them.
    """

    __slots__ = ("_ascii", "_unicode")

    def __init__(self, ascii_text: _Expression, any_text: _Expression) -> None:
        self._ascii = ascii_text
        self._unicode = any_text

    def lines(self, data: bytes) -> Iterator[tuple[int, str]]:
        """The matching lines of a file with their numbers, from 1. None if it is not UTF-8 text."""
        # Looking for one character is far faster than replacing two that are missing.
        plain = data.replace(b"\r\n", b"\n") if b"\r" in data else data
        number, begin, last = 1, 0, -1
        expression = self._ascii if plain.isascii() else self._unicode
        for found in expression.finditer(plain):
            start, end = found.span()
            if start == last:
                # An empty match at the end of the previous line.
                continue
            line = plain.rfind(b"\n", begin, start) + 1 or begin
            if line == len(plain) or (last < 0 and not _is_text(plain)):
                return
            number += plain.count(b"\n", begin, line)
            yield number, plain[line:end].decode()
            number, begin, last = number + 1, end + 1, end


def compiled(pattern: str) -> Search:
    """A compiled expression. Refuses invalid ones and those that RE2 does not support."""
    if not isinstance(pattern, str):
        raise _bad(f"must be a string, not {type(pattern).__name__}")
    if len(pattern) > MAX_PATTERN:
        raise _bad(f"has {len(pattern):,} characters; the limit is {MAX_PATTERN:,}")
    return _compiled(pattern)


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> Search:
    # Few processes ever search.
    import re2  # type: ignore[import-untyped]  # it has no types; `_Expression` says what is used of it

    from gatepost.files.re2_syntax import Unsupported, explained, translated

    options = re2.Options()
    options.max_mem = _MAX_MEMORY
    options.log_errors = False
    options.never_capture = True
    options.never_nl = True
    try:
        alone = translated(pattern, ascii_text=True)
        size = re2.compile(alone, options).programsize
        # A match extends to the end of its line, so that each line is found once.
        ascii_text: _Expression = re2.compile(f"(?:{alone}).*", options)
        any_text: _Expression = re2.compile(f"(?:{translated(pattern, ascii_text=False)}).*", options)
    except UnicodeEncodeError:
        raise _bad("contains a lone surrogate, which no text file can contain") from None
    except (Unsupported, re.error, re2.error) as wrong:
        said = wrong.args[0]
        raise _bad(*explained(said.decode() if isinstance(said, bytes) else said)) from None
    if size > _MAX_SIZE:
        raise _bad(*explained("pattern too large"))
    return Search(ascii_text, any_text)


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return b"\0" not in data


def _bad(problem: str, recovery: str | None = None) -> InvalidInput:
    return InvalidInput([("pattern", problem)], recovery)
