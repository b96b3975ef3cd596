"""Todo lists as the screens show them: progress, order, since when an item is in progress, why one is blocked."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from gatepost.client.protocol import Update
from gatepost.replies.events import LoggedEvent
from gatepost.replies.radar import Blocker
from gatepost.todo import ListCounts, Scope, Status, TodoItem, TodoStore
from gatepost.todo.json_values import NOTHING, record
from gatepost.todo.scopes import scope_key
from gatepost.views.session_events import SNAPSHOT

_MOST: Final = 10_000
_REASONS: Final = 10
"""The radar gives at most this many reasons of blocked steps."""
_BARE: Final = 20
"""At most this many tasks without steps are asked for at once."""
_LATEST: Final = 10**14
_TASK: Final = re.compile(r"TASK-[0-9]+\Z")
_BEGINNINGS: Final = frozenset({"task_created", "steps_added", "step_done", "step_reopened", "task_reopened"})
_OWN_BEGINNINGS: Final = frozenset({"step_unblocked", "step_reopened"})


class ListProgress(NamedTuple):
    """Items done, of all that are not canceled."""

    done: int
    total: int

    def __str__(self) -> str:
        return f"{self.done}/{self.total}"

    @property
    def complete(self) -> bool:
        """Whether there are items and all are done."""
        return self.done == self.total > 0


def progress(counts: ListCounts) -> ListProgress:
    """Progress as every screen shows it: canceled items do not count."""
    return ListProgress(counts.done, counts.total - counts.canceled)


def is_task(scope: str) -> bool:
    """Whether a scope is a task's list. Only tasks have details to ask for."""
    return _TASK.match(scope) is not None


class ListParts(NamedTuple):
    """A list's items grouped by status, each group in the list's order."""

    now: list[TodoItem]
    blocked: list[TodoItem]
    open: list[TodoItem]


def parts(items: Iterable[TodoItem]) -> ListParts:
    """Group items: in progress, blocked, and open."""
    found = ListParts([], [], [])
    bins = {Status.IN_PROGRESS: found.now, Status.BLOCKED: found.blocked, Status.TODO: found.open}
    for item in items:
        kept = bins.get(item.status)
        if kept is not None:
            kept.append(item)
    return found


class TodoLists:
    """Facts that the lists themselves do not carry: since when an item is in progress, why one is blocked, which
    list leads, and which changed last."""

    def __init__(self, todos: TodoStore) -> None:
        self._todos = todos
        self._since: dict[str, dict[str, float | None]] = {}
        self._reasons: dict[str, str] = {}
        self._touched: dict[str, int] = {}
        self._asked: dict[str, int | None] = {}
        self._parts: dict[str, tuple[tuple[TodoItem, ...], ListParts]] = {}
        self._bare: dict[str, tuple[int | None, bool]] = {}
        """Tasks without steps: the revision at which each was asked for, and whether it is open."""
        self._scopes: Mapping[str, Scope] | None = None
        self._ordered: tuple[str | None, Sequence[Scope]] | None = None
        self.lead: str | None = None
        self.chosen: str | None = None
        """The list the person chose to lead."""

    def take(self, update: Update) -> None:
        """Take in an update."""
        self._scopes = self._ordered = None
        for event in update.events:
            self._take_event(event)
        last: dict[str, dict[str, Any]] = {}
        for event in update.todo:
            scope = _scope_of(event)
            if scope is not None:
                last[scope] = event
        for scope, event in last.items():
            self._take_list(scope, event)
        if len(self._since) > _MOST:
            self._forget_others(self.scopes)

    @property
    def scopes(self) -> Mapping[str, Scope]:
        """Every list by its key, oldest first. Cached until the next update: reading ten thousand lists for every
        key press is too slow."""
        if self._scopes is None:
            self._scopes = self._todos.scopes
        return self._scopes

    def parts(self, scope: str) -> ListParts:
        """A list's items grouped by status. Cached while the list is the same."""
        items = self._todos.items(scope)
        known = self._parts.get(scope)
        if known is None or known[0] is not items:
            known = self._parts[scope] = (items, parts(items))
        return known[1]

    def since(self, scope: str, item: str) -> float | None:
        """When an item came to be in progress, in seconds since 1970; `None` if that is not known."""
        return self._since.get(scope, {}).get(item)

    def reason(self, item: str) -> str | None:
        """Why an item is blocked; `None` if that is not known."""
        return self._reasons.get(item)

    def ordered(self) -> Sequence[Scope]:
        """The open lists: the leading one, those in progress, those with blocked items, then the rest, latest
        first. An open task without steps counts as an open list."""
        lead = self.chosen or self.lead
        if self._ordered is None or self._ordered[0] != lead:
            known = [scope for scope in self.scopes.values() if self._is_open(scope)]
            self._ordered = (lead, sorted(known, key=self._rank))
        return self._ordered[1]

    def active(self) -> str | None:
        """Of the lists with something in progress, the one that changed last."""
        busy = [scope.key for scope in self.scopes.values() if scope.counts.in_progress]
        return max(busy, key=lambda key: self._touched.get(key, 0), default=None)

    def leading(self) -> str | None:
        """The task whose list comes first."""
        return next((scope.key for scope in self.ordered() if is_task(scope.key)), None)

    def unknown(self, scopes: Iterable[Scope]) -> list[str]:
        """The tasks among these lists whose details are missing. Each is named once until it changes."""
        found = []
        for scope in scopes:
            if is_task(scope.key) and self._lacks(scope.key) and self._asked.get(scope.key) != scope.revision:
                self._asked[scope.key] = scope.revision
                found.append(scope.key)
        return found

    def bare(self) -> list[Scope]:
        """The latest tasks without steps that may be open: a deleted task leaves an empty list, too. Each is named
        once until it changes."""
        found = [scope for scope in self.scopes.values() if is_task(scope.key) and not scope.counts.total]
        new = [scope for scope in found if self._bare.get(scope.key, (-1, False))[0] != scope.revision][-_BARE:]
        for scope in new:
            self._bare[scope.key] = (scope.revision, self._bare.get(scope.key, (-1, False))[1])
        return new

    def learn_bare(self, task: str, *, is_open: bool | None) -> None:
        """Store whether a task without steps is open; `None` if it could not be read and must be asked again."""
        revision, before = self._bare.get(task, (-1, False))
        self._bare[task] = (-1, before) if is_open is None else (revision, is_open)
        self._ordered = None

    def _is_open(self, scope: Scope) -> bool:
        if scope.counts.total:
            return bool(scope.counts.todo or scope.counts.in_progress or scope.counts.blocked)
        return self._bare.get(scope.key, (None, False))[1]

    def _lacks(self, scope: str) -> bool:
        """Whether a shown detail is missing: since when an item is in progress, or why one is blocked."""
        times = self._since.get(scope, {}).values()
        blocked = self.parts(scope).blocked[:_REASONS]
        return any(at is None for at in times) or any(item.id not in self._reasons for item in blocked)

    def learn(self, scope: str, blockers: Iterable[Blocker], events: Sequence[LoggedEvent]) -> None:
        """Take in a task's blockers and its latest events."""
        for blocker in blockers:
            if blocker.step_id is not None:
                self._reasons[blocker.step_id] = blocker.reason or ""
        here = self._since.get(scope, {})
        for item, at in here.items():
            if at is None:
                here[item] = _began(item, events)

    def _take_event(self, event: Mapping[str, Any]) -> None:
        step = event.get("step_id")
        if event.get("type") == "step_blocked" and isinstance(step, str):
            self._reasons[step] = str(event.get("reason", ""))
            if len(self._reasons) > _MOST:
                del self._reasons[next(iter(self._reasons))]

    def _take_list(self, scope: str, event: Mapping[str, Any]) -> None:
        payload = event.get("payload")
        whole = isinstance(payload, Mapping) and payload.get("tool") == SNAPSHOT
        before = self._since.get(scope, {})
        at = None if whole else _seconds(event.get("timestamp_ms"))
        now = {item.id: before.get(item.id, at) for item in self.parts(scope).now}
        self._since[scope] = now
        seq = event.get("seq")
        if not whole and isinstance(seq, int):
            self._touched[scope] = seq

    def _forget_others(self, scopes: Mapping[str, Scope]) -> None:
        for known in (self._since, self._touched, self._asked, self._parts, self._bare):
            for gone in [scope for scope in known if scope not in scopes]:
                del known[gone]

    def _rank(self, scope: Scope) -> tuple[bool, bool, bool, int, str]:
        lead = self.chosen or self.lead
        counts = scope.counts
        return (
            scope.key != lead,
            not counts.in_progress,
            not counts.blocked,
            -self._touched.get(scope.key, 0),
            scope.key,
        )


def _scope_of(event: Mapping[str, Any]) -> str | None:
    """Which list an event is about. Its items are not read again: there may be very many."""
    payload = record(event.get("payload"))
    if payload is None:
        return scope_key(event, event)
    return scope_key(record(payload.get("todo")) or NOTHING, payload)


def _began(item: str, events: Iterable[LoggedEvent]) -> float | None:
    """When a step came to be the one in progress, by the last events of its task.

    That is when another was closed, when it was unblocked or reopened itself, or when the task began.
    """
    beginnings = (
        _moment(event.at)
        for event in events
        if event.type in (_OWN_BEGINNINGS if event.step_id == item else _BEGINNINGS)
    )
    return max((at for at in beginnings if at is not None), default=None)


def _moment(at: str) -> float | None:
    try:
        return datetime.fromisoformat(at).timestamp()
    except ValueError:
        return None


def _seconds(milliseconds: object) -> float | None:
    """The time of a session event in seconds; `None` if it is out of range."""
    if isinstance(milliseconds, int | float) and 0 < milliseconds < _LATEST:
        return milliseconds / 1000
    return None
