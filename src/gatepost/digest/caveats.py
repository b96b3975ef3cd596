"""Caveats: the warnings that a repository's documents state, in their own words."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from gatepost.digest import documents
from gatepost.digest.findings import Caveat
from gatepost.digest.prose import Block, blocks
from gatepost.digest.quoting import quoted
from gatepost.digest.shelf import Shelf

MOST: Final = 20
LONGEST: Final = 200
MOST_OF_ONE_FILE: Final = 8

_heading = re.compile(
    r"(?i)\b(?:caveats?|known\s+(?:issues?|problems?|bugs?|limits)|limitations?|pitfalls?|gotchas?|trouble-?shooting"
    r"|warnings?|cautions?|beware|(?<!release )notes?|important|must|never|don[\u2019']?t|do\s+not"
    r"|things\s+to\s+(?:know|watch\s+\w+)|invariants?|traps?|common\s+(?:problems?|errors?|mistakes?)|not\s+supported|unsupported|watch\s+out)\b"
)
_label = re.compile(
    r"(?i)^\W*(?:\[!(?:warning|caution|important|note)\]|(?:\.\.\s+)(?:warning|caution|danger|attention|important|note)::"
    r"|!!!\s+(?:warning|danger|caution|attention|important|note)\b(?:\s+\"[^\"]*\")?"
    r"|(?:warning|caution|danger|attention|important|beware|caveat|gotcha|note|n\.b\.)\W{0,2}:\W{0,3})\s*"
)
_opening = re.compile(
    r"(?i)^(?:\W{0,4})(?:note\s+that|do\s+not|don[\u2019']t|never|must\s+not|must\s+never|beware|be\s+careful|be\s+aware"
    r"|take\s+care|make\s+sure|avoid|you\s+must\s+not|it\s+is\s+not\s+safe|known\s+(?:issue|limitation|bug))\b"
)
_forbids = re.compile(r"\b(?:[Mm]ust not|[Mm]ust never|MUST NOT|[Dd]o NOT|NEVER)\b")
_sentence = re.compile(r"(?<=[.!?])\s+(?=[A-Z`*\"(])")
_link = re.compile(r"!?\[([^\[\]]{0,200})\]\([^()\s]{0,400}\)")
_passed_over = re.compile(r"^\s*(?:\||<|\[!\[|!\[|={3,}|-{3,}|\.\.\s+(?:code|image|figure|toctree|contents))")


class Caveats(NamedTuple):
    """Those that are shown, and how many more there are."""

    shown: tuple[Caveat, ...]
    omitted: int


def found(shelf: Shelf) -> Caveats:
    """The caveats of all documents, most telling document first, each said once."""
    shown: list[Caveat] = []
    seen: set[str] = set()
    omitted = 0
    for path in [*documents.guides(shelf), *documents.others(shelf)]:
        of_file = 0
        for line, text in _stated(shelf.text(path)):
            said = quoted(_link.sub(r"\1", text).replace("**", ""), LONGEST)
            if said.casefold() in seen or not any(letter.isalpha() for letter in said):
                continue
            seen.add(said.casefold())
            if of_file >= MOST_OF_ONE_FILE or len(shown) >= MOST:
                omitted += 1
                continue
            of_file += 1
            shown.append(Caveat(text=said, file=quoted(path, LONGEST), line=line))
    return Caveats(tuple(shown), omitted)


def _stated(text: str) -> Iterator[tuple[int, str]]:
    """The warnings of one document, with the line where each begins."""
    within = 0
    labelled = False
    for block in blocks(text):
        if block.fence is not None:
            labelled = False
            continue
        within = _section(block, within)
        label = _label.match(block.text)
        rest = block.text[label.end() :].strip() if label else ""
        if label and not rest:
            labelled = True
            continue
        if _passed_over.match(block.text):
            continue
        if label or labelled or within:
            below = f"{block.heading}: " if within and block.level > within and block.text else ""
            yield block.line, below + (rest or block.text)
        else:
            yield from _sentences(block)
        labelled = False


def _section(block: Block, within: int) -> int:
    """The level of the heading that makes this block a warning, 0 if none does."""
    if block.heading and _heading.search(block.heading):
        return min(within, block.level) if within else block.level
    return within if within and block.level > within else 0


def _sentences(block: Block) -> Iterator[tuple[int, str]]:
    """The sentences of a paragraph that forbid or warn, each with its own line."""
    at, line = 0, block.line
    for sentence in _sentence.split(block.text):
        start = block.text.find(sentence, at)
        line += block.text.count("\n", at, start)
        if _opening.match(sentence) or _forbids.search(sentence):
            yield line, sentence
        at = start + len(sentence)
        line += sentence.count("\n")
