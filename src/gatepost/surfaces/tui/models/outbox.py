"""Lines that were sent: one call after another, each kept until its reply; refused lines come back."""

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from gatepost.surfaces.tui.models import composer_syntax
from gatepost.surfaces.tui.models.composer_target import ComposerContext

_MOST: Final = 1_000

Done = Callable[[Any], str]
"""What is said of the reply to an operation, which is of the operation's type."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingLine:
    """A line on its way: what it asks for, what its writer had seen, and what is said of the reply, if not all of
    it is shown."""

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
    """The lines that are sent and not answered, in the order in which they go, and those that came back."""

    def __init__(self) -> None:
        self._pendings: deque[PendingLine] = deque()
        self._returned: dict[str, None] = {}
        self._ours: dict[tuple[str, int], int] = {}
        """What a task's revision became by what was sent from here."""

    @property
    def first(self) -> PendingLine | None:
        """What is being sent just now."""
        return self._pendings[0] if self._pendings else None

    @property
    def lines(self) -> list[str]:
        """What may have been sent, or not: no answer has come."""
        return [pending.line for pending in self._pendings]

    @property
    def returned(self) -> list[str]:
        """What was refused, and found its place taken by another line."""
        return list(self._returned)

    def put(self, pending: PendingLine) -> None:
        """Have a line sent, behind those that wait."""
        self._returned.pop(pending.line, None)
        self._pendings.append(pending)

    def answered(self, revision: object = None, *, seen: object = None) -> None:
        """The first line is done with. If it was accepted, `seen` is the revision that it was held to, and
        `revision` the one that it made."""
        pending = self._pendings.popleft()
        if isinstance(seen, int) and isinstance(revision, int) and revision > seen:
            self._ours[pending.task, seen] = revision
            if len(self._ours) > _MOST:
                del self._ours[next(iter(self._ours))]

    def give_back(self, line: str) -> None:
        """Know a line that was refused while another one was typed."""
        self._returned[line] = None

    def start_over(self) -> list[str]:
        """It is another log: what was not sent yet is not sent there. Those lines."""
        waiting = [self._pendings.pop().line for _ in range(len(self._pendings) - 1)][::-1]
        self._ours.clear()
        self._returned |= dict.fromkeys(waiting)
        return waiting

    def revision(self, context: ComposerContext, task: str) -> int | None:
        """The revision of a task that a writer knows of: what they had seen, and what was sent from here since."""
        known = context.revision(task)
        while known is not None and (task, known) in self._ours:
            known = self._ours[task, known]
        return known

    def call(self, pending: PendingLine) -> tuple[dict[str, Any], bool]:
        """What to call with, and whether that holds it to what was seen, so that nothing unseen is changed."""
        seen = self.revision(pending.context, pending.task)
        given = dict(pending.arguments)
        if seen is None or "expected_revision" in given or not composer_syntax.takes_revision(pending.operation):
            return given, False
        return {**given, "expected_revision": seen}, True
