"""Events as replies and streams show them."""

from msgspec import UNSET, UnsetType, field

from gatepost.domain.checkpoints import Checkpoint, CheckpointMark, Provenance
from gatepost.domain.questions import Via
from gatepost.replies.reply import Part, cuttable


class BriefEvent(Part, frozen=True, kw_only=True):
    """An event of the call itself: its number and type, and only what the caller does not know already.

    The delta has the whole event.
    """

    seq: int
    type: str
    task: str | None = None
    plan: str | None = None
    taskdoc: str | None = None
    selector: str | None = None
    session: str | None = None
    section_key: str | None = None
    step_id: str | None = None
    path: str | None = None
    task_status: str | None = None
    because: str | None = None
    status: str | None = None
    loosened: tuple[str, ...] | None = None
    withdrawn: tuple[Checkpoint, ...] | None = None
    forced: bool | None = None
    missing: tuple[Checkpoint, ...] | None = None
    before: str | None = None
    taken_over: str | None = None


class LoggedEvent(Part, frozen=True, kw_only=True, rename={"from_": "from"}):
    """One event of the log: its number, what happened, when, who did it and where; then the fields of its type.

    The fields are those of the events in `domain/events.py`; a test compares them.
    """

    seq: int
    type: str
    at: str = cuttable("")
    actor: str = cuttable("")
    task: str | None = None
    plan: str | None = None
    taskdoc: str | None = None
    selector: str | None = None
    session: str | None = None
    section_key: str | None = None
    step_id: str | None = None
    path: str | None = None
    task_status: str | None = None
    title: str | None = None
    note: str | None = None
    reason: str | None = None
    ask: str | None = None
    options: tuple[str, ...] | None = None
    for_: str | None = field(default=None, name="for")
    answer: str | None = None
    via: Via | None = None
    because: str | None = None
    status: str | None = None
    fields: tuple[str, ...] | None = None
    count: int | None = None
    first: str | None = None
    last: str | None = None
    from_: str | UnsetType | None = UNSET
    to: str | UnsetType | None = UNSET
    loosened: tuple[str, ...] | None = None
    withdrawn: tuple[Checkpoint, ...] | None = None
    checkpoints: dict[Checkpoint, CheckpointMark] | tuple[Checkpoint, ...] | None = None
    provenance: dict[Checkpoint, Provenance] | None = None
    evidence: dict[Checkpoint, int] | None = None
    signed: tuple[Checkpoint, ...] | None = None
    commit: str | None = None
    forced: bool | None = None
    missing: tuple[Checkpoint, ...] | None = None
    steps: int | None = None
    tasks: int | None = None
    items: tuple[str, ...] | None = None
    checks: tuple[str, ...] | None = None
    attachments: tuple[str, ...] | None = None
    failed: tuple[str, ...] | None = None
    bytes: int | None = None
    operation: int | None = None
    tool: str | None = None
    focus: str | None = None
    before: str | None = None
    until: str | None = None
    taken_over: str | None = None
    summary: str | None = None
    bound_to: str | UnsetType | None = UNSET
    revision: int | None = None
    sha256: str | None = None
    author: str | None = None
    written_at: str | None = None
    files: tuple[str, ...] | None = None
    call: str | None = None
    round: int | None = None
    reminder_content: str | None = None
    entries: int | None = None
    pieces: int | None = None
