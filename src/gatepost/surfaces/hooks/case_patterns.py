"""Tracks brackets and `case` in a script, to find words that are `case` patterns and name no file."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_BRACKET: Final = "("
_WORD: Final = "x("
_CASE: Final = "case"
_BEFORE_COMMANDS: Final = frozenset({"then", "do", "else", "elif", "if", "while", "until", "!", "{", "time"})


class Nesting:
    """The open brackets. A `)` that closes none ends a pattern, if a `case` is open.

    Reserved words count as they are written: `\\case` and `"case"` are programs.
    """

    def __init__(self) -> None:
        self._open: list[str] = []

    def open(self, *, within_word: bool) -> None:
        """Open a `(`. Inside an array, a function or arithmetic there are no commands."""
        self._open.append(_WORD if within_word else _BRACKET)

    def begins_case(self, words: list[str]) -> bool:
        """Read a command. Returns whether it is the head of a `case`, followed by its first pattern."""
        begin = 0
        while begin < len(words) and words[begin] in _BEFORE_COMMANDS:
            begin += 1
        first = words[begin : begin + 1]
        if first == ["esac"] and self._open[-1:] == [_CASE]:
            self._open.pop()
        if first != [_CASE] or words[begin + 2 : begin + 3] != ["in"] or self._open[-1:] == [_WORD]:
            return False
        self._open.append(_CASE)
        return True

    def ends_pattern(self) -> bool:
        """Read a `)`. Returns whether the words before it are a `case` pattern."""
        if self._open and self._open[-1] != _CASE:
            self._open.pop()
        elif self._open:
            return True
        return False
