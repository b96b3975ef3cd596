"""The content of a draft: each place before, as last written and now, and every change in order."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from gatepost.domain import documents, places, tallies, terms
from gatepost.domain.documents import Document
from gatepost.domain.nodes import Node
from gatepost.domain.steps import Step
from gatepost.domain.tallies import NO_SHARE, NONE, Share, Tally
from gatepost.engine.port import StoreSnapshot
from gatepost.engine.rows import Head, Stored


class DraftEntry:
    """One place in the draft. Changed only through `DraftEntries`, so that every change is recorded."""

    __slots__ = ("_encoded", "before", "document", "place", "tally", "written", "written_tally")

    def __init__(self, place: str, text: str | None, document: Document | None, tally: Tally) -> None:
        self.place = place
        self.before = text
        self.document = self.written = document
        self.tally = self.written_tally = tally
        self._encoded: tuple[Document | None, str | None] = (document, text)

    @property
    def is_dirty(self) -> bool:
        """Whether it has unwritten changes."""
        return self.document is not self.written or self.tally is not self.written_tally

    @property
    def text(self) -> str | None:
        """The document as stored text, encoded once per state."""
        if self._encoded[0] is not self.document:
            self._encoded = self.document, None if self.document is None else documents.to_text(self.document)
        return self._encoded[1]


class Savepoint(Struct, frozen=True):
    """A point in a draft to roll back to: the lengths of its lists. Costs nothing to take."""

    changes: int
    rows: int
    artifacts: int
    touched: int
    head: Head
    is_record: bool


class Homes(NamedTuple):
    """Where ids lead now."""

    named: dict[str, str]
    """The places to write, by id."""
    moved: list[tuple[str, str]]
    """From where to where."""
    empty: list[str]
    """The places among those where nothing is any more."""


class DraftEntries:
    """The places of one draft.

    A journal keeps what each change replaced, and a set the unwritten places. So a flush costs as much as changed
    since the last one, and a rollback as much as came after the savepoint, never as much as the draft holds.
    """

    def __init__(self, snapshot: StoreSnapshot) -> None:
        self._snapshot = snapshot
        self._held: dict[str, DraftEntry] = {}
        self._journal: list[tuple[DraftEntry, Document | None, Tally]] = []
        self._dirty: dict[str, DraftEntry] = {}
        self._unsettled: dict[str, DraftEntry] = {}
        """The places among those of which nobody has looked yet whether they are found by other terms."""
        self._origins: dict[str, str] = {}
        """Where each step and task node that was written at another place was first: before the draft, or new."""

    def __len__(self) -> int:
        """The number of changes so far, as a savepoint."""
        return len(self._journal)

    def at(self, place: str) -> DraftEntry:
        """A place, loaded when it is first used."""
        entry = self._held.get(place)
        return self.seen(place, self._snapshot.load((place,)).get(place)) if entry is None else entry

    def place_of(self, name: str) -> str | None:
        """Where a step or task node is, if it was read or made here."""
        found = ((place, entry.document) for place, entry in self._held.items())
        return next((place for place, held in found if isinstance(held, Step | Node) and held.id == name), None)

    def all_at(self, wanted: Sequence[str]) -> list[DraftEntry]:
        """Several places, in their order. Those that the draft does not have yet are loaded in one round trip."""
        missing = [place for place in wanted if place not in self._held]
        stored = self._snapshot.load(missing) if missing else {}
        for place in missing:
            self.seen(place, stored.get(place))
        return [self._held[place] for place in wanted]

    def seen(self, place: str, stored: Stored | None) -> DraftEntry:
        """A place whose stored row was just read."""
        entry = self._held.get(place)
        if entry is None:
            text, tally = (None, NONE) if stored is None else (stored.text, stored.tally)
            entry = DraftEntry(place, text, None if text is None else documents.from_text(text), tally)
            self._held[place] = entry
        return entry

    def put(self, entry: DraftEntry, document: Document | None) -> None:
        """Set or delete the document at a place, and update the tallies."""
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
        """Set the tally at a place."""
        self._change(entry, entry.document, tally)

    def give(self, place: str) -> None:
        """Make sure that the ordinal of a place is never used again."""
        parent, kind, ordinal = places.apart(place)
        over = self.at(parent)
        counter = "next_step" if kind == places.STEP else "next_node"
        if getattr(over.tally, counter) <= ordinal:
            self.count(over, replace(over.tally, **{counter: ordinal + 1}))

    def _counted_at(self, place: str, document: Document | None) -> tuple[str, ...]:
        """Where a document counts. A step also counts in its task's plan."""
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
        self._dirty[entry.place] = self._unsettled[entry.place] = entry
        entry.document, entry.tally = document, tally

    def dirty(self) -> list[DraftEntry]:
        """The places with unwritten changes."""
        return [entry for entry in self._dirty.values() if entry.is_dirty]

    def homes(self, changed: Iterable[DraftEntry], named: dict[str, str]) -> Homes:
        """The places to write for ids, given the new ids, and the moves among them.

        What is moved and then deleted in one draft was never at its new place for anybody: its id leads back to
        where it was before, as the images say, however often the draft was written in between.
        """
        left: dict[str, str] = {}
        came: dict[str, str] = {}
        for entry in changed:
            was, now = _id(entry.written), _id(entry.document)
            if was != now:
                left |= {was: entry.place} if was else {}
                came |= {now: entry.place} if now else {}
        moved = []
        for name, place in came.items():
            old = named.get(name) or self._snapshot.find(name)
            if old is not None and old != place:
                self._origins.setdefault(name, old)
                moved.append((old, place))
                named[name] = place
        back = [
            (place, self._origins[name], name) for name, place in left.items() if self._is_back(name, place, came)
        ]
        named |= {name: origin for _, origin, name in back}
        moved += [(place, origin) for place, origin, _ in back]
        return Homes(named, moved, [origin for _, origin, _ in back])

    def _is_back(self, name: str, place: str, came: Mapping[str, str]) -> bool:
        """Whether what left a place was moved there by this draft, and is nowhere now."""
        return name not in came and self._origins.get(name, place) != place

    def forget_passing(self) -> None:
        """Reset the tallies of places that had a document only within this draft: nobody has seen it there."""
        for entry, _, tally in list(self.firsts()):
            passing = entry.before is None and entry.document is None and places.depth(entry.place)
            if passing and entry.tally != tally:
                self.count(entry, tally)

    def wrote(self, entries: Iterable[DraftEntry]) -> None:
        """Record that these, and so all changes, are written."""
        for entry in entries:
            entry.written, entry.written_tally = entry.document, entry.tally
        self._dirty.clear()
        self._unsettled.clear()

    def terms_differ(self) -> bool:
        """Whether the draft's terms differ from those written. Looks only at what changed since the last time."""
        if any(before != after for before, after in map(_terms, self._unsettled.values())):
            return True
        self._unsettled.clear()
        return False

    def index(self) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        """The terms to remove and to add. Steps first: they determine how many are ready in their task."""
        gone: list[tuple[str, str]] = []
        new: list[tuple[str, str]] = []
        for entry in self.dirty():
            if places.depth(entry.place):
                self._count_ready(entry, *_note_terms(entry, gone, new))
        for entry in self.dirty():
            if not places.depth(entry.place):
                _note_terms(entry, gone, new)
        return gone, new

    def _count_ready(self, entry: DraftEntry, was: frozenset[str], now: frozenset[str]) -> None:
        if was is not now:
            change = (terms.NOW in now) - (terms.NOW in was)
            if change:
                root = self.at(places.root_of(entry.place))
                self.count(root, replace(root.tally, ready=root.tally.ready + change))

    def back_to(self, changes: int) -> None:
        """Roll back all changes after the given number.

        The number of ready steps follows from what was written; the next flush counts it.
        """
        for entry, document, tally in reversed(self._journal[changes:]):
            entry.document, entry.tally = document, replace(tally, ready=entry.tally.ready)
            self._dirty[entry.place] = self._unsettled[entry.place] = entry
        del self._journal[changes:]

    def since(self, changes: int) -> Iterator[tuple[str, str | None, str | None]]:
        """The documents that differ since the given number of changes: place, text then and text now."""
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


def _id(document: Document | None) -> str | None:
    """The id of a step or task node."""
    return document.id if isinstance(document, Step | Node) else None


def _note_terms(
    entry: DraftEntry, gone: list[tuple[str, str]], new: list[tuple[str, str]]
) -> tuple[frozenset[str], frozenset[str]]:
    """The terms of a place as last written and now. Adds the differences to what goes and what is new."""
    before, after = _terms(entry)
    if before != after:
        gone.extend((term, entry.place) for term in sorted(before - after))
        new.extend((term, entry.place) for term in sorted(after - before))
    return before, after


def _terms(entry: DraftEntry) -> tuple[frozenset[str], frozenset[str]]:
    """The terms of a place as last written and now, without those that cannot differ."""
    if entry.document is entry.written:
        return terms.moving(entry.document, entry.written_tally), terms.moving(entry.document, entry.tally)
    return terms.of(entry.written, entry.written_tally), terms.of(entry.document, entry.tally)
