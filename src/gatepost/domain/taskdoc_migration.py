"""The splitting of a single-file taskdoc into the three sections of a package, with a reason for every part.

No text is lost: the parts cover the file, each goes to one section, whole and in order. Left out is only a heading
that says just its section's name, at the top of that section, with the blank lines below it: the effective taskdoc
says it again. Headings are read more simply than a markdown reader would: what is missed stays in the part above.
"""

import re
from typing import Final, Literal, NamedTuple

from gatepost.domain.value import Value

Selector = Literal["goals", "constraints", "progress"]

_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_ATX: Final = re.compile(r" {0,3}(#{1,6})(?=[ \t]|\Z)")
_UNDERLINE: Final = re.compile(r" {0,3}(?:(=+)|-+)[ \t]*\Z")
_FENCE: Final = re.compile(r"[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)*(`{3,}(?=[^`]*\Z)|~{3,})")
_COMMENT: Final = re.compile(r" {0,3}<!--")
_NO_TITLE: Final = re.compile(r"(?:\t| {4,}| {0,3}(?:[-+*>|]|\d{1,9}[.)][ \t]))")
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
_OWN_NAMES: Final = frozenset({("goals",), ("goal",), ("constraints",), ("constraint",), ("progress",)})


class Piece(Value, frozen=True, kw_only=True):
    """Lines of the file, counted from 1, that go to one section; `why` is for people."""

    selector: Selector
    title: str | None
    first_line: int
    last_line: int
    why: str


class Split(Value, frozen=True, kw_only=True):
    """The three sections, and what went where in the file's order."""

    goals: str
    constraints: str
    progress: str
    pieces: tuple[Piece, ...]


def split(text: str) -> Split:
    """Divide a taskdoc by its headings.

    A heading of any level that is made of known words decides; one that is not goes with the nearest known heading
    that it stands under, or to progress. Text before the first heading, or without any, describes the task: goals.
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
    headings = _headings([line.rstrip("\r\n") for line in lines])
    ends = [*(heading.at for heading in headings), len(lines)][1:]
    before = headings[0].at if headings else len(lines)
    pieces = list[Piece]()
    if before:
        why = "before the first heading: describes the task" if headings else "no headings: describes the task"
        pieces.append(Piece(selector="goals", title=None, first_line=1, last_line=before, why=why))
    above = list[tuple[int, str, Selector]]()  # the known headings that the next one may stand under
    for heading, end in zip(headings, ends, strict=True):
        while above and above[-1][0] >= heading.level:
            above.pop()
        selector = _meaning(heading.title)
        if selector is not None:
            above.append((heading.level, heading.title, selector))
            why = f"the heading speaks of {selector}"
        elif above:
            _, title, selector = above[-1]
            why = f"under `{title}`"
        elif heading is headings[0] and not "".join(lines[: heading.at]).strip():
            selector, why = "goals", "the title and what stands right below it: describes the task"
        else:
            selector, why = "progress", "a heading of another kind, under none that is known"
        pieces.append(
            Piece(selector=selector, title=heading.title, first_line=heading.at + 1, last_line=end, why=why)
        )
    return pieces


def _headings(lines: list[str]) -> list[_Heading]:
    """The headings outside code and comments. An underlined one is a single line with none of text above it."""
    found, at, free = list[_Heading](), 0, 0
    while at < len(lines):
        if fence := _FENCE.match(lines[at]):
            at = _behind(lines, at + 1, re.compile(rf"[ \t>]*{fence[1][0]}{{{len(fence[1])},}}[ \t]*\Z"))
        elif _COMMENT.match(lines[at]):
            at = _behind(lines, at, re.compile(r".*-->"))
        elif atx := _ATX.match(lines[at]):
            found.append(_Heading(at, len(atx[1]), _title(lines[at][atx.end() :])))
            at = free = at + 1
        elif (at == free or not lines[at - 1].strip(" \t")) and (level := _underlined(lines[at : at + 2])):
            found.append(_Heading(at, level, lines[at].strip(" \t")))
            at = free = at + 2
        else:
            at += 1
    return found


def _behind(lines: list[str], at: int, end: re.Pattern[str]) -> int:
    """The line behind the one that ends a block; an open block goes on to the end of the file."""
    return next((here + 1 for here in range(at, len(lines)) if end.match(lines[here])), len(lines))


def _title(rest: str) -> str:
    """What follows a heading's signs, without the signs that may close it."""
    title = rest.strip(" \t")
    bare = title.rstrip("#")
    return bare.rstrip(" \t") if not bare or bare[-1] in " \t" else title


def _underlined(lines: list[str]) -> int:
    """The level of the heading that two lines make, 0 if they make none."""
    if len(lines) < 2 or not lines[0].strip(" \t") or _NO_TITLE.match(lines[0]) or _UNDERLINE.match(lines[0]):
        return 0
    underline = _UNDERLINE.match(lines[1])
    if underline is None:
        return 0
    return 1 if underline[1] else 2


def _meaning(title: str) -> Selector | None:
    """The section a title speaks of first, if it is made of known phrases and of words that say nothing."""
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
    """A part without its heading, if that says no more than the section's name."""
    if title is None or tuple(_words(title)) not in _OWN_NAMES:
        return lines
    at = 1 if _ATX.match(lines[0].rstrip("\r\n")) else 2
    while at < len(lines) and not lines[at].strip(" \t\r\n"):
        at += 1
    return lines[at:]


def _words(title: str) -> list[str]:
    """A title's words, small, without numbering, marks and signs."""
    words = _WORD.findall(re.sub("['\u2019]", "", title.casefold()))
    return words[1:] if words and words[0].isdigit() else words
