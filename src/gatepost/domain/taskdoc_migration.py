"""Splits a single-file taskdoc into the three sections of a package, with a reason for every part.

No text is lost: the parts cover the file, and each goes to one section, complete and in order. Only a heading that
repeats its section's name at the top of that section is left out, with the blank lines below it, since the
effective taskdoc adds it again.
"""

import re
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from gatepost.domain.markdown_blocks import blocks
from gatepost.domain.value import Value

Selector = Literal["goals", "constraints", "progress"]

_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_WORD: Final = re.compile(r"[^\W_]+")

_PHRASES: Final[dict[Selector, str]] = {
    "goals": (
        "goal, goals, objective, objectives, purpose, aim, aims, intent, mission, vision, outcome, outcomes,"
        " what we want, what we need, why, motivation, success criteria, acceptance criteria, acceptance, success,"
        " definition of done, deliverables, summary, overview, description, problem, problem statement, background"
    ),
    "constraints": (
        "constraint, constraints, requirement, requirements, rule, rules, must, must not, musts, should, limits,"
        " limitations, prohibitions, forbidden, policy, policies, non goals, nongoals, out of scope, scope, safety,"
        " invariants, guardrails, boundaries, conventions, do not, dont, donts, dos and donts, security, format,"
        " formatting, what we must obey"
    ),
    "progress": (
        "progress, status, state, log, logs, worklog, work log, changelog, journal, diary, todo, todos, to do,"
        " next, next step, next steps, done, doing, in progress, plan, remaining, what remains, decision,"
        " decisions, notes, history, open questions, questions, open issues, issues, blockers, blocked, risks,"
        " updates, update, findings, tasks, checklist, milestones, where we are"
    ),
}
_KNOWN: Final[dict[tuple[str, ...], Selector]] = {
    tuple(phrase.split()): selector for selector, phrases in _PHRASES.items() for phrase in phrases.split(", ")
}
_LONGEST: Final = max(map(len, _KNOWN))
_FILLERS: Final = frozenset(
    (
        "a",
        "all",
        "and",
        "current",
        "far",
        "for",
        "hard",
        "key",
        "main",
        "my",
        "of",
        "on",
        "our",
        "overall",
        "project",
    )
) | {"so", "task", "the", "this"}
_UNDERLINE: Final = re.compile(r" {0,3}(?:=+|-+)[ \t]*[\r\n]*")
_OWN_NAMES: Final = frozenset({("goals",), ("goal",), ("constraints",), ("constraint",), ("progress",)})


class Piece(Value, frozen=True, kw_only=True):
    """Lines of the file, counted from 1, that go to one section. `why` is for people."""

    selector: Selector
    title: str | None
    first_line: int
    last_line: int
    why: str


class Split(Value, frozen=True, kw_only=True):
    """The three sections, and which part went where."""

    goals: str
    constraints: str
    progress: str
    pieces: tuple[Piece, ...]


def split(text: str) -> Split:
    """Divide a taskdoc by its headings.

    A heading of any level made of known words decides. An unknown heading goes with the nearest known heading above
    it, or to progress. Text before the first heading, or without any, describes the task: goals.
    """
    lines = _LINE.findall(text)
    pieces = tuple(_pieces(lines))
    texts: dict[Selector, str] = {"goals": "", "constraints": "", "progress": ""}
    for piece in pieces:
        part = lines[piece.first_line - 1 : piece.last_line]
        texts[piece.selector] += "".join(part if texts[piece.selector] else _untitled(part, piece.title))
    return Split(goals=texts["goals"], constraints=texts["constraints"], progress=texts["progress"], pieces=pieces)


class _Heading(NamedTuple):
    at: int
    level: int
    title: str


def _pieces(lines: list[str]) -> list[Piece]:
    headings = _headings(lines)
    ends = [*(heading.at for heading in headings), len(lines)][1:]
    before = headings[0].at if headings else len(lines)
    pieces = list[Piece]()
    if before:
        why = "before the first heading: describes the task" if headings else "no headings: describes the task"
        pieces.append(Piece(selector="goals", title=None, first_line=1, last_line=before, why=why))
    above = list[tuple[int, str, Selector]]()  # the known headings that may contain the next one
    for heading, end in zip(headings, ends, strict=True):
        while above and above[-1][0] >= heading.level:
            above.pop()
        selector = _meaning(heading.title)
        if selector is not None:
            above.append((heading.level, heading.title, selector))
            why = f"the heading is about {selector}"
        elif above:
            _, title, selector = above[-1]
            why = f"under `{title}`"
        elif heading is headings[0] and not "".join(lines[: heading.at]).strip():
            selector, why = "goals", "the title and the text below it: describes the task"
        else:
            selector, why = "progress", "an unknown heading, not under a known one"
        pieces.append(
            Piece(selector=selector, title=heading.title, first_line=heading.at + 1, last_line=end, why=why)
        )
    return pieces


def _headings(lines: list[str]) -> list[_Heading]:
    """The headings at the top level: not those in quotes, lists, code or comments."""
    tokens = blocks(lines)
    return [
        _Heading(token.map[0], int(token.tag[1:]), " ".join(text.content.split("\n")))
        for token, text in pairwise(tokens)
        if token.type == "heading_open" and token.map and not token.level
    ]


def _meaning(title: str) -> Selector | None:
    """The first section that a title names, if all its words are known."""
    words, meaning = _words(title), None
    at = 0
    while at < len(words):
        size = next((size for size in range(_LONGEST, 0, -1) if tuple(words[at : at + size]) in _KNOWN), 0)
        if size:
            meaning = meaning or _KNOWN[tuple(words[at : at + size])]
        elif words[at] not in _FILLERS:
            return None
        at += size or 1
    return meaning


def _untitled(lines: list[str], title: str | None) -> list[str]:
    """A part without its heading, if that is only the section's name, on one line."""
    if title is None or tuple(_words(title)) not in _OWN_NAMES:
        return lines
    at = 1 if lines[0].lstrip(" ").startswith("#") else 2
    if at > 1 and _UNDERLINE.fullmatch(lines[1]) is None:
        return lines
    while at < len(lines) and not lines[at].strip(" \t\r\n"):
        at += 1
    return lines[at:]


def _words(title: str) -> list[str]:
    """A title's words in lower case, without numbering and punctuation."""
    words = _WORD.findall(re.sub("['\u2019]", "", title.casefold()))
    return words[1:] if words and words[0].isdigit() else words
