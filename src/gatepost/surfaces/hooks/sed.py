"""Finds the files that a `sed` program reads and writes, and the commands it runs."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Final

_ADDRESS: Final = r"(?:\d+|\$|/(?:\\.|[^/\\])*/|\\(?P<{0}>.)(?:\\.|(?!(?P={0}))[^\\])*(?P={0}))[IM]*(?:~\d+)?"
_BEFORE: Final = rf"[\s;{{}}]*(?:{_ADDRESS.format('one')}(?:\s*,\s*[~+]?(?:{_ADDRESS.format('two')}))?)?[\s!]*"
_FLAGS: Final = frozenset("gpiImMe0123456789")


def named_in(program: str) -> Iterator[str]:
    """Every file name and command in a program, with the rest of its line."""
    import re

    before = re.compile(_BEFORE, re.DOTALL)
    at = 0
    while at < len(program):
        found = before.match(program, at)
        at = found.end() if found else at
        letter = program[at : at + 1]
        if letter and letter in "sy":
            text, at = _replacement(program, at + 1)
            end = at
            while end < len(program) and program[end] in _FLAGS:
                end += 1
            if letter == "s" and "e" in program[at:end]:
                yield text.replace("\\", "")
            at = end - 1  # a `w` may follow, and is read like any other
        elif letter and letter in "rRwWe":
            end = _line_end(program, at)
            yield program[at + 1 : end].strip()
            at = end
        elif letter and letter in "aic#":
            at = _line_end(program, at)
        elif letter and letter in ":btT":
            at = _label_end(program, at)
        at += 1


def _replacement(program: str, at: int) -> tuple[str, int]:
    """The replacement of `s/…/…/`, with any delimiter, and the position after it."""
    mark, start = program[at : at + 1], at
    for _ in range(2):
        start = at = at + 1
        while at < len(program) and program[at] != mark:
            at += 2 if program[at] == "\\" else 1
    return program[start:at], at + 1


def _line_end(program: str, at: int) -> int:
    """The end of a line, including its continuation after a backslash."""
    while at < len(program) and program[at] != "\n":
        at += 2 if program[at] == "\\" else 1
    return min(at, len(program))


def _label_end(program: str, at: int) -> int:
    while at < len(program) and program[at] not in ";}\n":
        at += 1
    return at
