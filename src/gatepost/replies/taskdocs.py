"""The replies about taskdocs and rounds."""

from msgspec import field

from gatepost.domain.taskdocs import Selector
from gatepost.replies.events import BriefEvent
from gatepost.replies.reply import Part, Reply, WriteReply


class TaskdocAdded(WriteReply, frozen=True, kw_only=True):
    """The new taskdoc, and the path of its package in the project."""

    taskdoc: str
    path: str | None
    revision: int
    events: tuple[BriefEvent, ...]
    warnings: tuple[str, ...] | None = None


class TaskdocBindingChanged(WriteReply, frozen=True, kw_only=True):
    """The plan that the taskdoc is bound to now. `revision` is the taskdoc's own."""

    taskdoc: str
    plan: str | None
    revision: int
    events: tuple[BriefEvent, ...]
    warnings: tuple[str, ...] | None = None


class MindChanged(WriteReply, frozen=True, kw_only=True):
    """The section that changed and its revision; without a selector, the revision of the taskdoc."""

    taskdoc: str
    selector: str | None = None
    revision: int
    events: tuple[BriefEvent, ...]
    warnings: tuple[str, ...] | None = None


class PackageProblem(Part, frozen=True, kw_only=True):
    """A difference between a taskdoc's package on disk and the log."""

    kind: str
    path: str
    says: str
    selector: Selector | None = None


class SectionStamp(Part, frozen=True, kw_only=True):
    """A section's revision and last change; `edited` if someone edited its file directly."""

    revision: int
    updated_at: str
    actor: str
    edited: bool = False
    bytes: int | None = None


class SectionEdit(Part, frozen=True, kw_only=True):
    """How a section's file differs from the log."""

    kind: str
    diff: str


class TaskdocRow(Part, frozen=True, kw_only=True):
    """A taskdoc in a list. `edited` names the sections that someone edited on disk."""

    name: str
    sections: dict[Selector, SectionStamp]
    edited: tuple[Selector, ...]
    findings: tuple[PackageProblem, ...] | None = None
    plan: str | None = None
    archived: bool = False
    adopted: bool | None = None


class SectionRevision(Part, frozen=True, kw_only=True):
    """One revision of a section. `outside` is the text from disk that it replaced."""

    selector: Selector
    revision: int
    at: str
    actor: str
    bytes: int
    sha256: str
    operation: int
    tool: str
    because: str | None = None
    outside: str | None = None


class TaskdocHistoryReply(Reply, frozen=True, kw_only=True):
    """The revisions of a taskdoc's sections, newest first."""

    taskdoc: str | None
    items: tuple[SectionRevision, ...]
    has_more: bool
    cursor: str | None = None


class TaskdocDiffReply(Reply, frozen=True, kw_only=True):
    """A unified diff between two revisions of a section."""

    taskdoc: str
    selector: str
    since: int = field(name="from")
    to: int
    diff: str


class Adopted(WriteReply, frozen=True, kw_only=True):
    """The sections whose text was taken from disk, and their revisions now."""

    taskdoc: str
    adopted: tuple[str, ...]
    revision: int
    revisions: dict[str, int]
    events: tuple[BriefEvent, ...]
    warnings: tuple[str, ...] | None = None


class TaskdocNameChanged(WriteReply, frozen=True, kw_only=True):
    """The taskdoc's new name, its name before, and the path of its package."""

    taskdoc: str
    before: str
    path: str | None
    revision: int
    events: tuple[BriefEvent, ...]
    warnings: tuple[str, ...] | None = None


class TaskdocArchiveChanged(WriteReply, frozen=True, kw_only=True):
    """Whether the taskdoc is archived now. `unbound` is the plan that it was bound to before."""

    taskdoc: str
    archived: bool
    revision: int
    events: tuple[BriefEvent, ...]
    unbound: str | None = None
    warnings: tuple[str, ...] | None = None


class TaskdocsReply(Reply, frozen=True, kw_only=True):
    """Taskdocs by name. A package on disk that is not in the store yet has `adopted` false."""

    items: tuple[TaskdocRow, ...]
    has_more: bool
    cursor: str | None = None


class RoundBegun(WriteReply, frozen=True, kw_only=True):
    """The number of the round that ended, counted for the named task or for the agent."""

    round: int
    revision: int
    events: tuple[BriefEvent, ...]


class RecallReply(Reply, frozen=True, kw_only=True):
    """One section exactly as stored, or the whole taskdoc with the last change of each section.

    `revision` is the section's, or the taskdoc's own, which rises when it is bound or adopted. `edited` shows how
    the section's file was edited directly; `findings` lists every difference between the package and the log.
    """

    taskdoc: str | None
    content: str
    hint: str | None = None
    selector: str | None = None
    revision: int | None = None
    updated_at: str | None = None
    actor: str | None = None
    sections: dict[Selector, SectionStamp] | None = None
    plan: str | None = None
    archived: bool = False
    edited: SectionEdit | None = None
    findings: tuple[PackageProblem, ...] | None = None
