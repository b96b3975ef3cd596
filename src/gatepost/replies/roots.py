"""What roots answer."""

from typing import Any

from msgspec import UNSET, UnsetType

from gatepost.domain.roots import Kind, Status
from gatepost.replies.reply import Reply
from gatepost.replies.steps import StepName


class Created(Reply, frozen=True, kw_only=True):
    """The new plan or task, with its steps if it was given any."""

    id: str
    kind: Kind
    revision: int
    steps: list[StepName] | UnsetType = UNSET
    events: list[dict[str, Any]]
    changed: bool


class Edited(Reply, frozen=True, kw_only=True):
    """The plan or task as edited."""

    task: str
    revision: int
    events: list[dict[str, Any]]
    changed: bool


class PlanChanged(Reply, frozen=True, kw_only=True):
    """The checklist now: its steps, and how many of them are done."""

    plan: str
    revision: int
    steps: list[str]
    current: int
    events: list[dict[str, Any]]
    changed: bool


class ContractChanged(Reply, frozen=True, kw_only=True):
    """The contract now."""

    plan: str
    revision: int
    current: str | None
    contract_data: dict[str, Any] | None
    events: list[dict[str, Any]]
    changed: bool


class Patched(Reply, frozen=True, kw_only=True):
    """What was patched."""

    task: str
    revision: int
    step: StepName | UnsetType = UNSET
    events: list[dict[str, Any]]
    changed: bool


class TaskClosed(Reply, frozen=True, kw_only=True):
    """What happened, or what would: every field before and after, and what is unmet."""

    task: str
    applied: bool
    diff: list[dict[str, Any]]
    unmet: dict[str, Any] | None
    revision: int
    events: list[dict[str, Any]]
    changed: bool


class Deleted(Reply, frozen=True, kw_only=True):
    """What is gone, and how many documents with it."""

    task: str
    revision: int
    deleted: int
    step: StepName | UnsetType = UNSET
    unlinked: list[str] | UnsetType = UNSET
    events: list[dict[str, Any]]
    changed: bool


class Completed(Reply, frozen=True, kw_only=True):
    """The plan or task, and its status now."""

    task: str
    status: Status
    revision: int
    events: list[dict[str, Any]]
    changed: bool
