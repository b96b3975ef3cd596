"""Refusals: a code, what is wrong in the caller's own values, and the next step."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

INVALID: Final = "invalid"
UNKNOWN: Final = "unknown"
CONFLICT: Final = "conflict"
FORBIDDEN: Final = "forbidden"
BUSY: Final = "busy"
STORE: Final = "store"


_MOST_SECRETS = 20


class Suggestion(NamedTuple):
    """A call that is accepted as it stands. The workspace is filled in where the call is answered."""

    tool: str
    arguments: Mapping[str, Any]


class StepAddress(NamedTuple):
    """A step as callers name it."""

    task: str
    step_id: str
    path: str

    @property
    def selector(self) -> dict[str, Any]:
        """The arguments that name this step, by its id."""
        return {"task": self.task, "step_id": self.step_id}

    def __str__(self) -> str:
        return f"{self.step_id} ({self.task} {self.path})"


class Refusal(Exception):
    """An answer that says no. Nothing was changed.

    Where Python has a built-in error for the same thing, a refusal is that error too.
    """

    code: str = "INVALID_INPUT"
    family: str = INVALID

    def __init__(self, message: str, recovery: str, suggestion: Suggestion | None = None, **details: Any) -> None:
        super().__init__(message)
        self.message = message
        self.recovery = recovery
        self.suggestion = suggestion
        self.details = details


class ToolValidationError(Refusal, ValueError):
    """Invalid input. Tools raise it with words that help to correct the input."""

    def __init__(self, message: str, recovery: str = "Correct the input and call again.", **details: Any) -> None:
        super().__init__(message, recovery, **details)


class InvalidInput(ToolValidationError):
    """The call does not match its schema."""

    def __init__(self, problems: Sequence[tuple[str, str]], recovery: str | None = None) -> None:
        shown = [{"field": field, "problem": problem} for field, problem in problems]
        fields = ", ".join(dict.fromkeys(f"`{field}`" for field, _ in problems))
        super().__init__(
            "; ".join(f"`{field}` {problem}" for field, problem in problems),
            recovery or f"Correct {fields} and send the call again.",
            problems=shown,
        )


class SecretFound(ToolValidationError):
    """A text to store contains a credential. The refusal names the fields and kinds, never the value."""

    code = "SECRET_FOUND"

    def __init__(self, found: Sequence[tuple[str, str]]) -> None:
        super().__init__(
            "; ".join(
                dict.fromkeys(f"`{field}` contains a credential ({kind})" for field, kind in found[:_MOST_SECRETS])
            ),
            "Use the name of an environment variable instead, or say where the credential is kept, and send the"
            " call again. A person can change this rule: set `secrets` in gatepost.toml, or GATEPOST_SECRETS, to"
            " redact or allow. `allow` in gatepost.toml also needs `gatepost trust`.",
            found=[{"field": field, "kind": kind} for field, kind in found[:_MOST_SECRETS]],
        )


class UnknownTool(Refusal):
    """No operation has this name."""

    code = "UNKNOWN_TOOL"
    family = UNKNOWN


class UnknownId(Refusal):
    """The target does not exist in this workspace."""

    code = "UNKNOWN_ID"
    family = UNKNOWN

    def __init__(
        self, field: str, value: str, where: str, suggestion: Suggestion, recovery: str | None = None
    ) -> None:
        super().__init__(
            f"`{field}`: there is no {value} in {where}.",
            recovery or "Look at what exists, then use one of those.",
            suggestion,
            field=field,
        )


class WorkspaceMismatch(Refusal):
    """This server is bound to another workspace."""

    code = "WORKSPACE_MISMATCH"
    family = FORBIDDEN

    def __init__(self, asked: str, bound: str) -> None:
        super().__init__(
            f"`workspace`: this server is bound to {bound}, not {asked}.",
            f"Send the call with workspace {bound}, or start a server for {asked}.",
            Suggestion("tasks_radar", {"workspace": bound}),
        )


class TargetMismatch(Refusal):
    """`step_id` and `path` name different steps."""

    code = "TARGET_MISMATCH"
    family = CONFLICT

    def __init__(self, there: StepAddress, path: str) -> None:
        super().__init__(
            f"`step_id` {there.step_id} is at {there.path} of {there.task}, not at `path` {path}.",
            "Send only one of the two; the id is safer.",
            Suggestion("tasks_resume", there.selector),
            field="path",
        )


class RevisionMismatch(Refusal):
    """Somebody else changed the target after the caller read it."""

    code = "REVISION_MISMATCH"
    family = CONFLICT

    def __init__(
        self,
        target: str,
        current: int,
        expected: int,
        look: Suggestion,
        changed: Sequence[Mapping[str, Any]] = (),
        field: str = "expected_revision",
    ) -> None:
        said = {"changed": changed} if changed else {}
        super().__init__(
            f"{target} is at revision {current}, not {expected}.",
            f"Check what changed, then send the call with {field} {current}.",
            look,
            current_revision=current,
            **said,
        )


class CheckpointsNotConfirmed(Refusal):
    """The gate is shut: a checkpoint is not confirmed."""

    code = "CHECKPOINTS_NOT_CONFIRMED"
    family = CONFLICT


class ChildrenOpen(Refusal):
    """The gate is shut: something below is not done."""

    code = "CHILDREN_OPEN"
    family = CONFLICT


class StepIsBlocked(Refusal):
    """The gate is shut: the step is blocked."""

    code = "STEP_BLOCKED"
    family = CONFLICT

    def __init__(self, step: StepAddress, reason: str | None) -> None:
        because = f": {reason.rstrip('.')}" if reason else ""
        end = "" if because.endswith(("?", "!", "…")) else "."
        super().__init__(
            f"{step} is blocked{because}{end}",
            "Work on something else until what blocks it is resolved. Then unblock it and say how it was resolved.",
            Suggestion("tasks_resume", step.selector),
        )


class StepIsDone(Refusal):
    """The criteria, tests and confirmations of a finished step cannot be changed."""

    code = "STEP_DONE"
    family = CONFLICT

    def __init__(self, step: StepAddress, wish: str) -> None:
        super().__init__(
            f"{step} is done: {wish}.",
            "Reopen it first: undo the call that closed it (`operation` takes the `seq` of its event), or add a"
            " step below it. The steps above it are reopened too.",
            Suggestion("tasks_progress", {**step.selector, "completed": False}),
        )


class DependencyCycle(Refusal):
    """The dependencies would form a cycle."""

    code = "DEPENDENCY_CYCLE"
    family = CONFLICT


class HasDependents(Refusal):
    """Other tasks depend on the one to delete."""

    code = "HAS_DEPENDENTS"
    family = CONFLICT


class ChecklistOpen(Refusal):
    """A plan's checklist is not complete."""

    code = "CHECKLIST_OPEN"
    family = CONFLICT


class NothingToUndo(Refusal):
    """There is no operation to undo."""

    code = "NOTHING_TO_UNDO"
    family = CONFLICT


class NothingToRedo(Refusal):
    """Nothing was undone, or something was written since."""

    code = "NOTHING_TO_REDO"
    family = CONFLICT


class UndoConflict(Refusal):
    """What an operation changed has changed again since."""

    code = "UNDO_CONFLICT"
    family = CONFLICT


class BatchFailed(Refusal):
    """One call of an atomic batch was refused, so none was applied."""

    code = "BATCH_FAILED"
    family = CONFLICT


class TooLarge(ToolValidationError):
    """Too large for one call, or for one file."""

    code = "TOO_LARGE"


class NotText(ToolValidationError):
    """A file is not UTF-8 text."""

    code = "NOT_TEXT"


class NotFound(Refusal, FileNotFoundError):
    """The path does not exist. `near` is its deepest existing directory."""

    code = "NOT_FOUND"
    family = UNKNOWN

    def __init__(self, path: str, near: str) -> None:
        super().__init__(
            f"`path`: {path} does not exist.",
            f"List `{near}`, then correct the path.",
            Suggestion("file_list", {"path": near}),
        )


class AlreadyExists(Refusal, FileExistsError):
    """The target already exists and would be replaced."""

    code = "ALREADY_EXISTS"
    family = CONFLICT


class NotAFile(Refusal, IsADirectoryError):
    """A file is needed, but this is a directory."""

    code = "NOT_A_FILE"
    family = CONFLICT


class NotADirectory(Refusal, NotADirectoryError):
    """A directory is needed, but this is a file."""

    code = "NOT_A_DIRECTORY"
    family = CONFLICT


class NotEmpty(Refusal, OSError):
    """The directory is not empty."""

    code = "NOT_EMPTY"
    family = CONFLICT


class ForbiddenPath(Refusal, PermissionError):
    """File tools may not use this path, whether or not it exists."""

    code = "FORBIDDEN_PATH"
    family = FORBIDDEN


class DiskRefused(Refusal, OSError):
    """The system refused: no space, no permission, a read-only disk."""

    code = "DISK_REFUSED"
    family = CONFLICT


class Busy(Refusal):
    """Other writers held the store for too long."""

    code = "BUSY"
    family = BUSY

    def __init__(self, waited: float) -> None:
        super().__init__(
            f"Other writers locked the store for {waited:.1f} s.",
            "Nothing was changed. Send the same call again in a moment.",
            retry_after_ms=250,
        )


class ImportUnfinished(Busy):
    """The workspace has only a part of its log yet."""

    def __init__(self, workspace: str, seq: int) -> None:
        Refusal.__init__(
            self,
            f"{workspace} is not imported completely: it has the first {seq:,} events so far.",
            "Wait until the import has finished. If it was interrupted, run `gatepost import` again with the same"
            " file: it continues where it stopped.",
            retry_after_ms=5_000,
        )


class SessionHeld(Refusal):
    """Another program holds the durable session. Two writers would not see each other's events."""

    code = "SESSION_HELD"
    family = CONFLICT

    def __init__(self, name: str, process: str | None, *, lost: bool = False) -> None:
        where = "" if process is None else f" in process {process.split('/')[3]}"
        super().__init__(
            f"Session {name} is no longer open here, or another program took it over{where}."
            if lost
            else f"Session {name} is open{where or ' elsewhere'}.",
            "Nothing was changed. Open the session again and continue from its current state."
            if lost
            else "Nothing was changed. End the session there, or use another id. If that program is gone, open the"
            " session with take_over=True.",
        )


class StoreFault(Refusal):
    """The store's file or disk prevents the call. It is neither a rule nor a bug.

    The kinds and their texts are in `storage/faults.py`; `status` is their HTTP status.
    """

    code = "STORE_UNREACHABLE"
    family = STORE
    status = 503
