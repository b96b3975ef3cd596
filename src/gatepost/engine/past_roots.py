"""Plans and tasks as they were: documents, counts and revisions, rolled back on demand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from gatepost.domain import documents, places, tallies, terms
from gatepost.domain.roots import Plan, Task
from gatepost.domain.tallies import NONE, Tally
from gatepost.engine.rows import Stored

if TYPE_CHECKING:
    from gatepost.domain.documents import Document
    from gatepost.engine.port import StoreSnapshot

Rolled = Mapping[str, Stored]
"""The places of a plan or task whose document or counts may have changed since, as they were."""


class PastRoots:
    """The documents of a workspace after an operation. Each plan and task is rolled back once."""

    def __init__(self, now: StoreSnapshot, operation: int) -> None:
        self._now = now
        self._operation = operation
        self._rolled: dict[str, Rolled] = {}
        self._texts: dict[str, str | None] = {}
        self._former: dict[str, dict[str, str | None]] = {}

    def texts(self, wanted: Sequence[str]) -> dict[str, str]:
        """The documents at these places, without their counts, which costs only one look-up each."""
        new = [place for place in wanted if place not in self._texts]
        if new:
            then = {place: image.before for place, image in self._now.images_after(new, self._operation).items()}
            self._texts |= dict.fromkeys(new) | self._now.texts(new) | then
        return {place: text for place in wanted if (text := self._texts[place]) is not None}

    def values(self, wanted: Sequence[str]) -> dict[str, Document]:
        """The documents at these places."""
        return {place: documents.from_text(text) for place, text in self.texts(wanted).items()}

    def changed(self, roots: Sequence[str]) -> list[str]:
        """Those of some plans and tasks in which a document has changed since."""
        new = [root for root in roots if root not in self._former]
        self._former |= {root: {} for root in new}
        for place, text in self._now.texts_before(new, self._operation).items() if new else ():
            self._former[places.root_of(place)][place] = text
        return [root for root in roots if self._former[root]]

    def rolled_back(self, roots: Sequence[str]) -> Mapping[str, Rolled]:
        """Plans and tasks, each with everything in it that has changed since. What a plan counts is that of now."""
        new = [root for root in roots if root not in self._rolled]
        if new:
            self.changed(new)
            touched = {root: _touched(root, self._former[root]) for root in new}
            every = [place for found in touched.values() for place in found]
            now, revisions = self._now.load(every), self._now.revisions(every, self._operation)
            for root in new:
                stored = {place: now.get(place, _NOTHING) for place in touched[root]}
                self._rolled[root] = self._rolled_back(root, stored, revisions)
        return self._rolled

    def _rolled_back(self, root: str, now: Rolled, revisions: Mapping[str, int]) -> Rolled:
        texts = {place: stored.text for place, stored in now.items()} | self._former[root]
        counts = _counted(root, now, texts)
        document = _document(texts[root])
        waiting = self._waiting(document) if isinstance(document, Plan | Task) else 0
        counts[root] = replace(counts[root], waiting=waiting)
        return {
            place: Stored(texts[place], replace(tally, revision=revisions.get(place, 0)))
            for place, tally in counts.items()
        }

    def _is_open(self, root_id: str) -> bool:
        return any(isinstance(it, Plan | Task) and not it.done for it in self._of_id(root_id))

    def _waits(self, plan_id: str) -> bool:
        return any(isinstance(it, Plan) and self._waiting(it) for it in self._of_id(plan_id))

    def _waiting(self, root: Plan | Task) -> int:
        return tallies.waiting(root, self._is_open, self._waits)

    def _of_id(self, root_id: str) -> Iterable[Document]:
        return self.values([places.at_id(root_id)]).values()


_NOTHING: Final = Stored(None, NONE)


def _touched(root: str, changed: Iterable[str]) -> set[str]:
    """The places of a root whose document or counts may have changed: what changed, and what is above it."""
    return {root, *changed, *(over for place in changed for over in places.above(place))}


def _counted(root: str, now: Mapping[str, Stored], texts: Mapping[str, str | None]) -> dict[str, Tally]:
    """The counts of a task's places, without what changed below them since."""
    was = {place: _document(stored.text) for place, stored in now.items()}
    then = {
        place: document if texts[place] == now[place].text else _document(texts[place])
        for place, document in was.items()
    }
    counts = {place: stored.tally for place, stored in now.items()}
    for place in now:
        if places.depth(place) and then[place] is not was[place]:
            gone, back = tallies.share(was[place], NONE), tallies.share(then[place], NONE)
            for over in places.above(place):
                counts[over] = tallies.moved(counts[over], gone, back)
    ready = sum(
        (terms.NOW in terms.moving(then[place], counts[place]))
        - (terms.NOW in terms.moving(was[place], stored.tally))
        for place, stored in now.items()
        if places.depth(place)
    )
    return counts | {root: replace(counts[root], ready=counts[root].ready + ready)}


def _document(text: str | None) -> Document | None:
    return None if text is None else documents.from_text(text)
