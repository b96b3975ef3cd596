"""One call, one transaction.

Reads are what most processes do once before they end, so whatever only a write needs is imported by the write.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from gatepost.domain import places
from gatepost.domain.refusals import Busy, ImportUnfinished, InvalidInput, StoreFault
from gatepost.domain.value import Stamp
from gatepost.engine.caller import Caller
from gatepost.engine.clock import Clock
from gatepost.engine.leases import Leases, Renewal, read_claims
from gatepost.engine.port import Ask, Store, StoreSnapshot, StoreTransaction
from gatepost.engine.read_ahead import Question, asked_first, read_all_ahead
from gatepost.engine.reader import Reader
from gatepost.engine.rows import Changes, EventRow
from gatepost.engine.staleness import staleness
from gatepost.wire.secret_policy import REFUSE, Policy

if TYPE_CHECKING:
    from gatepost.domain.policies import Policy as ProofPolicy
    from gatepost.domain.steps import Staleness
    from gatepost.engine.checks import Cancellation, Checks
    from gatepost.engine.commits import Notices
    from gatepost.engine.draft import Draft
    from gatepost.engine.idempotency import RepeatableRequest
    from gatepost.engine.packages import PackageObservations, Packages
    from gatepost.engine.watched_checks import Watch
    from gatepost.files.protocol import Filesystem
    from gatepost.spans import CallTracer

R = TypeVar("R")

_PAGE = 500
_KEEPER = Caller("gatepost")


class _CallContext(Struct, frozen=True):
    """What a draft needs to know about its call."""

    tool: str
    workspace: str
    caller: Caller
    stamp: Stamp
    looks: PackageObservations
    request: RepeatableRequest | None = None
    first: Question | None = None


def no_files() -> Filesystem:
    """Raised by file operations when the engine has no project folder."""
    raise InvalidInput([("workspace", "needs a project folder; start the server with --root")])


class LookNeeded(Exception):
    """A change needs to know what is not in the store. It is looked at before the store is locked again."""

    def __init__(self, look: Callable[[Reader], object]) -> None:
        super().__init__()
        self.look = look


class Engine:
    """Runs operations against a store: reads on a snapshot, writes in one exclusive transaction."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        home: str | None = None,
        *,
        files: Callable[[], Filesystem] = no_files,
        packages: Callable[[], Packages] | None = None,
        checks: Checks | None = None,
        secrets: Policy = REFUSE,
        first_policy: ProofPolicy | None = None,
    ) -> None:
        self.store = store
        self.home = home
        self.files = files
        self.find_packages = packages
        self.own_workspace: str | None = None
        """The only workspace with packages in the project's folder, where the store has those of many projects."""
        self.checks = checks
        """How checks run here; none if this engine runs nothing."""
        self.notices: Notices | None = None
        """Sends notices about commits, if that is set up."""
        self.tracer: CallTracer | None = None
        """Makes a span of each call, if that is set up."""
        self.settled: set[str] = set()
        """The workspaces whose packages this engine has already checked."""
        self.lasting = True
        self.secrets: Policy = secrets
        """What to do with credentials in texts that would be stored."""
        self._clock = clock
        self.leases = Leases(clock.now)
        self._first_policy = first_policy
        """The policy that a new workspace starts with."""

    @property
    def packages(self) -> Packages | None:
        """The packages of taskdocs on disk, if there is a project."""
        return None if self.find_packages is None else self.find_packages()

    def workspaces_with_packages(self) -> list[str]:
        """The workspaces whose taskdocs can have packages in this project's folder."""
        if self.find_packages is None:
            return []
        return [name for name in self.store.workspaces() if self.own_workspace in (None, name)]

    def packages_of(self, workspace: str) -> Callable[[], Packages] | None:
        """How to find the packages of a workspace, if this project's folder has them."""
        return self.find_packages if self.own_workspace in (None, workspace) else None

    @functools.cached_property
    def worktree(self) -> str | None:
        """Git's name for the linked worktree that the project is in; none in a main folder."""
        root = None if self.home is None else os.path.dirname(self.home)
        if root is None or not os.path.isfile(os.path.join(root, ".git")):
            return None
        from gatepost.files.worktrees import linked_worktree

        linked = linked_worktree(root)
        return None if linked is None else linked.name

    def rehearsing(self) -> Engine:
        """The same engine, but it stores nothing: to see what a call would do."""
        from copy import copy

        twin = copy(self)
        twin.settled, twin.lasting = set(), False
        return twin

    def watched(self, watch: Watch, cancelled: Cancellation | None = None) -> Engine:
        """The same engine, but somebody watches the checks that it runs, and can cancel them."""
        from copy import copy

        from gatepost.engine.watched_checks import WatchedChecks

        twin = copy(self)
        twin.checks = None if self.checks is None else WatchedChecks(self.checks, watch, cancelled)
        return twin

    def read(self, workspace: str, caller: Caller, ask: Callable[[Reader], R], first: Question | None = None) -> R:
        """Read from one consistent snapshot. If `first` says what `ask` reads first, `ask` only reads and can run
        several times: then everything is read in as few round trips as possible."""
        is_stale = staleness(self.checks)
        renewal: Renewal | None = None
        since = self.leases.changes
        try:
            with self.store.reading(workspace, self._ahead(workspace, caller, first)) as snapshot:
                reader = self._reader(workspace, snapshot, caller, is_stale)
                renewal = self.leases.renewal(reader, since) if self.lasting else None
                if first is not None:
                    read_all_ahead(reader, first, ask)
                reply = ask(reader)
        finally:
            if renewal is not None:
                self._renew(workspace, caller, renewal)
        if not any(reader.found.values()):
            return reply
        # What looks like an outside edit may be newer than the snapshot. A snapshot newer than the observation can
        # tell.
        with self.store.reading(workspace) as snapshot:
            again = self._reader(workspace, snapshot, caller, is_stale)
            again.trust(reader.looks)
            return ask(again)

    def read_each(self, workspaces: Iterable[str], caller: Caller, ask: Callable[[Reader], R]) -> list[R]:
        """Read from several workspaces. Those that are not imported completely are left out."""
        found: list[R] = []
        for workspace in workspaces:
            with suppress(ImportUnfinished):
                found.append(self.read(workspace, caller, ask))
        return found

    def _reader(self, workspace: str, snapshot: StoreSnapshot, caller: Caller, is_stale: Staleness) -> Reader:
        _check_finished(workspace, snapshot)
        now = self._clock.now
        packages = self.packages_of(workspace)
        reader = Reader(workspace, snapshot, self.store, caller, self.home, packages, is_stale, now)
        reader.checks = self.checks
        return reader

    def _ahead(self, workspace: str, caller: Caller, first: Question | None) -> Ask | None:
        """What a transaction reads while it begins: what its call reads first, and what a renewal needs to know."""
        due = self.lasting and not self.leases.is_idle((workspace, caller.holder_name))
        return asked_first(workspace, self.store, caller, *filter(None, (first, read_claims if due else None)))

    def _renew(self, workspace: str, caller: Caller, renewal: Renewal) -> None:
        """Renew claims after a call that wrote nothing. Waits for no other writer; the next call tries again."""
        try:
            with self.store.writing(workspace, patient=False) as transaction:
                transaction.apply(renewal.changes(transaction.head()))
                transaction.commit()
        except (Busy, StoreFault):
            self.leases.forget((workspace, caller.holder_name))

    def write(
        self,
        tool: str,
        workspace: str,
        caller: Caller,
        change: Callable[[Draft], R],
        packages: Iterable[str] = (),
        request: RepeatableRequest | None = None,
        first: Question | None = None,
    ) -> R:
        """Draft a change and commit it. If it is refused, fails or changes nothing, nothing is stored.

        What `first` reads is read ahead. With a `request`, its reply is stored too. One that was answered before
        raises `Answered` instead.

        Packages are read before the store is locked: the named ones first, others as soon as the change needs them,
        in which case it starts again. The log can judge an observation that is older than itself.
        """
        from gatepost.engine.draft import PackagesNotObserved

        stamp = Stamp(self._clock.now(), caller.actor)
        _ = self.worktree  # read before the store is locked
        looks = self._looks(workspace, packages)
        while True:
            try:
                return self._written(_CallContext(tool, workspace, caller, stamp, looks, request, first), change)
            except PackagesNotObserved as unseen:
                seen = self._looks(workspace, unseen.names)
                if all(name in looks and looks[name].called == look.called for name, look in seen.items()):
                    raise
                looks |= seen
            except LookNeeded as needed:
                self.read(workspace, caller, needed.look)

    def _looks(self, workspace: str, names: Iterable[str]) -> PackageObservations:
        """Read packages, each once. Their records are read first, so that an observation is never older."""
        wanted = sorted(names)
        find = self.packages_of(workspace) if wanted else None
        if find is None:
            return {}
        packages = find()
        from gatepost.engine.packages import look_at

        with self.store.reading(workspace) as snapshot:
            reader = Reader(workspace, snapshot, self.store, _KEEPER, packages=find)
            sought = [reader.sought(name) for name in wanted]
        return {item.key: look_at(packages, item) for item in sought}

    def _written(self, asked: _CallContext, change: Callable[[Draft], R]) -> R:
        blank = self.store.blank()
        if blank is not None:
            with blank as transaction:
                draft = self._draft(asked, transaction)
                self._begin(draft)
                reply = change(draft)
            if not self.lasting:
                return reply
        renewal: Renewal | None = None
        since = self.leases.changes
        try:
            first = self._ahead(asked.workspace, asked.caller, asked.first)
            with self.store.writing(asked.workspace, first) as transaction:
                draft = self._draft(asked, transaction)
                renewal = self.leases.renewal(draft, since) if self.lasting else None
                if asked.request is not None:
                    asked.request.recall(transaction)
                begun = self._begin(draft)
                reply = change(draft)
                if draft.head().seq == begun or not self.lasting:
                    return reply
                for name in _taskdocs(draft):
                    if name in draft.looks:
                        from gatepost.engine import package_sync

                        package_sync.restore_white_space(draft, name)
                draft.commit(**_beside_the_log(asked, renewal, reply))
                renewal = None
        finally:
            if renewal is not None:
                self._renew(asked.workspace, asked.caller, renewal)
        if draft.changed_claims:
            self.leases.forget((asked.workspace, asked.caller.holder_name))
        if self.notices is not None:
            from gatepost.engine.commits import Commit

            changes = list(draft.changes())
            self.notices.announce(Commit(asked.workspace, draft.number, draft.stamp, changes))
        return self._faced(asked.workspace, draft, reply)

    def _draft(self, asked: _CallContext, transaction: StoreTransaction) -> Draft:
        from gatepost.engine.draft import Draft

        _check_finished(asked.workspace, transaction)
        draft = Draft(
            asked.workspace,
            transaction,
            self.store,
            asked.caller,
            asked.tool,
            asked.stamp,
            self.home,
            self.packages_of(asked.workspace),
            self.secrets,
        )
        draft.trust(asked.looks)
        draft.worktree = self.worktree
        return draft

    def _begin(self, draft: Draft) -> int:
        """Give a new workspace its first policy, before its first call and no part of it. The newest `seq`."""
        if self._first_policy is not None and not draft.head().seq:
            from gatepost.domain.documents import WorkspacePolicy
            from gatepost.domain.events import PolicySet

            draft.put(places.POLICY, WorkspacePolicy(policy=self._first_policy))
            draft.log(places.POLICY, PolicySet(fields=tuple(self._first_policy.given)))
            draft.next_call()
        return draft.head().seq

    def _faced(self, workspace: str, draft: Draft, reply: R) -> R:
        """Write the packages of changed taskdocs. A failure there does not fail the change."""
        if self.packages_of(workspace) is None:
            return reply
        warnings = [said for name in _taskdocs(draft) for said in self.face(workspace, name, draft.caller)]
        if not warnings or not isinstance(reply, Struct) or "warnings" not in reply.__struct_fields__:
            return reply
        return replace(reply, warnings=(*(getattr(reply, "warnings", None) or ()), *warnings))

    def face(self, workspace: str, name: str, caller: Caller) -> list[str]:
        """Write a taskdoc's package from the log. Returns warnings about what was in the way."""
        find = self.packages_of(workspace)
        if find is None:
            return []
        from gatepost.engine.package_writes import PackageWriter

        return PackageWriter(self.store, workspace, find, self.home).write(name, caller)

    def remember(self, workspace: str, request: RepeatableRequest, reply: str) -> None:
        """Remember a reply apart from its change. Raises `Answered` if another sender was faster.

        Nothing is remembered in a workspace that nobody has written to: it would exist from then on.
        """
        with self.store.writing(workspace) as transaction:
            if request.stored is None:
                request.recall(transaction)
            head = transaction.head()
            if head.seq:
                transaction.apply(Changes(head, **request.fields(self._clock.now(), reply)))
                transaction.commit()

    def close(self) -> None:
        """Release files and connections, after a short wait for pending notices. A later call opens them again."""
        self.flush()
        self.store.close()

    def flush(self) -> None:
        """Wait briefly for pending notices and spans."""
        if self.notices is not None:
            self.notices.close()
        if self.tracer is not None:
            self.tracer.flush()

    def follow(self, workspace: str, after: int, ended: Callable[[], bool] | None = None) -> Iterator[EventRow]:
        """Every event after a `seq`, then each new one, once and without a gap, until `ended` says so."""
        while ended is None or not ended():
            with self.store.reading(workspace) as snapshot:
                page = snapshot.events(after, _PAGE, None)
            for row in page:
                after = row.seq
                yield row
            if not page:
                self.store.wait(workspace, after, 1.0)


def _beside_the_log(asked: _CallContext, renewal: Renewal | None, reply: object) -> dict[str, Any]:
    """What a commit stores that is no part of the log."""
    request = asked.request
    fields = {} if renewal is None else renewal.fields
    return fields if request is None else fields | request.fields(asked.stamp.at, request.render(reply))


def _taskdocs(draft: Draft) -> list[str]:
    """The taskdocs that a draft changed."""
    return sorted({places.name_of(place) for place in draft.touched if place[0] == places.TASKDOC})


def _check_finished(workspace: str, snapshot: StoreSnapshot) -> None:
    """Refuse a half imported workspace: views would be wrong, and after a write the import could not go on."""
    if snapshot.head().is_unfinished:
        raise ImportUnfinished(workspace, snapshot.head().seq)
