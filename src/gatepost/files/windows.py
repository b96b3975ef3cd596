"""Text on its way in and out: the lines that a read shows, and what a write may leave in a file."""

from bisect import bisect_right
from typing import Final

from gatepost.domain.refusals import InvalidInput, NotText, TooLarge
from gatepost.files.protocol import MAX_CONTENT, ReadResult

_TEXT_ONLY: Final = "Only UTF-8 text can be written; encode anything else as text first, for example in Base64."


def window(path: str, text: str, size: int, offset: int, limit: int | None) -> ReadResult:
    """The lines of a text after the first `offset`, at most `limit` of them and at most `MAX_CONTENT` characters.

    Lines end with a line feed and nothing else, and keep their ends. What does not fit is left for another read, by
    whole lines; only a single line that is longer than everything allowed is cut.
    """
    before = count("offset", offset)
    wanted = None if limit is None else count("limit", limit)
    if before == 0 and wanted is None and len(text) <= MAX_CONTENT:
        content, lines, total = text, line_count(text), line_count(text)
        truncated = False
    else:
        ends = _ends(text)
        total = len(ends)
        before = min(before, total)
        begin = ends[before - 1] if before else 0
        content, lines = _fitting(text, begin, ends[before : None if wanted is None else before + wanted])
        truncated = begin + len(content) < len(text)
    return ReadResult(
        path=path,
        content=content,
        offset=before,
        lines=lines,
        total_lines=total,
        size=size,
        truncated=truncated,
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


def joined(path: str, before: str, content: str) -> str:
    """What a file holds once a write has added `content` to what was there before, unless it may not hold that."""
    if not isinstance(content, str):
        raise NotText(f"`content` for {path} must be a text, not {type(content).__name__}.", _TEXT_ONLY)
    if len(content) > MAX_CONTENT:
        raise TooLarge(
            f"`content` for {path} has {len(content):,} characters; a write takes at most {MAX_CONTENT:,}.",
            "Split it over several files.",
        )
    if "\0" in content:
        raise NotText(f"`content` for {path} holds a NUL character, as binary data does.", _TEXT_ONLY)
    if not _encodable(content):
        raise NotText(f"`content` for {path} holds a lone surrogate, which UTF-8 cannot carry.", _TEXT_ONLY)
    if len(before) + len(content) > MAX_CONTENT:
        raise TooLarge(
            f"{path} would have {len(before) + len(content):,} characters; a file has at most {MAX_CONTENT:,}.",
            "Continue in another file.",
        )
    return before + content


def _encodable(content: str) -> bool:
    try:
        content.encode()
    except UnicodeEncodeError:
        return False
    return True


def _ends(text: str) -> list[int]:
    """Where each line is over."""
    ends: list[int] = []
    at = text.find("\n") + 1
    while at:
        ends.append(at)
        at = text.find("\n", at) + 1
    if not text.endswith("\n") and text:
        ends.append(len(text))
    return ends


def _fitting(text: str, begin: int, ends: list[int]) -> tuple[str, int]:
    """As many of these lines as one answer carries."""
    if not ends:
        return "", 0
    lines = max(1, bisect_right(ends, begin + MAX_CONTENT))
    return text[begin : min(ends[lines - 1], begin + MAX_CONTENT)], lines
