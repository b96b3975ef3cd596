"""Headings of a markdown text, found where CommonMark finds them, and moved below the framing's own.

Finding them takes the block half of a CommonMark reader: whether `# x` is a heading depends on the quotes, list
items, code and HTML it stands in. Inline markup is of no concern here. Tabs are expanded for reading, columns being
what counts; edits are made in the text as it was.
"""

import re
from bisect import bisect_left
from typing import Final, NamedTuple

HIGHEST: Final = 3
"""The highest level that a body's heading may have: 1 and 2 are the framing's."""
LOWEST: Final = 6

_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_ATX: Final = re.compile(r"(#{1,6})(?= |\Z)")
_UNDERLINE: Final = re.compile(r"(?:=+|-+) *\Z")
_SPACES: Final = re.compile(" *")
_FENCE: Final = re.compile(r"`{3,}(?=[^`]*\Z)|~{3,}")
_MARKER: Final = re.compile(r"(?:[-+*]|(\d{1,9})[.)])(?= |\Z)", re.ASCII)
_DEFINITION: Final = (
    r"\[(?:[^\[\]\\]|\\.){1,999}\]:[ \t\n]*(?:<[^<>\n]*>|[^\x00-\x20<\x7f][^\x00-\x20\x7f]*)"
    r"""(?:[ \t\n]+(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\((?:[^()\\]|\\.)*\)))?[ \t]*(?:\n|\Z)"""
)
_DEFINITIONS: Final = re.compile(rf"(?:{_DEFINITION})+\Z", re.DOTALL)
_ATTRIBUTE: Final = (
    r"""[ \f\v]+[a-zA-Z_:][a-zA-Z0-9:._-]*(?:[ \f\v]*=[ \f\v]*(?:[^"'=<>`\x00-\x20]+|'[^']*'|"[^"]*"))?"""
)
_RAW: Final = re.compile(r"(?a:<(script|pre|style|textarea))(?=\s|>|\Z)", re.IGNORECASE)
_TAG: Final = re.compile(
    rf"(?:<[A-Za-z][A-Za-z0-9-]*(?:{_ATTRIBUTE})*[ \f\v]*/?>|</[A-Za-z][A-Za-z0-9-]*[ \f\v]*>)[ \f\v]*\Z"
)
_BLOCK_TAG: Final = re.compile(
    r"(?a:</?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir"
    r"|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li"
    r"|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th"
    r"|thead|title|tr|track|ul))(?=\s|/?>|\Z)",
    re.IGNORECASE,
)
_RAW_END: Final = re.compile(r"</(?:script|pre|style|textarea)>", re.IGNORECASE | re.ASCII)
_DECLARATION: Final = re.compile(r"<![A-Za-z]")


class Unit(NamedTuple):
    """A line, or the lines of one underlined heading: as written, as shown, and what it leaves open.

    `closing` is the line that ends a fence or HTML block which would else go on behind this unit.
    """

    source: str
    shown: str
    closing: str


def demoted(body: str) -> tuple[Unit, ...]:
    """The body line by line with every heading at level 3 or below, and nothing else changed.

    All headings go down by the same number of levels, the least that brings the highest to 3, and none below 6. An
    underlined one becomes a line with signs. Where readers of markdown differ on whether a line goes on with link
    definitions or a quote above it, a blank line settles it.
    """
    lines = _LINE.findall(body)
    reader = _Reader()
    for line in lines:
        reader.read(line)
    shift = max(0, HIGHEST - min((heading.level for heading in reader.headings), default=HIGHEST))
    headings = {heading.first: heading for heading in reader.headings}
    units, at = list[Unit](), 0
    while at < len(lines):
        heading = headings.get(at)
        end = heading.last + 1 if heading else at + 1
        shown = _moved(heading, lines[at:end], min(LOWEST, heading.level + shift)) if heading else lines[at]
        if at in reader.breaks:
            shown = _line_end(lines[at - 1]) + shown
        units.append(Unit("".join(lines[at:end]), shown, reader.closings[end - 1]))
        at = end
    return tuple(units)


class _Heading(NamedTuple):
    """A heading on the lines `first` to `last`. `text` is an underlined one's, which gets its signs at `at`."""

    first: int
    last: int
    level: int
    at: int
    text: str | None


class _Paragraph(NamedTuple):
    """Lines of text, each with the offset at which its text begins."""

    lines: list[tuple[int, int, str]]


class _Fence(NamedTuple):
    """A fenced block of code; the sign and number of signs that close it."""

    signs: str


class _Html(NamedTuple):
    """An HTML block. It ends in a line with `end`, or without one at a blank line."""

    end: re.Pattern[str] | None
    closing: str


class _Code(NamedTuple):
    """An indented block of code."""


class _Reader:
    """Reads line after line, as CommonMark's appendix has it, and notes the headings."""

    def __init__(self) -> None:
        self.headings = list[_Heading]()
        self.closings = list[str]()
        self.breaks = set[int]()
        self._containers = list[int]()  # the columns that a list item's lines are indented by; 0 is a quote
        self._quotes = list[int]()
        self._bare = False  # the innermost item has nothing in it yet
        self._leaf: _Paragraph | _Fence | _Html | _Code | None = None
        self._plain: _Paragraph | None = None  # one that is known to hold more than link definitions
        self._raw, self._text, self._tail = "", "", 0

    def read(self, line: str) -> None:
        """Take the next line, its end included."""
        self._take(line.rstrip("\r\n"))
        if self._doubtful():
            self.breaks.add(len(self.closings))
            self._take("")
            self._place()
            self._take(line.rstrip("\r\n"))
        self._place()
        self.closings.append("" if self._containers else _closing(self._leaf))

    def _take(self, raw: str) -> None:
        self._raw, self._text = raw, raw.expandtabs(4)
        self._tail = len(self._text.rstrip(" " + self._text.rstrip(" ")[-1:]))

    def _doubtful(self) -> bool:
        """Whether readers differ on where the line belongs.

        Some take a far indented `>` for a quote going on; and some have a paragraph end with its link definitions.
        """
        at, matched = self._matching()
        inner = self._inner(at)
        if inner == len(self._text):
            return False
        quote = matched < len(self._containers) and not self._containers[matched]
        if quote and inner - at > 3 and self._text.startswith(">", inner):
            return True
        return isinstance(self._leaf, _Paragraph) and self._apart(self._leaf, at, matched)

    def _apart(self, paragraph: _Paragraph, at: int, matched: int) -> bool:
        """Whether the line goes on with the paragraph only if the link definitions it is made of do not end it."""
        if paragraph is self._plain or not paragraph.lines[0][-1].startswith("["):
            return False
        inner = self._inner(at)
        if matched < len(self._containers):
            doubt = inner - at > 3 or not self._starts(inner)
        elif inner - at > 3 or _UNDERLINE.match(self._text, inner):
            doubt = True
        else:
            alone = self._marker(inner, interrupts=False) or _html(self._text, inner, interrupts=False)
            among = self._marker(inner, interrupts=True) or _html(self._text, inner, interrupts=True)
            doubt = bool(alone) and not among
        if doubt and not _DEFINITIONS.match("\n".join(text for *_, text in paragraph.lines)):
            self._plain = paragraph
        return doubt and paragraph is not self._plain

    def _place(self) -> None:
        """Put the line where it belongs: into what is open, or into what it opens."""
        at, matched = self._matching()
        if matched < len(self._containers):
            self._elsewhere(at, matched)
        elif not self._continued(at):
            self._started(at, self._leaf)

    def _matching(self) -> tuple[int, int]:
        """How many of the open containers this line is in, and where its own text begins."""
        at = 0
        for number, container in enumerate(self._containers):
            inner = self._inner(at)
            if not container:
                if inner - at > 3 or not self._text.startswith(">", inner):
                    return at, number
                at = inner + 1 + self._text.startswith(" ", inner + 1)
            elif inner == len(self._text):
                return inner, self._blank_matches(number)
            elif inner - at >= container:
                at += container
            else:
                return at, number
        return at, len(self._containers)

    def _blank_matches(self, number: int) -> int:
        """A blank line is in every item up to the next quote: found without a walk, as there may be thousands."""
        turn = bisect_left(self._quotes, number)
        if turn < len(self._quotes):
            return self._quotes[turn]
        return len(self._containers) - self._bare

    def _elsewhere(self, at: int, matched: int) -> None:
        """A line outside the innermost containers: it ends them, unless it goes on with their paragraph."""
        lazy = self._leaf if isinstance(self._leaf, _Paragraph) else None
        inner = self._inner(at)
        if lazy and inner < len(self._text) and (inner - at > 3 or not self._starts(inner)):
            self._add(lazy, inner)
            return
        del self._containers[matched:]
        del self._quotes[bisect_left(self._quotes, matched) :]
        self._bare = False
        self._started(at, None)

    def _continued(self, at: int) -> bool:
        """Whether the line is taken by the open code or HTML. A blank line ends what it can end."""
        inner = self._inner(at)
        blank = inner == len(self._text)
        match self._leaf:
            case _Fence(signs):
                end = self._text[inner:].rstrip(" ")
                if inner - at <= 3 and len(end) >= len(signs) and not end.strip(signs[0]):
                    self._leaf = None
                return True
            case _Html(end=None) | _Paragraph() if blank:
                self._leaf = None
            case _Html():
                self._in_html(self._leaf, at)
                return True
            case _Code() if blank or inner - at > 3:
                return True
            case _Code():
                self._leaf = None
        return blank

    def _started(self, at: int, paragraph: object) -> None:
        """Open the blocks that begin on this line, containers first; `paragraph` is the leaf it may go on with."""
        going = paragraph if isinstance(paragraph, _Paragraph) else None
        inner = self._inner(at)
        while inner - at <= 3 and (width := self._container(at, inner, going)):
            at = inner + width
            going = self._leaf = None
            inner = self._inner(at)
        if inner == len(self._text):
            self._leaf = None
            return
        self._bare = False
        if inner - at > 3:
            if going:
                self._add(going, inner)
            else:
                self._leaf = _Code()
        elif not self._leafed(at, inner, going):
            self._leaf = going or _Paragraph([])
            self._add(self._leaf, inner)

    def _container(self, at: int, inner: int, going: _Paragraph | None) -> int:
        """Enter a quote or list item, and answer how many columns its sign takes: 0 if none begins here."""
        if self._text.startswith(">", inner):
            self._quotes.append(len(self._containers))
            self._containers.append(0)
            self._bare = False
            return 1 + self._text.startswith(" ", inner + 1)
        marker = self._marker(inner, interrupts=going is not None)
        if not marker or self._breaks(inner):
            return 0
        spaces = self._inner(inner + marker) - inner - marker
        self._bare = inner + marker + spaces == len(self._text)
        width = marker + (1 if self._bare or spaces > 4 else spaces)
        self._containers.append(inner - at + width)
        return width

    def _leafed(self, at: int, inner: int, going: _Paragraph | None) -> bool:
        """Whether a heading, break, fence or HTML block begins here, and note it."""
        if atx := _ATX.match(self._text, inner):
            self._note(inner, len(atx[1]))
        elif fence := _FENCE.match(self._text, inner):
            self._leaf = _Fence(fence[0])
            return True
        elif html := _html(self._text, inner, interrupts=going is not None):
            self._leaf = html
            self._in_html(html, at)
            return True
        elif going and _UNDERLINE.match(self._text, inner) and (lines := _titled(going)):
            text = " ".join(text for *_, text in lines)
            self.headings.append(
                _Heading(lines[0][0], len(self.closings), 1 + (self._text[inner] == "-"), lines[0][1], text)
            )
        elif not self._breaks(inner):
            return False
        self._leaf = None
        return True

    def _starts(self, inner: int) -> bool:
        """Whether a block begins here that ends the paragraph of a container the line is not in."""
        text = self._text
        return (
            text.startswith(">", inner)
            or any(sign.match(text, inner) for sign in (_ATX, _FENCE))
            or self._breaks(inner)
            or _html(text, inner, interrupts=True) is not None
            or bool(self._marker(inner, interrupts=False))
        )

    def _breaks(self, inner: int) -> bool:
        """Whether the rest of the line is a thematic break: one sign, thrice or more, that goes on to the end."""
        return inner >= self._tail and self._text[inner] in "*-_" and self._text.count(self._text[inner], inner) > 2

    def _marker(self, inner: int, *, interrupts: bool) -> int:
        """The length of the list marker here, or 0. Only number 1 and an item with text interrupt a paragraph."""
        found = _MARKER.match(self._text, inner)
        if found is None:
            return 0
        if interrupts and (found[1] not in (None, "1") or self._inner(found.end()) == len(self._text)):
            return 0
        return found.end() - inner

    def _in_html(self, html: _Html, at: int) -> None:
        """A line of HTML. What looks like a heading is one to agents, and where HTML is not shown: it is noted."""
        inner = self._inner(at)
        if inner - at <= 3 and (atx := _ATX.match(self._text, inner)):
            self._note(inner, len(atx[1]))
        if html.end and html.end.search(self._text, at):
            self._leaf = None

    def _note(self, inner: int, level: int) -> None:
        here = len(self.closings)
        self.headings.append(_Heading(here, here, level, self._offset(inner), None))

    def _add(self, paragraph: _Paragraph, inner: int) -> None:
        offset = self._offset(inner)
        paragraph.lines.append((len(self.closings), offset, self._raw[offset:].strip(" \t")))

    def _inner(self, at: int) -> int:
        """The column of the next character from `at` on that is no space."""
        found = _SPACES.match(self._text, at)
        return found.end() if found else at

    def _offset(self, column: int) -> int:
        """Where in the text as written the character stands that is read at a column."""
        seen = 0
        for offset, sign in enumerate(self._raw):
            if seen >= column:
                return offset
            seen += 4 - seen % 4 if sign == "\t" else 1
        return len(self._raw)


def _moved(heading: _Heading, lines: list[str], level: int) -> str:
    """A heading's lines at another level. One of level 3 cannot be underlined: it becomes one line."""
    before = lines[0][: heading.at]
    if heading.text is None:
        return before + "#" * (level - heading.level) + lines[0][heading.at :]
    signs = "#" * level
    # A sign at the end would be read as the heading's own, and vanish.
    closed = f" {signs}" if heading.text.endswith("#") else ""
    return f"{before}{signs} {heading.text}{closed}{_line_end(lines[-1])}"


def _line_end(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :]


def _titled(paragraph: _Paragraph) -> list[tuple[int, int, str]]:
    """The lines that an underline makes a heading of: those behind the link definitions, which stay as they are."""
    lines = paragraph.lines
    at = next((at for at, (*_, text) in enumerate(lines) if not _DEFINITIONS.match(text)), len(lines))
    return lines[at:]


def _html(text: str, inner: int, *, interrupts: bool) -> _Html | None:
    """The HTML block that begins here. A lone tag that is none of the known ones does not interrupt a paragraph."""
    if not text.startswith("<", inner):
        return None
    if raw := _RAW.match(text, inner):
        return _Html(_RAW_END, f"</{raw[1].lower()}>")
    for start, end in (("<!--", "-->"), ("<?", "?>"), ("<![CDATA[", "]]>")):
        if text.startswith(start, inner):
            return _Html(re.compile(re.escape(end)), end)
    if _DECLARATION.match(text, inner):
        return _Html(re.compile(">"), ">")
    if _BLOCK_TAG.match(text, inner) or (not interrupts and _TAG.match(text, inner)):
        return _Html(None, "")
    return None


def _closing(leaf: object) -> str:
    """The line that ends a block which else takes in all that follows; one inside a container ends with that."""
    match leaf:
        case _Fence(signs):
            return f"{signs}\n"
        case _Html(closing=closing) if closing:
            return f"{closing}\n"
        case _:
            return ""
