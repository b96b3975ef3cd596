"""Evidence: what proves the work, kept with the step, task or plan it is for. It completes nothing by itself."""

from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

from gatepost.domain import step_rules
from gatepost.domain.checkpoints import Checkpoint
from gatepost.domain.documents import Member
from gatepost.domain.records import EvidenceCaptured
from gatepost.domain.refusals import InvalidInput, TooLarge
from gatepost.domain.steps import Step
from gatepost.engine.draft import Draft
from gatepost.engine.reader import Found
from gatepost.operations.registry import operation
from gatepost.operations.step_commands import StepCommand, begin, check_selected, name_of, outcome, select_member
from gatepost.replies.step_writes import Captured
from gatepost.wire.credentials import redacted
from gatepost.wire.lines import Line, Title
from gatepost.wire.secret_policy import ALLOW, Policy
from gatepost.wire.texts import PROSE

MOST: Final = 20
MOST_BYTES: Final = 256_000
CAPTURED: Final = ("items.content", "items.command", "checks.detail")
"""What programs printed, and how they were called: redacted, where other texts would be refused."""

Content = Annotated[str, Meta(pattern=PROSE)]
CommandLine = Annotated[str, Meta(pattern=PROSE, max_length=2_000)]


class EvidenceItem(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One artifact: the output of a command, a diff, an address, a file, a note."""

    kind: Literal["cmd_output", "diff", "url", "file", "note"]
    title: Title | UnsetType = UNSET
    content: Content | UnsetType = UNSET
    url: Line | UnsetType = UNSET
    path: Line | UnsetType = UNSET
    command: CommandLine | UnsetType = UNSET
    exit_code: Annotated[int, Meta(ge=-(2**31), le=2**31)] | UnsetType = UNSET


class EvidenceCheck(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A check that was made, and how it came out."""

    title: Title
    passed: bool | UnsetType = UNSET
    detail: Content | UnsetType = UNSET


class EvidenceAttachment(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something kept elsewhere."""

    title: Title
    url: Line | UnsetType = UNSET
    path: Line | UnsetType = UNSET


Piece = EvidenceItem | EvidenceCheck | EvidenceAttachment


class Capture(StepCommand[Captured], frozen=True, kw_only=True):
    """Keep evidence."""

    items: Annotated[tuple[EvidenceItem, ...], Meta(max_length=MOST)] = ()
    checks: Annotated[tuple[EvidenceCheck, ...], Meta(max_length=MOST)] = ()
    attachments: Annotated[tuple[EvidenceAttachment, ...], Meta(max_length=MOST)] = ()
    checkpoints: Annotated[tuple[Checkpoint, ...], Meta(max_length=5)] = ()


@operation("tasks_evidence_capture", "tasks", judged_later=CAPTURED)
def capture(draft: Draft, command: Capture) -> Captured:
    """Store evidence for a step, task or plan: items (cmd_output, diff, url, file, note), checks and attachments,
    at most 20 of each. `checkpoints` names what it supports. It completes nothing. Credentials in it are
    redacted."""
    given: list[Piece] = [*command.items, *command.checks, *command.attachments]
    if not given:
        raise InvalidInput([("items", "or `checks` or `attachments` is required")])
    _check_sizes(command)
    pieces = [_without_secrets(piece, draft.secrets) for piece in given]
    check_selected(command)
    root = draft.root_at(command.task, command.expected_revision)
    step: Found[Member] | None = None
    place = root.place
    if command.path is not None or command.step_id is not None:
        step = select_member(draft, root, command)
        place = step.place
        if isinstance(step.value, Step):
            draft.put(place, step_rules.evidence(step.value, command.checkpoints, draft.next_seq))
    event = begin(draft, root, _event([piece for piece, _ in pieces], command.checkpoints))
    for piece, redactions in pieces:
        draft.keep(place, _kept(piece, redactions, command.checkpoints, draft.worktree))
    draft.log(root.place, event, step)
    return Captured(
        task=command.task,
        captured=len(pieces),
        step=None if step is None else name_of(step),
        redacted=sum(redactions for _, redactions in pieces) or None,
        **outcome(draft, root.place, None if step is None else step.value.id),
    )


def _without_secrets(piece: Piece, policy: Policy) -> tuple[Piece, int]:
    """A piece as it may be kept, and how many credentials were replaced in what was captured."""
    if policy == ALLOW or isinstance(piece, EvidenceAttachment):
        return piece, 0
    total, cleaned = 0, {}
    for name in ("content", "command") if isinstance(piece, EvidenceItem) else ("detail",):
        text = getattr(piece, name)
        if isinstance(text, str):
            cleaned[name], count = redacted(text)
            total += count
    return (replace(piece, **cleaned), total) if total else (piece, 0)


def _check_sizes(command: Capture) -> None:
    texts = {f"items[{at}].content": item.content for at, item in enumerate(command.items)}
    texts |= {f"checks[{at}].detail": check.detail for at, check in enumerate(command.checks)}
    for name, text in texts.items():
        size = _size(text)
        if size > MOST_BYTES:
            raise TooLarge(
                f"`{name}` has {size:,} bytes; the limit for an artifact is {MOST_BYTES:,}.",
                "Send only the relevant part, or attach its path or URL.",
                field=name,
            )


def _event(pieces: list[Piece], checkpoints: tuple[Checkpoint, ...]) -> EvidenceCaptured:
    items = [piece for piece in pieces if isinstance(piece, EvidenceItem)]
    checks = [piece for piece in pieces if isinstance(piece, EvidenceCheck)]
    return EvidenceCaptured(
        items=tuple(map(_said, items)),
        checks=tuple(check.title for check in checks),
        attachments=tuple(piece.title for piece in pieces if isinstance(piece, EvidenceAttachment)),
        checkpoints=checkpoints,
        bytes=sum(map(_size, [*(item.content for item in items), *(check.detail for check in checks)])),
    )


def _size(text: str | UnsetType) -> int:
    return len(text.encode()) if isinstance(text, str) else 0


def _said(item: EvidenceItem) -> str:
    for text in (item.title, item.command, item.url, item.path):
        if isinstance(text, str):
            return f"{item.kind}: {text[:200]}"
    return item.kind


def _kept(piece: Piece, redactions: int, checkpoints: tuple[Checkpoint, ...], worktree: str | None) -> str:
    form = {EvidenceItem: "item", EvidenceCheck: "check", EvidenceAttachment: "attachment"}[type(piece)]
    fields: dict[str, Any] = {"form": form, **msgspec.to_builtins(piece)}
    if redactions:
        fields["redacted"] = redactions
    if checkpoints:
        fields["checkpoints"] = list(checkpoints)
    if worktree is not None:
        fields["worktree"] = worktree
    return msgspec.json.encode(fields).decode()
