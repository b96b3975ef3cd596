"""Plans, tasks and times as text."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Final

import msgspec

from gatepost.replies.roots import RootRow
from gatepost.surfaces.cli.tables import Cell, bar, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gatepost.replies.reply import PastMoment
    from gatepost.replies.roots import Checklist, Counts, RootHeading
    from gatepost.replies.steps import StepClaim
    from gatepost.surfaces.terminal import Terminal

_LONGEST: Final = 60
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def heading(terminal: Terminal, root: RootHeading | RootRow, counts: Counts, under: Sequence[str]) -> list[str]:
    """A plan or task in two lines: id, title, status and progress; and what else there is to know of it at once."""
    row = [
        Cell(root.id, "bold"),
        Cell(terminal.clean(root.title), "bold"),
        status(terminal, root),
        Cell(bar(terminal, counts.done, counts.total)),
        Cell(f"{counts.blocked} blocked" if counts.blocked else "", "red"),
    ]
    below = f" {terminal.glyphs.dot} ".join(under)
    if terminal.width is not None:
        below = terminal.clip(below, terminal.width)
    return [*table(terminal, [row], give=((1, 20), (4, 0), (1, 8))), terminal.paint(below, "dim")]


def status(terminal: Terminal, root: RootHeading | RootRow) -> Cell:
    """A plan's or task's status, with its sign."""
    glyphs, word = terminal.glyphs, root.status
    if word == "DONE":
        return Cell(f"{glyphs.done} {word}", "green")
    if isinstance(root, RootRow) and root.waiting_for:
        return Cell(f"{glyphs.waiting} {word}", "yellow")
    return Cell(f"{glyphs.now} {word}", "now") if word == "ACTIVE" else Cell(f"{glyphs.open} {word}")


def labels(terminal: Terminal, root: RootRow) -> list[str]:
    """What a plan or task is filed under."""
    found = [*filter(None, (root.plan, root.domain)), *(f"#{tag}" for tag in root.tags or ())]
    return [terminal.clean(label) for label in found]


def checklist(terminal: Terminal, held: Checklist | None, indent: int) -> list[str]:
    """A plan's checklist, each item behind its sign; nothing where there is none."""
    if held is None:
        return []
    lines: list[str] = []
    for at, text in enumerate(held.steps):
        sign, style = (terminal.glyphs.done, "green") if at < held.current else (terminal.glyphs.open, "")
        if at == held.current:
            sign, style = terminal.glyphs.now, "now"
        first, *rest = terminal.wrap(text, indent + 2)
        lines += [terminal.paint(f"{sign} {first}", style), *(f"  {line}" for line in rest)]
    return lines


def short_time(at: str, *, seconds: bool = True) -> str:
    """A time in the local zone: the clock for today, the day for any other."""
    then, now = datetime.fromisoformat(at).astimezone(), datetime.now().astimezone()
    if then.date() == now.date():
        return f"{then:%H:%M:%S}" if seconds else f"{then:%H:%M}"
    day = f"{then.day} {_MONTHS[then.month - 1]}"
    return f"{day} {then:%H:%M}" if then.year == now.year else f"{day} {then.year}"


def claim_words(claim: StepClaim) -> str:
    """Who works on something, and since when."""
    return f"in progress since {short_time(claim.since, seconds=False)} by {claim.holder}"


def claims_words(root: RootRow) -> str:
    """Who works on a plan or task, and since when; of several, the first one and how many more there are."""
    if root.claim is None:
        return f"{root.claimed} claimed" if root.claimed else ""
    more = (root.claimed or 1) - 1
    return claim_words(root.claim) + (f", {more} more" if more else "")


def moment_lines(terminal: Terminal, at: PastMoment | None) -> list[str]:
    """The moment in the past that a view is about, if it is."""
    if at is None:
        return []
    said = "Before anything was written" if at.at is None else f"As of {short_time(at.at)} (seq {at.seq})"
    return [terminal.paint(said, "yellow")]


def same_moment(at: PastMoment | None) -> dict[str, int]:
    """The arguments that ask for the moment of a view again."""
    return {} if at is None else {"at": at.seq}


def brief_value(value: object) -> str:
    """A value of a field on one line."""
    if value is None or value in ([], (), {}, ""):
        return "nothing"
    text = " ".join(_spelled(value).split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def _spelled(value: object) -> str:
    """A value as text: a question and an answer by what was said, confirmations by their checkpoints."""
    if isinstance(value, dict):
        value = value.get("answer") or value.get("ask") or value
    if isinstance(value, list) and all(isinstance(item, dict) and "checkpoint" in item for item in value):
        value = ", ".join(item["checkpoint"] for item in value)
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
