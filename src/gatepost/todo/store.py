"""The lists of every scope, kept right from a stream that may repeat itself, skip, restart or talk nonsense."""

import threading
from collections.abc import Mapping
from enum import Enum, auto
from typing import Final, assert_never

from gatepost.todo.identities import Named
from gatepost.todo.items import TodoItem
from gatepost.todo.lists import ScopeList
from gatepost.todo.scopes import MAIN, Scope
from gatepost.todo.updates import (
    ClearItems,
    DeleteItems,
    ListChange,
    ListUpdate,
    PatchItems,
    ReplaceItems,
    Unread,
    UpsertItems,
    read,
)

MOST_SCOPES: Final = 10_000
MOST_CHARACTERS: Final = 64_000_000


class Outcome(Enum):
    """What became of something that was applied. True only where a list took it."""

    TAKEN = auto()
    OLD = auto()  # not newer than what the list holds, or unversioned where revisions rule
    GAP = auto()  # a delta before which something is missing: ask for a snapshot
    IGNORED = auto()  # not understood, or no room for it
    NOTHING = auto()  # it said nothing of todo lists

    def __bool__(self) -> bool:
        return self is Outcome.TAKEN


class TodoStore:
    """Todo lists by scope. Any thread may feed it and read it; what is read never changes afterwards.

    Its memory is bounded: `most_scopes` lists and `most_characters` in all their items (each item counts 64 on top
    of its texts). Where a new scope finds no room, the empty list that is known longest is forgotten for it. An
    update for which there is still no room is passed over like one that is not understood.
    """

    def __init__(self, *, most_scopes: int = MOST_SCOPES, most_characters: int = MOST_CHARACTERS) -> None:
        self._most_scopes: Final = most_scopes
        self._most_characters: Final = most_characters
        self._lock: Final = threading.Lock()
        self._lists: Final[dict[str, ScopeList]] = {}
        self._weight = 0
        self._ignored = 0

    def apply(self, given: object) -> Outcome:
        """Take in a session event, its payload, or a bare `todo` value, and say what became of it. Never raises."""
        update = read(given)
        if update is Unread.ABSENT:
            return Outcome.NOTHING
        with self._lock:
            outcome = Outcome.IGNORED if isinstance(update, Unread) else self._take(update)
            self._ignored += outcome is Outcome.IGNORED
            if outcome is Outcome.TAKEN and isinstance(update, ListUpdate):
                self._ignored += update.junk
        return outcome

    def forget(self) -> None:
        """Know no list any more: what a server asks for whose stream cannot go on from where one stopped."""
        with self._lock:
            self._lists.clear()
            self._weight = 0

    def items(self, scope: str = MAIN) -> tuple[TodoItem, ...]:
        """A scope's items in order; none where the scope is not known."""
        with self._lock:
            known = self._lists.get(scope)
            return () if known is None else known.items()

    @property
    def scopes(self) -> Mapping[str, Scope]:
        """Every known scope by its key, in the order of first sight; an emptied one stays."""
        with self._lock:
            return {key: _shown(known) for key, known in self._lists.items()}

    @property
    def ignored(self) -> int:
        """How much was left out: updates, and entries of updates that were taken without them.

        An update is left out that is not understood, is for a key that no list may have, or finds no room; an
        entry, that has neither an id nor a title. Repeated, stale and gapped updates are a stream's daily life and
        do not count.
        """
        with self._lock:
            return self._ignored

    def needs_snapshot(self, scope: str | None = None) -> bool:
        """Whether a scope's list (without a name: any list) is known to lag.

        That ends with a replace or clear, or when everything that was missed has come after all.
        """
        with self._lock:
            if scope is None:
                return any(known.behind for known in self._lists.values())
            return scope in self._lists and self._lists[scope].behind

    def _take(self, update: ListUpdate) -> Outcome:
        known = self._lists.get(update.scope)
        if known is not None and _is_old(known, update.revision):
            return Outcome.OLD
        list_ = ScopeList(key=update.scope, label=update.scope) if known is None else known
        named = list_.named(update.change)
        room = self._most_characters - self._weight + list_.weight
        fits = _most_weight(update.change, named, list_.weight) <= room
        if known is None and not (fits and self._opened(list_)):
            return Outcome.IGNORED
        if not fits or _skips(list_, update):
            list_.pass_over(update.revision)
            return Outcome.GAP if fits else Outcome.IGNORED
        self._change(list_, update, named)
        return Outcome.TAKEN

    def _change(self, known: ScopeList, update: ListUpdate, named: Named) -> None:
        before = known.weight
        known.change(update.change, named, update.revision)
        known.label = update.label or known.label
        self._weight += known.weight - before

    def _opened(self, new: ScopeList) -> bool:
        """Whether there is room for one more list; then it is there."""
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


def _skips(known: ScopeList, update: ListUpdate) -> bool:
    """Whether something is missing between what the list holds and a delta. A scope's first revision is 1."""
    if update.revision is None or isinstance(update.change, ReplaceItems | ClearItems):
        return False
    return update.revision > (known.revision or 0) + 1


def _most_weight(change: ListChange, named: Named, before: int) -> int:
    """What a list of some weight can weigh after a change, at the most."""
    match change:
        case ReplaceItems():
            return sum(entry.item(each).weight for each, entry in named)
        case PatchItems() | UpsertItems():
            return before + sum(entry.item(each).weight for each, entry in named)
        case ClearItems() | DeleteItems():
            return before
        case _:
            assert_never(change)


def _shown(known: ScopeList) -> Scope:
    return Scope(
        key=known.key,
        label=known.label,
        revision=known.revision,
        counts=known.counts(),
        needs_snapshot=known.behind,
    )
