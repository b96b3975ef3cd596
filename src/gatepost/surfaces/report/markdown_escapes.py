"""Texts of others in Markdown, as GitHub reads it: they are shown, and do nothing.

A mention would notify somebody, `fixes #12` would close an issue when the pull request is merged, and an address
would become a link. An invisible character in their middle, at which no line breaks, prevents that.
"""

import re
from html import escape
from typing import Final

from gatepost.surfaces.report.texts import one_line, readable

_PUNCTUATION: Final = re.compile(r"[\\`*_\[\]|~$^]")
_START: Final = re.compile(r"^(\d{1,9}(?=[.)])|(?=[#+=-]))(.)")
"""What begins a heading, a list or a line at the beginning of a paragraph."""
_REFERENCE: Final = re.compile(r"(@)|(#)(?=\d)|(\bgh)(?=-\d)|(:)(?=//)|(\bwww)(?=\.)", re.IGNORECASE)
_BACKTICKS: Final = re.compile(r"`+")
_JOINER: Final = "&#8288;"


def inline(text: str) -> str:
    """A text as one line of Markdown."""
    line = _PUNCTUATION.sub(r"\\\g<0>", escape(one_line(text), quote=False))
    return _inert(_START.sub(r"\1\\\2", line))


def in_html(text: str) -> str:
    """A text as one line within an HTML element."""
    return _inert(escape(one_line(text)))


def code(text: str) -> str:
    """A text as one line of code."""
    line = one_line(text)
    marks = "`" * (_longest_run(line) + 1)
    pad = " " if not line or line[0] in " `" or line[-1] in " `" else ""
    return f"{marks}{pad}{line}{pad}{marks}"


def fenced(text: str, indent: str) -> list[str]:
    """A text as a block of code, indented as the list item that it belongs to."""
    shown = readable(text)
    fence = "`" * max(3, _longest_run(shown) + 1)
    return [f"{indent}{fence}text", *(f"{indent}{line}".rstrip() for line in shown.split("\n")), f"{indent}{fence}"]


def _inert(text: str) -> str:
    return _REFERENCE.sub(rf"\g<0>{_JOINER}", text)


def _longest_run(text: str) -> int:
    return max(map(len, _BACKTICKS.findall(text)), default=0)
