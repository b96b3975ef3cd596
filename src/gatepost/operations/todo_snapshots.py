"""A list as it was a short time ago: the present list, with the later calls reversed.

A task's tree may be large, and a call changes little of it. So the change to the list is derived from the call's
changes to the tree, and only single places of the tree are read.
"""

from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from typing import Final

from msgspec.structs import replace

from gatepost.domain import documents, places, terms
from gatepost.domain.documents import Document
from gatepost.domain.nodes import Node
from gatepost.domain.roots import ACTIVE, Task
from gatepost.domain.steps import Step
from gatepost.domain.tallies import Tally
from gatepost.domain.todos import Todos
from gatepost.engine.reader import Reader
from gatepost.engine.rows import ImageRow
from gatepost.views import todo_payload as payload
from gatepost.views.todo_payload import Difference, Envelope, EnvelopeItem, PlacedItem, TodoScope

Images = Mapping[str, ImageRow]

NOTHING: Final[Images] = {}
LONG: Final = 200
"""A list with more items than this is not sent whole only because an item was inserted."""


class TodoSnapshot:
    """One list, as it was before the changes in `undone`."""

    def __init__(self, reader: Reader, root: str, undone: Images = NOTHING) -> None:
        self.root = root
        self._reader = reader
        self._undone = undone

    def before(self, images: Images) -> "TodoSnapshot":
        """The list before one more call, given what the call changed."""
        undone = dict(self._undone)
        for place, image in images.items():
            later = undone.get(place)
            undone[place] = image if later is None else replace(image, after=later.after)
        return TodoSnapshot(self._reader, self.root, undone)

    def at(self, place: str) -> Document | None:
        """The document at a place."""
        if place in self._undone:
            return _read(self._undone[place].before)
        found = self._reader.at(place)
        return None if found is None else found.value

    @property
    def is_known(self) -> bool:
        """Whether every client gets this list when it connects."""
        document = self.at(self.root)
        return document is not None and not (isinstance(document, Task) and document.done)

    @property
    def is_long(self) -> bool:
        """Whether the list has very many items now. The number then was nearly the same."""
        return self._reader.tally(self.root).total > LONG

    def item(self, place: str) -> EnvelopeItem | None:
        """The item at a place, if there was one."""
        document = self.at(place)
        return payload.member_item(document, now=place == self.now) if isinstance(document, Step | Node) else None

    def listed(self) -> tuple[EnvelopeItem, ...]:
        """The items of a session's list."""
        document = self.at(self.root)
        return payload.list_items(document.items) if isinstance(document, Todos) else ()

    def first_behind(self, place: str) -> str | None:
        """The first place after this one that had a document."""
        end = places.below(self.root)[1]
        there = [at for at, image in self._undone.items() if place < at < end and image.before is not None]
        # Untouched items are the same now as then. If there is one, it is among this many.
        now = self._reader.span(place + "\0", end, len(self._undone) + 1)
        there += [found.place for found in now if found.place not in self._undone]
        return min(there, default=None)

    def position(self, place: str) -> int:
        """How many items came before a place."""
        first = places.below(self.root)[0]
        since = [image for at, image in self._undone.items() if first <= at < place]
        more = sum((image.before is not None) - (image.after is not None) for image in since)
        return self._reader.count(first, place) + more

    @cached_property
    def now(self) -> str | None:
        """The place of the step to work on: the first that was ready, once the task had begun.

        Whether a step is ready depends on itself and on what is below it. So only changed steps and their ancestors
        are computed again; all others were ready then if they are ready now.
        """
        task = self.at(self.root)
        if not (isinstance(task, Task) and task.status == ACTIVE):
            return None
        more_open = _more_open(self._undone)
        affected = more_open.keys() - {self.root}
        ready = [place for place in affected if self._was_ready(place, more_open[place])]
        others = self._reader.among(((terms.NOW,),), self.root, len(affected) + 1)
        return min((*ready, *(place for place in others if place not in affected)), default=None)

    def _was_ready(self, place: str, more_open: int) -> bool:
        below = self._reader.tally(place).open - more_open
        return terms.NOW in terms.moving(self.at(place), Tally(total=below))


def change(scope: TodoScope, before: TodoSnapshot, after: TodoSnapshot, images: Images) -> Envelope | None:
    """One call's change to a list, as the smallest envelope; `None` if only the whole list can express it."""
    if not (before.is_known and after.is_known):
        # Some clients may never have received this list, so a delta would have no base.
        return None
    if not places.is_task(after.root):
        envelope = payload.between(scope, before.listed(), after.listed())
        return None if envelope.op in ("replace", "clear") else envelope
    first = after.first_behind(after.root)
    still = None if first is None else after.item(first)
    difference = None if still is None else _difference(before, after, images)
    if still is None or difference is None:
        return None
    return payload.brief(scope, difference, still, long=after.is_long)


def _difference(before: TodoSnapshot, after: TodoSnapshot, changed: Iterable[str]) -> Difference | None:
    """What changed in a task's list; `None` if an item was inserted between others in a list that is not long."""
    affected = {place for place in (*changed, before.now, after.now) if place is not None and places.depth(place)}
    gone, differing, added, inserted = [], [], [], []
    for place in sorted(affected):
        old, new = before.item(place), after.item(place)
        if old is None and new is not None:
            behind = after.first_behind(place)
            if behind is None:
                added.append(new)
            elif not after.is_long:
                return None
            else:
                inserted.append((place, new))
        elif old is not None and new is None:
            gone.append(old.id)
        elif old is not None and new is not None and old != new:
            differing.append((old, new))
    return Difference(
        tuple(gone), tuple(differing), tuple(added), tuple(_placed(after, *each) for each in inserted)
    )


def _placed(moment: TodoSnapshot, place: str, item: EnvelopeItem) -> PlacedItem:
    return PlacedItem(id=item.id, title=item.title, status=item.status, position=moment.position(place))


def _more_open(images: Images) -> dict[str, int]:
    """For each changed document and its ancestors: how many more are open below than before."""
    more: dict[str, int] = {}
    for place, image in images.items():
        if places.depth(place):
            more.setdefault(place, 0)
            change = _open(_read(image.after)) - _open(_read(image.before))
            for over in places.above(place):
                more[over] = more.get(over, 0) + change
    return more


def _open(document: Document | None) -> int:
    return int(isinstance(document, Step | Node) and not document.done)


@lru_cache(maxsize=512)
def _read(text: str | None) -> Document | None:
    return None if text is None else documents.from_text(text)
