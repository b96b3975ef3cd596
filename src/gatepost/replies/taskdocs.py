"""What taskdocs answer."""

from typing import Any

from msgspec import UNSET, UnsetType, field

from gatepost.replies.reply import Reply


class TaskdocAdded(Reply, frozen=True, kw_only=True):
    """The new taskdoc, and where its package stands below the project's folder."""

    taskdoc: str
    path: str | None
    revision: int
    events: list[dict[str, Any]]
    changed: bool
    warnings: list[str] | UnsetType = UNSET


class TaskdocBindingChanged(Reply, frozen=True, kw_only=True):
    """The plan that a taskdoc is bound to now; `revision` is the taskdoc's own."""

    taskdoc: str
    plan: str | None
    revision: int
    events: list[dict[str, Any]]
    changed: bool
    warnings: list[str] | UnsetType = UNSET


class MindChanged(Reply, frozen=True, kw_only=True):
    """`revision` is the section's own; the taskdoc's, if its whole package was restored."""

    taskdoc: str
    selector: str | UnsetType = UNSET
    revision: int
    events: list[dict[str, Any]]
    changed: bool
    warnings: list[str] | UnsetType = UNSET


class TaskdocHistoryReply(Reply, frozen=True, kw_only=True):
    """The revisions of a taskdoc's sections, newest first."""

    taskdoc: str | None
    items: list[dict[str, Any]]
    has_more: bool
    cursor: str | UnsetType = UNSET
    budget: dict[str, Any] | UnsetType = UNSET


class TaskdocDiffReply(Reply, frozen=True, kw_only=True):
    """A unified diff between two revisions of a section."""

    taskdoc: str
    selector: str
    since: int = field(name="from")
    to: int
    diff: str
    budget: dict[str, Any] | UnsetType = UNSET


class Adopted(Reply, frozen=True, kw_only=True):
    """The sections whose text was taken from disk, and the revisions that they have now."""

    taskdoc: str
    adopted: list[str]
    revision: int
    revisions: dict[str, int]
    events: list[dict[str, Any]]
    changed: bool
    warnings: list[str] | UnsetType = UNSET


class TaskdocNameChanged(Reply, frozen=True, kw_only=True):
    """What the taskdoc is called now, what it was called before, and where its package stands."""

    taskdoc: str
    before: str
    path: str | None
    revision: int
    events: list[dict[str, Any]]
    changed: bool
    warnings: list[str] | UnsetType = UNSET


class TaskdocArchiveChanged(Reply, frozen=True, kw_only=True):
    """Whether the taskdoc is archived now. `unbound` is the plan that it was bound to until then."""

    taskdoc: str
    archived: bool
    revision: int
    events: list[dict[str, Any]]
    changed: bool
    unbound: str | UnsetType = UNSET
    warnings: list[str] | UnsetType = UNSET


class TaskdocsReply(Reply, frozen=True, kw_only=True):
    """Taskdocs by name. `edited` names the sections that somebody must settle; `findings` are all that is amiss
    with the package on disk. A package that the store does not know yet has `adopted` false."""

    items: list[dict[str, Any]]
    has_more: bool
    cursor: str | UnsetType = UNSET


class RoundBegun(Reply, frozen=True, kw_only=True):
    """The round that ended, counted for the task that was named, or for the agent."""

    round: int
    revision: int
    events: list[dict[str, Any]]
    changed: bool


class RecallReply(Reply, frozen=True, kw_only=True):
    """A section to the letter, or the effective taskdoc with when and by whom each section was last changed.

    `revision` is the section's, or the taskdoc's own, which binding and adopting raise. `edited` shows what
    somebody did to the section's file and must settle; `findings` are all that is amiss with the package on disk.
    """

    taskdoc: str | None
    content: str
    hint: str | UnsetType = UNSET
    selector: str | UnsetType = UNSET
    revision: int | UnsetType = UNSET
    updated_at: str | UnsetType = UNSET
    actor: str | UnsetType = UNSET
    sections: dict[str, Any] | UnsetType = UNSET
    plan: str | UnsetType = UNSET
    archived: bool | UnsetType = UNSET
    edited: dict[str, Any] | UnsetType = UNSET
    findings: list[dict[str, Any]] | UnsetType = UNSET
    budget: dict[str, Any] | UnsetType = UNSET
