"""The rows that stores keep and the engine reads and writes. A store knows no rules about them."""

from collections.abc import Sequence
from typing import Any, Final, Literal

from msgspec import Struct

from gatepost.domain.tallies import Tally

Table = Literal[
    "documents",
    "images",
    "tallies",
    "terms",
    "names",
    "events",
    "operations",
    "touches",
    "artifacts",
    "masked_texts",
    "searched",
]

LOG: Final[tuple[Table, ...]] = ("operations", "events", "images", "touches", "artifacts")
"""The tables of the log, which the chain of hashes covers."""

Clause = Sequence[str]
"""Alternative terms: a place must have at least one of them."""

REQUESTS_SWEPT: Final = 20
LAST_PLACE: Final = "\x7f"
LAST_SEQ: Final = 2**63 - 1

Range = tuple[str, str]
"""The places from the first one up to, but without, the second."""

Posting = tuple[str, str]
"""A term, and a place that has it."""


UNFINISHED: Final = "unfinished:"


class Head(Struct, frozen=True):
    """A workspace's counters: its last `seq`, how many of each kind were created, and its last hash.

    While an import is unfinished, a mark precedes the hash: every call reads the head anyway.
    """

    seq: int = 0
    plans: int = 0
    tasks: int = 0
    nodes: int = 0
    hash: str = ""

    @property
    def is_unfinished(self) -> bool:
        """Whether the workspace has only a part of its log yet, and nothing that follows from it."""
        return self.hash.startswith(UNFINISHED)

    @property
    def link(self) -> str:
        """The end of the hash chain, without the mark."""
        return self.hash.removeprefix(UNFINISHED)


class Stored(Struct, frozen=True):
    """A document's text (none once it is deleted) and its tally."""

    text: str | None
    tally: Tally


class EventRow(Struct, frozen=True):
    """One event of a workspace's log. `body` is its JSON."""

    seq: int
    operation: int
    at: str
    actor: str
    root: str | None
    step_id: str | None
    path: str | None
    body: str


class OperationRow(Struct, frozen=True):
    """One call that changed something. Its number is the `seq` of its first event.

    A `record` only added to the log; `undo` and `redo` are `of` another operation; `undone_by` is the operation
    that undid this one, as long as it stays undone. `hash` is its link in the hash chain.
    """

    operation: int
    last_seq: int
    tool: str
    at: str
    actor: str
    kind: str = "change"
    of: int | None = None
    undone_by: int | None = None
    hash: str = ""


class ImageRow(Struct, frozen=True):
    """A document before and after one operation."""

    place: str
    operation: int
    before: str | None
    after: str | None


class ArtifactRow(Struct, frozen=True):
    """One piece of evidence: its place, the event that captured it, its number there, and its JSON."""

    place: str
    seq: int
    number: int
    body: str


class RequestRow(Struct, frozen=True):
    """A write that was answered, by the id that its caller gave it: the digest of what was asked, and the reply."""

    id: str
    at: str
    digest: str
    reply: str


class SearchRow(Struct, frozen=True):
    """The words of a document (`seq` 0) or an event: those of its title, and the others."""

    place: str
    seq: int
    title: tuple[str, ...]
    text: tuple[str, ...]


class SearchHit(Struct, frozen=True):
    """A search result. `number` rises with every indexed row; `titled` if the title has all the words."""

    number: int
    place: str
    seq: int
    titled: bool


class SearchHits(Struct, frozen=True):
    """Search results, newest first. `rest` is the number from which to continue with older ones, if any."""

    found: Sequence[SearchHit]
    rest: int | None = None


class Changes(Struct, frozen=True):
    """What one flush writes. Every list may be empty."""

    head: Head
    documents: Sequence[tuple[str, str | None]] = ()
    tallies: Sequence[tuple[str, Tally]] = ()
    terms_gone: Sequence[tuple[str, str]] = ()
    terms_new: Sequence[tuple[str, str]] = ()
    names: Sequence[tuple[str, str]] = ()
    events: Sequence[EventRow] = ()
    operation: OperationRow | None = None
    images: Sequence[ImageRow] = ()
    touches: Sequence[tuple[str, int, int]] = ()
    undone: Sequence[tuple[int | None, int]] = ()
    artifacts: Sequence["ArtifactRow"] = ()
    search_reset: bool = False
    """Empty the workspace's search index first."""
    search_moved: Sequence[tuple[str, str]] = ()
    """Search text of one place that is found at another place from now on."""
    search_new: Sequence[SearchRow] = ()
    search_gone: Sequence[str] = ()
    masked_texts: Sequence[tuple[str, str, int]] = ()
    past: Sequence[OperationRow] = ()
    """Operations of a log that is written again, unchanged."""
    written: Sequence[tuple[str, str, str | None]] = ()
    """Project folder, taskdoc, and what its package holds now: nothing if it was removed. No part of the log."""
    leases: Sequence[tuple[str, str]] = ()
    """Holders of claims, and when each made its last call. Not part of the log."""
    leases_before: Sequence[str] = ()
    """Forget the holders that were not seen since this time."""
    requests: Sequence[RequestRow] = ()
    """Answered writes; one with a known id replaces it. No part of the log."""
    requests_before: str | None = None
    """Forget some of the requests answered before this time, the oldest first: at most `REQUESTS_SWEPT`."""


def in_log_order(table: Table, row: tuple[Any, ...]) -> tuple[Any, ...]:
    """The sort key of a table's rows: log tables by operation, the others by key."""
    if table in ("images", "touches"):
        return row[1], row[0]
    if table == "artifacts":
        return row[1], row[0], row[2]
    return row[: _KEYS.get(table, 1)]


_KEYS: Final[dict[Table, int]] = {"terms": 2, "searched": 2, "masked_texts": 3}
"""The number of key columns, where it is more than one."""
