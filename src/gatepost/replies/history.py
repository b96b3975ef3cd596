"""The replies about past operations."""

from typing import Any

from msgspec import UNSET, UnsetType

from gatepost.replies.events import BriefEvent
from gatepost.replies.reply import Part, Reply, WriteReply, cuttable
from gatepost.replies.roots import FieldChange


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
    contract_data_before: dict[str, Any] | UnsetType | None = UNSET


class HistoryReply(Reply, frozen=True, kw_only=True):
    """Operations, newest first."""

    operations: tuple[PastOperation, ...]
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
