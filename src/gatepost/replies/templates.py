"""What templates answer."""

from typing import Any

from msgspec import UNSET, Struct, UnsetType

from gatepost.domain.roots import Kind
from gatepost.replies.reply import Reply
from gatepost.replies.steps import StepName


class TemplatesReply(Reply, frozen=True, kw_only=True):
    """The templates by name; `problems` are what is wrong with a file, `problem` with their folder."""

    items: list[dict[str, Any]]
    has_more: bool
    problem: str | UnsetType = UNSET
    cursor: str | UnsetType = UNSET
    budget: dict[str, Any] | UnsetType = UNSET


class TaskMade(Struct, frozen=True, kw_only=True):
    """A task of a new plan."""

    id: str
    steps: list[StepName]


class Scaffolded(Reply, frozen=True, kw_only=True):
    """The new task with its steps, or the new plan with its tasks."""

    id: str
    kind: Kind
    revision: int
    steps: list[StepName] | UnsetType = UNSET
    tasks: list[TaskMade] | UnsetType = UNSET
    events: list[dict[str, Any]]
    changed: bool
