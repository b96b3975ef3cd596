"""The blocks of a Markdown text, as markdown-it-py parses them. It is loaded with the first text."""

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.token import Token

_MAX_NESTING: Final = 100


def blocks(lines: Sequence[str]) -> "Sequence[Token]":
    """The block tokens of some lines, with or without their ends. `map` counts these lines.

    An underlined heading has `words` in its `meta`: its lines as written, without the quotes and items around them.
    """
    return _parser().parse("".join(line.rstrip("\r\n") + "\n" for line in lines))


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": _MAX_NESTING})
    parser.core.ruler.enableOnly(["block"])
    parser.block.ruler.at("lheading", _underlined)
    return parser


def _underlined(state: "StateBlock", first: int, end: int, silent: bool) -> bool:  # noqa: FBT001 - the parser's way
    """The parser's own rule, which trims more than spaces: so it also keeps the lines as written."""
    from markdown_it.rules_block import lheading

    found = lheading(state, first, end, silent)
    if found:
        lines = range(first, state.line - 1)
        words = [state.src[state.bMarks[at] + state.tShift[at] : state.eMarks[at]] for at in lines]
        state.tokens[-3].meta["words"] = words
    return found
