"""Rounds: an agent ends one with `clear_mind`, and finds the re-entry package it left when it resumes.

A round that names a task belongs to that task: everyone who resumes the task sees it. A round that names none
belongs to the agent alone. `_newest` decides which of several is shown.
"""

from typing import Annotated, Final

from msgspec import Meta

from gatepost.domain import places
from gatepost.domain.events import MindCleared
from gatepost.domain.rounds import Rounds
from gatepost.engine.draft import Draft
from gatepost.engine.log import shown
from gatepost.engine.port import EventRow
from gatepost.engine.reader import Reader
from gatepost.operations.fields import RootId
from gatepost.operations.registry import Write, operation
from gatepost.operations.steps import outcome
from gatepost.replies.taskdocs import RoundBegun
from gatepost.views.budget import Body
from gatepost.wire.texts import Note

_SHOWN: Final = ("reminder_content", "round", "task", "plan", "at", "actor")


class ClearMind(Write[RoundBegun], frozen=True, kw_only=True):
    """End the round."""

    reminder_content: Note
    task: Annotated[RootId, Meta(description="Share the round with everyone who resumes this task.")] | None = None


@operation("clear_mind", "taskdoc")
def clear_mind(draft: Draft, command: ClearMind) -> RoundBegun:
    """End your round. `reminder_content` is a short, scannable re-entry package: where you are, what is next, what
    not to forget; your next tasks_resume shows it first. With `task`, everyone who resumes that sees it."""
    mine = places.rounds_of_agent(draft.caller.actor)
    line = mine if command.task is None else places.rounds_of_task(draft.root(command.task).value.id)
    draft.check_revision(places.shown(line), line, draft.tally(line).revision, command.expected_revision)
    if _last_task(draft, mine) != command.task:
        draft.put(mine, Rounds(task=command.task))
    before = draft.recent(1, line)
    number = 1 + (shown(before[0])["round"] if before else 0)
    draft.log(line, MindCleared(round=number, reminder_content=command.reminder_content))
    return RoundBegun(round=number, **outcome(draft, line))


def re_entry(reader: Reader, target: str | None, *, named: bool) -> Body:
    """The re-entry package that a resume shows first. `named` says that the caller named the target."""
    found = _newest(reader, target, named=named)
    if found is None:
        return {}
    event = shown(found)
    return {"re_entry": {name: event[name] for name in _SHOWN if name in event}}


def _newest(reader: Reader, target: str | None, *, named: bool) -> EventRow | None:
    """The newest of: the target's rounds, whoever ended them, and the caller's that named no task. Where the caller
    named no target, also those of the task that its own newest round named.

    A store from before rounds had owners has one line for the workspace: everyone's until there is a newer round.
    """
    mine = places.rounds_of_agent(reader.caller.actor)
    lines = {places.ROUND, mine}
    if target is not None:
        lines.add(places.rounds_of_task(target))
    last = None if named else _last_task(reader, mine)
    if last is not None:
        lines.add(places.rounds_of_task(last))
    found = [row for line in lines for row in reader.recent(1, line)]
    return max(found, key=lambda row: row.seq, default=None)


def _last_task(reader: Reader, mine: str) -> str | None:
    found = reader.at(mine)
    return found.value.task if found is not None and isinstance(found.value, Rounds) else None
