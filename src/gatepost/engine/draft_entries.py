"""What a draft holds: each place as it was, as it was last written, and as it is now, and every change in order."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from msgspec.structs import replace

from gatepost.domain import documents, places, tallies
from gatepost.domain.documents import Document
from gatepost.domain.tallies import NO_SHARE, NONE, Share, Tally
from gatepost.engine.port import Head, Stored, StoreSnapshot


class DraftEntry:
    """One place in the draft. It is changed through `DraftEntries` alone, so that no change goes unnoticed."""

    __slots__ = ("_encoded", "before", "document", "place", "tally", "written", "written_tally")

    def __init__(self, place: str, text: str | None, document: Document | None, tally: Tally) -> None:
        self.place = place
        self.before = text
        self.document = self.written = document
        self.tally = self.written_tally = tally
        self._encoded: tuple[Document | None, str | None] = (document, text)

    @property
    def stirred(self) -> bool:
        """Whether something here is not written yet."""
        return self.document is not self.written or self.tally is not self.written_tally

    @property
    def text(self) -> str | None:
        """The document as it is stored; made once for each state of it."""
        if self._encoded[0] is not self.document:
            self._encoded = self.document, None if self.document is None else documents.to_text(self.document)
        return self._encoded[1]


class Savepoint(NamedTuple):
    """A draft at one moment: how long its lists were. Taking one costs nothing, however much the draft holds."""

    changes: int
    rows: int
    artifacts: int
    touched: int
    head: Head
    is_record: bool


class DraftEntries:
    """The places of one draft.

    A journal keeps what each change replaced, and a set what is not written yet: so looking costs what has changed
    since the last look, and going back what came after the mark, never what is held in all.
    """

    def __init__(self, snapshot: StoreSnapshot) -> None:
        self._snapshot = snapshot
        self._held: dict[str, DraftEntry] = {}
        self._journal: list[tuple[DraftEntry, Document | None, Tally]] = []
        self._stirred: dict[str, DraftEntry] = {}

    def __len__(self) -> int:
        """How many changes there were so far: a moment to come back to."""
        return len(self._journal)

    def at(self, place: str) -> DraftEntry:
        """A place, loaded when it is first asked for."""
        entry = self._held.get(place)
        return self.seen(place, self._snapshot.load(place)) if entry is None else entry

    def load_all(self, wanted: Iterable[str]) -> None:
        """Load the places that the draft does not hold yet, in one round trip."""
        missing = [place for place in wanted if place not in self._held]
        stored = self._snapshot.load_many(missing) if missing else {}
        for place in missing:
            self.seen(place, stored.get(place))

    def seen(self, place: str, stored: Stored | None) -> DraftEntry:
        """A place of which a range has just shown what is stored there."""
        entry = self._held.get(place)
        if entry is None:
            text, tally = (None, NONE) if stored is None else stored
            entry = DraftEntry(place, text, None if text is None else documents.from_text(text), tally)
            self._held[place] = entry
        return entry

    def put(self, entry: DraftEntry, document: Document | None) -> None:
        """Let the document at a place be this, and count it wherever it counts."""
        before = entry.document
        self._change(entry, document, entry.tally)
        was, now = tallies.share(before, entry.tally), tallies.share(document, entry.tally)
        held, holds = self._counted_at(entry.place, before), self._counted_at(entry.place, document)
        if held == holds:
            self._move_share(holds, was, now)
        else:
            self._move_share(held, was, NO_SHARE)
            self._move_share(holds, NO_SHARE, now)

    def count(self, entry: DraftEntry, tally: Tally) -> None:
        """Let the tally at a place be this."""
        self._change(entry, entry.document, tally)

    def _counted_at(self, place: str, document: Document | None) -> tuple[str, ...]:
        """Where a document counts; a step also in the plan of its task."""
        direct = tallies.counted_at(place, document)
        if not (direct and places.depth(place)):
            return direct
        return (*direct, *tallies.plan_of(self.at(direct[-1]).document))

    def _move_share(self, counting: Iterable[str], was: Share, now: Share) -> None:
        if was != now:
            for entry in map(self.at, counting):
                self.count(entry, tallies.moved(entry.tally, was, now))

    def _change(self, entry: DraftEntry, document: Document | None, tally: Tally) -> None:
        self._journal.append((entry, entry.document, entry.tally))
        self._stirred[entry.place] = entry
        entry.document, entry.tally = document, tally

    def stirred(self) -> list[DraftEntry]:
        """The places at which something is not written yet."""
        return [entry for entry in self._stirred.values() if entry.stirred]

    def wrote(self, entries: Iterable[DraftEntry]) -> None:
        """Take note that these, and so all that was not written yet, are written."""
        for entry in entries:
            entry.written, entry.written_tally = entry.document, entry.tally
        self._stirred.clear()

    def back_to(self, changes: int) -> None:
        """Take back all changes but the first so many.

        How many steps are ready follows from what was written: that is left for the next flush to count.
        """
        for entry, document, tally in reversed(self._journal[changes:]):
            entry.document, entry.tally = document, replace(tally, ready=entry.tally.ready)
            self._stirred[entry.place] = entry
        del self._journal[changes:]

    def since(self, changes: int) -> Iterator[tuple[str, str | None, str | None]]:
        """The documents that came to differ after so many changes: where, and their texts then and now."""
        then: dict[str, tuple[DraftEntry, Document | None]] = {}
        for entry, document, _ in self._journal[changes:]:
            then.setdefault(entry.place, (entry, document))
        for place, (entry, document) in sorted(then.items()):
            was = None if document is None else documents.to_text(document)
            if entry.document is not document and entry.text != was:
                yield place, was, entry.text

    def firsts(self) -> Iterator[tuple[DraftEntry, Document | None, Tally]]:
        """The places that were changed, each with its document and tally from before the first change."""
        seen: set[str] = set()
        for change in self._journal:
            if change[0].place not in seen:
                seen.add(change[0].place)
                yield change

    def images(self) -> Iterator[tuple[str, str | None, str | None]]:
        """The documents that differ from what is stored, in order: where, and their texts before and now."""
        changed = {entry.place: entry for entry, _, _ in self._journal}
        for place, entry in sorted(changed.items()):
            if entry.text != entry.before:
                yield place, entry.before, entry.text
