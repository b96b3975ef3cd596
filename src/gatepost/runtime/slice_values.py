"""The values of a slice: a list that grows at its end and is shared with snapshots.

A snapshot keeps the list and its length. So taking one costs nothing, and appending continues in the same list.
Only replacing a value copies the list first, once for each snapshot.
"""

from collections.abc import Callable, Hashable
from typing import Final, Generic, TypeVar

T = TypeVar("T")


class SliceValues(Generic[T]):
    """The values of one slice. The session's lock serializes changes; reading needs no lock."""

    __slots__ = ("_shared", "edits", "grow", "lineage", "run")

    run: "ValueRange[T]"
    grow: Callable[[T], None] | None
    """The list's own `append`, the fastest way to add a value. `None` while the list is shared."""
    lineage: object
    """The same object as long as values are only added or replaced in place."""

    def __init__(self) -> None:
        self.edits = 0
        """How often a value was replaced in place."""
        self._begin([])

    def clear(self) -> None:
        """Remove everything."""
        self._begin([])

    def latest(self) -> T | None:
        """The last value."""
        run = self.run
        size = run.size()
        return run.items[size - 1] if size else None

    def all(self) -> tuple[T, ...]:
        """Every value. Returns the same tuple until something changes."""
        # Read `edits` before the values: a change in between makes the cached tuple stale, never wrongly fresh.
        return self.run.values(self.edits)

    def add(self, value: T) -> None:
        """Add a value at the end."""
        if self.grow is None:
            self._rewrite([*self.run.copied(), value])
        else:
            self.grow(value)

    def put(self, values: tuple[T, ...]) -> None:
        """Replace all values."""
        self._begin(list(values), kept=values)

    def replace(self, place: int, value: T) -> None:
        """Replace the value at a position."""
        if self.grow is None or self._shared:
            items = self.run.copied()
            items[place] = value
            self._rewrite(items)
        else:
            self.run.items[place] = value
        self.edits += 1

    def hold(self) -> "ValueRange[T]":
        """The present values, which stay the same whatever happens to the slice."""
        run = self.run
        if run.end is not None:
            return run
        self._shared = True
        return ValueRange(run.items, len(run.items))

    def take(self, held: "ValueRange[T]") -> None:
        """Return to values that `hold` returned, here or in another slice. The first change then makes a copy."""
        # A shared list is never changed in place: at the same length it has the same values.
        if held.items is self.run.items and held.size() == self.run.size():
            return
        self.grow = None
        self.run = held
        self.lineage = object()

    def _rewrite(self, items: list[T]) -> None:
        lineage = self.lineage
        self._begin(items)
        self.lineage = lineage

    def _begin(self, items: list[T], kept: tuple[T, ...] | None = None) -> None:
        """Continue with a list that nobody else refers to."""
        self._shared = False
        self.run = ValueRange(items, None, None if kept is None else (self.edits, kept))
        self.grow = items.append
        self.lineage = object()


class ValueRange(Generic[T]):
    """The values of a list up to `end`, which never change. Without an end: all present and future values."""

    __slots__ = ("_kept", "end", "items")

    def __init__(self, items: list[T], end: int | None, kept: tuple[int, tuple[T, ...]] | None = None) -> None:
        self.items: Final = items
        self.end: Final = end
        self._kept = kept

    def size(self) -> int:
        """The number of values."""
        return len(self.items) if self.end is None else self.end

    def values(self, edits: int) -> tuple[T, ...]:
        """Every value. The tuple is built again only after more values or edits."""
        kept, size = self._kept, self.size()
        if kept is not None and len(kept[1]) == size and (kept[0] == edits or self.end is not None):
            return kept[1]
        values = tuple(self.items if self.end is None else self.items[:size])
        self._kept = (edits, values)
        return values

    def copied(self) -> list[T]:
        """The values in a new list."""
        return self.items[: self.end]


class KeyIndex(Generic[T]):
    """Finds the position of a key in a slice. Computes the key of each new value once."""

    __slots__ = ("_edits", "_key", "_lineage", "_places", "_several", "_upto")

    def __init__(self, key: Callable[[T], Hashable]) -> None:
        self._key: Final = key
        self._lineage: object = None
        self._edits = 0
        self._upto = 0
        self._places: dict[Hashable, int] = {}
        self._several: set[Hashable] = set()

    def find(self, row: SliceValues[T], key: Hashable) -> tuple[int | None, bool]:
        """The first position of a key, if any, and whether there are more."""
        self._follow(row)
        return self._places.get(key), key in self._several

    def replace(self, row: SliceValues[T], place: int, value: T) -> None:
        """Replace a value by one with the same key."""
        row.replace(place, value)
        self._edits = row.edits

    def _follow(self, row: SliceValues[T]) -> None:
        if self._lineage is not row.lineage or self._edits != row.edits:
            self._lineage, self._edits, self._upto = row.lineage, row.edits, 0
            self._places, self._several = {}, set()
        items, size = row.run.items, row.run.size()
        for place in range(self._upto, size):
            key = self._key(items[place])
            if self._places.setdefault(key, place) != place:
                self._several.add(key)
            self._upto = place + 1
