"""The list of one scope. A delta costs only what it changes."""

from dataclasses import dataclass, field
from typing import assert_never

from gatepost.todo import identities
from gatepost.todo.identities import Named
from gatepost.todo.items import ItemFields, TodoItem
from gatepost.todo.scopes import ListCounts, counted
from gatepost.todo.updates import Op, ScopeUpdate


@dataclass(slots=True)
class ScopeList:
    """The items of a scope and its last applied revision. Guarded by the store's lock.

    `missed` is the highest revision that was skipped.
    """

    key: str
    label: str
    revision: int | None = None
    missed: int | None = None
    behind: bool = False
    weight: int = 0
    _items: dict[str, TodoItem] = field(default_factory=dict)
    _shown: tuple[TodoItem, ...] | None = ()
    _counts: ListCounts | None = None

    @property
    def versioned(self) -> bool:
        """Whether an update of the scope had a revision, applied or not."""
        return self.revision is not None or self.missed is not None

    def items(self) -> tuple[TodoItem, ...]:
        """The items in order."""
        if self._shown is None:
            self._shown = tuple(self._items.values())
        return self._shown

    def counts(self) -> ListCounts:
        """How many items have each status."""
        if self._counts is None:
            self._counts = counted(self._items.values())
        return self._counts

    def pass_over(self, revision: int | None) -> None:
        """Skip an update and mark the list as behind."""
        self.behind = True
        if revision is not None:
            self.missed = revision if self.missed is None else max(revision, self.missed)

    def named(self, update: ScopeUpdate) -> Named:
        """An update's fields for each item, with the ids that the items have in this list."""
        named = identities.in_list if update.op is Op.REPLACE else identities.in_delta
        return named(update.entries, self.items)

    def change(self, op: Op, named: Named, revision: int | None) -> None:
        """Apply a change completely, and take its revision."""
        self._make(op, named)
        self._shown = self._counts = None
        self.revision = revision
        caught_up = revision is not None and self.missed is not None and revision >= self.missed
        if caught_up or op in (Op.REPLACE, Op.CLEAR):
            self.behind = False

    def _make(self, op: Op, named: Named) -> None:
        match op:
            case Op.REPLACE:
                # Of two items with the same id, the later replaces the earlier.
                self._items = {each: entry.item(each) for each, entry in named}
                self.weight = sum(item.weight for item in self._items.values())
            case Op.CLEAR:
                self._items = {}
                self.weight = 0
            case Op.PATCH:
                for each, entry in named:
                    self._patch(each, entry)
            case Op.UPSERT:
                for each, entry in named:
                    self._upsert(each, entry)
            case Op.DELETE:
                for each, _ in named:
                    self._drop(each)
            case _:
                assert_never(op)

    def _patch(self, item_id: str, entry: ItemFields) -> None:
        if item_id in self._items:
            self._put(entry.onto(self._items[item_id]))

    def _upsert(self, item_id: str, entry: ItemFields) -> None:
        known = self._items.get(item_id)
        self._put(entry.item(item_id) if known is None else entry.onto(known))
        if entry.position is not None:
            self._place(item_id, entry.position)

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
