"""Batches: several calls as one transaction, or one after the other."""

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta, Struct

from gatepost.domain import places
from gatepost.domain.refusals import BatchFailed, InvalidInput, Refusal, Suggestion
from gatepost.engine.draft import Draft
from gatepost.engine.draft_entries import Savepoint
from gatepost.files.protocol import Filesystem
from gatepost.operations.arguments import ParsedCall, counted, parse
from gatepost.operations.registry import Operation, Repeatable, operation
from gatepost.replies.batch import Batched
from gatepost.views.budget import View, fitted
from gatepost.wire import json_output
from gatepost.wire.secret_policy import Policy

MOST = 200
NOT_IN_A_BATCH = ("tasks_batch", "tasks_undo", "tasks_redo")


class BatchedCall(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One call of a batch."""

    tool: Annotated[str, Meta(max_length=80)]
    arguments: dict[str, Any] = {}


class Batch(Repeatable[Batched], frozen=True, kw_only=True):
    """Several calls."""

    operations: Annotated[tuple[BatchedCall, ...], Meta(min_length=1, max_length=MOST)]
    atomic: bool = True


class BatchExecutor(NamedTuple):
    """How a batch makes its calls: all in one draft, or each by itself."""

    find: Callable[[str], Operation]
    together: Callable[[Callable[[Draft], Batched]], Batched]
    alone: Callable[[int, str, dict[str, Any]], str]
    files: Callable[[], Filesystem]
    secrets: Policy
    suggestible: Callable[[Suggestion | None], Suggestion | None]


@operation("tasks_batch", "core", "tasks", judged_later=("operations.arguments",))
def batch(executor: BatchExecutor, command: Batch) -> Batched:
    """Make several calls at once: all or nothing (the default), or each on its own."""
    if command.atomic:
        return executor.together(lambda draft: _together(executor, draft, command))
    results = [
        msgspec.json.decode(_alone(executor, index, call, command.workspace))
        for index, call in enumerate(command.operations)
    ]
    changed = [
        "error" not in result and executor.find(call.tool).changed(result)
        for call, result in zip(command.operations, results, strict=True)
    ]
    return _batched(results, changed=any(changed))


def _together(executor: BatchExecutor, draft: Draft, command: Batch) -> Batched:
    results, begun = [], []
    for index, call in enumerate(command.operations):
        draft.next_call()
        begun.append(draft.mark())
        try:
            operation, inner = _read(executor, call, command.workspace, atomic=True)
            reply = operation.handler(executor.files() if operation.files else draft, inner.command)
        except Refusal as refusal:
            raise _failed(executor, draft, index, call.tool, refusal) from None
        results.append(_plain(counted(reply, inner.redacted)))
    forbidden = _forbidden(draft)
    if forbidden is not None:
        index = _culprit(draft, begun)
        raise _failed(executor, draft, index, command.operations[index].tool, forbidden)
    return _batched(results, revisions=draft.revisions(), changed=draft.lasting)


def _forbidden(draft: Draft) -> Refusal | None:
    """Why the caller may not change what the draft changes, if so. A commit would say the same, of no call."""
    try:
        draft.check_permissions()
    except Refusal as refusal:
        return refusal
    return None


def _culprit(draft: Draft, begun: list[Savepoint]) -> int:
    """The call without which the caller might change what the calls before it change. Takes the draft back."""
    for index in reversed(range(len(begun))):
        draft.back_to(begun[index])
        if _forbidden(draft) is None:
            return index
    return 0


def _batched(results: list[dict[str, Any]], *, changed: bool, revisions: dict[str, int] | None = None) -> Batched:
    redacted = sum(result.get("redacted", 0) for result in results)
    return Batched(results=tuple(results), revisions=revisions, changed=changed, redacted=redacted or None)


def _stands(draft: Draft, suggestion: Suggestion | None) -> bool:
    """Whether a suggestion names only things that still exist after the batch is rolled back."""
    named = {} if suggestion is None else suggestion.arguments
    roots = [named[name] for name in ("task", "plan") if name in named]
    taskdocs = [places.named(places.TASKDOC, named["taskdoc"])] if "taskdoc" in named else []
    return all(draft.stood(place) for place in (*map(places.of_id, roots), *taskdocs)) and (
        "step_id" not in named or draft.stood(draft.find(named["step_id"]))
    )


def _alone(executor: BatchExecutor, index: int, call: BatchedCall, workspace: str) -> str:
    try:
        _read(executor, call, workspace, atomic=False)
    except Refusal as refusal:
        refusal.suggestion = executor.suggestible(refusal.suggestion)
        return json_output.refusal(refusal)
    return executor.alone(index, call.tool, {"workspace": workspace, **call.arguments})


def _read(
    executor: BatchExecutor, call: BatchedCall, workspace: str, *, atomic: bool
) -> tuple[Operation, ParsedCall]:
    operation = executor.find(call.tool)
    if operation.name in NOT_IN_A_BATCH:
        raise InvalidInput([("tool", f"{operation.name} cannot be part of a batch")])
    named = call.arguments.get("workspace", workspace)
    if named != workspace:
        raise InvalidInput([("workspace", f"must be the batch's, {workspace}; leave it out of the call")])
    if "request_id" in call.arguments:
        raise InvalidInput(
            [("request_id", "belongs to the batch, not to one of its calls")],
            "Leave it out of the call, and give the batch a request_id. It covers every call.",
        )
    arguments = {"workspace": workspace, **call.arguments}
    inner = parse(operation, arguments, executor.secrets)
    if operation.files and operation.writes and atomic:
        raise InvalidInput(
            [("tool", f"{operation.name} cannot be part of an atomic batch because files have no transactions")],
            "Leave it out, or send the batch with atomic false.",
        )
    if atomic and (operation.name == "tasks_check" or call.arguments.get("run_checks") is True):
        raise InvalidInput(
            [("tool", f"{operation.name} runs commands, so it cannot be part of an atomic batch")],
            "Call it by itself, or send the batch with atomic false.",
        )
    return operation, inner


def _failed(executor: BatchExecutor, draft: Draft, index: int, tool: str, refusal: Refusal) -> BatchFailed:
    """The refusal of a batch: which call it was, and what was said to that call, whole."""
    stands = _stands(draft, refusal.suggestion)
    refusal.suggestion = executor.suggestible(refusal.suggestion) if stands else None
    inner = {"code": refusal.code, "message": refusal.message, "recovery": refusal.recovery, **refusal.details}
    if refusal.suggestion is not None:
        inner["suggestion"] = refusal.suggestion._asdict()
    failed = BatchFailed(
        f"Call {index} ({tool}) was refused, so nothing was done: {refusal.code}.",
        f"See `error`. Correct call {index} or remove it, then send the batch again.",
        operation_index=index,
        error=inner,
    )
    failed.family = refusal.family
    return failed


def _plain(reply: Any) -> dict[str, Any]:
    text = fitted(reply) if isinstance(reply, View) else json_output.text(reply)
    plain: dict[str, Any] = msgspec.json.decode(text)
    return plain
