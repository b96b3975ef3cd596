"""Documents as blocks: headings, paragraphs, list items and fenced code, each with its heading and its line."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gatepost.digest.quoting import plain_lines

_fence = re.compile(r"^\s{0,12}(`{3,}|~{3,})\s*([\w+-]*)")
_heading = re.compile(r"^ {0,3}(#{1,6})\s+(.*)$")
_underline = re.compile(r"^(?:={3,}|-{3,}|~{3,}|\^{3,})\s*$")
_bullet = re.compile(r"^(\s*)(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(.*)$")
_quote = re.compile(r"^\s*>\s?(.*)$")
_directive = re.compile(r"^\.\.\s+[\w-]+::.*$")


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a document, lines kept apart. `fence` is the language of a code block, None for prose."""

    line: int
    text: str
    heading: str
    level: int = 0
    fence: str | None = None


@dataclass(slots=True)
class _State:
    heading: str = ""
    level: int = 0
    start: int = 0
    held: list[str] | None = None

    def flushed(self) -> Iterator[Block]:
        """What was gathered so far, if anything."""
        if self.held:
            yield Block(self.start, "\n".join(self.held), self.heading, self.level)
        self.held = None

    def headed(self, number: int, heading: str, level: int) -> Block:
        """Begin a section; the heading is a block without text."""
        self.heading, self.level = heading, level
        return Block(number, "", heading, level)

    def hold(self, number: int, line: str) -> None:
        """Gather one more line."""
        if self.held is None:
            self.held, self.start = [], number
        self.held.append(line)


def blocks(text: str) -> Iterator[Block]:
    """The blocks of a Markdown or reStructuredText document, in order."""
    state = _State()
    fence: re.Match[str] | None = None
    code: list[str] = []
    start = 0
    for number, line in plain_lines(text):
        if fence is not None:
            if line.strip().startswith(fence[1]) and not line.strip().strip(fence[1][0]):
                yield Block(start, "\n".join(code), state.heading, state.level, fence[2].lower())
                fence = None
            else:
                code.append(line)
            continue
        fence = _fence.match(line)
        if fence is not None:
            yield from state.flushed()
            code, start = [], number + 1
        else:
            yield from _prose(state, number, line)
    yield from state.flushed()


def _prose(state: _State, number: int, line: str) -> Iterator[Block]:
    heading = _heading.match(line)
    quote = _quote.match(line)
    if heading:
        yield from state.flushed()
        yield state.headed(number, heading[2].rstrip().rstrip("#").rstrip(), len(heading[1]))
    elif _underline.match(line):
        if state.held and len(state.held) == 1:
            yield state.headed(state.start, state.held.pop().strip(), 1 if line.startswith("=") else 2)
            state.held = None
        else:
            yield from state.flushed()
    elif not line.strip() or _directive.match(line):
        yield from state.flushed()
        if line.strip():
            state.hold(number, line)
    elif bullet := _bullet.match(line):
        yield from state.flushed()
        state.hold(number, bullet[2])
    else:
        state.hold(number, quote[1] if quote else line)
