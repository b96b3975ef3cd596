"""Makes text from a repository safe to quote: no control characters or credentials, one limited line."""

import re
from typing import Final

from gatepost.wire.credentials import redacted

ELLIPSIS: Final = "…"

_LONGEST_LINE: Final = 2_000

_space = re.compile(r"\s+")
_private_key = re.compile(r"(?s)-----BEGIN [A-Z ]{0,40}PRIVATE KEY.*?(?:-----END [A-Z ]{0,40}PRIVATE KEY[^\n]*|\Z)")


def quoted(text: str, limit: int) -> str:
    """One line of at most `limit` characters. Redacted before it is cut, since half a token is not recognised."""
    plain, _ = redacted(text)
    return clipped(harmless(_space.sub(" ", plain).strip()), limit)


def clipped(text: str, limit: int) -> str:
    """The text, or its beginning with a visible mark, never longer than `limit`."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + ELLIPSIS


def harmless(text: str) -> str:
    """The text with control and bidirectional characters escaped."""
    if text.isprintable():
        return text
    return "".join(_shown(letter) for letter in text)


def code(text: str) -> str:
    """Markdown for a piece of code, even with backticks in it."""
    if "`" not in text:
        return f"`{text}`"
    fence = "`" * (max(len(run) for run in re.findall("`+", text)) + 1)
    return f"{fence} {text} {fence}"


def speech(text: str) -> str:
    """A quoted line in quotation marks that it cannot close, so that it reads as a quote."""
    return "“" + re.sub("[“”]", '"', text) + "”"


def plain(text: str) -> str:
    """A text without private keys, with very long lines cut.

    A key's lines one by one look like anything, so nothing would know them later. Lines are cut between words:
    half a token would not be recognised.
    """
    return "\n".join(
        line if len(line) <= _LONGEST_LINE else line[: line.rfind(" ", 0, _LONGEST_LINE) + 1].rstrip()
        for line in _private_key.sub("", text).split("\n")
    )


def _shown(letter: str) -> str:
    if letter.isprintable():
        return letter
    point = ord(letter)
    byte = 0xDC80 <= point <= 0xDCFF  # of a file name that is no UTF-8, as Python carries it
    return f"\\x{point - 0xDC00:02x}" if byte else letter.encode("unicode_escape").decode()
