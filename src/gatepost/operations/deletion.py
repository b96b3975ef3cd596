"""Deletion: of a plan, a task or a step, with everything below. It can be undone."""

from gatepost.domain import places, roots, terms
from gatepost.domain.documents import Document, Focus, Member
from gatepost.domain.events import FocusCleared, PlanDeleted, StepDeleted, TaskDeleted, TaskNodeDeleted
from gatepost.domain.nodes import Node
from gatepost.domain.refusals import HasDependents, InvalidInput, Suggestion
from gatepost.domain.roots import Plan, Root
from gatepost.domain.value import Event
from gatepost.engine.draft import Draft
from gatepost.engine.reader import Found
from gatepost.operations.registry import operation
from gatepost.operations.step_commands import StepCommand, check_selected, name_of, outcome, select_member
from gatepost.operations.taskdoc_lookup import bound_to, taskdoc
from gatepost.operations.taskdocs import bind
from gatepost.replies.root_writes import Deleted
from gatepost.wire.prose import Note


class Delete(StepCommand[Deleted], frozen=True, kw_only=True):
    """Delete a plan, a task, or a step of it."""

    force: bool = False
    reason: Note | None = None


@operation("tasks_delete", "tasks", destructive=True)
def delete(draft: Draft, command: Delete) -> Deleted:
    """Delete a plan (with its tasks), a task, or a step, and everything below it. If others depend on it, `force`
    and a `reason` are required and the links are removed. It can be undone."""
    if command.force and command.reason is None:
        raise InvalidInput([("reason", "is required with `force`")])
    check_selected(command)
    root = draft.root_at(command.task, command.expected_revision)
    if command.path is not None or command.step_id is not None:
        found = select_member(draft, root, command)
        count = remove_member(draft, root, found, command.reason)
        gone = outcome(draft, root.place, found.value.id)
        return Deleted(task=command.task, deleted=count, step=name_of(found), **gone)
    doomed = [root, *_tasks_of(draft, root)]
    unlinked = _unlink(draft, doomed, command)
    held = [(gone, _below(draft, gone.place)) for gone in reversed(doomed)]  # all looks before the first change
    count = sum(_remove_root(draft, gone, below, command.reason) for gone, below in held)
    clear_focus_on(draft, [gone.value.id for gone in doomed])
    for name in bound_to(draft, command.task):
        bind(draft, taskdoc(draft, name), None)
    return Deleted(task=command.task, deleted=count, unlinked=tuple(unlinked) or None, **outcome(draft, root.place))


def remove_member(draft: Draft, root: Found[Root], found: Found[Member], reason: str | None = None) -> int:
    """Remove a step or task node with everything below it."""
    below = _below(draft, found.place)
    count = len(below) + 1
    _remove(draft, below)
    draft.put(found.place, None)
    title = found.value.title
    is_node = isinstance(found.value, Node)
    event: Event = TaskNodeDeleted(title=title, count=count, reason=reason)
    if not is_node:
        event = StepDeleted(title=title, count=count, reason=reason)
    draft.log(root.place, event, found)
    return count


def clear_focus_on(draft: Draft, gone: list[str]) -> None:
    """What is gone is not in focus."""
    target, _ = draft.focus()
    if target is not None and target in gone:
        draft.put(places.FOCUS, Focus())
        draft.log(places.FOCUS, FocusCleared(before=target))


def waiting_for(draft: Draft, root_id: str) -> list[Found[Root]]:
    """The plans and tasks that depend on one."""
    return draft.roots(list(draft.every(((terms.needs(root_id),),))))


def _tasks_of(draft: Draft, root: Found[Root]) -> list[Found[Root]]:
    if not isinstance(root.value, Plan):
        return []
    return draft.roots(list(draft.every(((terms.plan(root.value.id),),))))


def _unlink(draft: Draft, doomed: list[Found[Root]], command: Delete) -> list[str]:
    """Remove the dependencies of others on what is deleted, or refuse without `force`. The ids of those others."""
    gone = {root.value.id for root in doomed}
    waiters = {
        waiter.value.id: waiter
        for root in doomed
        for waiter in waiting_for(draft, root.value.id)
        if waiter.value.id not in gone
    }
    if waiters and not command.force:
        names = sorted(waiters)
        raise HasDependents(
            f"{command.task} cannot be deleted: {', '.join(names[:20])} depend on it.",
            "Remove those dependencies, or delete with `force` and a `reason` to remove them.",
            Suggestion("tasks_resume", {"task": names[0]}),
            missing=[{"task": name} for name in names[:20]],
        )
    for waiter in waiters.values():
        kept = tuple(name for name in waiter.value.depends_on if name not in gone)
        value, events = roots.edit(waiter.value, {"depends_on": kept})
        for event in events:
            draft.put(waiter.place, value)
            draft.log(waiter.place, event)
    return sorted(waiters)


def _remove_root(draft: Draft, root: Found[Root], below: list[Found[Document]], reason: str | None) -> int:
    _remove(draft, below)
    event: Event
    if isinstance(root.value, Plan):
        event = PlanDeleted(title=root.value.title, tasks=root.tally.tasks, reason=reason)
    else:
        event = TaskDeleted(title=root.value.title, steps=len(below), reason=reason)
    draft.put(root.place, None)
    draft.log(root.place, event)
    return len(below) + 1


def _below(draft: Draft, place: str) -> list[Found[Document]]:
    first, end = places.below(place)
    return list(draft.spans(first, end))


def _remove(draft: Draft, below: list[Found[Document]]) -> None:
    for found in reversed(below):
        draft.put(found.place, None)
