"""The rows of some lists, made when they are looked at: of ten thousand items a screen shows two dozen."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple, overload

from gatepost.todo import Counts, TodoItem


class ListRow(NamedTuple):
    """One row: a list's head, or an item of it."""

    scope: str
    item: TodoItem | None
    label: str = ""
    counts: Counts = Counts()


@dataclass(frozen=True, slots=True)
class ListSection:
    """A list: its head, if it has one, and its items."""

    scope: str
    head: ListRow | None
    items: tuple[TodoItem, ...]

    def __len__(self) -> int:
        return len(self.items) + (self.head is not None)

    def row(self, index: int) -> ListRow:
        """The row at a place of the list."""
        if self.head is not None:
            if index == 0:
                return self.head
            index -= 1
        return ListRow(self.scope, self.items[index])


class _Matches(NamedTuple):
    among: tuple[TodoItem, ...]
    words: str
    items: tuple[TodoItem, ...]


class ListSearch:
    """The matches in each list. While the search gets longer, only earlier matches are searched again."""

    def __init__(self) -> None:
        self._found: dict[str, _Matches] = {}

    def items(self, scope: str, items: tuple[TodoItem, ...], words: str) -> tuple[TodoItem, ...]:
        """The items of a list that have all the words."""
        if not words.strip():
            self._found.clear()
            return items
        known = self._found.get(scope)
        if known is None or known.among is not items or not words.startswith(known.words):
            known = _Matches(items, "", items)
        if known.words != words:
            wanted = words.split()
            left = tuple(item for item in known.items if _matches(item, wanted))
            known = _Matches(items, words, left)
        self._found[scope] = known
        return known.items


class ListRows(Sequence[ListRow]):
    """Sections below one another. Items that are the same objects are compared at no cost."""

    def __init__(self, sections: Iterable[ListSection]) -> None:
        self._sections = tuple(sections)
        self._ends = list(accumulate(len(section) for section in self._sections))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ListRows) and self._sections == other._sections

    __hash__ = None  # type: ignore[assignment]  # lists are compared, and never looked up

    @overload
    def __getitem__(self, index: int) -> ListRow: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[ListRow]: ...
    def __getitem__(self, index: int | slice) -> ListRow | Sequence[ListRow]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        place = index if index >= 0 else len(self) + index
        if not 0 <= place < len(self):
            raise IndexError(index)
        which = bisect_right(self._ends, place)
        section = self._sections[which]
        return section.row(place - self._ends[which] + len(section))

    def find(self, wanted: Callable[[TodoItem], bool], scope: str | None = None) -> int | None:
        """The place of the first item that is wanted, of one list or of any."""
        for section, end in zip(self._sections, self._ends, strict=True):
            if scope in (None, section.scope):
                first = end - len(section.items)
                found = (first + at for at, item in enumerate(section.items) if wanted(item))
                place = next(found, None)
                if place is not None:
                    return place
        return None

    def __iter__(self) -> Iterator[ListRow]:
        for section in self._sections:
            yield from (section.row(index) for index in range(len(section)))


def _matches(item: TodoItem, words: Sequence[str]) -> bool:
    text = f"{item.title} {item.id} {item.status}".casefold()
    return all(word in text for word in words)
