"""Moves the headings of a Markdown body below the headings of the text around it.

markdown-it-py finds the headings, so `# x` in a code block stays as it is.
"""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from gatepost.domain.markdown_blocks import blocks

if TYPE_CHECKING:
    from markdown_it.token import Token

HIGHEST: Final = 3
"""The highest level a body's heading may have. Levels 1 and 2 belong to the surrounding text."""
LOWEST: Final = 6

_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_MARKUP: Final = re.compile(r"[#=<]|`{3}|~{3}|-[ \t]*(?:[\r\n]|\Z)")
"""What a body must contain before it can hold a heading or leave a block open."""
_ATX: Final = re.compile(r" {0,3}(#{1,6})(?=[ \t]|\Z)")
_HTML_ENDS: Final = (
    (re.compile(r" *<(script|pre|style|textarea)", re.IGNORECASE | re.ASCII), r"</(?:script|pre|style|textarea)>"),
    (re.compile(r" *<!--"), "-->"),
    (re.compile(r" *<\?"), r"\?>"),
    (re.compile(r" *<![A-Za-z]"), ">"),
    (re.compile(r" *<!\[CDATA\["), r"\]\]>"),
)


class Unit(NamedTuple):
    """One line, or all lines of an underlined heading: as written, as shown, and the line that closes it.

    `closing` ends a fence or HTML block that would otherwise continue after this unit.
    """

    source: str
    shown: str
    closing: str


class _Heading(NamedTuple):
    """A heading up to the line `end`. An underlined one has `words`: each line without the quotes it is in."""

    end: int
    level: int
    words: Sequence[str] = ()


def demoted(body: str) -> tuple[Unit, ...]:
    """The body line by line, with every heading at level 3 or below and nothing else changed.

    All headings move down by the same number of levels, just enough to bring the highest to 3; none goes below 6.
    An underlined heading becomes one line that starts with `#` signs.
    """
    lines = _LINE.findall(body)
    headings, closings = dict[int, _Heading](), dict[int, str]()
    if _MARKUP.search(body):
        tokens = blocks(lines)
        headings, closings = dict(_headings(tokens)), dict(_closings(tokens))
    shift = max(0, HIGHEST - min((heading.level for heading in headings.values()), default=HIGHEST))
    units, at = list[Unit](), 0
    while at < len(lines):
        heading = headings.get(at, _Heading(at + 1, 0))
        source, at = lines[at : heading.end], heading.end
        shown = _moved(heading, source, min(LOWEST, heading.level + shift)) if heading.level else source[0]
        units.append(Unit("".join(source), shown, closings.get(at - 1, "")))
    return tuple(units)


def _headings(tokens: "Sequence[Token]") -> Iterator[tuple[int, _Heading]]:
    """Each heading by its first line. Lines of HTML that look like headings count: agents read them as such."""
    for token in tokens:
        first, end = token.map or (0, 0)
        if token.type == "heading_open":
            yield first, _Heading(end, int(token.tag[1:]), token.meta.get("words", ()))
        elif token.type == "html_block":
            for at, line in enumerate(token.content.split("\n"), first):
                if atx := _ATX.match(line):
                    yield at, _Heading(at + 1, len(atx[1]))


def _closings(tokens: "Sequence[Token]") -> Iterator[tuple[int, str]]:
    """The line that closes a block, for each line that leaves one open. In a quote or list it ends by itself."""
    for token in tokens:
        first, end = token.map or (0, 0)
        if token.level:
            continue
        if token.type == "fence":
            inside = first + 1 + token.content.count("\n")
            yield from ((at, f"{token.markup}\n") for at in range(first, min(inside, end)))
        elif token.type == "html_block" and (closing := _html_closing(token.content)):
            pattern, text = closing
            closed = re.search(pattern, token.content, re.IGNORECASE)
            yield from ((at, f"{text}\n") for at in range(first, end - 1 if closed else end))


def _html_closing(content: str) -> tuple[str, str] | None:
    """The pattern that ends an HTML block and the text that would; nothing for a block that a blank line ends."""
    for start, pattern in _HTML_ENDS:
        if found := start.match(content):
            return pattern, f"</{found[1].lower()}>" if found.groups() else pattern.replace("\\", "")
    return None


def _moved(heading: _Heading, lines: list[str], level: int) -> str:
    """A heading's lines at another level. One of level 3 cannot be underlined: it becomes one line."""
    signs, first = "#" * level, _text(lines[0])
    if not heading.words:
        before, _, after = lines[0].partition("#" * heading.level)
        return before + signs + after
    before = first[: len(first) - len(heading.words[0])]
    text = " ".join(line.strip(" \t") for line in heading.words)
    # A sign at the end would be read as part of the markup, and vanish.
    closed = f" {signs}" if text.endswith("#") else ""
    return f"{before}{signs} {text}{closed}{lines[-1].removeprefix(_text(lines[-1]))}"


def _text(line: str) -> str:
    return line.rstrip("\r\n")
