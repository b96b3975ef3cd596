"""A step's events: the end of the task's log first, older ones on request."""

from collections.abc import Sequence
from typing import Final

from gatepost.replies.events import LoggedEvent
from gatepost.replies.radar import RadarReply
from gatepost.replies.resume import ResumeReply
from gatepost.surfaces.tui.source import Source

_AT_FIRST: Final = 200
_REACH: Final = 2_000
_PATIENCE: Final = 6
_PAGE: Final = 200
_MOST: Final = 100_000


class StepHistory:
    """A task's events as far as they were read. Its methods block: they are for a thread."""

    def __init__(self, source: Source, task: str) -> None:
        self._source = source
        self._task = task
        self._events: dict[int, LoggedEvent] = {}
        self._from: int | None = None
        self._reach = _REACH
        self.whole = False
        """Whether the log was read back to its beginning."""

    def of(self, step_id: str) -> list[LoggedEvent]:
        """What is known of a step, newest first."""
        mine = (event for event in list(self._events.values()) if event.step_id == step_id)
        return sorted(mine, key=lambda event: -event.seq)

    def latest(self, step_id: str) -> tuple[ResumeReply, RadarReply]:
        """The step in full, and the radar of its task; the latest events are taken in."""
        resume = self._source.calls.tasks.resume
        reply = resume(task=self._task, step_id=step_id, limit=40, events_limit=_AT_FIRST, max_chars=1_000_000)
        radar = self._source.calls.tasks.radar(task=self._task)
        events = reply.events or ()
        if not self._goes_on(events):
            self._events, self._from, self._reach = {}, None, _REACH
        self._add(events)
        if self._from is None:
            self.whole = len(events) < _AT_FIRST and not (reply.budget and reply.budget.truncated)
            self._from = min((event.seq for event in events), default=0) - 1
        return reply, radar

    def back(self) -> None:
        """Read further back, a stretch that grows."""
        for _ in range(_PATIENCE):
            if self.whole or self._from is None:
                return
            end, start = self._from, max(0, self._from - self._reach)
            self._stretch(start, end)
            self._from, self._reach, self.whole = start, self._reach * 2, start == 0

    def _goes_on(self, latest: Sequence[LoggedEvent]) -> bool:
        """Whether the end of the log joins what was read. Else there is a hole between, or it is another log."""
        known = self._events
        again = [_mark(event) == _mark(known[event.seq]) for event in latest if event.seq in known]
        return bool(again) and all(again)

    def _stretch(self, since: int, end: int) -> None:
        more = True
        while more and since < end:
            page = self._source.calls.tasks.delta(task=self._task, since=since, limit=_PAGE, max_chars=_MOST)
            self._add(page.events)
            since, more = page.next, page.has_more

    def _add(self, events: Sequence[LoggedEvent]) -> None:
        self._events |= {event.seq: event for event in events}


def _mark(event: LoggedEvent) -> tuple[object, ...]:
    """What an event is recognised by: a budget may have cut its texts."""
    return (event.type, event.at, event.actor, event.task, event.step_id)
