"""The past: a workspace as it was after one of its operations.

A document is what it was before its first later change; if there is none, it is the current one. Counts and terms
are rolled back on demand. So the cost of a view depends on what it shows, and on what changed since in those plans
and tasks.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from gatepost.domain import documents, places, terms
from gatepost.domain.nodes import Node
from gatepost.domain.refusals import InvalidInput
from gatepost.domain.steps import Step
from gatepost.domain.tallies import NONE
from gatepost.engine.past_plans import PastPlans
from gatepost.engine.past_roots import PastRoots
from gatepost.engine.port import Ask, StoreSnapshot, WorkspaceSnapshot
from gatepost.engine.rows import (
    LAST_PLACE,
    LAST_SEQ,
    ArtifactRow,
    Clause,
    EventRow,
    Head,
    ImageRow,
    OperationRow,
    Posting,
    Range,
    SearchHits,
    Stored,
)

_BATCH: Final = 100
MOST_READ: Final = 1_000
"""The most events since then that are read to find what changed. If there are more, a list goes by numbers."""
_IN_PLAN: Final = terms.plan("")
_CLAIM: Final = '"claim":'
_CLAIMS: Final = (terms.CLAIMED, terms.held_by(""))


class PastSnapshot(WorkspaceSnapshot):
    """A workspace as it was after an operation, or before the first one."""

    def __init__(self, now: StoreSnapshot, operation: OperationRow | None) -> None:
        self._now = now
        self._operation = 0 if operation is None else operation.operation
        self._seq = 0 if operation is None else operation.last_seq
        self._hash = "" if operation is None else operation.hash
        self._roots = PastRoots(now, self._operation)
        self._plans = PastPlans(now, self._operation, self._roots)
        self._found_by: dict[str, frozenset[str]] = {}

    def head(self) -> Head:
        # Nothing gets a number in the past, so the other counters are the current ones.
        return replace(self._now.head(), seq=self._seq, hash=self._hash)

    def ahead(self, ask: Ask) -> bool:  # noqa: ARG002 - nothing is read ahead here
        """Nothing: what is read now tells what to read of the past."""
        return False

    def load(self, places: Sequence[str]) -> dict[str, Stored]:
        return {place: _unclaimed(stored) for place, stored in self._plans.load(places).items()}

    def texts(self, places: Sequence[str]) -> dict[str, str]:
        return {place: _without_claim(text) for place, text in self._roots.texts(places).items()}

    def span(self, first: str, end: str, limit: int) -> list[tuple[str, Stored]]:
        changed = self._changed(first, end)
        kept = dict(self._now.span(first, end, limit + len(changed)))
        untouched = self.load([place for place in kept if place not in changed])
        found = {**untouched, **self.load(changed)}
        return [(place, found[place]) for place in sorted(found) if found[place].text is not None][:limit]

    def count(self, first: str, end: str) -> int:
        changed = self._changed(first, end)
        now, then = self._now.texts(changed), self.texts(changed)
        return self._now.count(first, end) - len(now) + len(then)

    def find(self, name: str) -> str | None:
        """The place where the step was. If it was moved since, the images of the move tell the earlier place."""
        place = self._now.find(name)
        while place is not None:
            then = self.texts([place])
            if place in then and _has_id(then[place], name):
                return place
            place = self._before_move(place, name)
        return None

    def _before_move(self, place: str, name: str) -> str | None:
        moved = self._now.images_after([place], self._operation).get(place)
        images = () if moved is None else self._now.images(moved.operation)
        return next((it.place for it in images if it.before is not None and _has_id(it.before, name)), None)

    def postings(self, clauses: Sequence[Clause], ranges: Sequence[Range], limit: int) -> list[str]:
        if any(all(term.startswith(_CLAIMS) for term in clause) for clause in clauses):
            return []
        found: list[str] = []
        for first, end in ranges:
            if len(found) >= limit:
                break
            found += self._postings(clauses, first, end, limit - len(found))
        return found

    def _postings(self, clauses: Sequence[Clause], first: str, end: str, limit: int) -> list[str]:
        """What has the terms and has not changed since, plus what has changed and had them then."""
        plan = _plan_in(clauses)
        if plan is None and _is_list(first, end) and self._now.head().seq - self._seq > MOST_READ:
            return self._listed(clauses, first, end, limit)
        changed = self._changed(first, end, plan)
        apart = set(changed)
        now = self._now.postings(clauses, ((first, end),), limit + len(changed))
        kept = [place for place in now if place not in apart][:limit]
        found: list[str] = []
        for start in range(0, len(changed), _BATCH):
            batch = changed[start : start + _BATCH]
            if len(found) + bisect_left(kept, batch[0]) >= limit:
                break
            found += self._having(batch, clauses)
        return sorted([*kept, *found])[:limit]

    def _listed(self, clauses: Sequence[Clause], first: str, end: str, limit: int) -> list[str]:
        """The same for plans and tasks, by number: a page costs the same however much has changed since."""
        found: list[str] = []
        for batch in self._plans.batches(first, end):
            changed = self._plans.changed_among(batch)
            now = self._now.postings(clauses, ((batch[0], batch[-1] + "\0"),), len(batch))
            found += sorted({*now} - {*changed} | {*self._having(changed, clauses)})
            if len(found) >= limit:
                break
        return found[:limit]

    def _having(self, wanted: Sequence[str], clauses: Sequence[Clause]) -> list[str]:
        its = self._terms(wanted)
        return [place for place in wanted if all(not its[place].isdisjoint(clause) for clause in clauses)]

    def walk(self, after: Posting, end: str, limit: int) -> list[Posting]:
        number = end.removesuffix("\0").rpartition(":")[2] if end.endswith("\0") else ""
        plan = places.root_id(places.PLAN + number) if number[:1].isalpha() else None
        changed = self._changed("", LAST_PLACE, plan)
        apart, its = set(changed), self._terms(changed)
        found = [posting for posting in self._now.walk(after, end, limit + len(changed)) if posting[1] not in apart]
        found += [(term, place) for place in changed for term in its[place] if after < (term, place) and term < end]
        return sorted(found)[:limit]

    def _terms(self, wanted: Sequence[str]) -> Mapping[str, frozenset[str]]:
        """The terms of some places then. Cached, because lists ask again for each page."""
        new = [place for place in wanted if place not in self._found_by]
        stored = self.load(new)
        for place in new:
            text, tally = (stored[place].text, stored[place].tally) if place in stored else (None, NONE)
            self._found_by[place] = terms.of(None if text is None else documents.from_text(text), tally)
        return self._found_by

    def _changed(self, first: str, end: str, plan: str | None = None) -> list[str]:
        """The places of a range whose documents, counts or terms may have changed since, in order: all of them, or
        the tasks of a plan."""
        if _is_list(first, end):
            found: Iterable[str] = self._plans.changed() if plan is None else self._plans.changed_in(plan)
        elif places.in_tree(first):
            root = places.root_of(first)
            found = self._roots.rolled_back([root])[root]
        else:
            found = self._now.changed_places(first, end, self._operation)
        return sorted(place for place in found if first <= place < end)

    def search(self, words: Sequence[str], limit: int, upto: int | None = None) -> SearchHits:  # noqa: ARG002 - there is no index of the past
        raise InvalidInput(
            [("text", "cannot be given together with `at`: only the current text can be searched")],
            "Leave out `text` to list what existed then, or `at` to search the current text.",
        )

    def events(
        self,
        after: int,
        limit: int,
        root: str | None,
        *,
        step_id: str | None = None,
        newest: bool = False,
        upto: int = LAST_SEQ,
    ) -> list[EventRow]:
        upto = min(upto, self._seq)
        return self._now.events(after, limit, root, step_id=step_id, newest=newest, upto=upto)

    def notes(
        self, limit: int, root: str, steps: Sequence[str | None] | None = None, *, upto: int = LAST_SEQ
    ) -> list[EventRow]:
        return self._now.notes(limit, root, steps, upto=min(upto, self._seq))

    def operations(self, before: int, limit: int, root: str | None) -> list[OperationRow]:
        return self._now.operations(min(before, self._seq + 1), limit, root)

    def images(self, operation: int, first: str = "", end: str = LAST_PLACE, limit: int = -1) -> list[ImageRow]:
        return self._now.images(operation, first, end, limit)

    def images_of_place(self, place: str, before: int, limit: int) -> list[ImageRow]:
        return self._now.images_of_place(place, min(before, self._seq + 1), limit)

    def images_after(self, places: Sequence[str], operation: int) -> dict[str, ImageRow]:
        found = self._now.images_after(places, operation)
        return {place: image for place, image in found.items() if image.operation <= self._operation}

    def artifacts(
        self, place: str, limit: int, first: tuple[int, int] | None = None, *, upto: int = LAST_SEQ
    ) -> list[ArtifactRow]:
        return self._now.artifacts(place, limit, first, upto=min(upto, self._seq))

    def evidence_counts(self, places: Sequence[str], most: int, *, upto: int = LAST_SEQ) -> dict[str, int]:
        return self._now.evidence_counts(places, most, upto=min(upto, self._seq))

    def lease(self, holder: str) -> str | None:  # noqa: ARG002 - claims have no past
        return None

    def written(self, folder: str, taskdoc: str) -> str | None:  # noqa: ARG002 - what is on disk has no past
        return None


def _has_id(text: str, name: str) -> bool:
    document = documents.from_text(text)
    return isinstance(document, Step | Node) and document.id == name


def _unclaimed(stored: Stored) -> Stored:
    """A document without its claim, and counts without claims: claims are not part of the past."""
    text = None if stored.text is None else _without_claim(stored.text)
    if text is stored.text and not stored.tally.claimed:
        return stored
    return Stored(text, replace(stored.tally, claimed=0))


def _without_claim(text: str) -> str:
    if _CLAIM not in text:
        return text
    document = documents.from_text(text)
    return documents.to_text(replace(document, claim=None)) if documents.claim_of(document) is not None else text


def _plan_in(clauses: Sequence[Clause]) -> str | None:
    """The plan that every match must be in, if the clauses name one."""
    alone = (clause[0] for clause in clauses if len(clause) == 1)
    return next((term.removeprefix(_IN_PLAN) for term in alone if term.startswith(_IN_PLAN)), None)


def _is_list(first: str, end: str) -> bool:
    """Whether a range can hold several plans or tasks, unlike one below a root or one of named documents."""
    if not first or (places.in_tree(first) and end > places.below(places.root_of(first))[1]):
        return True
    return not places.in_tree(first) and end > places.all_named(first[0])[1]
