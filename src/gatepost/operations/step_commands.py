"""What calls on a step share: how they name it, and what they answer. A note needs nothing else."""

import re
from typing import Any

from msgspec.structs import replace

from gatepost.domain import places, roots
from gatepost.domain.documents import Member
from gatepost.domain.names import is_node_id
from gatepost.domain.places import PATH
from gatepost.domain.refusals import InvalidInput, RevisionMismatch, Suggestion
from gatepost.domain.roots import Root
from gatepost.domain.steps import Step
from gatepost.domain.value import Event
from gatepost.engine.draft import Draft
from gatepost.engine.log import brief
from gatepost.engine.reader import Found, Reader, address
from gatepost.operations.fields import RootId
from gatepost.operations.registry import R, Write
from gatepost.operations.step_fields import StepId, StepPath, StepRevision
from gatepost.replies.steps import StepName


class StepCommand(Write[R], frozen=True, kw_only=True):
    """A call on one step, named by `path`, `step_id` or both."""

    task: RootId
    path: StepPath | None = None
    step_id: StepId | None = None
    expected_step_revision: StepRevision | None = None


def check_selected(command: StepCommand[Any]) -> None:
    """Refuse a step's revision where no step is named."""
    if command.expected_step_revision is not None and command.path is None and command.step_id is None:
        raise InvalidInput([("expected_step_revision", "needs `step_id` or `path`, which name the step")])


def outcome(draft: Draft, place: str, step_id: str | None = None) -> dict[str, Any]:
    """What every write answers: on a plan, task or other document, and the step of it that the reply names."""
    return {
        "revision": draft.tally(place).revision,
        "events": brief(draft.logged, place, step_id),
        "changed": draft.changed,
    }


def name_of(step: Found[Member]) -> StepName:
    """A step or task node by both of its names, and its title."""
    return StepName(step_id=step.value.id, path=places.path_of(step.place), title=step.value.title)


def path_or_id(field: str, name: str) -> tuple[str | None, str | None]:
    """What names a step in one field: its path, or its id."""
    if re.match(PATH, name):
        return name, None
    if is_node_id(name):
        return None, name
    raise InvalidInput([(field, "must be a step's path such as s:0, or its id")])


def select_step(reader: Reader, command: StepCommand[Any]) -> tuple[Found[Root], Found[Step]]:
    """The step that a call names, and its task, at the revisions that its caller expects."""
    if command.path is None and command.step_id is None:
        raise InvalidInput([("step_id", "or `path` is required to select the step")])
    root = reader.root_at(command.task, command.expected_revision)
    step = reader.step(root, command.path, command.step_id)
    _check_step_revision(reader, step, command.expected_step_revision)
    return root, step


def select_member(draft: Draft, root: Found[Root], command: StepCommand[Any]) -> Found[Member]:
    """The step or task node that a call names, at the revision that its caller expects."""
    found = draft.member(root, command.path, command.step_id)
    _check_step_revision(draft, found, command.expected_step_revision)
    return found


def _check_step_revision(reader: Reader, step: Found[Member], expected: int | None) -> None:
    """Refuse a write made for another revision of a step. What happened to other steps does not matter."""
    known = replace(step.tally, revision=reader.known_revision(step.place)).step_revision
    if expected is not None and expected not in (step.tally.step_revision, known):
        where = address(step)
        from gatepost.engine.recent_changes import recent_changes

        changed = recent_changes(reader, step.place, known - expected)
        look = Suggestion("tasks_resume", where.selector)
        raise RevisionMismatch(str(where), known, expected, look, changed, "expected_step_revision")


def begin(draft: Draft, root: Found[Root], event: Event) -> Event:
    """The first work on a task makes it ACTIVE, and the event of that work says so."""
    begun = roots.begin(root.value)
    if begun is root.value:
        return event
    draft.put(root.place, begun)
    return replace(event, task_status=begun.status)
