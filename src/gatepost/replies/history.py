"""The replies about past operations."""

from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from gatepost.replies.events import BriefEvent
from gatepost.replies.reply import JsonObject, JsonValue, Part, Reply, WriteReply, cuttable
from gatepost.replies.root_writes import FieldChange


class PastOperation(Part, frozen=True, kw_only=True):
    """One call that changed something. `kind` is change, record, undo or redo; an undo or redo is `of` another
    operation. A plan's earlier contract is shown where the call replaced it."""

    operation: int
    tool: str
    at: str = cuttable("")
    actor: str = cuttable("")
    kind: str = cuttable("")
    events: tuple[str, ...] = cuttable(())
    targets: tuple[str, ...] = cuttable(())
    of: int | None = None
    undone_by: int | None = None
    contract_before: str | UnsetType | None = UNSET
    contract_data_before: JsonObject | UnsetType | None = UNSET


class ChangedField(Part, frozen=True, kw_only=True):
    """One field before and after. A long text also comes as a unified diff."""

    field: str
    before: JsonValue = cuttable(None)
    after: JsonValue = cuttable(None)
    diff: str | None = None


What = Literal["created", "deleted", "moved", "closed", "reopened", "changed"]


class DocumentChange(Part, frozen=True, kw_only=True):
    """How one document changed: a plan, a task, a step, a section, and so on.

    `task` is the plan or task that it is, or is in. `operation` is the last one that changed it. `was_at` is where
    it was before it was moved. If it was created or deleted, `fields` lists only those with a value.
    """

    where: str
    kind: str
    what: tuple[What, ...]
    operation: int
    task: str | None = None
    step_id: str | None = None
    title: str | None = None
    was_at: str | None = None
    fields: tuple[ChangedField, ...] = cuttable(())


class DoneBy(Part, frozen=True, kw_only=True):
    """An operation, and whose it was."""

    operation: int
    tool: str
    at: str
    actor: str


class PastValue(Part, frozen=True, kw_only=True):
    """A value of a field, and the operation that set it. `restored` is the undo or redo that restored it, if one
    did."""

    field: str
    value: JsonValue = cuttable(None)
    operation: int
    tool: str = cuttable("")
    at: str = cuttable("")
    actor: str
    restored: DoneBy | None = None


class HistoryReply(Reply, frozen=True, kw_only=True):
    """Operations, newest first.

    For one operation, `documents` are what it changed. For a `field`, `values` are its values: the first row is the
    current one. Both continue at `cursor`.
    """

    operations: tuple[PastOperation, ...]
    has_more: bool
    cursor: str | None = None
    documents: tuple[DocumentChange, ...] | None = None
    values: tuple[PastValue, ...] | None = None


class MomentInLog(Part, frozen=True, kw_only=True):
    """A moment: the last operation at or before it, with its time and the `seq` of its last event. All zero and
    empty before the first operation."""

    operation: int = cuttable(0)
    seq: int = cuttable(0)
    at: str = cuttable("")


class DiffReply(Reply, frozen=True, kw_only=True):
    """What differs between two moments, each document once, the one that changed last first."""

    since: MomentInLog = msgspec.field(name="from")
    to: MomentInLog
    documents: tuple[DocumentChange, ...]
    has_more: bool
    cursor: str | None = None


class Reversed(WriteReply, frozen=True, kw_only=True):
    """The operation that was undone or redone: whose it was and when, and what it had done, in words.

    `revision` is that of the named task, or of the first one. With `apply` false nothing was done (`applied` is
    false), and `diff` shows what would change.
    """

    operation: int
    tool: str
    actor: str
    at: str
    what: tuple[str, ...]
    applied: bool = True
    diff: tuple[FieldChange, ...] | None = None
    revision: int
    revisions: dict[str, int]
    events: tuple[BriefEvent, ...]
    warnings: tuple[str, ...] | None = None
