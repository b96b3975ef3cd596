"""Rounds: an agent ends one with `clear_mind`, and finds the re-entry package it left when it resumes.

A round that names a task belongs to that task: everyone who resumes the task sees it. A round that names none
belongs to the agent alone. `_newest` decides which of several is shown.
"""

from typing import Annotated

from msgspec import Meta

from gatepost.domain import places
from gatepost.domain.documents import Rounds
from gatepost.domain.records import MindCleared
from gatepost.engine.draft import Draft
from gatepost.engine.log import shown
from gatepost.operations.fields import RootId
from gatepost.operations.re_entry import last_task
from gatepost.operations.registry import Write, operation
from gatepost.operations.step_commands import outcome
from gatepost.replies.taskdocs import RoundBegun
from gatepost.wire.prose import Note


class ClearMind(Write[RoundBegun], frozen=True, kw_only=True):
    """End the round."""

    reminder_content: Note
    task: Annotated[RootId, Meta(description="Share the round with everyone who resumes this task.")] | None = None


@operation("clear_mind", "taskdoc")
def clear_mind(draft: Draft, command: ClearMind) -> RoundBegun:
    """End your round. `reminder_content` is a short, scannable re-entry package: where you are, what is next, what
    not to forget. When you resume, it is shown first; with `task`, everyone who resumes that task sees it."""
    mine = places.rounds_of_agent(draft.caller.agent)
    line = mine if command.task is None else places.rounds_of_task(draft.root(command.task).value.id)
    draft.check_revision(places.shown(line), line, draft.tally(line).revision, command.expected_revision)
    if last_task(draft, mine) != command.task:
        draft.put(mine, Rounds(task=command.task))
    before = draft.recent(1, line)
    number = 1 + (shown(before[0])["round"] if before else 0)
    draft.log(line, MindCleared(round=number, reminder_content=command.reminder_content))
    return RoundBegun(round=number, **outcome(draft, line))
