"""A step's events: the end of the task's log first, older ones on request."""

from typing import Any, Final

from gatepost.client.delivery import fingerprint
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
        self._events: dict[int, dict[str, Any]] = {}
        self._from: int | None = None
        self._reach = _REACH
        self.whole = False
        """Whether the log was read back to its beginning."""

    def of(self, step_id: str) -> list[dict[str, Any]]:
        """What is known of a step, newest first."""
        mine = (event for event in list(self._events.values()) if event.get("step_id") == step_id)
        return sorted(mine, key=lambda event: -int(event["seq"]))

    def latest(self, step_id: str) -> dict[str, Any]:
        """The step in full, as tasks_resume has it, with `now`; the latest events are taken in."""
        named = {"task": self._task, "step_id": step_id}
        reply = self._source.call("tasks_resume", **named, limit=40, events_limit=_AT_FIRST, max_chars=1_000_000)
        reply["now"] = self._source.call("tasks_tree", task=self._task, limit=1)["now"]
        events = reply.get("events") or []
        if not self._goes_on(events):
            self._events, self._from, self._reach = {}, None, _REACH
        self._add(events)
        if self._from is None:
            self.whole = len(events) < _AT_FIRST and not reply.get("budget", {}).get("truncated", False)
            self._from = min((event["seq"] for event in events), default=0) - 1
        return reply

    def back(self) -> None:
        """Read further back, a stretch that grows."""
        for _ in range(_PATIENCE):
            if self.whole or self._from is None:
                return
            end, start = self._from, max(0, self._from - self._reach)
            self._stretch(start, end)
            self._from, self._reach, self.whole = start, self._reach * 2, start == 0

    def _goes_on(self, latest: list[dict[str, Any]]) -> bool:
        """Whether the end of the log joins what was read. Else there is a hole between, or it is another log."""
        known = self._events
        again = [
            fingerprint(event) == fingerprint(known[event["seq"]]) for event in latest if event["seq"] in known
        ]
        return bool(again) and all(again)

    def _stretch(self, since: int, end: int) -> None:
        more = True
        while more and since < end:
            said = self._source.call("tasks_delta", task=self._task, since=since, limit=_PAGE, max_chars=_MOST)
            self._add(said["events"])
            since, more = said["next"], said["has_more"]

    def _add(self, events: list[dict[str, Any]]) -> None:
        self._events |= {event["seq"]: event for event in events}
