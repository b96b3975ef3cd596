"""Records: events that only add to the log. A note, the most frequent write, loads no other events."""

from typing import Final

from gatepost.domain.checkpoints import Checkpoint
from gatepost.domain.value import Event


class StepNoted(Event, frozen=True, kw_only=True, tag="step_noted"):
    note: str


class EvidenceCaptured(Event, frozen=True, kw_only=True, tag="evidence_captured"):
    """What was captured, by kind and title. The content is kept next to the log.

    `failed` names the checks that ran and failed.
    """

    items: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    attachments: tuple[str, ...] = ()
    checkpoints: tuple[Checkpoint, ...] = ()
    failed: tuple[str, ...] = ()
    bytes: int = 0


class TodoCleared(Event, frozen=True, kw_only=True, tag="todo_cleared"):
    """`because` says how the session ended."""

    because: str


class MindCleared(Event, frozen=True, kw_only=True, tag="mind_cleared"):
    round: int
    reminder_content: str


class StepClaimed(Event, frozen=True, kw_only=True, tag="step_claimed"):
    """A session holds the step, or with no step the whole task, until then. `taken_over` held it before."""

    until: str
    taken_over: str | None = None
    reason: str | None = None


class StepReleased(Event, frozen=True, kw_only=True, tag="step_released"):
    """The step, or with no step the whole task, is free again. `because` says why, if its holder did not do it."""

    because: str | None = None


class SessionOpened(Event, frozen=True, kw_only=True, tag="session_opened"):
    """A program opened a durable session."""


class SessionKept(Event, frozen=True, kw_only=True, tag="session_kept"):
    """A durable session's events, or its state in pieces, were stored."""

    entries: int = 0
    pieces: int = 0


class SessionClosed(Event, frozen=True, kw_only=True, tag="session_closed"):
    """A program closed a durable session."""


CLAIMS: Final = (StepClaimed, StepReleased)
"""Events about who works on something. They change no revision."""
RECORDS: Final = (
    *(StepNoted, EvidenceCaptured, TodoCleared, MindCleared, *CLAIMS),
    *(SessionOpened, SessionKept, SessionClosed),
)
"""Events that only add to the log. Undo skips them."""
