"""Lines that were sent: one call after another, each kept until its reply; refused lines come back."""

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from gatepost.surfaces.tui.models import composer_syntax
from gatepost.surfaces.tui.models.composer_target import ComposerContext

_MOST: Final = 1_000

Done = Callable[[Any], str]
"""Puts the reply to an operation into words. The reply has the operation's reply type."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingLine:
    """A line on its way: its call, what its writer had seen, and words for the reply. Without `done`, the reply is
    shown in full."""

    line: str
    operation: str
    arguments: Mapping[str, Any]
    context: ComposerContext
    done: Done | None = None

    @property
    def task(self) -> str:
        """The task that it is about."""
        return str(self.arguments.get("task"))


class Outbox:
    """The lines that wait for a reply, in the order in which they are sent, and those that were refused."""

    def __init__(self) -> None:
        self._pendings: deque[PendingLine] = deque()
        self._returned: dict[str, None] = {}
        self._ours: dict[tuple[str, int], int] = {}
        """The revision that each of our own calls made, by task and the revision before."""

    @property
    def first(self) -> PendingLine | None:
        """What is being sent just now."""
        return self._pendings[0] if self._pendings else None

    @property
    def lines(self) -> list[str]:
        """The lines without a reply. They may or may not have been sent."""
        return [pending.line for pending in self._pendings]

    @property
    def returned(self) -> list[str]:
        """The refused lines that could not return to the composer because another line was typed there."""
        return list(self._returned)

    def put(self, pending: PendingLine) -> None:
        """Add a line behind those that wait."""
        self._returned.pop(pending.line, None)
        self._pendings.append(pending)

    def answered(self, revision: object = None, *, seen: object = None) -> None:
        """Remove the first line: its reply has come. If it was accepted, `seen` is the revision it expected and
        `revision` the one it made."""
        pending = self._pendings.popleft()
        if isinstance(seen, int) and isinstance(revision, int) and revision > seen:
            self._ours[pending.task, seen] = revision
            if len(self._ours) > _MOST:
                del self._ours[next(iter(self._ours))]

    def give_back(self, line: str) -> None:
        """Keep a line that was refused while another one was typed."""
        self._returned[line] = None

    def start_over(self) -> list[str]:
        """Drop the lines that were not sent yet, and return them: the log was replaced."""
        waiting = [self._pendings.pop().line for _ in range(len(self._pendings) - 1)][::-1]
        self._ours.clear()
        self._returned |= dict.fromkeys(waiting)
        return waiting

    def revision(self, context: ComposerContext, task: str) -> int | None:
        """The revision of a task that a writer knows: the one they saw, or the one our calls made of it."""
        known = context.revision(task)
        while known is not None and (task, known) in self._ours:
            known = self._ours[task, known]
        return known

    def call(self, pending: PendingLine) -> tuple[dict[str, Any], bool]:
        """The arguments to send, and whether they include the revision that the writer had seen."""
        seen = self.revision(pending.context, pending.task)
        given = dict(pending.arguments)
        if seen is None or "expected_revision" in given or not composer_syntax.takes_revision(pending.operation):
            return given, False
        return {**given, "expected_revision": seen}, True
