"""The rows of some lists, made when they are looked at: of ten thousand items a screen shows two dozen."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple, overload

from gatepost.todo import Counts, TodoItem


class Row(NamedTuple):
    """One row: a list's head, or an item of it."""

    scope: str
    item: TodoItem | None
    label: str = ""
    counts: Counts = Counts()


@dataclass(frozen=True, slots=True)
class Section:
    """A list: its head, if it has one, and its items."""

    scope: str
    head: Row | None
    items: tuple[TodoItem, ...]

    def __len__(self) -> int:
        return len(self.items) + (self.head is not None)

    def row(self, index: int) -> Row:
        """The row at a place of the list."""
        if self.head is not None:
            if index == 0:
                return self.head
            index -= 1
        return Row(self.scope, self.items[index])


class Listed(Sequence[Row]):
    """Sections below one another. Items that are the same objects are compared at no cost."""

    def __init__(self, sections: Iterable[Section]) -> None:
        self._sections = tuple(sections)
        self._ends = list(accumulate(len(section) for section in self._sections))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Listed) and self._sections == other._sections

    __hash__ = None  # type: ignore[assignment]  # lists are compared, and never looked up

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | Sequence[Row]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        place = index if index >= 0 else len(self) + index
        if not 0 <= place < len(self):
            raise IndexError(index)
        which = bisect_right(self._ends, place)
        section = self._sections[which]
        return section.row(place - self._ends[which] + len(section))

    def __iter__(self) -> Iterator[Row]:
        for section in self._sections:
            yield from (section.row(index) for index in range(len(section)))
