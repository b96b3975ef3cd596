"""The values of a slice: a list that grows at its end, and may be looked at by snapshots meanwhile.

A snapshot keeps the list and how long it was. So it costs nothing to take, and appending goes on in the same list;
only putting something in the place of an earlier value copies the list first, once for each snapshot.
"""

from collections.abc import Callable, Hashable
from typing import Final, Generic, TypeVar

T = TypeVar("T")


class SliceValues(Generic[T]):
    """What one slice holds. Changes come one at a time (the session's lock); reading needs no lock."""

    __slots__ = ("_shared", "edits", "grow", "lineage", "run")

    run: "ValueRange[T]"
    grow: Callable[[T], None] | None
    """Puts a value at the end of a list that is this row's to change: nothing is quicker. Else there is none."""
    lineage: object
    """Stays the same as long as values are only added, or replaced in their places."""

    def __init__(self) -> None:
        self.edits = 0
        """How often a value was replaced in its place."""
        self._begin([])

    def clear(self) -> None:
        """Hold nothing."""
        self._begin([])

    def latest(self) -> T | None:
        """The value at the end."""
        run = self.run
        size = run.size()
        return run.items[size - 1] if size else None

    def all(self) -> tuple[T, ...]:
        """Every value. The same tuple again as long as nothing changes."""
        # `edits` is read before the values: a change in between makes the kept tuple stale, never wrongly fresh.
        return self.run.values(self.edits)

    def add(self, value: T) -> None:
        """Put a value at the end."""
        if self.grow is None:
            self._rewrite([*self.run.copied(), value])
        else:
            self.grow(value)

    def put(self, values: tuple[T, ...]) -> None:
        """Hold exactly these."""
        self._begin(list(values), kept=values)

    def replace(self, place: int, value: T) -> None:
        """Put a value where another stands."""
        if self.grow is None or self._shared:
            items = self.run.copied()
            items[place] = value
            self._rewrite(items)
        else:
            self.run.items[place] = value
        self.edits += 1

    def hold(self) -> "ValueRange[T]":
        """What is here now, for good, whatever happens to the row."""
        run = self.run
        if run.end is not None:
            return run
        self._shared = True
        return ValueRange(run.items, len(run.items))

    def take(self, held: "ValueRange[T]") -> None:
        """Hold again what was held once, here or in another row; the first change then makes a copy."""
        # What is shared is never changed in its place: the same list at the same length holds the same values.
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
        """Go on with a list that nobody else knows."""
        self._shared = False
        self.run = ValueRange(items, None, None if kept is None else (self.edits, kept))
        self.grow = items.append
        self.lineage = object()


class ValueRange(Generic[T]):
    """The values of a list up to `end`, which never change; or, without an end, all it has and will have."""

    __slots__ = ("_kept", "end", "items")

    def __init__(self, items: list[T], end: int | None, kept: tuple[int, tuple[T, ...]] | None = None) -> None:
        self.items: Final = items
        self.end: Final = end
        self._kept = kept

    def size(self) -> int:
        """How many values it has."""
        return len(self.items) if self.end is None else self.end

    def values(self, edits: int) -> tuple[T, ...]:
        """Every value, built once as long as there are neither more values nor more edits."""
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
    """Where in a row the value with a key stands. It follows the row: each new value is asked for its key once."""

    __slots__ = ("_edits", "_key", "_lineage", "_places", "_several", "_upto")

    def __init__(self, key: Callable[[T], Hashable]) -> None:
        self._key: Final = key
        self._lineage: object = None
        self._edits = 0
        self._upto = 0
        self._places: dict[Hashable, int] = {}
        self._several: set[Hashable] = set()

    def find(self, row: SliceValues[T], key: Hashable) -> tuple[int | None, bool]:
        """The first place of a key, if it has one, and whether it has more."""
        self._follow(row)
        return self._places.get(key), key in self._several

    def replace(self, row: SliceValues[T], place: int, value: T) -> None:
        """Put a value in the place of one with the same key."""
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
