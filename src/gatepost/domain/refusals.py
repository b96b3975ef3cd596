"""How Gatepost says no: a code, what is wrong in the caller's own values, and the next step."""

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
    """What was given cannot be taken. Tools raise it for bad input, with the words that help to mend it."""

    def __init__(self, message: str, recovery: str = "Correct the input and call again.", **details: Any) -> None:
        super().__init__(message, recovery, **details)


class InvalidInput(ToolValidationError):
    """The call does not have the shape its schema asks for."""

    def __init__(self, problems: Sequence[tuple[str, str]], recovery: str | None = None) -> None:
        shown = [{"field": field, "problem": problem} for field, problem in problems]
        fields = ", ".join(dict.fromkeys(f"`{field}`" for field, _ in problems))
        super().__init__(
            "; ".join(f"`{field}` {problem}" for field, problem in problems),
            recovery or f"Correct {fields} and send the call again.",
            problems=shown,
        )


class SecretFound(ToolValidationError):
    """A text that would be stored holds a credential. The refusal names the fields and kinds, never the value."""

    code = "SECRET_FOUND"

    def __init__(self, found: Sequence[tuple[str, str]]) -> None:
        super().__init__(
            "; ".join(
                dict.fromkeys(f"`{field}` holds a credential ({kind})" for field, kind in found[:_MOST_SECRETS])
            ),
            "Write the name of an environment variable instead, or where the credential is kept, and send the call"
            " again. A person can change this: set `secrets` in gatepost.toml, or GATEPOST_SECRETS, to redact or"
            " allow.",
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
            recovery or f"Look up what exists with {suggestion.tool}, then name one of those.",
            suggestion,
            field=field,
        )


class WorkspaceMismatch(Refusal):
    """This server serves one workspace, and another was named."""

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
            f"`step_id` {there.step_id} stands at {there.path} of {there.task}, not at `path` {path}.",
            "Name the step by one of the two; the id is the safer one.",
            Suggestion("tasks_resume", there.selector),
            field="path",
        )


class RevisionMismatch(Refusal):
    """Somebody else changed the target since the caller looked."""

    code = "REVISION_MISMATCH"
    family = CONFLICT

    def __init__(self, target: str, current: int, expected: int, look: Suggestion) -> None:
        super().__init__(
            f"{target} is at revision {current}, not {expected}.",
            f"Look at what changed, then send the call with expected_revision {current}.",
            look,
            current_revision=current,
        )


class CheckpointsNotConfirmed(Refusal):
    """The gate is shut: something that proves the work is not confirmed."""

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
        because = f": {reason}" if reason else ""
        super().__init__(
            f"{step} is blocked{because}.",
            "Resolve what blocks it, unblock it, then close it.",
            Suggestion("tasks_block", {**step.selector, "blocked": False}),
        )


class StepIsDone(Refusal):
    """What a finished step promised cannot be rewritten."""

    code = "STEP_DONE"
    family = CONFLICT

    def __init__(self, step: StepAddress, wish: str) -> None:
        super().__init__(
            f"{step} is done: {wish}.",
            "Reopen it first; that reopens what stands on it as well.",
            Suggestion("tasks_progress", {**step.selector, "completed": False}),
        )


class DependencyCycle(Refusal):
    """A chain of dependencies would come back to where it started."""

    code = "DEPENDENCY_CYCLE"
    family = CONFLICT


class HasDependents(Refusal):
    """Others wait for what should be deleted."""

    code = "HAS_DEPENDENTS"
    family = CONFLICT


class ChecklistOpen(Refusal):
    """A plan's checklist is not at its end."""

    code = "CHECKLIST_OPEN"
    family = CONFLICT


class NothingToUndo(Refusal):
    """There is no operation left that could be taken back."""

    code = "NOTHING_TO_UNDO"
    family = CONFLICT


class NothingToRedo(Refusal):
    """Nothing was taken back, or something was written since."""

    code = "NOTHING_TO_REDO"
    family = CONFLICT


class UndoConflict(Refusal):
    """What an operation touched is no longer as it left it."""

    code = "UNDO_CONFLICT"
    family = CONFLICT


class BatchFailed(Refusal):
    """One call of an atomic batch was refused, so none was made."""

    code = "BATCH_FAILED"
    family = CONFLICT


class TooLarge(ToolValidationError):
    """More than one call, or one file, may carry."""

    code = "TOO_LARGE"


class NotText(ToolValidationError):
    """A file holds something else than UTF-8 text."""

    code = "NOT_TEXT"


class NotFound(Refusal, FileNotFoundError):
    """There is nothing at this path. `near` is the deepest directory on the way that does exist."""

    code = "NOT_FOUND"
    family = UNKNOWN

    def __init__(self, path: str, near: str) -> None:
        super().__init__(
            f"`path`: there is nothing at {path}.",
            f"See what is in `{near}`, then correct the path.",
            Suggestion("file_list", {"path": near}),
        )


class AlreadyExists(Refusal, FileExistsError):
    """Something is there already, and what was asked would replace it."""

    code = "ALREADY_EXISTS"
    family = CONFLICT


class NotAFile(Refusal, IsADirectoryError):
    """A directory stands where a file is needed."""

    code = "NOT_A_FILE"
    family = CONFLICT


class NotADirectory(Refusal, NotADirectoryError):
    """A file stands where a directory is needed."""

    code = "NOT_A_DIRECTORY"
    family = CONFLICT


class NotEmpty(Refusal, OSError):
    """A directory that still holds something is not deleted by the way."""

    code = "NOT_EMPTY"
    family = CONFLICT


class ForbiddenPath(Refusal, PermissionError):
    """File tools have no business there, whether or not something is there."""

    code = "FORBIDDEN_PATH"
    family = FORBIDDEN


class DiskRefused(Refusal, OSError):
    """The machine said no: no space, no permission, a read-only disk."""

    code = "DISK_REFUSED"
    family = CONFLICT


class Busy(Refusal):
    """Other writers held the store for too long."""

    code = "BUSY"
    family = BUSY

    def __init__(self, waited: float) -> None:
        super().__init__(
            f"The store was locked by other writers for {waited:.1f} s.",
            "Nothing was changed. Send the same call again in a moment.",
            retry_after_ms=250,
        )


class SessionHeld(Refusal):
    """Somebody else holds a durable session: two who write would not know of each other's events."""

    code = "SESSION_HELD"
    family = CONFLICT

    def __init__(self, name: str, process: str | None, *, lost: bool = False) -> None:
        where = "" if process is None else f" in process {process.split('/')[3]}"
        super().__init__(
            f"Session {name} is not open here any more, or was taken over{where}."
            if lost
            else f"Session {name} is open{where or ' elsewhere'}.",
            "Nothing was changed. Open the session again, and go on from what it holds then."
            if lost
            else "Nothing was changed. End the session there, or open another id. If that program cannot be reached"
            " any more, open with take_over=True.",
        )


class StoreFault(Refusal):
    """The store cannot do what was asked, because of its file or its disk. No rule said no, and it is no bug.

    The kinds and their words are in `storage/faults.py`; `status` is their HTTP status.
    """

    code = "STORE_UNREACHABLE"
    family = STORE
    status = 503
