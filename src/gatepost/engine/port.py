"""The storage port: what the engine needs from a store. A store keeps rows and knows no rules."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final, Literal, Protocol

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

LAST_PLACE: Final = "\x7f"
LAST_SEQ: Final = 2**63 - 1

Range = tuple[str, str]
"""The places from the first one up to, but without, the second."""

Posting = tuple[str, str]
"""A term, and a place that has it."""


class Head(Struct, frozen=True):
    """A workspace's counters: its last `seq`, how many of each kind were ever created, and the end of its hash
    chain.
    """

    seq: int = 0
    plans: int = 0
    tasks: int = 0
    nodes: int = 0
    hash: str = ""


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
    """What was said at one place is found at another one from now on."""
    search_new: Sequence[SearchRow] = ()
    search_gone: Sequence[str] = ()
    masked_texts: Sequence[tuple[str, str, int]] = ()
    past: Sequence[OperationRow] = ()
    """Operations of a log that is written again, unchanged."""
    written: Sequence[tuple[str, str, str | None]] = ()
    """Project folder, taskdoc, and what its package holds now: nothing if it was removed. No part of the log."""
    leases: Sequence[tuple[str, str]] = ()
    """Holders of claims, and when each made its last call. No part of the log."""
    leases_before: Sequence[str] = ()
    """Forget the holders that were not seen since this time."""


class Tables(Protocol):
    """Whole tables of one workspace."""

    def head(self) -> Head:
        """The counters; all zero for a workspace that nobody has written to."""

    def find(self, name: str) -> str | None:
        """The place of a step or node by its id, even after its deletion."""

    def rows(self, table: Table) -> Iterator[tuple[Any, ...]]:
        """Every row of a table: log tables in the order of their operations, the others by key.

        The tables of a damaged store raise `BadRow` for one row and go on, or `UnreadableTable`.
        """


class Snapshot(Protocol):
    """A consistent view of one workspace, as it is or as it was."""

    def head(self) -> Head:
        """The counters; all zero for a workspace that nobody has written to."""

    def find(self, name: str) -> str | None:
        """The place of a step or node by its id, even after its deletion."""

    def texts(self, places: Sequence[str]) -> dict[str, str]:
        """The documents at these places, without their tallies. Places with nothing are left out."""

    def load(self, places: Sequence[str]) -> dict[str, Stored]:
        """The documents and tallies at these places, in one round trip. Places with nothing are left out."""

    def span(self, first: str, end: str, limit: int) -> list[tuple[str, Stored]]:
        """The documents in `first <= place < end`, in order."""

    def count(self, first: str, end: str) -> int:
        """The number of documents in `first <= place < end`."""

    def postings(self, clauses: Sequence[Clause], ranges: Sequence[Range], limit: int) -> list[str]:
        """The first places that have a term of every clause, range by range, in order in each."""

    def walk(self, after: Posting, end: str, limit: int) -> list[Posting]:
        """The postings after one, of terms before `end`: by term, and by place for each term."""

    def search(self, words: Sequence[str], limit: int, upto: int | None = None) -> SearchHits:
        """The newest rows that have a word starting with each of these; only up to number `upto`, if given.

        An event is found as long as there is a document at its place. A store may return fewer than `limit` rows,
        to bound the cost.
        """

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
        """The log after a `seq` and up to another, ascending or newest first; only of one plan, task or step, if
        given."""

    def notes(
        self, limit: int, root: str, steps: Sequence[str | None] | None = None, *, upto: int = LAST_SEQ
    ) -> list[EventRow]:
        """The newest notes on a plan or task and on its steps, newest first; or only those on some steps, given by
        their ids. None among them is the plan or task itself."""

    def operations(self, before: int, limit: int, root: str | None) -> list[OperationRow]:
        """The operations before one, newest first; only of one plan or task, if given."""

    def images(self, operation: int, first: str = "", end: str = LAST_PLACE, limit: int = -1) -> list[ImageRow]:
        """What an operation changed in `first <= place < end`, in order. A negative limit is none."""

    def images_of_place(self, place: str, before: int, limit: int) -> list[ImageRow]:
        """What was changed at a place before an operation, newest first."""

    def images_after(self, places: Sequence[str], operation: int) -> dict[str, ImageRow]:
        """The first change after an operation at each of these places, in one round trip. Places without are left
        out: what is there now was there then."""

    def artifacts(
        self, place: str, limit: int, first: tuple[int, int] | None = None, *, upto: int = LAST_SEQ
    ) -> list[ArtifactRow]:
        """The evidence captured for a place, newest first; or from a `seq` and number on, oldest first."""

    def evidence_counts(self, places: Sequence[str], most: int, *, upto: int = LAST_SEQ) -> dict[str, int]:
        """How many pieces of evidence these places have, each counted up to `most`. Places without are left out."""

    def written(self, folder: str, taskdoc: str) -> str | None:
        """The record of a package in a project folder, as JSON."""

    def lease(self, holder: str) -> str | None:
        """When a holder of claims last made a call, if it was after it claimed something."""


class StoreSnapshot(Tables, Snapshot, Protocol):
    """A consistent view of one workspace as it is, which also tells what has changed since an operation."""

    def texts_before(self, roots: Sequence[str], operation: int) -> dict[str, str | None]:
        """What has changed in these plans and tasks since an operation, and what was there. Only operations that
        touched them count."""

    def changed_places(self, first: str, end: str, operation: int) -> list[str]:
        """What has changed in `first <= place < end` since an operation, in order. For ranges with few places."""

    def changed_roots(self, operation: int) -> list[str]:
        """The plans and tasks that the log since an operation is about, in order."""

    def left_plan(self, plan_id: str, operation: int) -> list[str]:
        """The tasks that were deleted from a plan, or moved out of it, since an operation."""

    def revisions(self, places: Sequence[str], operation: int) -> dict[str, int]:
        """The revisions that these places had after an operation. Places without any are left out."""


class UnreadableTable(Exception):
    """The rest of a table is unreadable."""


class BadRow(Exception):
    """One row is unreadable; the rows after it may be readable."""


def in_log_order(table: Table, row: tuple[Any, ...]) -> tuple[Any, ...]:
    """The sort key of a table's rows: log tables by operation, the others by key."""
    if table in ("images", "touches"):
        return row[1], row[0]
    if table == "artifacts":
        return row[1], row[0], row[2]
    return row[: _KEYS.get(table, 1)]


_KEYS: Final[dict[Table, int]] = {"terms": 2, "searched": 2, "masked_texts": 3}
"""The number of key columns, where it is more than one."""


class Defect(Struct, frozen=True):
    """Something wrong with the store's file. `foreign` if others put it there."""

    code: str
    where: str
    says: str
    foreign: bool = False


class Inspection(Protocol):
    """A consistent view of a possibly damaged store, for the doctor."""

    def defects(self) -> Iterator[Defect]:
        """What is wrong with the file."""

    def workspaces(self) -> list[str]:
        """The workspaces whose names can be read."""

    def tables(self, workspace: str) -> Tables:
        """One workspace, as far as it is readable."""


class StoreTransaction(StoreSnapshot, Protocol):
    """A snapshot with exclusive write access. It sees what was applied to it."""

    def apply(self, changes: Changes) -> None:
        """Write. It lasts only if the transaction is committed."""

    def commit(self) -> None:
        """Make everything that was applied durable, at once."""


class Rebuild(Struct, frozen=True):
    """A store being written again: the old one to read, and a new one to write, empty at first.

    `finish` replaces the old store with the new one. It returns where the old one is kept, if it is a file.
    """

    old: Inspection
    new: "Store"
    finish: Callable[[], str | None]


class Store(Protocol):
    """A place that keeps workspaces."""

    def reading(self, workspace: str) -> AbstractContextManager[StoreSnapshot]:
        """A consistent view of one workspace."""

    def writing(self, workspace: str, *, patient: bool = True) -> AbstractContextManager[StoreTransaction]:
        """Exclusive access to one workspace. Nothing changes without a commit. Without patience, another writer is
        not waited for."""

    def blank(self) -> AbstractContextManager[StoreTransaction] | None:
        """An empty workspace to try a first write on while nothing is stored, so that a refusal leaves no file."""

    def try_write(self) -> None:
        """Write a little and roll it back. Raises what prevents a write: a `StoreFault` or `Busy`."""

    def workspaces(self) -> list[str]:
        """The names of the workspaces that have been written to."""

    def wait(self, workspace: str, after: int, seconds: float) -> bool:
        """Return as soon as the log may have passed `after`, or when the time is up.

        The result is only a hint; the log decides. Closing the store ends every wait.
        """

    def release(self, workspace: str) -> None:
        """End all waits for a workspace, without news."""

    def inspecting(self) -> AbstractContextManager[Inspection]:
        """The store, for the doctor. Damage is no error here, and nothing is changed."""

    def rebuilding(self) -> AbstractContextManager[Rebuild]:
        """Exclusive access to the store, to write it again from what is readable."""

    def describe(self) -> dict[str, Any]:
        """What kind of store this is, and where."""

    def close(self) -> None:
        """Release files and connections."""
