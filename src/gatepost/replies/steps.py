"""What steps answer."""

from typing import Any

from msgspec import UNSET, Struct, UnsetType

from gatepost.replies.reply import Reply


class StepName(Struct, frozen=True, kw_only=True):
    """A step by both of its names."""

    step_id: str
    path: str


class StepChanged(Reply, frozen=True, kw_only=True):
    """A step changed, and its task with it."""

    task: str
    revision: int
    step: StepName
    events: list[dict[str, Any]]
    changed: bool


class StepsCreated(Reply, frozen=True, kw_only=True):
    """The new steps, each before what stands below it."""

    task: str
    revision: int
    steps: list[StepName]
    events: list[dict[str, Any]]
    changed: bool


class Noted(Reply, frozen=True, kw_only=True):
    """The note is kept."""

    task: str
    revision: int
    step: StepName | UnsetType = UNSET
    events: list[dict[str, Any]]
    changed: bool


class NodeChanged(Reply, frozen=True, kw_only=True):
    """A task node changed, and its task with it."""

    task: str
    revision: int
    node: StepName
    events: list[dict[str, Any]]
    changed: bool
