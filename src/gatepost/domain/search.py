"""Search: the words of documents and events, and the passages they are in. The same on every store."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final
from zlib import crc32

import msgspec
from msgspec import Struct

from gatepost.domain import places
from gatepost.domain.documents import Document
from gatepost.domain.nodes import Node
from gatepost.domain.roots import Plan, Task
from gatepost.domain.steps import Step
from gatepost.domain.taskdocs import SectionText, Taskdoc

TITLE: Final = "title"
SNIPPET: Final = 160
ELLIPSIS: Final = "…"

_LONGEST_WORD: Final = 40
_BEFORE: Final = 48
"""How much of a snippet comes before the first hit."""

_word = re.compile(r"\w+")
_speaks = re.compile(r'"(?:note|reason|answer|items|checks|attachments)":')
_decode = msgspec.json.decode


class Passage(Struct, frozen=True):
    """A text that somebody wrote, and its field."""

    field: str
    text: str


def words(text: str) -> tuple[str, ...]:
    """The distinct words of a text as indexed and searched: runs of letters, digits and `_`, case-folded."""
    found = (match[0][:_LONGEST_WORD] for match in _word.finditer(text.casefold()))
    return tuple(dict.fromkeys(found))


def beginnings(found: Iterable[str]) -> set[str]:
    """All prefixes of these words, including the words."""
    return {word[:end] for word in found for end in range(1, len(word) + 1)}


def fingerprint(found: Iterable[str]) -> int:
    """A number for a set of words, in any order."""
    return sum(crc32(word.encode()) for word in found)


def of_document(place: str, document: Document | None) -> tuple[Passage, ...]:
    """The passages of a document, its title first; none for documents that are not searched."""
    if isinstance(document, Step):
        lists = (("criteria", document.criteria), ("tests", document.tests), ("blockers", document.blockers))
        return Passage(TITLE, document.title), *_each(lists)
    if isinstance(document, Plan | Task):
        return tuple(_of_root(document))
    if isinstance(document, Node):
        return tuple(_present((TITLE, document.title), ("description", document.description)))
    if isinstance(document, Taskdoc):
        return (Passage(TITLE, document.called(places.name_of(place))),)
    if isinstance(document, SectionText):
        return (Passage(places.section_of(place) or "text", document.content),)
    return ()


def of_event(body: str) -> tuple[Passage, ...]:
    """The passages of an event: a note, a reason, an answer, notes on checkpoints, titles of evidence."""
    # Most events have no text; searching for a field name is cheaper than decoding them.
    return tuple(_said(_decode(body))) if _speaks.search(body) else ()


def best(passages: Sequence[Passage], wanted: Sequence[str]) -> tuple[Passage, int] | None:
    """The passage with the most words, the first of equals, and the position of its first hit."""
    found: tuple[Passage, int] | None = None
    most = 0
    for passage in passages:
        hits, at = _hits(passage.text, wanted)
        if hits > most:
            most, found = hits, (passage, at)
    return found


def snippet(text: str, at: int) -> str:
    """An exact excerpt around a position, cut between words where possible. An ellipsis marks each cut."""
    if len(text) <= SNIPPET:
        return text
    first = max(0, min(at - _BEFORE, len(text) - SNIPPET))
    if first:
        space = text.find(" ", first, at)
        first = first if space < 0 else space + 1
    end = min(first + SNIPPET, len(text))
    if end < len(text):
        space = text.rfind(" ", at + 1, end)
        end = end if space < 0 else space
    return f"{ELLIPSIS if first else ''}{text[first:end]}{ELLIPSIS if end < len(text) else ''}"


def _of_root(root: Plan | Task) -> Iterator[Passage]:
    yield from _present((TITLE, root.title), ("description", root.description), ("context", root.context))
    if isinstance(root, Plan):
        yield from _present(("contract", root.contract), ("doc", root.doc))
        yield from _each((("checklist", root.steps),))
    yield from _present(("domain", root.domain))
    yield from _each((("tags", root.tags),))


def _said(event: dict[str, Any]) -> Iterator[Passage]:
    yield from _present(*((name, event.get(name)) for name in ("note", "reason", "answer")))
    for mark in event.get("checkpoints", {}).values() if event["type"] == "step_verified" else ():
        yield from _present(("confirmation", mark.get("note")))
    if event["type"] == "evidence_captured":
        yield from _each(("evidence", event.get(name, ())) for name in ("items", "checks", "attachments"))


def _present(*texts: tuple[str, str | None]) -> Iterator[Passage]:
    return (Passage(field, text) for field, text in texts if text)


def _each(lists: Iterable[tuple[str, Sequence[str]]]) -> Iterator[Passage]:
    return (Passage(field, text) for field, texts in lists for text in texts)


def _hits(text: str, wanted: Sequence[str]) -> tuple[int, int]:
    """How many of the words a text has, and the position of the first."""
    missing, first = set(wanted), -1
    for match in _word.finditer(text):
        run = words(match[0])
        hit = {word for word in missing if any(found.startswith(word) for found in run)}
        if hit:
            missing -= hit
            first = match.start() if first < 0 else first
            if not missing:
                break
    return len(wanted) - len(missing), first
