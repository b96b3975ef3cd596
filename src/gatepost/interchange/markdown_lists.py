"""Checklists in Markdown: the sections of a text, the boxes in each, and the text around them."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from gatepost.interchange.items import Criterion, Item, State, state_of

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_BOX: Final = re.compile(r"\[([ xX*~/-])\](?:\s+|$)")
_NUMBER: Final = re.compile(r"(?:[-*+]|\d+[.)])\s+")
_MAX_NESTING: Final = 100
_DONE: Final = "xX*"
_BEGUN: Final = "~/-"


class Box(Struct, kw_only=True):
    """A list item: with a box (`mark`), or without one.

    `more` is the text below its first line, with the lists that are no checklists; `prose` has no lists at all.
    """

    title: str
    mark: str | None
    more: str
    prose: str
    boxes: list["Box"]


class MarkdownSection(Struct, kw_only=True):
    """A heading, the text below it without its checklist, and the checklist."""

    level: int
    title: str
    prose: str
    boxes: list[Box]

    @property
    def checklist(self) -> list[Box]:
        """The items that have boxes, themselves or below them."""
        return [box for box in self.boxes if _is_checklist(box)]


def sections(text: str) -> list[MarkdownSection]:
    """The sections of a text. The first has no heading, and may be empty."""
    rows = re.split(r"\r\n?|\n", text)  # the lines of Markdown: other separators are text
    found = [MarkdownSection(level=0, title="", prose="", boxes=[])]
    tokens, at, start = _parser().parse(text), 0, 0
    while at < len(tokens):
        token = tokens[at]
        if token.map is None or token.level:
            at += 1
        elif token.type == "heading_open":
            _add_prose(found[-1], rows[start : token.map[0]])
            title = " ".join(tokens[at + 1].content.split())
            found.append(MarkdownSection(level=int(token.tag[1]), title=title, prose="", boxes=[]))
            at, start = at + 3, token.map[1]
        elif token.type in ("bullet_list_open", "ordered_list_open"):
            end = _end(tokens, at)
            boxes = _boxes(tokens[at : end + 1], rows)
            if any(map(_is_checklist, boxes)):
                _add_prose(found[-1], rows[start : token.map[0]])
                start = token.map[1]
            found[-1].boxes += boxes
            at = end + 1
        else:
            at += 1
    _add_prose(found[-1], rows[start:])
    return found


def items_of(boxes: Sequence[Box]) -> tuple[Item, ...]:
    """Boxes as steps. An item without a box is one of a list that has some below."""
    found = []
    for box in boxes:
        if not _is_checklist(box):
            continue
        below = items_of(box.boxes)
        state = state_of(below) if box.mark is None else _state(box.mark)
        notes = (box.more,) if box.more else ()
        found.append(Item(title=box.title, state=state, said=box.mark or "", notes=notes, items=below))
    return tuple(found)


def criteria_in(text: str) -> tuple[Criterion, ...]:
    """A text as criteria: the items of its lists, or all of it as one."""
    if not text:
        return ()
    boxes = [box for section in sections(text) for box in section.boxes]
    found = [
        Criterion("\n".join(filter(None, (box.title, box.more))), None if box.mark is None else box.mark in _DONE)
        for box in boxes
        if box.title
    ]
    return tuple(found) or (Criterion(text),)


def _state(mark: str) -> State:
    if mark in _DONE:
        return "done"
    return "started" if mark in _BEGUN else "open"


def _is_checklist(box: Box) -> bool:
    return bool(box.title) and (box.mark is not None or any(map(_is_checklist, box.boxes)))


def _add_prose(section: MarkdownSection, rows: Sequence[str]) -> None:
    lines = [row for row in rows if row.strip() not in ("---", "***", "___")]
    text = "\n".join(lines)
    closed = text.rfind("-->") + len("-->") if "-->" in text else 0  # beyond, none is closed
    text = (re.sub(r"<!--.*?-->", "", text[:closed], flags=re.DOTALL) + text[closed:]).strip()
    section.prose = "\n\n".join(filter(None, (section.prose, text)))


def _boxes(tokens: Sequence["Token"], rows: Sequence[str]) -> list[Box]:
    """The items of one list, given by its tokens."""
    found = []
    for start, end in _spans(tokens, "list_item_open", tokens[0].level + 1):
        inner = list(tokens[start + 1 : end])
        first = next((token for token in inner if token.type == "inline"), None)
        begins = first is not None and bool(inner) and inner[0].type == "paragraph_open"
        words = first.content if first is not None and begins else ""
        box = _BOX.match(words)
        title, _, rest = (words[box.end() :] if box else words).partition("\n")
        boxes = []
        nested = [span for kind in ("bullet_list_open", "ordered_list_open") for span in _spans(inner, kind, None)]
        for begin, stop in sorted(nested):
            boxes += _boxes(inner[begin : stop + 1], rows)
        below = inner[3:] if begins else inner
        more, prose = (
            "\n".join(filter(None, (rest, *_texts(below, rows, lists=lists)))) for lists in (True, False)
        )
        found.append(
            Box(
                title=title.strip(),
                mark=box[1] if box else None,
                more=more.strip(),
                prose=prose.strip(),
                boxes=boxes,
            )
        )
    return found


def _texts(tokens: Sequence["Token"], rows: Sequence[str], *, lists: bool) -> Iterator[str]:
    """The text of an item below its first line: its blocks without checklists, or without any `lists`."""
    top = min((token.level for token in tokens), default=0)
    for token in tokens:
        if token.level != top or token.map is None or token.nesting < 0:
            continue
        lines = rows[token.map[0] : token.map[1]]
        is_list = token.type in ("bullet_list_open", "ordered_list_open")
        if is_list and not lists:
            continue
        if not (is_list and any(_BOX.match(_NUMBER.sub("", line.strip(), count=1)) for line in lines)):
            yield "\n".join(line.strip() for line in lines).strip()


def _spans(tokens: Sequence["Token"], kind: str, level: int | None) -> Iterator[tuple[int, int]]:
    """Where the outermost blocks of a kind begin and end."""
    at = 0
    while at < len(tokens):
        if tokens[at].type == kind and level in (None, tokens[at].level):
            end = _end(tokens, at)
            yield at, end
            at = end
        elif level is None and tokens[at].type.endswith("_list_open"):
            at = _end(tokens, at)
        at += 1


def _end(tokens: Sequence["Token"], at: int) -> int:
    opened = tokens[at]
    closing = opened.type.replace("_open", "_close")
    return next(
        index
        for index in range(at + 1, len(tokens))
        if tokens[index].type == closing and tokens[index].level == opened.level
    )


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"maxNesting": _MAX_NESTING}).disable(
        ["inline", "text_join"], ignoreInvalid=True
    )
