"""The rows of the search index that follow from documents and events."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

import msgspec

from gatepost.domain import documents, places, search
from gatepost.domain.documents import Document
from gatepost.domain.search import TITLE, Passage
from gatepost.engine.draft_entries import DraftEntry
from gatepost.engine.port import StoreSnapshot, StoreTransaction, Tables
from gatepost.engine.rows import Changes, EventRow, SearchRow

_AT_ONCE: Final = 1_000
_DELETED: Final = '"type":"step_deleted"', '"type":"task_node_deleted"'


Find = Callable[[str], str | None]
"""The place of a step or task node by its id."""


def changed(
    entries: Iterable[DraftEntry], events: Iterable[EventRow], find: Find
) -> tuple[list[str], list[SearchRow]]:
    """The places to hide from search, and the rows to add."""
    gone: list[str] = []
    new: list[SearchRow] = []
    for entry in entries:
        if entry.document is entry.written:
            continue
        before = search.of_document(entry.place, entry.written)
        after = search.of_document(entry.place, entry.document)
        if before == after:
            continue
        if after:
            new.append(_row(entry.place, 0, after))
        else:
            gone.append(entry.place)
    new.extend(row for event in events if (row := of_event(event, find)) is not None)
    return gone, new


def of_document(place: str, document: Document | None) -> SearchRow | None:
    """The row for a document."""
    passages = search.of_document(place, document)
    return _row(place, 0, passages) if passages else None


def of_event(event: EventRow, find: Find) -> SearchRow | None:
    """The row for an event, at its step, plan or task."""
    if event.root is None or not places.in_tree(event.root):
        return None
    passages = search.of_event(event.body)
    return _row(_place_of(event, find), event.seq, passages) if passages else None


def _place_of(event: EventRow, find: Find) -> str:
    """Where an event is found: at its step, wherever that is now. A deletion's reason is found at the task."""
    root = event.root or ""
    if event.step_id is None or event.path is None or any(mark in event.body for mark in _DELETED):
        return root
    return find(event.step_id) or places.at_path(root, event.path) or root


def refill(transaction: StoreTransaction, tables: Tables | None = None) -> None:
    """Index a workspace from its documents and its log, or only from the rows of `tables`."""
    transaction.apply(Changes(head=transaction.head(), search_reset=True))
    rows = _everything(transaction, transaction if tables is None else tables)
    while some := list(islice(rows, _AT_ONCE)):
        transaction.apply(Changes(head=transaction.head(), search_new=some))


def wrong(snapshot: Tables) -> Iterator[tuple[str, str]]:
    """Where the index differs from documents and log, and how."""
    right = dict(_right(snapshot))
    for place, seq, live, title, mark in snapshot.rows("searched"):
        expected = right.pop((place, seq), None)
        if expected is None and live:
            yield _shown(place, seq), "is found by search, but does not exist"
        elif expected is not None and expected != (live, title, mark):
            yield _shown(place, seq), "is indexed under the wrong words"
    for place, seq in right:
        yield _shown(place, seq), "is not found by search"


def _right(snapshot: Tables) -> Iterator[tuple[tuple[str, int], tuple[bool, str, int]]]:
    there: set[str] = set()
    for place, text in snapshot.rows("documents"):
        row = of_document(place, _document(text))
        if row is not None:
            there.add(place)
            yield (place, 0), (True, *_marks(row))
    for event in _events(snapshot):
        row = of_event(event, snapshot.find)
        if row is not None:
            yield (row.place, row.seq), (row.place in there, *_marks(row))


def _marks(row: SearchRow) -> tuple[str, int]:
    return " ".join(row.title), search.fingerprint(search.beginnings((*row.title, *row.text)))


def _shown(place: str, seq: int) -> str:
    return f"{places.shown(place)} seq {seq}" if seq else places.shown(place)


def _everything(snapshot: StoreSnapshot, tables: Tables) -> Iterator[SearchRow]:
    """All rows for a workspace, oldest first, in the order of its history."""
    written = _last_written(tables)
    found: list[tuple[int, int, str]] = [(written.get(place, 0), 0, place) for place, _ in tables.rows("documents")]
    found += [(row.seq, 1, "") for row in _events(tables) if of_event(row, tables.find) is not None]
    for order, of_log, place in sorted(found):
        row = _event_row(snapshot, order) if of_log else _document_row(snapshot, place)
        if row is not None:
            yield row


def _last_written(snapshot: Tables) -> dict[str, int]:
    """The operation that last changed each document's words."""
    written: dict[str, int] = {}
    seen: dict[str, int] = {}
    for place, operation, _, after in snapshot.rows("images"):
        mark = hash(search.of_document(place, _document(after)))
        if seen.get(place) != mark:
            seen[place], written[place] = mark, operation
    return written


def _document(text: str | None) -> Document | None:
    """A stored document; none if it is damaged, which the doctor reports elsewhere."""
    try:
        return None if text is None else documents.from_text(text)
    except msgspec.DecodeError:
        return None


def _document_row(snapshot: StoreSnapshot, place: str) -> SearchRow | None:
    stored = snapshot.load((place,)).get(place)
    return None if stored is None else of_document(place, _document(stored.text))


def _event_row(snapshot: StoreSnapshot, seq: int) -> SearchRow | None:
    (event,) = snapshot.events(seq - 1, 1, None)
    return of_event(event, snapshot.find)


def _events(snapshot: Tables) -> Iterator[EventRow]:
    """The events that decode; the doctor reports the others elsewhere."""
    from gatepost.domain.events import is_event  # few read them all

    return (event for row in snapshot.rows("events") if is_event((event := EventRow(*row)).body))


def _row(place: str, seq: int, passages: Sequence[Passage]) -> SearchRow:
    title = search.words(" ".join(passage.text for passage in passages if passage.field == TITLE))
    text = search.words("\n".join(passage.text for passage in passages if passage.field != TITLE))
    return SearchRow(place, seq, title, tuple(word for word in text if word not in title))
