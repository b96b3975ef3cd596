"""A draft: the documents, tallies, terms and events that one call changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from gatepost.domain import names, places, tallies
from gatepost.domain.documents import Document, Member
from gatepost.domain.invariants import Breach
from gatepost.domain.records import CLAIMS, RECORDS
from gatepost.domain.tallies import Tally
from gatepost.domain.value import Event, Stamp
from gatepost.engine import chain, holder_permissions, permissions, prerequisites, safeguards, search
from gatepost.engine.caller import Caller
from gatepost.engine.chain import OperationRecord
from gatepost.engine.draft_entries import DraftEntries, DraftEntry, Savepoint
from gatepost.engine.draft_revisions import DraftRevisions
from gatepost.engine.reader import Found, Reader
from gatepost.engine.rows import ArtifactRow, Changes, EventRow, ImageRow, OperationRow
from gatepost.engine.safeguards import Author
from gatepost.wire.secret_policy import REFUSE, Policy

if TYPE_CHECKING:
    from gatepost.engine.packages import PackageObservation, Packages
    from gatepost.engine.port import Store, StoreTransaction
    from gatepost.engine.rows import Clause, Head, Posting, Range, SearchHits

_encode = msgspec.json.Encoder().encode


class PackagesNotObserved(Exception):
    """A draft needs these packages. It holds the store's lock, so the engine reads them and starts again."""

    def __init__(self, names: Iterable[str]) -> None:
        super().__init__(", ".join(sorted(names)))
        self.names = frozenset(names)


class Draft(Reader):
    """A reader that can also write. Nothing is stored before the engine commits it."""

    changed_claims = False
    """Whether something was claimed or released."""

    def __init__(
        self,
        workspace: str,
        transaction: StoreTransaction,
        store: Store,
        caller: Caller,
        tool: str,
        stamp: Stamp,
        home: str | None = None,
        packages: Callable[[], Packages] | None = None,
        secrets: Policy = REFUSE,
    ) -> None:
        super().__init__(workspace, transaction, store, caller, home, packages, now=lambda: stamp.at)
        self.secrets: Policy = secrets
        """What to do with credentials in texts that a handler reads from elsewhere than its command."""
        self.stamp = stamp
        self._transaction = transaction
        self._tool = tool
        self._head = transaction.head()
        self._first_seq = self._head.seq + 1
        self._entries = DraftEntries(transaction)
        self._names: list[tuple[str, str]] = []
        self._rows: list[EventRow] = []
        self._unwritten: list[EventRow] = []
        self._artifacts: list[ArtifactRow] = []
        self._revisions = DraftRevisions(self._entries)
        self._call = 0
        self._is_record = True
        self._kind = "change"
        self._of: int | None = None
        self._undone: list[tuple[int | None, int]] = []
        self.only_records = False
        """Nobody asked for this change, so nobody can undo it."""
        self.taken_over: set[str] = set()
        """The places that this call took over from others, so that it can change them."""
        self.worktree: str | None = None
        """The linked worktree of git that the call comes from."""
        self.ran_checks = False
        """Whether the call ran checks. Only then can it confirm what they prove."""

    @property
    def changed(self) -> bool:
        """Whether this call changed anything."""
        return len(self._rows) > self._call

    @property
    def logged(self) -> Sequence[EventRow]:
        """The events of this call, in order."""
        return self._rows[self._call :]

    @property
    def lasting(self) -> bool:
        """Whether there is anything to commit."""
        return bool(self._rows)

    def revisions(self) -> dict[str, int]:
        """The new revisions, by name."""
        raised = self._revisions.items()
        return {self.shown(place): revision for place, revision in raised if not places.depth(place)}

    def next_call(self) -> None:
        """Start the next call of several that share this draft."""
        self._call = len(self._rows)

    def mark(self) -> Savepoint:
        """A savepoint to roll back to."""
        lengths = len(self._entries), len(self._rows), len(self._artifacts), len(self._revisions)
        return Savepoint(*lengths, self._head, self._is_record)

    def back_to(self, mark: Savepoint) -> None:
        """Roll back to a savepoint."""
        self._entries.back_to(mark.changes)
        self._head = replace(mark.head, nodes=self._head.nodes)
        del self._rows[mark.rows :]
        del self._artifacts[mark.artifacts :]
        self._unwritten = [row for row in self._unwritten if row.seq <= mark.head.seq]
        self._revisions.back_to(mark.touched)
        self._is_record = mark.is_record

    def since(self, mark: Savepoint) -> list[tuple[str, str | None, str | None]]:
        """The documents changed after a savepoint: place, text before and text now."""
        return list(self._entries.since(mark.changes))

    def reverses(self, kind: str, operation: OperationRow, undone: list[tuple[int | None, int]]) -> None:
        """Record that this draft undoes or redoes another operation."""
        self._kind, self._of, self._undone = kind, operation.operation, undone

    @property
    def touched(self) -> Sequence[str]:
        """The places whose revision this draft raised."""
        return list(self._revisions)

    @property
    def number(self) -> int:
        """The number of the new operation."""
        return self._first_seq

    @property
    def next_seq(self) -> int:
        """The `seq` of the next event."""
        return self._head.seq + 1

    def keep(self, place: str, body: str) -> None:
        """Keep a piece of evidence with the next event."""
        self._artifacts.append(ArtifactRow(place, self.next_seq, len(self._artifacts), body))

    def known_revision(self, root: str) -> int:
        """The revision that a plan, task or focus had before the draft: the one its caller can know."""
        return self._revisions.known(root)

    def stood(self, place: str | None) -> bool:
        """Whether the place had a document before the draft."""
        return place is not None and self._entries.at(place).before is not None

    def text(self, place: str) -> str | None:
        """A document's text in the draft."""
        return self._entries.at(place).text

    def head(self) -> Head:
        """The workspace's counters, including this draft."""
        return self._head

    def at(self, place: str) -> Found[Document] | None:
        """The document at a place, including this draft."""
        entry = self._entries.at(place)
        return None if entry.document is None else Found(place, entry.document, entry.tally)

    def all_at(self, places: Sequence[str]) -> list[Found[Document]]:
        """The documents at these places, including this draft."""
        held = self._entries.all_at(places)
        return [Found(entry.place, entry.document, entry.tally) for entry in held if entry.document is not None]

    def tally(self, place: str) -> Tally:
        """The tally at a place, including this draft."""
        return self._entries.at(place).tally

    def span(self, first: str, end: str, limit: int) -> list[Found[Document]]:
        """The documents of a range, including this draft."""
        self._flush()
        found = []
        for place, stored in self._transaction.span(first, end, limit):
            entry = self._entries.seen(place, stored)
            if entry.document is not None:
                found.append(Found(place, entry.document, entry.tally))
        return found

    def find(self, name: str) -> str | None:
        """The place of a step or task node by its id, including this draft."""
        self._flush()
        return super().find(name)

    def count(self, first: str, end: str) -> int:
        """The number of documents in a range, including this draft."""
        self._flush()
        return super().count(first, end)

    def postings_in(self, clauses: Sequence[Clause], ranges: Sequence[Range], limit: int) -> list[str]:
        """The first places in some ranges that have a term of every clause, including this draft."""
        self._flush_terms()
        return super().postings_in(clauses, ranges, limit)

    def walk(self, after: Posting, end: str, limit: int) -> list[Posting]:
        """The postings after one, of terms before `end`, including this draft."""
        self._flush_terms()
        return super().walk(after, end, limit)

    def search(self, words: Sequence[str], limit: int, upto: int | None = None) -> SearchHits:
        """The newest rows that have a word starting with each of these, including this draft."""
        self._flush(events=True)
        return super().search(words, limit, upto)

    def events(
        self, after: int, limit: int, root: str | None, *, step_id: str | None = None, newest: bool = False
    ) -> list[EventRow]:
        """The log after a `seq`, including this draft."""
        self._flush(events=True)
        return super().events(after, limit, root, step_id=step_id, newest=newest)

    def notes(self, limit: int, root: str, steps: Sequence[str | None] | None = None) -> list[EventRow]:
        """The newest notes, including this draft."""
        self._flush(events=any("step_noted" in row.body for row in self._unwritten))
        return super().notes(limit, root, steps)

    def foresee(self, names: Iterable[str]) -> None:
        """Announce the packages that the call needs, so that all unobserved ones are read in one go."""
        missing = set(names) - set(self.looks)
        if self.packages is not None and missing:
            raise PackagesNotObserved(missing)

    def _unseen(self, packages: Packages, name: str) -> PackageObservation:  # noqa: ARG002 - no disk but the store's under its lock
        raise PackagesNotObserved([name])

    def new_root(self, kind: str) -> tuple[str, str]:
        """The place and id of the workspace's next plan or task."""
        counter = "plans" if kind == places.PLAN else "tasks"
        number = getattr(self._head, counter) + 1
        self._head = replace(self._head, **{counter: number})
        place = places.root(kind, number)
        return place, places.root_id(place)

    def new_step(self, parent: str) -> tuple[str, str]:
        """The place and id of the next step below `parent`. Neither is ever used again."""
        place = self.new_place(parent, places.STEP)
        return place, self._new_name("STEP", place)

    def new_node(self, parent: str) -> tuple[str, str]:
        """The place and id of the next task node below `parent`. Neither is ever used again."""
        place = self.new_place(parent, places.NODE)
        return place, self._new_name("NODE", place)

    def new_place(self, parent: str, kind: str) -> str:
        """The place of the next step or task node below `parent`."""
        tally = self._entries.at(parent).tally
        place = places.child(parent, kind, tally.next_step if kind == places.STEP else tally.next_node)
        self._entries.give(place)
        return place

    def _new_name(self, word: str, place: str) -> str:
        number = self._head.nodes + 1
        self._head = replace(self._head, nodes=number)
        name = names.node_id(self.workspace, number, word)
        self._names.append((name, place))
        return name

    def put(self, place: str, document: Document | None) -> None:
        """Set or delete a document, and update the tallies."""
        entry = self._entries.at(place)
        before = entry.document
        if before == document:
            return
        self._entries.put(entry, document)
        if places.depth(place):
            self._revisions.revise(tallies.revised(place, before, document))
        elif places.in_tree(place):
            for waits, count in prerequisites.recounted(self, place, before, document):
                self._recount(self._entries.at(waits), waiting=count)

    def relocate(self, old: str, new: str, member: Member) -> None:
        """Put at one place what was at another one."""
        self.put(old, None)
        self._entries.give(new)
        self.put(new, member)
        self._revisions.carry_on(old, new)

    def log(self, root: str, event: Event, step: Found[Member] | None = None) -> None:
        """Record an event. Unless it is about a claim, raises the revision at `root`, once per call."""
        if isinstance(event, CLAIMS):
            self.changed_claims = True
        else:
            self._revisions.touch(root)
        self._is_record = self._is_record and (self.only_records or isinstance(event, RECORDS))
        if root[0] == places.TASKDOC:
            event = replace(event, taskdoc=self.renamed(root))
        seq = self._head.seq + 1
        self._head = replace(self._head, seq=seq)
        row = EventRow(
            seq,
            self._first_seq,
            self.stamp.at,
            self.stamp.actor,
            None if root == places.FOCUS else root,
            None if step is None else step.value.id,
            None if step is None else places.path_of(step.place),
            _encode(event).decode(),
        )
        self._rows.append(row)
        self._unwritten.append(row)

    def untrue(self) -> list[tuple[str, Breach]]:
        """The invariants that this draft would break: where and how. Those broken before are left out."""
        return safeguards.broken(self._entries.firsts())

    def check_permissions(self) -> None:
        """Refuse what only people may do, and what somebody else holds."""
        permissions.check(self, self.changes(), self.stamp)
        holder_permissions.check_holders(self, list(self.changes()), self.taken_over)

    def changes(self) -> Iterator[permissions.Changed]:
        """The places that were changed, each with its document before and now."""
        return ((entry.place, before, entry.document) for entry, before, _ in self._entries.firsts())

    def commit(self, **beside: Any) -> None:
        """Write the rest, and the operation with its images. Never writes a broken invariant or a forged proof.

        `beside` are the fields of `Changes` that are no part of the log.
        """
        self.check_permissions()
        author = Author(self.stamp.actor, self.ran_checks, self._reversed_images)
        safeguards.check(self._entries.firsts(), author)
        self._entries.forget_passing()
        images = [ImageRow(place, self._first_seq, was, now) for place, was, now in self._entries.images()]
        nothing = all(places.is_record(image.place) for image in images)
        kind = "record" if self._is_record or (self._kind == "change" and nothing) else self._kind
        operation = OperationRow(
            self._first_seq, self._head.seq, self._tool, self.stamp.at, self.stamp.actor, kind, self._of
        )
        touches = [(place, self._first_seq, revision) for place, revision in self._revisions.rows()]
        record = OperationRecord(operation, self._rows, images, touches, self._artifacts)
        link = chain.hashed(self.workspace, self._head.hash, record)
        self._head = replace(self._head, hash=link)
        self._flush(
            events=True,
            operation=replace(operation, hash=link),
            images=images,
            touches=touches,
            undone=self._undone,
            artifacts=self._artifacts,
            **beside,
        )
        self._transaction.commit()

    def _reversed_images(self) -> list[ImageRow]:
        return [] if self._of is None else self.images(self._of)

    def _recount(self, entry: DraftEntry, **counts: int) -> None:
        self._entries.count(entry, replace(entry.tally, **counts))

    def _flush_terms(self) -> None:
        """Write what is not written yet, if it changes a posting. Else a store far away is spared a round trip."""
        if self._entries.terms_differ():
            self._flush()

    def _flush(self, *, events: bool = False, **last: Any) -> None:
        """Write what is not written yet. Events wait until they are read, so that a trial leaves none."""
        unwritten = self._unwritten if events else []
        if not (self._entries.dirty() or unwritten or last):
            return
        gone, new = self._entries.index()
        dirty = self._entries.dirty()
        changed = [entry for entry in dirty if entry.document is not entry.written]
        counted = [entry for entry in dirty if entry.tally is not entry.written_tally]
        find, place_of = self._transaction.find, self._entries.place_of
        named, moved, empty = self._entries.homes(changed, dict(self._names))
        hidden, found = search.changed(changed, unwritten, lambda it: named.get(it) or place_of(it) or find(it))
        changes = Changes(
            head=self._head,
            documents=[(entry.place, entry.text) for entry in changed],
            tallies=[(entry.place, entry.tally) for entry in counted],
            terms_gone=gone,
            terms_new=new,
            names=list(named.items()),
            events=unwritten,
            search_moved=moved,
            search_new=found,
            search_gone=[*hidden, *empty],
            **last,
        )
        self._transaction.apply(changes)
        self._names = []
        self._unwritten = [] if events else self._unwritten
        self._entries.wrote(dirty)
