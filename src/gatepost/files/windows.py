"""Text on its way in and out: the lines that a read shows, and what a write may leave in a file."""

from typing import Final

from gatepost.domain.refusals import InvalidInput, NotText, TooLarge
from gatepost.files.protocol import MAX_CONTENT, ReadResult

_TEXT_ONLY: Final = "Only UTF-8 text can be written; encode anything else as text first, for example in Base64."


def window(path: str, text: str, size: int, offset: int, limit: int | None, column: int = 0) -> ReadResult:
    """The lines of a text after the first `offset`, at most `limit` of them and at most `MAX_CONTENT` characters.

    Lines end with a line feed and nothing else, and keep that. What does not fit is left for another read, by whole
    lines; a single line that is longer than everything allowed is cut, and goes on behind its first `column`
    characters.
    """
    begin = _behind_lines(text, count("offset", offset))
    first_end = text.find("\n", begin)
    skipped = min(count("column", column), (len(text) if first_end < 0 else first_end) - begin)
    start = begin + skipped
    content = text[start : start + MAX_CONTENT]
    if limit is not None and content.count("\n") >= count("limit", limit):
        content = content[: _behind_lines(content, limit)]
    elif start + len(content) < len(text):
        content = content[: content.rfind("\n") + 1] or content
    total = line_count(text)
    return ReadResult(
        path=path,
        content=content,
        offset=min(offset, total),
        column=skipped,
        lines=line_count(content),
        total_lines=total,
        size=size,
        truncated=start + len(content) < len(text),
    )


def count(field: str, value: int) -> int:
    """The same number, unless it is none that something can be counted by."""
    if type(value) is not int:  # a truth value is an integer to Python
        raise InvalidInput([(field, f"must be a whole number, not {type(value).__name__}")])
    if value < 0:
        raise InvalidInput([(field, f"must not be negative, and is {value}")])
    return value


def line_count(text: str) -> int:
    """How many lines a text has; a last one needs no end to count."""
    return text.count("\n") + (bool(text) and not text.endswith("\n"))


def text_only(path: str, field: str, content: str) -> str:
    """The same text, if it is one that a file can hold and a call can carry."""
    if not isinstance(content, str):
        raise NotText(f"`{field}` for {path} must be a text, not {type(content).__name__}.", _TEXT_ONLY)
    if len(content) > MAX_CONTENT:
        raise TooLarge(
            f"`{field}` for {path} has {len(content):,} characters; a write takes at most {MAX_CONTENT:,}.",
            "Write the first part, then add the others with mode `append`.",
        )
    if "\0" in content:
        raise NotText(f"`{field}` for {path} holds a NUL character, as binary data does.", _TEXT_ONLY)
    try:
        content.encode()
    except UnicodeEncodeError:
        problem = f"`{field}` for {path} holds a lone surrogate, which UTF-8 cannot carry."
        raise NotText(problem, _TEXT_ONLY) from None
    return content


def _behind_lines(text: str, lines: int) -> int:
    """Where a text goes on behind that many lines, or its end. Halving is faster than going from line to line."""
    low, high = 0, len(text) if lines else 0
    while low < high:
        middle = (low + high) // 2
        ends = text.count("\n", low, middle + 1)
        if ends < lines:
            low, lines = middle + 1, lines - ends
        else:
            high = middle
    return min(low + bool(lines), len(text))
