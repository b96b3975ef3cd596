"""A command line as bash hands it over: whole. Its own splitting breaks words at every colon, and so every path."""

from __future__ import annotations

_BLANK = " \t\n"
_NO_BREAKS = _BLANK + "\"'"


def split(line: str, point: int, breaks: str) -> tuple[list[str], int]:
    """The words behind the command up to the cursor, and how much of the last one bash keeps as it is.

    `point` counts bytes, as bash does.
    """
    before = line.encode("utf-8", "surrogateescape")[:point].decode("utf-8", "surrogateescape")
    words, quoted = _words(before)
    # Within quotes nothing breaks a word.
    cut = -1 if quoted else max((words[-1].rfind(mark) for mark in breaks if mark not in _NO_BREAKS), default=-1)
    return words[1:] or [""], cut + 1


def _words(line: str) -> tuple[list[str], bool]:
    """The words of a line whose last one may still be open; and whether that one is in quotes."""
    words, current, quote, begun = [], "", "", False
    signs = iter(line)
    for sign in signs:
        if quote:
            if sign == quote:
                quote = ""
            elif sign == "\\" and quote == '"':
                current += next(signs, "")
            else:
                current += sign
        elif sign in "\"'":
            quote, begun = sign, True
        elif sign == "\\":
            current, begun = current + next(signs, ""), True
        elif sign in _BLANK:
            words += [current] if begun or current else []
            current, begun = "", False
        else:
            current += sign
    return [*words, current], bool(quote)
