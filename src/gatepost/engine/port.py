"""What the engine asks of a store: rows kept in order and committed together. A store knows no rule."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final, Literal, NamedTuple, Protocol

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
"""Terms of which at least one must be there."""

LAST_PLACE: Final = "\x7f"


class Head(NamedTuple):
    """What a workspace counts: its last `seq`, how many of each have ever been made, and the end of its log's chain
    of hashes."""

    seq: int = 0
    plans: int = 0
    tasks: int = 0
    nodes: int = 0
    hash: str = ""


class Stored(NamedTuple):
    """A document's text (none once it is deleted) and its tally."""

    text: str | None
    tally: Tally


class EventRow(NamedTuple):
    """One line of a workspace's log. `body` is the event itself, as JSON."""

    seq: int
    operation: int
    at: str
    actor: str
    root: str | None
    step_id: str | None
    path: str | None
    body: str


class OperationRow(NamedTuple):
    """One call that changed something; its number is the `seq` of its first event.

    A `record` only added to the log; `undo` and `redo` are `of` another operation; `undone_by` is the one that took
    this one back, as long as it stays taken back. `hash` is its link in the log's chain of hashes.
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


class ImageRow(NamedTuple):
    """A document before and after one operation."""

    place: str
    operation: int
    before: str | None
    after: str | None


class ArtifactRow(NamedTuple):
    """One piece of evidence: the place it is for, the event that captured it, its number there, and its JSON."""

    place: str
    seq: int
    number: int
    body: str


class SearchRow(NamedTuple):
    """What finds a document (`seq` 0) or an event at a place: the words of its title, and its other words."""

    place: str
    seq: int
    title: tuple[str, ...]
    text: tuple[str, ...]


class Hit(NamedTuple):
    """Something that search found. `number` rises with every row that is indexed; `titled` if its title has all the
    words."""

    number: int
    place: str
    seq: int
    titled: bool


class Hits(NamedTuple):
    """What a search found, newest first. `rest` is the number from which a search goes on with older ones, if this
    one did not look to the end."""

    found: Sequence[Hit]
    rest: int | None = None


class Changes(NamedTuple):
    """What one flush writes; every list may be empty."""

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
    search_new: Sequence[SearchRow] = ()
    search_gone: Sequence[str] = ()
    masked_texts: Sequence[tuple[str, str, int]] = ()
    past: Sequence[OperationRow] = ()
    """Operations of a log that is written again, as they were."""


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


class StoreSnapshot(Tables, Protocol):
    """A consistent view of one workspace."""

    def load(self, place: str) -> Stored | None:
        """The document and tally at a place."""

    def load_many(self, places: Sequence[str]) -> dict[str, Stored]:
        """The documents and tallies at these places, in one round trip. Places with nothing are left out."""

    def span(self, first: str, end: str, limit: int) -> list[tuple[str, Stored]]:
        """The documents in `first <= place < end`, in order."""

    def count(self, first: str, end: str) -> int:
        """How many documents there are in `first <= place < end`."""

    def postings(self, clauses: Sequence[Clause], first: str, end: str, limit: int) -> list[str]:
        """The first places in `first <= place < end` that have a term of every clause, in order."""

    def search(self, words: Sequence[str], limit: int, upto: int | None = None) -> Hits:
        """What has a word that begins with each of these, newest first; from number `upto` back, if given.

        An event is found as long as there is a document at its place. A store may stop before it found `limit`, to
        bound the cost.
        """

    def events(self, after: int, limit: int, root: str | None) -> list[EventRow]:
        """The log after a `seq`, ascending; of one plan or task, if named."""

    def recent(self, limit: int, root: str | None) -> list[EventRow]:
        """The end of the log, newest first."""

    def operations(self, before: int, limit: int, root: str | None) -> list[OperationRow]:
        """The calls before one, newest first; of one plan or task, if named."""

    def images(self, operation: int, place: str | None = None) -> list[ImageRow]:
        """What an operation changed, in order of place; only at one place, if given."""

    def artifacts(self, place: str, limit: int) -> list[ArtifactRow]:
        """The evidence captured for a place, newest first."""

    def written(self, folder: str, taskdoc: str) -> str | None:
        """What a package in a project folder held when it was last written, as JSON."""

    def artifacts_from(self, place: str, first: tuple[int, int], limit: int) -> list[ArtifactRow]:
        """What is kept for a place from a `seq` and number on, oldest first."""


class UnreadableTable(Exception):
    """The rest of a table cannot be read."""


class BadRow(Exception):
    """One row cannot be read; the rows after it may."""


def in_log_order(table: Table, row: tuple[Any, ...]) -> tuple[Any, ...]:
    """What the rows of a table are sorted by: those of the log by operation, the others by their key."""
    if table in ("images", "touches"):
        return row[1], row[0]
    if table == "artifacts":
        return row[1], row[0], row[2]
    return row[: _KEYS.get(table, 1)]


_KEYS: Final[dict[Table, int]] = {"terms": 2, "searched": 2, "masked_texts": 3}
"""How many columns the key has, where it has more than one."""


class Defect(NamedTuple):
    """Something wrong with the store's file itself. What is foreign was put there by others."""

    code: str
    where: str
    says: str
    foreign: bool = False


class Inspection(Protocol):
    """A store as the doctor sees it, at one moment: what can be read, and what is wrong with its file."""

    def defects(self) -> Iterator[Defect]:
        """What is wrong with the file."""

    def workspaces(self) -> list[str]:
        """The workspaces whose names can be read."""

    def tables(self, workspace: str) -> Tables:
        """One workspace, as far as it can be read."""


class StoreTransaction(StoreSnapshot, Protocol):
    """A snapshot that nobody else writes to meanwhile, and that sees what was applied to it."""

    def apply(self, changes: Changes) -> None:
        """Write; it lasts only if the transaction is committed."""

    def commit(self) -> None:
        """Make all that was applied durable at once."""


class Store(Protocol):
    """Where workspaces are kept."""

    def reading(self, workspace: str) -> AbstractContextManager[StoreSnapshot]:
        """A consistent view of one workspace."""

    def writing(self, workspace: str) -> AbstractContextManager[StoreTransaction]:
        """The workspace, alone; without a commit, nothing happened."""

    def put_written(self, workspace: str, folder: str, taskdoc: str, body: str | None) -> None:
        """Keep what a package holds now; none if it was removed. Nobody is woken: the log is as it was."""

    def blank(self) -> StoreTransaction | None:
        """While nothing is stored: something empty to try a first write on, so that refusing it leaves no file."""

    def try_write(self) -> None:
        """Write a little and take it back. Raises what stands in the way of a write: a `StoreFault`, or `Busy`."""

    def workspaces(self) -> list[str]:
        """The workspaces that have been written to, by name."""

    def wait(self, workspace: str, after: int, seconds: float) -> bool:
        """Return as soon as the log may have gone past `after`, whoever wrote, or when the time is up.

        Whether there may be news is only a hint; the log is the truth. Closing the store ends every wait.
        """

    def release(self, workspace: str) -> None:
        """Let everyone go who waits for a workspace just now, without news."""

    def inspecting(self) -> AbstractContextManager[Inspection]:
        """The store for its doctor. Damage is no error here, and nothing is changed."""

    def rebuilding(self) -> AbstractContextManager["Rebuild"]:
        """The store, alone, to be written again from what can be read of it."""

    def describe(self) -> dict[str, Any]:
        """What kind of store this is, and where."""

    def close(self) -> None:
        """Let go of files and connections."""


class Rebuild(Protocol):
    """A store that is being written again: the old one to read from, and a new one beside it to write to."""

    @property
    def old(self) -> Inspection:
        """The old one."""

    @property
    def new(self) -> Store:
        """The new one, empty at first."""

    def finish(self) -> str | None:
        """Put the new one in the place of the old. Answers where the old one is kept, if it is a file."""
