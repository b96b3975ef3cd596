"""The effective taskdoc: one text of three sections, for prompts and displays; and the guidance that agents read.

Added around the bodies: the title, a heading for each section, blank lines between them, a line end where a body
has none, and a line that closes a fence or HTML block left open (the next heading would be inside it). The headings
of a body move below ours (`views/headings.py`). Nothing else changes.
"""

from __future__ import annotations

TYPE_CHECKING = False  # the texts below are read by servers that start without `typing`
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Final

    from gatepost.views.headings import Unit

GUIDANCE: Final = {
    "goals": (
        "Outcomes and success criteria: what is true when the work is done. Keep goals stable; daily churn goes to"
        " progress."
    ),
    "constraints": (
        "Every policy, safety, format and scope rule and every invariant, as crisp, testable statements: MUST,"
        " SHOULD, MUST NOT."
    ),
    "progress": (
        "A distilled summary of the work: state first, then decisions and what remains. Checklists, short logs,"
        " not the conversation again. Safe to update often."
    ),
}
"""What belongs into each section, by its selector."""

RE_ENTRY: Final = (
    "A short, scannable re-entry package: where you are, the next step, open questions, the files and ids to"
    " continue with. It is shown first in the next round."
)
"""What `clear_mind` asks for."""

SHARED: Final = "A task's or plan's id: everyone who resumes it also sees the package."
"""What naming a task does."""

RESTRICTION: Final = (
    "Taskdoc packages (`*.tsk/`) are closed to file tools and shells: do not read, write, list, move or delete"
    " anything in them. Read a taskdoc with recall_mind; replace one of its sections with change_mind."
)
"""What system prompts and server instructions say of the guard."""


def effective(name: str, goals: str, constraints: str, progress: str, *, max_chars: int | None = None) -> str:
    """The taskdoc as agents and people read it: the same sections give the same text, byte for byte.

    Over `max_chars`, only progress is clipped: whole lines are dropped from its end, and a last line says how much.
    Goals and constraints are never clipped, even if the text is then longer than `max_chars`. `name` is one line.
    """
    from gatepost.views.headings import demoted

    ahead = [f"# Taskdoc: {name}\n", "## Goals\n", _whole(demoted(goals))]
    ahead += ["## Constraints\n", _whole(demoted(constraints)), "## Progress\n"]
    above = "\n".join(part for part in ahead if part)
    units = demoted(progress)
    below = _whole(units)
    if below and max_chars is not None and len(above) + 1 + len(below) > max_chars:
        # The line that says how much is missing can be longer than the progress itself.
        below = min(_clipped(units, max_chars - len(above) - 1), below, key=len)
    return f"{above}\n{below}" if below else above


def _whole(units: Sequence[Unit]) -> str:
    """A body that ends its last line and leaves nothing open."""
    shown = "".join(unit.shown for unit in units)
    return shown + _ending(units[-1]) if units else ""


def _clipped(units: Sequence[Unit], room: int) -> str:
    """As many lines from the beginning as there is room for, and the line that says what is missing.

    The beginning, because progress is replaced as a whole and its guidance asks for the state first.
    """
    total = sum(len(unit.source) for unit in units)
    kept, length, left = 0, 0, total
    best = _notice(total, total)
    for number, unit in enumerate(units[:-1], start=1):
        length += len(unit.shown)
        left -= len(unit.source)
        if length > room:
            break
        notice = f"{_ending(unit)}\n{_notice(left, total)}"
        if length + len(notice) <= room:
            kept, best = number, notice
    return "".join(unit.shown for unit in units[:kept]) + best


def _ending(unit: Unit) -> str:
    """What a body needs behind its last line. A lone carriage return would fuse with a line end that follows it."""
    return unit.closing if unit.shown.endswith("\n") else f"\n{unit.closing}"


def _notice(left: int, total: int) -> str:
    return f"… ({left:,} of {total:,} characters of progress left out; read `progress` for all of it)\n"
