"""Backslash escapes, as `$'…'` of a shell and the quoted names of git have them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_PLAIN: Final = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "v": "\v",
    "e": "\x1b",
    "E": "\x1b",
}
_HEX: Final = {"x": 2, "u": 4, "U": 8}
_OCTAL: Final = frozenset("01234567")
_HEX_DIGITS: Final = frozenset("0123456789abcdefABCDEF")


def unescaped(text: str) -> str:
    """What an escaped text stands for. Bytes beyond ASCII are taken as Latin-1: `.tsk` has none."""
    found: list[str] = []
    index = 0
    while index < len(text):
        if text[index] != "\\" or index + 1 == len(text):
            found.append(text[index])
            index += 1
            continue
        sign, index = _one(text, index + 1)
        found.append(sign)
    return "".join(found)


def _one(text: str, index: int) -> tuple[str, int]:
    """The character of the escape whose letter stands at an index, and where the text goes on."""
    letter = text[index]
    if letter in _PLAIN:
        return _PLAIN[letter], index + 1
    if letter in _HEX:
        end = _run(text, index + 1, _HEX[letter], _HEX_DIGITS)
        return (_sign(int(text[index + 1 : end], 16)), end) if end > index + 1 else (letter, end)
    if letter in _OCTAL:
        end = _run(text, index, 3, _OCTAL)
        return _sign(int(text[index:end], 8) & 0xFF), end
    return letter, index + 1


def _run(text: str, start: int, most: int, digits: frozenset[str]) -> int:
    end = start
    while end < len(text) and end - start < most and text[end] in digits:
        end += 1
    return end


def _sign(code: int) -> str:
    return chr(code) if code <= 0x10FFFF else ""
