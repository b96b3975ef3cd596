"""Backslash escapes, as in `$'…'` of a shell and in git's quoted names."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import Match
    from typing import Final

_NAMED: Final = dict(zip("ntrabfveE", "\n\t\r\a\b\f\v\x1b\x1b", strict=True))
_HEX: Final = "[0-9a-fA-F]"
_ESCAPE: Final = rf"\\(?:x({_HEX}{{1,2}})|u({_HEX}{{1,4}})|U({_HEX}{{1,8}})|([0-7]{{1,3}})|((?s:.)))"


def unescaped(text: str) -> str:
    """The unescaped text. Bytes beyond ASCII are read as Latin-1: `.tsk` has none."""
    import re

    return re.sub(_ESCAPE, _character, text)


def _character(escape: Match[str]) -> str:
    *hexadecimal, octal, letter = escape.groups()
    if letter:
        return _NAMED.get(letter, letter)
    code = int(octal, 8) & 0xFF if octal else int(next(filter(None, hexadecimal)), 16)
    return chr(code) if code <= 0x10FFFF else ""
