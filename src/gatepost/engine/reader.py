"""Reading: documents by id, by path and by term. A reader cannot write."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from msgspec import Struct

from gatepost.domain import documents, places, terms
from gatepost.domain.documents import Document, Focus, Member
from gatepost.domain.nodes import Node
from gatepost.domain.refusals import DiskRefused, StepAddress, Suggestion, TargetMismatch, UnknownId
from gatepost.domain.roots import Plan, Root, Task
from gatepost.domain.steps import Staleness, Step, never_stale
from gatepost.domain.tallies import NONE, Tally
from gatepost.domain.taskdocs import Taskdoc
from gatepost.engine.caller import Caller
from gatepost.engine.clock import SystemClock
from gatepost.engine.rows import LAST_PLACE

if TYPE_CHECKING:
    from gatepost.domain.gate import OpenBelow
    from gatepost.engine import checks, port, rows
    from gatepost.engine.claims import Claims
    from gatepost.engine.packages import Package, PackageObservation, PackageObservations, PackageQuery, Packages
    from gatepost.replies.reply import PastMoment

T_co = TypeVar("T_co", covariant=True, bound=Document)

MOST_NAMED = 20
_PAGE = 1_000


class Found(Struct, Generic[T_co], frozen=True):
    """A document, its place and its tally."""

    place: str
    value: T_co
    tally: Tally


class Reader:
    """A consistent view of one workspace."""

    def __init__(
        self,
        workspace: str,
        snapshot: port.WorkspaceSnapshot,
        store: port.Store,
        caller: Caller,
        home: str | None = None,
        packages: Callable[[], Packages] | None = None,
        is_stale: Staleness = never_stale,
        now: Callable[[], str] | None = None,
    ) -> None:
        self.workspace = workspace
        self.caller = caller
        self._find_packages = packages
        self.looks: PackageObservations = {}
        self.found: dict[str, Any] = {}
        """Problems found in each package when first read. A draft must not judge it by its own changes."""
        self.is_stale, self.judges_proofs = is_stale, is_stale is not never_stale
        """Whether files that a proof covers have changed since. A draft does not look."""
        self.checks: checks.Checks | None = None
        self.home = home
        """The project's `.gatepost` folder, if there is a project."""
        self.moment: PastMoment | None = None
        """The moment in the past that is read, if it is not now."""
        self._snapshot, self._store = snapshot, store
        self.now = SystemClock().now if now is None else now
        self._claims: Claims | None = None
        self._read: dict[str, Found[Document] | None] = {}
        """The documents read so far. Views ask for the same plan and task again, and a snapshot does not change."""
        self.describe = store.describe
        self.ahead = snapshot.ahead
        self.lease = snapshot.lease
        self.images = snapshot.images
        self.images_of_place = snapshot.images_of_place
        self.images_after = snapshot.images_after
        self.operations = snapshot.operations
        self.artifacts = snapshot.artifacts
        self.evidence_counts = snapshot.evidence_counts

    @property
    def claims(self) -> Claims:
        """Who holds what, as the caller sees it. Only readers of what is claimed load it."""
        if self._claims is None:
            from gatepost.engine.claims import Claims

            self._claims = Claims(self, self.now())
        return self._claims

    @property
    def packages(self) -> Packages | None:
        """The packages of taskdocs on disk, if there is a project."""
        return None if self._find_packages is None else self._find_packages()

    def seen(self, moment: PastMoment, snapshot: Callable[[port.StoreSnapshot], port.WorkspaceSnapshot]) -> Reader:
        """The same workspace at a moment in the past. Proofs are not judged there, and packages not read."""
        past = snapshot(cast("port.StoreSnapshot", self._snapshot))
        then = Reader(self.workspace, past, self._store, self.caller)
        then.moment = moment
        return then

    def scout(self, snapshot: port.WorkspaceSnapshot) -> Reader:
        """A reader that only shows what would be read. Looks at no package and at no other workspace."""
        twin = Reader(self.workspace, snapshot, self._store, self.caller, now=self.now)
        twin.judges_proofs = self.judges_proofs
        twin.workspaces = list  # type: ignore[method-assign]
        return twin

    def workspaces(self) -> list[str]:
        """The workspaces that the caller may see."""
        return [self.workspace] if self.caller.bound is not None else self._store.workspaces()

    def head(self) -> rows.Head:
        """The workspace's counters."""
        return self._snapshot.head()

    def at(self, place: str) -> Found[Document] | None:
        """The document at a place."""
        return next(iter(self.all_at((place,))), None)

    def all_at(self, places: Sequence[str]) -> list[Found[Document]]:
        """The documents at these places, in their order, in one round trip. Places with nothing are left out."""
        if len(self._read) > _PAGE:
            self._read.clear()
        missing = [place for place in places if place not in self._read]
        stored = self._snapshot.load(missing) if missing else {}
        for place in missing:
            self._read[place] = _found(place, stored.get(place))
        return [found for place in places if (found := self._read[place]) is not None]

    def values(self, places: Sequence[str]) -> list[Document]:
        """The documents at these places, in order, without their tallies: in the past those cost more."""
        if self.moment is None:
            return [found.value for found in self.all_at(places)]
        return [documents.from_text(text) for text in self._snapshot.texts(places).values()]

    def tally(self, place: str) -> Tally:
        """The tally at a place, also of a deleted document."""
        stored = self._snapshot.load((place,)).get(place)
        return NONE if stored is None else stored.tally

    def span(self, first: str, end: str, limit: int) -> list[Found[Document]]:
        """The documents of a range, in order."""
        stored = self._snapshot.span(first, end, limit)
        return [found for place, row in stored if (found := _found(place, row)) is not None]

    def count(self, first: str, end: str) -> int:
        """The number of documents in a range. Walks the range without reading them."""
        return self._snapshot.count(first, end)

    def root(self, root_id: str, *, field: str = "task") -> Found[Root]:
        """A plan or task that must exist."""
        place = places.of_id(root_id)
        found = None if place is None else self.at(place)
        if found is None:
            kind = "plan" if root_id.startswith("PLAN") else "task"
            raise UnknownId(field, root_id, self.workspace, Suggestion("tasks_context", {"kind": kind}))
        return found  # type: ignore[return-value]  # a root's place only holds roots

    def root_at(self, root_id: str, expected: int | None, *, field: str = "task") -> Found[Root]:
        """A plan or task that must exist, at the revision that the caller expects."""
        found = self.root(root_id, field=field)
        self.check_revision(root_id, found.place, found.tally.revision, expected)
        return found

    def check_revision(self, name: str, place: str, current: int, expected: int | None) -> None:
        """Refuse a write made for another revision of its target.

        In a batch the caller can only know the revision before it, but the current one is accepted too.
        """
        known = self.known_revision(place)
        if expected is not None and expected not in (current, known):
            from gatepost.engine.recent_changes import mismatch

            raise mismatch(self, name, place, known, expected)

    def known_revision(self, root: str) -> int:
        """The revision that the caller can know."""
        found = self.at(root)
        return 0 if found is None else found.tally.revision

    def member(
        self, root: Found[Root], path: str | None, step_id: str | None, *, field: str | None = None
    ) -> Found[Member]:
        """The step or task node that a selector names. `path` and `step_id` must agree."""
        at = None if path is None else places.at_path(root.place, path)
        place = at if step_id is None else self.find(step_id)
        found = None if place is None or places.root_of(place) != root.place else self.at(place)
        if place is None or found is None or not isinstance(found.value, Step | Node):
            formerly = terms.formerly(path or "") if step_id is None else ""
            for step in self.members(self.among(((formerly,),), root.place, 1)):
                from gatepost.domain.move_refusals import PathMoved

                raise PathMoved(field or "path", path or "", address(step))
            known, named = ("path", path) if step_id is None else ("step_id", step_id)
            look = Suggestion("tasks_resume", {"task": root.value.id})
            raise UnknownId(field or known, f"step {named}", root.value.id, look)
        if step_id is not None and path is not None and path != places.path_of(place):
            raise TargetMismatch(StepAddress(root.value.id, step_id, places.path_of(place)), path)
        return Found(place, found.value, found.tally)

    def step(
        self, root: Found[Root], path: str | None, step_id: str | None, *, field: str | None = None
    ) -> Found[Step]:
        """The step that a selector names. Refuses task nodes, which have no checkpoints."""
        found = self.member(root, path, step_id, field=field)
        if not isinstance(found.value, Step):
            named = address(found)
            raise UnknownId(
                field or ("path" if step_id is None else "step_id"),
                f"step {named.path} (it is the task node {named.step_id}, which is closed by its status)",
                root.value.id,
                Suggestion("tasks_resume", named.selector),
            )
        return Found(found.place, found.value, found.tally)

    def find(self, name: str) -> str | None:
        """The place of a step or task node by its id."""
        return self._snapshot.find(name)

    def members(self, found: Sequence[str]) -> list[Found[Member]]:
        """The steps and task nodes at these places."""
        return _only(self.all_at(found), Step, Node)

    def roots(self, found: Sequence[str]) -> list[Found[Root]]:
        """The plans and tasks at these places."""
        return _only(self.all_at(found), Plan, Task)

    def steps(self, found: Sequence[str]) -> list[Found[Step]]:
        """The steps at these places, without task nodes."""
        return _only(self.all_at(found), Step)

    def open_below(self, step: Found[Document]) -> OpenBelow:
        """The open steps below a step, the deepest first, in tree order."""
        from gatepost.domain.gate import NOTHING_OPEN, OpenBelow  # only who closes something asks

        if not step.tally.open:
            return NOTHING_OPEN
        first = self.among(((terms.NOW, terms.BLOCKED),), step.place, MOST_NAMED)
        return OpenBelow(step.tally.open, tuple(map(address, self.members(first))))

    def among(self, clauses: Sequence[rows.Clause], place: str, limit: int) -> list[str]:
        """The first places below `place` that have a term of every clause."""
        return self.postings_in(clauses, (places.below(place),), limit)

    def postings(self, clauses: Sequence[rows.Clause], first: str, end: str, limit: int) -> list[str]:
        """The first places in a range that have a term of every clause."""
        return self.postings_in(clauses, ((first, end),), limit)

    def postings_in(self, clauses: Sequence[rows.Clause], ranges: Sequence[rows.Range], limit: int) -> list[str]:
        """The first places in some ranges that have a term of every clause, in one round trip."""
        return self._snapshot.postings(clauses, ranges, limit)

    def walk(self, after: rows.Posting, end: str, limit: int) -> list[rows.Posting]:
        """The postings after one, of terms before `end`, in order."""
        return self._snapshot.walk(after, end, limit)

    def spans(self, first: str, end: str) -> Iterator[Found[Document]]:
        """All documents of a range, read a page at a time."""
        while page := self.span(first, end, _PAGE):
            yield from page
            first = page[-1].place + "\0"

    def every(self, clauses: Sequence[rows.Clause]) -> Iterator[str]:
        """All places that have a term of every clause, read a page at a time."""
        first = ""
        while page := self.postings(clauses, first, LAST_PLACE, _PAGE):
            yield from page
            first = page[-1] + "\0"

    def search(self, words: Sequence[str], limit: int, upto: int | None = None) -> rows.SearchHits:
        """The newest rows that have a word starting with each of these."""
        return self._snapshot.search(words, limit, upto)

    def events(
        self, after: int, limit: int, root: str | None, *, step_id: str | None = None, newest: bool = False
    ) -> list[rows.EventRow]:
        """The log after a `seq`; from its end, newest first, if asked for."""
        return self._snapshot.events(after, limit, root, step_id=step_id, newest=newest)

    def recent(self, limit: int, root: str | None, step_id: str | None = None) -> list[rows.EventRow]:
        """The newest events, of all or of one plan, task or step, newest first."""
        return self.events(0, limit, root, step_id=step_id, newest=True)

    def notes(self, limit: int, root: str, steps: Sequence[str | None] | None = None) -> list[rows.EventRow]:
        """The newest notes on a plan or task and its steps, or only on some steps. None is the root itself."""
        return self._snapshot.notes(limit, root, steps)

    def left_plan(self, plan_id: str, operation: int) -> list[str]:
        """The tasks that were deleted from a plan, or moved out of it, after an operation."""
        return cast("port.StoreSnapshot", self._snapshot).left_plan(plan_id, operation)

    def taskdoc_key(self, name: str) -> str | None:
        """The key of the taskdoc that has or had this name. No other taskdoc can have it."""
        found = self.at(places.named(places.TASKDOC, name))
        if found is not None and isinstance(found.value, Taskdoc):
            return name
        called = self.postings(((terms.called(name),),), *places.all_named(places.TASKDOC), 1)
        return places.name_of(called[0]) if called else None

    def taskdoc_with(self, known_as: str | None) -> str | None:
        """The key of the taskdoc with this id, which its package keeps when renamed. Reads all taskdocs."""
        for place in self.every(((terms.TASKDOC,),)) if known_as is not None else ():
            found = self.at(place)
            if found is not None and isinstance(found.value, Taskdoc) and found.value.id == known_as:
                return places.name_of(place)
        return None

    def called(self, key: str) -> str:
        """The current name of a taskdoc; the key itself if there is no such taskdoc."""
        return self.renamed(places.named(places.TASKDOC, key)) or key

    def renamed(self, place: str) -> str | None:
        """The new name of the taskdoc at a place, or of a section's taskdoc, if it was renamed."""
        found = self.at(places.named(places.TASKDOC, places.name_of(place)))
        return found.value.name if found is not None and isinstance(found.value, Taskdoc) else None

    def shown(self, place: str) -> str:
        """A place by its current name."""
        name, selector = self.renamed(place) if place[0] == places.TASKDOC else None, places.section_of(place)
        if name is None:
            return places.shown(place)
        return places.shown(places.section(name, selector) if selector else places.named(places.TASKDOC, name))

    def sought(self, key: str) -> PackageQuery:
        """How to find a taskdoc's package, or a package by its name."""
        from gatepost.engine.packages import PackageQuery

        written = None if self.packages is None else self._snapshot.written(self.packages.record, key)
        found = self.at(places.named(places.TASKDOC, key))
        if found is None or not isinstance(found.value, Taskdoc):
            return PackageQuery(key, key, written)
        called = found.value.called(key)
        before = [name for name in (key, *found.value.formerly) if name != called]
        return PackageQuery(key, called, written, before, found.value.id)

    def look(self, name: str) -> Package | None:
        """A taskdoc's package, as first read."""
        found = self.glance(name).package
        if isinstance(found, DiskRefused):
            raise found
        return found

    def glance(self, name: str) -> PackageObservation:
        """A taskdoc's package as first read, with its record."""
        if self.packages is None:
            from gatepost.engine.packages import PackageObservation

            return PackageObservation(None, name, name)
        if name not in self.looks:
            self.looks[name] = self._unseen(self.packages, name)
        return self.looks[name]

    def trust(self, looks: PackageObservations) -> None:
        """Accept earlier observations, except of taskdocs renamed since."""
        self.looks |= {key: look for key, look in looks.items() if look.called == self.called(key)}

    def _unseen(self, packages: Packages, name: str) -> PackageObservation:
        from gatepost.engine.packages import look_at

        return look_at(packages, self.sought(name))

    def ready(self, task: Found[Root]) -> list[str]:
        """The place of the first step that the caller can work on: its own, or free. None while the task waits."""
        if task.tally.waiting:
            return []
        if self.moment is None and (task.tally.claimed or documents.claim_of(task.value)):
            return self.claims.ready(task)
        return self.among(((terms.NOW,),), task.place, 1)

    def focus(self) -> tuple[str | None, int]:
        """The id in focus, and the focus's revision."""
        found = self.at(places.FOCUS)
        if found is None or not isinstance(found.value, Focus):
            return None, NONE.revision
        return found.value.target, found.tally.revision


def _only(found: Sequence[Found[Any]], *kinds: type[Document]) -> list[Found[Any]]:
    return [item for item in found if isinstance(item.value, kinds)]


def _found(place: str, stored: rows.Stored | None) -> Found[Document] | None:
    if stored is None or stored.text is None:
        return None
    return Found(place, documents.from_text(stored.text), stored.tally)


def address(step: Found[Member]) -> StepAddress:
    """A step or task node as callers name it."""
    return StepAddress(places.root_id(step.place), step.value.id, places.path_of(step.place))
