"""Finds the item for an entry without an id: the item with the same title, or a new item with a generated id.

A list that had real ids and is sent again without them keeps them, so that a later change by id still finds its
item.
"""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count
from typing import Final, TypeAlias

from gatepost.todo.items import ItemFields, TodoItem

Named: TypeAlias = tuple[tuple[str, ItemFields], ...]
Present: TypeAlias = Callable[[], Sequence[TodoItem]]

_Places: TypeAlias = dict[str, list[int]]
"""The positions of each title in a list."""


def in_list(entries: Sequence[ItemFields], present: Present) -> Named:
    """The entries of a whole list, each with its id.

    Entries and items with the same title are paired in order. If there are more of one than of the other, those
    that keep their position are paired first, then the earlier ones.
    """
    return _named(entries, present, _paired)


def in_delta(entries: Sequence[ItemFields], present: Present) -> Named:
    """The entries of a delta, each with its id: the first entry with a title is the first item with it."""
    return _named(entries, present, zip)


def _named(
    entries: Sequence[ItemFields],
    present: Present,
    pair: Callable[[list[int], list[int]], Iterable[tuple[int, int]]],
) -> Named:
    used = {entry.id for entry in entries if entry.id is not None}
    nameless = _places((at, entry.title or "") for at, entry in enumerate(entries) if entry.id is None)
    found: dict[int, str] = {}
    if nameless:
        items = present()
        known = _places((at, item.title) for at, item in enumerate(items) if item.id not in used)
        for title, places in nameless.items():
            found |= {mine: items[theirs].id for mine, theirs in pair(places, known.get(title, []))}
        used.update(found.values(), (item.id for item in items))
        found |= _made(nameless, found, used)
    return tuple((found[at] if entry.id is None else entry.id, entry) for at, entry in enumerate(entries))


def _paired(mine: list[int], theirs: list[int]) -> Iterable[tuple[int, int]]:
    fewer, both = min(len(mine), len(theirs)), {*mine} & {*theirs}
    return zip(_kept(mine, fewer, both), _kept(theirs, fewer, both), strict=True)


def _kept(places: list[int], number: int, first: set[int]) -> list[int]:
    """The given number of positions, in order."""
    return sorted(sorted(places, key=lambda place: place not in first)[:number])


def _made(nameless: Mapping[str, list[int]], found: Mapping[int, str], used: set[str]) -> dict[int, str]:
    """Ids for new items, generated from the title, and from a number if the title alone is taken."""
    made: dict[int, str] = {}
    for title, places in nameless.items():
        free = (name for number in count(1) if (name := _made_id(title, number)) not in used)
        made.update(zip((place for place in places if place not in found), free, strict=False))
    return made


def _places(titles: Iterable[tuple[int, str]]) -> _Places:
    places: _Places = defaultdict(list)
    for at, title in titles:
        places[title].append(at)
    return dict(places)


def _made_id(title: str, number: int) -> str:
    # JSON may contain half of a surrogate pair, which strict UTF-8 refuses.
    mark = hashlib.sha256(title.encode("utf-8", "surrogatepass")).hexdigest()[:_MARK]
    return f"made:{mark}" if number == 1 else f"made:{mark}:{number}"


_MARK: Final = 16
