"""The revisions that a draft raises: of each document once per call, and of the steps that it changes."""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from gatepost.domain import places
from gatepost.engine.draft_entries import DraftEntries, DraftEntry


class DraftRevisions:
    """New revisions by place, in the order in which they were given."""

    def __init__(self, entries: DraftEntries) -> None:
        self._entries = entries
        self._raised: dict[str, int] = {}
        self._before: dict[str, int] = {}
        self._arrived: set[str] = set()
        """Where the draft moved steps to."""

    def __len__(self) -> int:
        """How many were raised so far, as a savepoint."""
        return len(self._raised)

    def __iter__(self) -> Iterator[str]:
        return iter(self._raised)

    def items(self) -> Iterable[tuple[str, int]]:
        """The places that were changed, and their new revisions."""
        return self._raised.items()

    def known(self, place: str) -> int:
        """The revision before the draft: the one that its caller can know."""
        return self._before.get(place, self._entries.at(place).tally.revision)

    def touch(self, place: str) -> None:
        """Raise a revision, once per draft."""
        if place not in self._raised:
            entry = self._entries.at(place)
            self._before[place] = entry.tally.revision
            self._raised[place] = entry.tally.revision + 1
            self._set(entry, self._raised[place])

    def revise(self, steps: Iterable[str]) -> None:
        """Raise the revision of steps, except those that are new in this draft or gone: no caller knows theirs."""
        for step in steps:
            entry = self._entries.at(step)
            if entry.document is not None and (entry.before is not None or step in self._arrived):
                self.touch(step)

    def carry_on(self, old: str, new: str) -> None:
        """Let a moved step keep its revision. A move alone does not raise it."""
        was, now = self._entries.at(old), self._entries.at(new)
        self._set(now, max(was.tally.revision, now.tally.revision))
        if was.before is not None or old in self._arrived:
            self._arrived.add(new)
        if old in self._raised:
            self._raised[new], self._before[new] = now.tally.revision, self._before[old]

    def back_to(self, raised: int) -> None:
        """Forget the revisions after the given number of them."""
        for place in list(self._raised)[raised:]:
            del self._raised[place], self._before[place]

    def rows(self) -> Iterator[tuple[str, int]]:
        """The places with a new revision, or with the revision of what was moved there."""
        for place in dict.fromkeys((*self._raised, *sorted(self._arrived))):
            entry = self._entries.at(place)
            arrived = bool(places.depth(place)) and entry.before is None
            given = entry.document is not None and entry.tally.revision > 0 if arrived else place in self._raised
            if given:
                yield place, entry.tally.revision

    def _set(self, entry: DraftEntry, revision: int) -> None:
        if entry.tally.revision != revision:
            self._entries.count(entry, replace(entry.tally, revision=revision))
