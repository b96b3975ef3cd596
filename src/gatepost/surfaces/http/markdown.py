"""`POST /v1/markdown`: texts of any author as HTML that can neither run nor load anything.

Two protections, each sufficient alone: the parser passes no HTML through, and its output is cleaned with an
allow-list. The libraries are loaded on first use.
"""

import re
import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Final

from msgspec import Meta, Struct
from starlette.requests import Request
from starlette.responses import Response

from gatepost.domain.refusals import InvalidInput
from gatepost.surfaces.http import bodies, problems
from gatepost.surfaces.http.problems import problem
from gatepost.surfaces.http.request_record import record_of
from gatepost.surfaces.http.workers import Workers
from gatepost.wire import json_input, json_output

if TYPE_CHECKING:
    from markdown_it.renderer import RendererHTML
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_core import StateCore
    from markdown_it.token import Token

MOST_TEXTS: Final = 50
MOST_BYTES: Final = 128 * 1024
MOST_CELLS: Final = 8_192
"""The limit for table cells in one text. Further tables stay plain text."""
_FILLED_IN: Final = 1_024
"""The limit for filler cells in one table: narrow rows of a wide table are filled up."""

TAGS: Final = frozenset(
    {"p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "code"}
    | {"em", "strong", "s", "a", "table", "thead", "tbody", "tr", "th", "td"}
)
ATTRIBUTES: Final = {"a": {"href", "title"}, "code": {"class"}, "ol": {"start"}}
"""Links get two more of our own: `rel` and `target`."""
SCHEMES: Final = frozenset({"http", "https", "mailto"})
RELATION: Final = "noopener noreferrer nofollow"

_address = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)
_language = re.compile(r"language-[A-Za-z0-9_+#.-]{1,40}\Z")
_number = re.compile(r"[0-9]{1,9}\Z")


class Texts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Texts to render."""

    texts: Annotated[tuple[str, ...], Meta(max_length=MOST_TEXTS)]


class Markdown:
    """Renders in its own thread, one request at a time: a long text takes a while, and calls go first."""

    def __init__(self) -> None:
        self._workers = Workers(at_once=1)

    async def serve(self, request: Request) -> Response:
        """Render each text as a piece of HTML."""
        record_of(request.scope).operation = "markdown"
        texts = _read(await bodies.arguments(request))
        html = await self._workers.run(lambda: [rendered(text) for text in texts])
        return Response(json_output.text({"html": html}), media_type="application/json")


def _read(given: dict[str, Any]) -> Sequence[str]:
    try:
        texts = json_input.command(Texts, given, frozenset()).texts
    except InvalidInput as no:
        raise problems.refused(no, json_output.refusal(no)) from None
    size = sum(len(text.encode()) for text in texts)
    if size > MOST_BYTES:
        raise problem(
            413,
            "TOO_LARGE",
            f"`texts` have {size:,} bytes; {MOST_BYTES:,} can be rendered at once.",
            "Send fewer at once.",
        )
    return texts


def rendered(text: str) -> str:
    """A text's markdown as HTML with only the allowed tags and attributes."""
    return cleaned(_parser()(text))


def cleaned(html: str) -> str:
    """HTML without anything that is not allowed."""
    import nh3

    return nh3.clean(
        html,
        tags=set(TAGS),
        clean_content_tags=set(),
        attributes={tag: set(names) for tag, names in ATTRIBUTES.items()},
        attribute_filter=_kept,
        link_rel=RELATION,
        set_tag_attribute_values={"a": {"target": "_blank"}},
        generic_attribute_prefixes=set(),
        url_schemes=set(SCHEMES),
        url_relative="deny",
    )


@cache
def _parser() -> Callable[[str], str]:
    """CommonMark without HTML, with tables and strikethrough. Links to anything else become plain text."""
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import table

    # By this name: the package exports the rule itself under the module's name.
    sys.modules["markdown_it.rules_block.table"].MAX_AUTOCOMPLETED_CELLS = _FILLED_IN  # type: ignore[attr-defined]
    parser = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable(["table", "strikethrough"])
    parser.validateLink = _is_parsed  # type: ignore[method-assign]
    parser.core.ruler.push("gatepost_links", _unlink)
    parser.core.ruler.push("gatepost_headings", _demote)
    parser.add_render_rule("image", _words)
    parser.block.ruler.at("table", _bounded(table), {"alt": ["paragraph", "reference"]})
    return parser.render


def _bounded(
    rule: "Callable[[StateBlock, int, int, bool], bool]",
) -> "Callable[[StateBlock, int, int, bool], bool]":
    """A table rule with a limit on the cells of a text."""

    def bounded(state: "StateBlock", first: int, end: int, silent: bool) -> bool:  # noqa: FBT001 - the parser's way
        if state.env.get("cells", 0) > MOST_CELLS:
            return False
        before = len(state.tokens)
        found = rule(state, first, end, silent)
        state.env["cells"] = state.env.get("cells", 0) + (len(state.tokens) - before) // 3
        return found

    return bounded


def _is_parsed(url: str) -> bool:  # noqa: ARG001 - the parser asks so
    """Parse everything as links and images, so that forbidden ones show as text rather than as syntax."""
    return True


def _unlink(state: "StateCore") -> None:
    for token in state.tokens:
        if token.children:
            token.children = _linked(token.children)


def _demote(state: "StateCore") -> None:
    """Lower a text's headings below the page's own title."""
    for token in state.tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1:]) + 1, 6)}"


def _linked(tokens: "Sequence[Token]") -> "list[Token]":
    """Remove links to forbidden targets. Links contain no links, so the next end is theirs."""
    kept, open_ended = [], False
    for token in tokens:
        if token.type == "link_open" and not _address.match(str(token.attrGet("href"))):
            open_ended = True
        elif token.type == "link_close" and open_ended:
            open_ended = False
        else:
            kept.append(token)
    return kept


def _words(self: "RendererHTML", tokens: "Sequence[Token]", at: int, options: Any, env: Any) -> str:
    """An image's alternative text instead of the image: nothing is ever loaded."""
    from markdown_it.common.utils import escapeHtml

    return escapeHtml(self.renderInlineAsText(tokens[at].children, options, env))


def _kept(tag: str, name: str, value: str) -> str | None:
    """An attribute's value, if the parser could have written it."""
    patterns = {("code", "class"): _language, ("ol", "start"): _number, ("a", "href"): _address}
    pattern = patterns.get((tag, name))
    return value if pattern is None or pattern.match(value) else None
