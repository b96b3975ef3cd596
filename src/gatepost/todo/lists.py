"""One scope's list, kept so that a delta costs what it changes."""

from dataclasses import dataclass, field
from typing import assert_never

from gatepost.todo.items import Entry, TodoItem
from gatepost.todo.scopes import Counts, counted
from gatepost.todo.updates import Change, Clear, Delete, Patch, Replace, Upsert


@dataclass(slots=True)
class ScopeList:
    """The items of a scope and how far its revisions were followed. The store's lock guards it.

    `missed` is the highest revision that had to be passed over.
    """

    key: str
    label: str
    revision: int | None = None
    missed: int | None = None
    behind: bool = False
    weight: int = 0
    _items: dict[str, TodoItem] = field(default_factory=dict)
    _shown: tuple[TodoItem, ...] | None = ()
    _counts: Counts | None = None

    @property
    def versioned(self) -> bool:
        """Whether the scope has shown a revision, used or not."""
        return self.revision is not None or self.missed is not None

    def items(self) -> tuple[TodoItem, ...]:
        """The items in order."""
        if self._shown is None:
            self._shown = tuple(self._items.values())
        return self._shown

    def counts(self) -> Counts:
        """How many items have each status."""
        if self._counts is None:
            self._counts = counted(self._items.values())
        return self._counts

    def pass_over(self, revision: int | None) -> None:
        """Leave an update out, and know that the list lags for it."""
        self.behind = True
        if revision is not None:
            self.missed = revision if self.missed is None else max(revision, self.missed)

    def change(self, change: Change, revision: int | None) -> None:
        """Make one change, whole, and stand at its revision."""
        self._make(change)
        self._shown = self._counts = None
        self.revision = revision
        caught_up = revision is not None and self.missed is not None and revision >= self.missed
        if caught_up or isinstance(change, Replace | Clear):
            self.behind = False

    def _make(self, change: Change) -> None:
        match change:
            case Replace(items):
                self._items = {item.id: item for item in items}
                self.weight = sum(item.weight for item in items)
            case Clear():
                self._items = {}
                self.weight = 0
            case Patch(entries):
                for entry in entries:
                    self._patch(entry)
            case Upsert(entries):
                for entry in entries:
                    self._upsert(entry)
            case Delete(ids):
                for each in ids:
                    self._drop(each)
            case _:
                assert_never(change)

    def _patch(self, entry: Entry) -> None:
        if entry.id in self._items:
            self._put(entry.onto(self._items[entry.id]))

    def _upsert(self, entry: Entry) -> None:
        known = self._items.get(entry.id)
        self._put(entry.item() if known is None else entry.onto(known))
        if entry.position is not None:
            self._place(entry.id, entry.position)

    def _put(self, item: TodoItem) -> None:
        before = self._items.get(item.id)
        self.weight += item.weight - (0 if before is None else before.weight)
        self._items[item.id] = item

    def _place(self, item_id: str, position: int) -> None:
        item = self._items.pop(item_id)
        others = list(self._items.values())
        others.insert(max(position, 0), item)
        self._items = {each.id: each for each in others}

    def _drop(self, item_id: str) -> None:
        item = self._items.pop(item_id, None)
        self.weight -= 0 if item is None else item.weight
