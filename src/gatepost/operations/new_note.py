"""A new note on a plan, a task or a step: the most frequent write, so it loads nothing that edits steps."""

from gatepost.domain.records import StepNoted
from gatepost.engine.draft import Draft
from gatepost.operations.registry import operation
from gatepost.operations.step_commands import StepCommand, begin, check_selected, name_of, outcome, select_member
from gatepost.replies.step_writes import Noted
from gatepost.wire.prose import Note


class TakeNote(StepCommand[Noted], frozen=True, kw_only=True):
    """Keep a note with a plan, a task or a step."""

    note: Note


@operation("tasks_note", "core", "tasks")
def take_note(draft: Draft, command: TakeNote) -> Noted:
    """Tell the next agent on a step, task or plan what it must know."""
    check_selected(command)
    root = draft.root_at(command.task, command.expected_revision)
    if command.path is None and command.step_id is None:
        draft.log(root.place, begin(draft, root, StepNoted(note=command.note)))
        return Noted(task=command.task, **outcome(draft, root.place))
    step = select_member(draft, root, command)
    draft.log(root.place, begin(draft, root, StepNoted(note=command.note)), step)
    return Noted(task=command.task, step=name_of(step), **outcome(draft, root.place, step.value.id))
