"""The storage port: what the engine needs from a store. A store keeps rows and knows no rules."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from msgspec import Struct

from gatepost.engine.rows import (
    LAST_PLACE,
    LAST_SEQ,
    ArtifactRow,
    Changes,
    Clause,
    EventRow,
    Head,
    ImageRow,
    OperationRow,
    Posting,
    Range,
    RequestRow,
    SearchHits,
    Stored,
    Table,
)


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


class WorkspaceSnapshot(Protocol):
    """A consistent view of one workspace, as it is or as it was."""

    def head(self) -> Head:
        """The counters; all zero for a workspace that nobody has written to."""

    def find(self, name: str) -> str | None:
        """The place of a step or node by its id, even after its deletion."""

    def ahead(self, ask: "Ask") -> bool:
        """Read in one round trip what `ask` reads: the same reads afterwards take none. `ask` gets the answers that
        are known already, and empty ones for the rest. Whether anything was left to read.

        A store without a network between does nothing."""

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
        """The log after a `seq` and up to another, ascending or newest first; of a plan, task or step, if given."""

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
        """The first change after an operation at each of these places, in one round trip. Places that have not
        changed since are left out."""

    def artifacts(
        self, place: str, limit: int, first: tuple[int, int] | None = None, *, upto: int = LAST_SEQ
    ) -> list[ArtifactRow]:
        """The evidence captured for a place, newest first; or from a `seq` and number on, oldest first."""

    def evidence_counts(self, places: Sequence[str], most: int, *, upto: int = LAST_SEQ) -> dict[str, int]:
        """How many pieces of evidence these places have, each counted up to `most`. Places without are left out."""

    def written(self, folder: str, taskdoc: str) -> str | None:
        """The record of a package in a project folder, as JSON."""

    def lease(self, holder: str) -> str | None:
        """When a holder of claims last made a call, if it made one since it claimed something."""


Ask = Callable[[WorkspaceSnapshot], object]
"""Something that reads."""


class StoreSnapshot(Tables, WorkspaceSnapshot, Protocol):
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

    def request(self, name: str) -> RequestRow | None:
        """The answered write of this id, if it is remembered."""


class UnreadableTable(Exception):
    """The rest of a table is unreadable."""


class BadRow(Exception):
    """One row is unreadable; the rows after it may be readable."""


class Defect(Struct, frozen=True):
    """Something wrong with the store's file. `foreign` if others put it there."""

    code: str
    where: str
    says: str
    foreign: bool = False


class StoreMeasures(Struct, frozen=True):
    """What holds a store: the database's version, the schema's number and the size in bytes, as far as readable."""

    engine: str
    schema: int | None = None
    size: int | None = None


class Inspection(Protocol):
    """A consistent view of a possibly damaged store, for the doctor."""

    def measures(self) -> StoreMeasures:
        """The store's size and versions."""

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

    def reading(self, workspace: str, first: Ask | None = None) -> AbstractContextManager[StoreSnapshot]:
        """A consistent view of one workspace. What `first` reads is read ahead, with the beginning if possible."""

    def writing(
        self, workspace: str, first: Ask | None = None, *, patient: bool = True
    ) -> AbstractContextManager[StoreTransaction]:
        """Exclusive access to one workspace. Nothing changes without a commit. What `first` reads is read ahead. If
        not `patient`, it does not wait for another writer."""

    def blank(self) -> AbstractContextManager[StoreTransaction] | None:
        """An empty workspace to try a first write on while nothing is stored, so that a refusal leaves no file."""

    def try_write(self) -> None:
        """Write a little and roll it back. Raises what prevents a write: a `StoreFault` or `Busy`."""

    def migrate(self) -> tuple[int, int]:
        """Bring the schema up to date. Its number before, 0 if there was none, and after."""

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
