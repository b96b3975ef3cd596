"""The reference store: plain dictionaries and sorted lists. Every other store must behave like this one."""

import threading
from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from functools import lru_cache, partial
from itertools import islice
from typing import Any

from msgspec.structs import astuple

from gatepost.domain.search import beginnings, fingerprint
from gatepost.domain.tallies import NONE, Tally
from gatepost.engine.port import (
    ArtifactRow,
    Changes,
    Clause,
    Defect,
    EventRow,
    Head,
    ImageRow,
    Inspection,
    OperationRow,
    Rebuild,
    SearchHit,
    SearchHits,
    SearchRow,
    Stored,
    StoreSnapshot,
    StoreTransaction,
    Table,
    Tables,
    in_log_order,
)
from gatepost.storage.postings import leapfrog


class _Workspace:
    def __init__(self) -> None:
        self.head = Head()
        self.documents: dict[str, str] = {}
        self.tallies: dict[str, Tally] = {}
        self.terms: list[tuple[str, str]] = []
        self.names: dict[str, str] = {}
        self.events: list[EventRow] = []
        self.operations: list[OperationRow] = []
        self.images: list[ImageRow] = []
        self.touches: list[tuple[str, int, int]] = []
        self.artifacts: list[ArtifactRow] = []
        self.masked_texts: list[tuple[str, str, int]] = []
        self.written: dict[tuple[str, str], str] = {}
        self.searched: dict[int, SearchRow] = {}
        self.findable: set[str] = set()
        self.indexed = 0

    def copied(self) -> "_Workspace":
        """Rows never change, so copying the containers is enough."""
        twin = _Workspace()
        for name, held in vars(self).items():
            setattr(twin, name, copy(held))
        return twin


class MemoryStore:
    """Workspaces in the memory of this process."""

    def __init__(self) -> None:
        self._workspaces: dict[str, _Workspace] = {}
        self._changed = threading.Condition(threading.RLock())

    @contextmanager
    def reading(self, workspace: str) -> Iterator[StoreSnapshot]:
        """A consistent view. Writers wait while it is open."""
        with self._changed:
            yield _MemoryTransaction(self._workspaces.get(workspace) or _Workspace())

    @contextmanager
    def writing(self, workspace: str) -> Iterator[StoreTransaction]:
        """A copy that replaces the workspace when it is committed."""
        with self._changed:
            before = self._workspaces.get(workspace)
            transaction = _MemoryTransaction(_Workspace() if before is None else before.copied())
            yield transaction
            if transaction.committed:
                self._workspaces[workspace] = transaction.state
                self._changed.notify_all()

    def put_written(self, workspace: str, folder: str, taskdoc: str, body: str | None) -> None:
        """Record what a package holds now, or nothing if it was removed. Wakes no waiters: the log is unchanged."""
        with self._changed:
            state = self._workspaces.get(workspace)
            if state is not None:
                # A copy, as for every write: an open snapshot must not change.
                self._workspaces[workspace] = twin = state.copied()
                twin.written.pop((folder, taskdoc), None)
                twin.written |= {} if body is None else {(folder, taskdoc): body}

    def blank(self) -> StoreTransaction | None:
        """None: a first write creates nothing that a refusal would leave behind."""
        return None

    def try_write(self) -> None:
        """Do nothing: memory accepts every write."""

    def workspaces(self) -> list[str]:
        """The names of the workspaces that have been written to."""
        return sorted(self._workspaces)

    def wait(self, workspace: str, after: int, seconds: float) -> bool:
        """Return as soon as the log may have passed `after`, or when the time is up."""
        with self._changed:
            state = self._workspaces.get(workspace)
            return (state is not None and state.head.seq > after) or self._changed.wait(seconds)

    def release(self, workspace: str) -> None:  # noqa: ARG002 - the port's; here all wait together
        """End all waits."""
        with self._changed:
            self._changed.notify_all()

    @contextmanager
    def inspecting(self) -> Iterator[Inspection]:
        """The workspaces, for the doctor."""
        with self._changed:
            yield MemoryInspection(self._workspaces)

    @contextmanager
    def rebuilding(self) -> Iterator[Rebuild]:
        """Exclusive access to the workspaces, to write them again."""
        with self._changed:
            yield _MemoryRebuilding(self, self._workspaces)

    def become(self, other: "MemoryStore") -> None:
        """Take over the content of another store."""
        with self._changed:
            self._workspaces = dict(other.states())

    def states(self) -> Iterable[tuple[str, _Workspace]]:
        """The content of each workspace."""
        return self._workspaces.items()

    def describe(self) -> dict[str, Any]:
        """What kind of store this is."""
        return {"kind": "memory"}

    def close(self) -> None:
        """Do nothing: there is nothing to release."""


class MemoryInspection:
    """Workspaces in memory, which cannot be damaged."""

    def __init__(self, workspaces: dict[str, _Workspace]) -> None:
        self._workspaces = workspaces

    def defects(self) -> Iterator[Defect]:
        """None: there is no file."""
        yield from ()

    def workspaces(self) -> list[str]:
        """The names of all workspaces."""
        return sorted(self._workspaces)

    def tables(self, workspace: str) -> Tables:
        """One workspace."""
        return _MemoryTransaction(self._workspaces.get(workspace) or _Workspace())


class _MemoryRebuilding:
    def __init__(self, store: MemoryStore, workspaces: dict[str, _Workspace]) -> None:
        self.old: Inspection = MemoryInspection(workspaces)
        self.new = MemoryStore()
        self._store = store

    def finish(self) -> str | None:
        self._store.become(self.new)
        return None


class _MemoryTransaction:
    def __init__(self, state: _Workspace) -> None:
        self.state = state
        self.committed = False

    def head(self) -> Head:
        return self.state.head

    def load(self, place: str) -> Stored | None:
        text, tally = self.state.documents.get(place), self.state.tallies.get(place)
        return None if text is None and tally is None else Stored(text, tally or NONE)

    def load_many(self, places: Sequence[str]) -> dict[str, Stored]:
        found = ((place, self.load(place)) for place in places)
        return {place: stored for place, stored in found if stored is not None}

    def span(self, first: str, end: str, limit: int) -> list[tuple[str, Stored]]:
        found = sorted(place for place in self.state.documents if first <= place < end)[:limit]
        return [(place, Stored(self.state.documents[place], self._tally(place))) for place in found]

    def count(self, first: str, end: str) -> int:
        return sum(first <= place < end for place in self.state.documents)

    def find(self, name: str) -> str | None:
        return self.state.names.get(name)

    def postings(self, clauses: Sequence[Clause], first: str, end: str, limit: int) -> list[str]:
        return leapfrog(self._seek, clauses, first, end, limit)

    def search(self, words: Sequence[str], limit: int, upto: int | None = None) -> SearchHits:
        found = (
            SearchHit(number, row.place, row.seq, _have(row.title, words))
            for number, row in reversed(self.state.searched.items())
            if row.place in self.state.findable
            and (upto is None or number <= upto)
            and _have((*row.title, *row.text), words)
        )
        newest = list(islice(found, limit + 1))
        return SearchHits(newest[:limit], newest[limit].number if len(newest) > limit else None)

    def events(self, after: int, limit: int, root: str | None) -> list[EventRow]:
        found = (row for row in self.state.events if row.seq > after and root in (None, row.root))
        return list(found)[:limit]

    def recent(self, limit: int, root: str | None, step_id: str | None = None) -> list[EventRow]:
        mine = (row for row in reversed(self.state.events) if root in (None, row.root))
        found = (row for row in mine if step_id in (None, row.step_id))
        return list(found)[:limit]

    def operations(self, before: int, limit: int, root: str | None) -> list[OperationRow]:
        touched = {operation for place, operation, _ in self.state.touches if place == root}
        found = (
            row
            for row in reversed(self.state.operations)
            if row.operation < before and (root is None or row.operation in touched)
        )
        return list(found)[:limit]

    def images(self, operation: int, place: str | None = None) -> list[ImageRow]:
        return sorted(row for row in self.state.images if row.operation == operation and place in (None, row.place))

    def artifacts(self, place: str, limit: int) -> list[ArtifactRow]:
        found = [row for row in self.state.artifacts if row.place == place]
        return sorted(found, key=lambda row: (-row.seq, row.number))[:limit]

    def written(self, folder: str, taskdoc: str) -> str | None:
        return self.state.written.get((folder, taskdoc))

    def artifacts_from(self, place: str, first: tuple[int, int], limit: int) -> list[ArtifactRow]:
        found = (row for row in self.state.artifacts if row.place == place and (row.seq, row.number) >= first)
        return sorted(found, key=lambda row: (row.seq, row.number))[:limit]

    def rows(self, table: Table) -> Iterator[tuple[Any, ...]]:
        if table == "tallies":
            yield from ((place, *astuple(tally)) for place, tally in sorted(self.state.tallies.items()))
            return
        if table == "searched":
            found = map(self._searched, self.state.searched.values())
            yield from sorted(row for row in found if row[1] or row[2])  # hidden rows are kept for an undo
            return
        held = getattr(self.state, table)
        rows = held.items() if isinstance(held, dict) else held
        yield from sorted(rows, key=partial(in_log_order, table))

    def apply(self, changes: Changes) -> None:
        state = self.state
        state.head = changes.head
        for place, text in changes.documents:
            if text is None:
                state.documents.pop(place, None)
            else:
                state.documents[place] = text
        state.tallies.update(changes.tallies)
        for gone in changes.terms_gone:
            del state.terms[bisect_left(state.terms, gone)]
        for new in changes.terms_new:
            insort(state.terms, new)
        state.names.update(changes.names)
        state.events.extend(changes.events)
        state.operations.extend(row for row in (changes.operation, *changes.past) if row is not None)
        state.images.extend(changes.images)
        state.touches.extend(changes.touches)
        for undone_by, operation in changes.undone:
            at = next(i for i, row in enumerate(state.operations) if row.operation == operation)
            state.operations[at] = state.operations[at]._replace(undone_by=undone_by)
        state.artifacts.extend(changes.artifacts)
        state.masked_texts.extend(changes.masked_texts)
        if changes.search_reset:
            state.searched, state.findable = {}, set()
        for row in changes.search_new:
            self._index(row)
        state.findable.difference_update(changes.search_gone)

    def commit(self) -> None:
        self.committed = True

    def _index(self, row: SearchRow) -> None:
        """Index a row as the newest one. A row with the same words as before is only made visible again."""
        state = self.state
        own = next((number for number, kept in state.searched.items() if kept[:2] == row[:2]), None)
        if own is None or state.searched[own] != row:
            state.searched.pop(own or 0, None)
            state.indexed += 1
            state.searched[state.indexed] = row
        if not row.seq:
            state.findable.add(row.place)

    def _searched(self, row: SearchRow) -> tuple[str, int, bool, str, int]:
        mark = _mark((*row.title, *row.text))
        return row.place, row.seq, row.place in self.state.findable, " ".join(row.title), mark

    def _tally(self, place: str) -> Tally:
        return self.state.tallies.get(place, NONE)

    def _seek(self, term: str, place: str) -> str | None:
        index = bisect_left(self.state.terms, (term, place))
        if index < len(self.state.terms) and self.state.terms[index][0] == term:
            return self.state.terms[index][1]
        return None


@lru_cache(maxsize=1_024)
def _mark(words: tuple[str, ...]) -> int:
    return fingerprint(beginnings(words))


def _have(found: Sequence[str], words: Sequence[str]) -> bool:
    return all(any(each.startswith(word) for each in found) for word in words)


class Blank(_MemoryTransaction):
    """An empty workspace. What is committed to it is discarded."""

    def __init__(self) -> None:
        super().__init__(_Workspace())
