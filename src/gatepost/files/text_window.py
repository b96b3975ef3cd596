"""The range of lines that a read shows, and the checks for text that a write stores."""

from bisect import bisect_left
from collections.abc import Iterable
from typing import Final

from gatepost.domain.refusals import InvalidInput, NotText, TooLarge
from gatepost.files.protocol import MAX_CONTENT, ReadResult

_TEXT_ONLY: Final = "Only UTF-8 text can be written; encode anything else as text first, for example in Base64."


def window(
    path: str, parts: Iterable[str], size: int, offset: int, limit: int | None, column: int = 0
) -> ReadResult:
    """The lines of a text after the first `offset`, at most `limit` of them and at most `MAX_CONTENT` characters.

    The text comes in parts, and none is kept. Only a line feed ends a line; it stays.
    What does not fit is left for another read, by whole lines; a single line that is longer than everything allowed
    is cut, and goes on behind its first `column` characters.
    """
    seen = _Seen(count("offset", offset), count("column", column))
    wanted = None if limit is None else count("limit", limit)
    for part in parts:
        seen.take(part)
    content = seen.kept
    if wanted is not None and content.count("\n") >= wanted:
        content = content[: _behind_lines(content, wanted)]
    elif len(content) < seen.characters - seen.start:
        content = content[: content.rfind("\n") + 1] or content
    return ReadResult(
        path=path,
        content=content,
        offset=min(offset, seen.lines),
        column=seen.skipped,
        lines=line_count(content),
        total_lines=seen.lines,
        size=size,
        truncated=seen.start + len(content) < seen.characters,
    )


class _Seen:
    """What has been read of a text so far: its length, and the requested part."""

    def __init__(self, offset: int, column: int) -> None:
        self._offset = offset
        self._column = column
        self._ends = 0
        self._begun = False
        self._last = "\n"
        self.kept = ""
        self.skipped = 0
        self.start = 0
        self.characters = 0

    @property
    def lines(self) -> int:
        return self._ends + (self._last != "\n")

    def take(self, part: str) -> None:
        if not part:
            return
        ends = part.count("\n")
        rest = part if self._begun else self._beginning(part, ends)
        if rest and self._column:
            rest = self._without_column(rest)
        self.kept += rest[: MAX_CONTENT - len(self.kept)]
        self._ends += ends
        self.characters += len(part)
        self._last = part[-1]
        if not self._begun:
            self.start = self.characters

    def _beginning(self, part: str, ends: int) -> str:
        """The requested lines in this part."""
        if self._ends + ends < self._offset:
            return ""
        self._begun = True
        at = _behind_lines(part, self._offset - self._ends)
        self.start = self.characters + at
        return part[at:]

    def _without_column(self, rest: str) -> str:
        end = rest.find("\n")
        step = min(self._column, len(rest) if end < 0 else end)
        self.skipped += step
        self.start += step
        self._column = 0 if end >= 0 else self._column - step
        return rest[step:]


def count(field: str, value: int) -> int:
    """The same number, if it is a valid count."""
    if type(value) is not int:  # a truth value is an integer to Python
        raise InvalidInput([(field, f"must be a whole number, not {type(value).__name__}")])
    if value < 0:
        raise InvalidInput([(field, f"must not be negative: {value}")])
    return value


def line_count(text: str) -> int:
    """The number of lines in a text. The last one needs no line end."""
    return text.count("\n") + (bool(text) and not text.endswith("\n"))


def text_only(path: str, field: str, content: str) -> str:
    """The same text, if it is valid and not too long."""
    if not isinstance(content, str):
        raise NotText(f"`{field}` for {path} must be a string, not {type(content).__name__}.", _TEXT_ONLY)
    if len(content) > MAX_CONTENT:
        raise TooLarge(
            f"`{field}` for {path} has {len(content):,} characters; a write takes at most {MAX_CONTENT:,}.",
            "Write the first part, then add the others with mode `append`.",
        )
    if "\0" in content:
        raise NotText(f"`{field}` for {path} contains a NUL character, so it is binary data.", _TEXT_ONLY)
    try:
        content.encode()
    except UnicodeEncodeError:
        problem = f"`{field}` for {path} contains a lone surrogate, which UTF-8 cannot encode."
        raise NotText(problem, _TEXT_ONLY) from None
    return content


def _behind_lines(text: str, lines: int) -> int:
    """The position after that many lines of a text. Bisection is faster than a scan."""
    return bisect_left(range(len(text) + 1), lines, key=lambda at: text.count("\n", 0, at))
