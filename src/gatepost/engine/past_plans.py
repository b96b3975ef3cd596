"""Plans as they were, with the counts of their tasks; and which plans and tasks may have changed since."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from gatepost.domain import documents, places, tallies, terms
from gatepost.domain.roots import Plan, Task
from gatepost.domain.tallies import NO_SHARE, NONE, Share
from gatepost.domain.value import decoder
from gatepost.engine.rows import LAST_PLACE, Stored

if TYPE_CHECKING:
    from gatepost.engine.past_roots import PastRoots, Rolled
    from gatepost.engine.port import StoreSnapshot

_PAGE: Final = 1_000
_FIRST_BATCH: Final = 64


class _Needed(Struct, frozen=True):
    """The fields of a task that decide what it waits for."""

    plan: str | None = None
    depends_on: tuple[str, ...] = ()


_needed = decoder(_Needed).decode


class PastPlans:
    """Everything at a place after an operation, with counts. Each plan is counted once."""

    def __init__(self, now: StoreSnapshot, operation: int, roots: PastRoots) -> None:
        self._now = now
        self._operation = operation
        self._roots = roots
        self._plans: dict[str, Stored] = {}
        self._tasks: dict[str, list[str]] = {}
        self._changed_tasks: dict[str, list[str]] = {}
        self._changed: list[str] | None = None
        self._otherwise: dict[str, bool] = {}

    def load(self, wanted: Sequence[str]) -> dict[str, Stored]:
        """The documents and counts at these places. Places with nothing are left out."""
        rolled = self._roots.rolled_back(list({places.root_of(place) for place in wanted if places.in_tree(place)}))
        untouched = [
            place for place in wanted if places.in_tree(place) and place not in rolled[places.root_of(place)]
        ]
        kept = self._now.load(untouched) if untouched else {}
        found = {place: self._at(place, rolled, kept) for place in wanted}
        return {place: stored for place, stored in found.items() if stored is not None}

    def _at(self, place: str, rolled: Mapping[str, Rolled], kept: Mapping[str, Stored]) -> Stored | None:
        if not places.in_tree(place):
            return self._named(place)
        if place[0] == places.PLAN:
            return self._plan(place)
        return rolled[places.root_of(place)].get(place) or kept.get(place)

    def _named(self, place: str) -> Stored | None:
        text = self._roots.texts([place]).get(place)
        revision = self._now.revisions([place], self._operation).get(place, 0)
        return None if text is None and not revision else Stored(text, replace(NONE, revision=revision))

    def _plan(self, place: str) -> Stored:
        """A plan, without what its tasks have added to its counts since."""
        if place not in self._plans:
            stored, plan_id = self._roots.rolled_back([place])[place][place], places.root_id(place)
            touched = self._roots.changed(self._of_plan(plan_id))
            tally, now = stored.tally, self._now.load(touched)
            then = self._roots.rolled_back(touched)
            for task in touched:
                tally = tallies.moved(tally, _share(now.get(task), plan_id), _share(then[task][task], plan_id))
            self._plans[place] = Stored(stored.text, tally)
        return self._plans[place]

    def _of_plan(self, plan_id: str) -> list[str]:
        """The tasks that are in a plan, or were."""
        if plan_id not in self._tasks:
            now = self._every(terms.plan(plan_id))
            self._tasks[plan_id] = sorted({*now, *self._now.left_plan(plan_id, self._operation)})
        return self._tasks[plan_id]

    def changed_in(self, plan_id: str) -> list[str]:
        """The tasks of a plan whose documents, counts or terms may have changed since."""
        if plan_id not in self._changed_tasks:
            self._changed_tasks[plan_id] = self.changed_among(self._of_plan(plan_id))
        return self._changed_tasks[plan_id]

    def changed_among(self, roots: Sequence[str]) -> list[str]:
        """Those of some plans and tasks whose documents, counts or terms may have changed since. A task that nobody
        touched may still have waited for something else; a plan counts what is in its tasks."""
        touched = set(self._roots.changed(roots))
        texts = self._now.texts([place for place in roots if place not in touched])
        return [
            place
            for place in roots
            if place in touched or place[0] == places.PLAN or (place in texts and self._may_wait(texts[place]))
        ]

    def _may_wait(self, text: str) -> bool:
        needed = _needed(text)
        return bool(needed.depends_on) or (needed.plan is not None and self._waits_otherwise(needed.plan))

    def batches(self, first: str, end: str) -> Iterator[list[str]]:
        """The plans and tasks of a range that had been created by then, even if deleted, in order, in batches."""
        size = _FIRST_BATCH
        for kind in (places.PLAN, places.TASK):
            made = range(1, self._made(kind) + 1)
            start = bisect_left(made, first, key=partial(places.root, kind))
            stop = bisect_left(made, end, key=partial(places.root, kind))
            while start < stop:
                yield [places.root(kind, number) for number in made[start : min(start + size, stop)]]
                start, size = start + size, min(2 * size, _PAGE)

    def _made(self, kind: str) -> int:
        """How many plans or tasks had been created."""
        head = self._now.head()
        numbers = range(1, (head.plans if kind == places.PLAN else head.tasks) + 1)
        return bisect_left(numbers, 1, key=lambda number: self._is_newer(places.root(kind, number)))

    def _is_newer(self, place: str) -> bool:
        return not self._now.revisions([place], self._operation)

    def changed(self) -> list[str]:
        """The plans and tasks whose documents, counts or terms may have changed since. Reads the log since."""
        if self._changed is None:
            touched = self._now.changed_roots(self._operation)
            self._changed = sorted({*touched, *self._changed_with(touched)})
        return self._changed

    def _changed_with(self, touched: Sequence[str]) -> Iterator[str]:
        """The plans of touched tasks, and the plans that may wait for a different number of things because a
        dependency was done or reopened."""
        texts, then = self._now.texts(touched), self._roots.values(touched)
        for place in touched:
            before, after = then.get(place), documents.from_text(texts[place]) if place in texts else None
            yield from (*tallies.plan_of(before), *tallies.plan_of(after))
            if isinstance(before, Plan | Task) and isinstance(after, Plan | Task):
                waiters = self._every(terms.needs(after.id)) if before.done != after.done else []
                yield from waiters
                for plan in (place, *waiters):
                    if plan[0] == places.PLAN and self._waits_otherwise(places.root_id(plan)):
                        yield from self._of_plan(places.root_id(plan))

    def _waits_otherwise(self, plan_id: str) -> bool:
        """Whether a plan waits now and did not then, or the other way round."""
        if plan_id not in self._otherwise:
            place = places.at_id(plan_id)
            now, then = self._now.load([place]).get(place), self._roots.rolled_back([place])[place][place]
            self._otherwise[plan_id] = bool(now is not None and now.tally.waiting) != bool(then.tally.waiting)
        return self._otherwise[plan_id]

    def _every(self, term: str) -> list[str]:
        found: list[str] = []
        first = ""
        while page := self._now.postings(((term,),), ((first, LAST_PLACE),), _PAGE):
            found += page
            first = page[-1] + "\0"
        return found


def _share(stored: Stored | None, plan_id: str) -> Share:
    """What a task adds to the counts of a plan, if it is in it."""
    document = None if stored is None or stored.text is None else documents.from_text(stored.text)
    if stored is None or not isinstance(document, Task) or document.plan != plan_id:
        return NO_SHARE
    return tallies.share(document, stored.tally)
