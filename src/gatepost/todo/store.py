"""The lists of all scopes, kept correct from a stream that may repeat, skip, restart or contain nonsense."""

import threading
from collections.abc import Mapping
from enum import Enum, auto
from typing import Final

from gatepost.todo.identities import Named
from gatepost.todo.items import TodoItem
from gatepost.todo.lists import ScopeList
from gatepost.todo.scopes import MAIN, Scope
from gatepost.todo.updates import Op, ScopeUpdate, Unread, read

MOST_SCOPES: Final = 10_000
MOST_CHARACTERS: Final = 64_000_000


class Outcome(Enum):
    """The outcome of an update. True only if a list changed."""

    TAKEN = auto()
    OLD = auto()  # not newer than the list, or without a revision where revisions are used
    GAP = auto()  # an update before this delta is missing: ask for a snapshot
    IGNORED = auto()  # not understood, or no room for it
    NOTHING = auto()  # nothing about todo lists

    def __bool__(self) -> bool:
        return self is Outcome.TAKEN


class TodoStore:
    """Todo lists by scope. Any thread may update and read it; values that were read never change.

    Its memory is bounded: `most_scopes` lists and `most_characters` in all their items (each item counts 64 in
    addition to its texts). To make room for a new scope, the oldest empty list is dropped. An update that still has
    no room is skipped, like one that is not understood.
    """

    def __init__(self, *, most_scopes: int = MOST_SCOPES, most_characters: int = MOST_CHARACTERS) -> None:
        self._most_scopes: Final = most_scopes
        self._most_characters: Final = most_characters
        self._lock: Final = threading.Lock()
        self._lists: Final[dict[str, ScopeList]] = {}
        self._weight = 0
        self._ignored = 0

    def apply(self, given: object) -> Outcome:
        """Apply a session event, its payload, or a bare `todo` value, and return the outcome. Never raises."""
        update = read(given)
        if update is Unread.ABSENT:
            return Outcome.NOTHING
        with self._lock:
            outcome = Outcome.IGNORED if isinstance(update, Unread) else self._take(update)
            self._ignored += outcome is Outcome.IGNORED
            if outcome is Outcome.TAKEN and isinstance(update, ScopeUpdate):
                self._ignored += update.junk
        return outcome

    def forget(self) -> None:
        """Drop all lists, for a server whose stream cannot continue from the last position."""
        with self._lock:
            self._lists.clear()
            self._weight = 0

    def items(self, scope: str = MAIN) -> tuple[TodoItem, ...]:
        """A scope's items in order; empty if the scope is unknown."""
        with self._lock:
            known = self._lists.get(scope)
            return () if known is None else known.items()

    @property
    def scopes(self) -> Mapping[str, Scope]:
        """Every known scope by its key, in order of appearance. A scope stays when its list is emptied."""
        with self._lock:
            return {key: _shown(known) for key, known in self._lists.items()}

    @property
    def ignored(self) -> int:
        """The number of rejected updates, and of rejected entries in applied updates.

        An update is rejected if it is not understood, if its key is not allowed, or if there is no room; an entry,
        if it has neither an id nor a title. Repeated, stale and gapped updates are normal in a stream and do not
        count.
        """
        with self._lock:
            return self._ignored

    def needs_snapshot(self, scope: str | None = None) -> bool:
        """Whether a scope's list (without a scope: any list) is known to be behind.

        A replace or clear ends this, or the arrival of everything that was missed.
        """
        with self._lock:
            if scope is None:
                return any(known.behind for known in self._lists.values())
            return scope in self._lists and self._lists[scope].behind

    def _take(self, update: ScopeUpdate) -> Outcome:
        known = self._lists.get(update.scope)
        if known is not None and _is_old(known, update.revision):
            return Outcome.OLD
        list_ = ScopeList(key=update.scope, label=update.scope) if known is None else known
        named = list_.named(update)
        room = self._most_characters - self._weight + list_.weight
        fits = _most_weight(update.op, named, list_.weight) <= room
        if known is None and not (fits and self._opened(list_)):
            return Outcome.IGNORED
        if not fits or _skips(list_, update):
            list_.pass_over(update.revision)
            return Outcome.GAP if fits else Outcome.IGNORED
        self._change(list_, update, named)
        return Outcome.TAKEN

    def _change(self, known: ScopeList, update: ScopeUpdate, named: Named) -> None:
        before = known.weight
        known.change(update.op, named, update.revision)
        known.label = update.label or known.label
        self._weight += known.weight - before

    def _opened(self, new: ScopeList) -> bool:
        """Add a list if there is room for it. Returns whether there was."""
        if len(self._lists) >= self._most_scopes:
            idle = next((each for each, known in self._lists.items() if not known.weight), None)
            if idle is None:
                return False
            del self._lists[idle]
        self._lists[new.key] = new
        return True


def _is_old(known: ScopeList, revision: int | None) -> bool:
    if revision is None:
        return known.versioned
    return known.revision is not None and revision <= known.revision


def _skips(known: ScopeList, update: ScopeUpdate) -> bool:
    """Whether a revision between the list and a delta is missing. A scope's first revision is 1."""
    if update.revision is None or update.op in (Op.REPLACE, Op.CLEAR):
        return False
    return update.revision > (known.revision or 0) + 1


def _most_weight(op: Op, named: Named, before: int) -> int:
    """The greatest possible weight of a list after a change."""
    if op in (Op.CLEAR, Op.DELETE):
        return before
    given = sum(entry.item(each).weight for each, entry in named)
    return given if op is Op.REPLACE else before + given


def _shown(known: ScopeList) -> Scope:
    return Scope(
        key=known.key,
        label=known.label,
        revision=known.revision,
        counts=known.counts(),
        needs_snapshot=known.behind,
    )
