"""The focus: set, read, clear."""

from gatepost.domain import places
from gatepost.domain.documents import Focus
from gatepost.domain.events import FocusCleared, FocusSet
from gatepost.engine.draft import Draft
from gatepost.engine.reader import Reader
from gatepost.operations.fields import RootId
from gatepost.operations.registry import Command, Write, operation
from gatepost.operations.step_commands import outcome
from gatepost.replies.focus import FocusChanged, FocusReply, InFocus


class GetFocus(Command[FocusReply], frozen=True, kw_only=True):
    """Ask what is in focus."""


class SetFocus(Write[FocusChanged], frozen=True, kw_only=True):
    """Put a plan or task in focus."""

    task: RootId


class ClearFocus(Write[FocusChanged], frozen=True, kw_only=True):
    """Put nothing in focus."""


@operation("tasks_focus_get", "tasks")
def get_focus(reader: Reader, command: GetFocus) -> FocusReply:
    """Show what is in focus in the workspace."""
    del command
    target, revision = reader.focus()
    if target is None:
        return FocusReply(focus=None, revision=revision)
    return FocusReply(focus=InFocus(id=target, title=reader.root(target).value.title), revision=revision)


@operation("tasks_focus_set", "tasks")
def set_focus(draft: Draft, command: SetFocus) -> FocusChanged:
    """Put a plan or task in focus: reads that name no target use it. Writes never do."""
    draft.root(command.task)
    before, revision = draft.focus()
    draft.check_revision("focus", places.FOCUS, revision, command.expected_revision)
    if before != command.task:
        draft.put(places.FOCUS, Focus(target=command.task))
        draft.log(places.FOCUS, FocusSet(focus=command.task, before=before))
    return FocusChanged(focus=command.task, **outcome(draft, places.FOCUS))


@operation("tasks_focus_clear", "tasks")
def clear_focus(draft: Draft, command: ClearFocus) -> FocusChanged:
    """Clear the focus."""
    before, revision = draft.focus()
    draft.check_revision("focus", places.FOCUS, revision, command.expected_revision)
    if before is not None:
        draft.put(places.FOCUS, Focus())
        draft.log(places.FOCUS, FocusCleared(before=before))
    return FocusChanged(focus=None, **outcome(draft, places.FOCUS))
