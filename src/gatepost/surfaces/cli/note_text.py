"""Notes and answers as text, each with who wrote it and when."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gatepost.replies.steps import WrittenNote
from gatepost.surfaces.cli.formats import short_time

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gatepost.domain.questions import Answer
    from gatepost.replies.steps import StepNote
    from gatepost.surfaces.terminal import Terminal


def answer_lines(terminal: Terminal, answer: Answer | None, indent: int) -> list[str]:
    """What was answered when a step was unblocked, by whom and when."""
    if answer is None:
        return []
    asked = f" to “{' '.join(answer.question.split())}”" if answer.question else ""
    return _signed(terminal, f"answer{asked}, {answer.actor}, {short_time(answer.at)}: {answer.answer}", indent)


def note_lines(terminal: Terminal, notes: Iterable[StepNote] | None, indent: int) -> list[str]:
    """Notes, each with who wrote it and when, and with its step in a list."""
    lines: list[str] = []
    for note in notes or ():
        names = (note.task, note.path) if isinstance(note, WrittenNote) else ()
        where = " ".join(("", "on", *filter(None, names))) if any(names) else ""
        lines += _signed(terminal, f"note{where}, {note.actor}, {short_time(note.at)}: {note.note}", indent)
    return lines


def _signed(terminal: Terminal, text: str, indent: int) -> list[str]:
    first, *rest = terminal.wrap(text, indent + 4)
    return [f"  {first}", *(f"    {line}" for line in rest)]
