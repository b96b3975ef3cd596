"""One call, one transaction.

Reads are what most processes do once before they end, so whatever only a write needs is imported by the write.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from gatepost.domain import places
from gatepost.domain.refusals import Busy, DiskRefused, InvalidInput, StoreFault
from gatepost.domain.value import Stamp
from gatepost.engine.caller import Caller
from gatepost.engine.clock import Clock
from gatepost.engine.leases import Leases, Renewal
from gatepost.engine.port import Changes, EventRow, Store, StoreSnapshot, StoreTransaction
from gatepost.engine.reader import Reader
from gatepost.views.proofs import Staleness, never_stale
from gatepost.wire.secrets import REFUSE, Policy

if TYPE_CHECKING:
    from gatepost.domain.checkpoints import Confirmation
    from gatepost.domain.policies import Policy as ProofPolicy
    from gatepost.domain.steps import Step
    from gatepost.engine.checks import Cancellation, Checks, StaleProofs
    from gatepost.engine.commits import Notices
    from gatepost.engine.draft import Draft
    from gatepost.engine.packages import PackageObservations, Packages
    from gatepost.engine.watched_checks import Watch
    from gatepost.files.protocol import Filesystem

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
        self.checks = checks
        """How checks run here; none if this engine runs nothing."""
        self.notices: Notices | None = None
        """Who tells people about commits, if anyone does."""
        self.settled: set[str] = set()
        """The workspaces whose packages this engine has already checked."""
        self.lasting = True
        self.secrets: Policy = secrets
        """What to do with credentials in texts that would be stored."""
        self._clock = clock
        self._leases = Leases()
        self._first_policy = first_policy
        """The policy that a new workspace starts with."""

    @property
    def packages(self) -> Packages | None:
        """The packages of taskdocs on disk, if there is a project."""
        return None if self.find_packages is None else self.find_packages()

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

    def read(self, workspace: str, caller: Caller, ask: Callable[[Reader], R]) -> R:
        """Read from one consistent snapshot."""
        is_stale = self._staleness()
        renewal: Renewal | None = None
        try:
            with self.store.reading(workspace) as snapshot:
                reader = self._reader(workspace, snapshot, caller, is_stale)
                renewal = self._renewal(reader)
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

    def _reader(self, workspace: str, snapshot: StoreSnapshot, caller: Caller, is_stale: Staleness) -> Reader:
        now = self._clock.now
        reader = Reader(workspace, snapshot, self.store, caller, self.home, self.find_packages, is_stale, now)
        reader.checks = self.checks
        return reader

    def _renewal(self, reader: Reader) -> Renewal | None:
        """What to record of the caller's session, if its claims must be renewed."""
        key, now = (reader.workspace, reader.caller.holder_name), self._clock.now
        idle = not self.lasting or self._leases.is_idle(key, now)
        return None if idle else self._leases.renewal(reader, now)

    def _renew(self, workspace: str, caller: Caller, renewal: Renewal) -> None:
        """Renew claims after a call that wrote nothing. It waits for no other writer; the next call tries again."""
        try:
            with self.store.writing(workspace, patient=False) as transaction:
                transaction.apply(renewal.changes(transaction.head()))
                transaction.commit()
        except (Busy, StoreFault):
            self._leases.forget((workspace, caller.holder_name))

    def _staleness(self) -> Staleness:
        """Judges proofs, for one view. What that takes is loaded with the first proof."""
        checks = self.checks
        if checks is None:
            return never_stale
        judge: StaleProofs | None = None

        def is_stale(step: Step, mark: Confirmation) -> bool:
            nonlocal judge
            if mark.tree is None:
                return False
            if judge is None:
                from gatepost.engine.checks import StaleProofs

                judge = StaleProofs(checks)
            return judge(step, mark)

        return is_stale

    def write(
        self, tool: str, workspace: str, caller: Caller, change: Callable[[Draft], R], packages: Iterable[str] = ()
    ) -> R:
        """Draft a change and commit it. If it is refused, fails or changes nothing, nothing is stored.

        Packages are read before the store is locked: the named ones first, others as soon as the change needs them,
        in which case it starts again. The log can judge an observation that is older than itself.
        """
        from gatepost.engine.draft import PackagesNotObserved

        stamp = Stamp(self._clock.now(), caller.actor)
        _ = self.worktree  # read before the store is locked
        looks = self._looks(workspace, packages)
        while True:
            try:
                return self._written(_CallContext(tool, workspace, caller, stamp, looks), change)
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
        packages = self.packages if wanted else None
        if packages is None:
            return {}
        from gatepost.engine.packages import look_at

        with self.store.reading(workspace) as snapshot:
            reader = Reader(workspace, snapshot, self.store, _KEEPER, packages=self.find_packages)
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
        try:
            with self.store.writing(asked.workspace) as transaction:
                draft = self._draft(asked, transaction)
                renewal = self._renewal(draft)
                begun = self._begin(draft)
                reply = change(draft)
                if draft.head().seq == begun or not self.lasting:
                    return reply
                for name in _taskdocs(draft):
                    if name in draft.looks:
                        from gatepost.engine import package_sync

                        package_sync.restore_white_space(draft, name)
                draft.commit(renewal)
                renewal = None
        finally:
            if renewal is not None:
                self._renew(asked.workspace, asked.caller, renewal)
        if draft.changed_claims:
            self._leases.forget((asked.workspace, asked.caller.holder_name))
        if self.notices is not None:
            from gatepost.engine.commits import Commit

            changes = list(draft.changes())
            self.notices.announce(Commit(asked.workspace, draft.number, draft.stamp, changes))
        return self._faced(asked.workspace, draft, reply)

    def _draft(self, asked: _CallContext, transaction: StoreTransaction) -> Draft:
        from gatepost.engine.draft import Draft

        draft = Draft(
            asked.workspace,
            transaction,
            self.store,
            asked.caller,
            asked.tool,
            asked.stamp,
            self.home,
            self.find_packages,
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
        if self.find_packages is None:
            return reply
        warnings = [said for name in _taskdocs(draft) for said in self.face(workspace, name, draft.caller)]
        if not warnings or not isinstance(reply, Struct) or "warnings" not in reply.__struct_fields__:
            return reply
        return replace(reply, warnings=(*(getattr(reply, "warnings", None) or ()), *warnings))

    def face(self, workspace: str, name: str, caller: Caller) -> list[str]:
        """Write a taskdoc's package from the log. Returns warnings about what was in the way."""
        packages = self.packages
        if packages is None:
            return []
        from gatepost.engine import package_sync

        try:
            # The lock first: the snapshot must be at least as new as what others have written.
            with packages.locked():
                with self.store.reading(workspace) as snapshot:
                    reader = Reader(workspace, snapshot, self.store, caller, self.home, self.find_packages)
                    done = package_sync.write(reader, name)
                if done.news:
                    # Without the record, the content on disk is still known: it is in the log.
                    with suppress(Busy, StoreFault):
                        self.put_written(workspace, packages.folder, name, done.body)
        except DiskRefused as refused:
            return [f"The package could not be written: {refused.message} {refused.recovery}"]
        return list(done.warnings)

    def put_written(self, workspace: str, folder: str, taskdoc: str, body: str | None) -> None:
        """Record what a package holds now, or nothing if it was removed."""
        with self.store.writing(workspace) as transaction:
            head = transaction.head()
            if head.seq:
                transaction.apply(Changes(head, written=((folder, taskdoc, body),)))
                transaction.commit()

    def close(self) -> None:
        """Release files and connections, after a moment for notices on their way. A later call opens them again."""
        self.flush_notices()
        self.store.close()

    def flush_notices(self) -> None:
        """Give notices on their way a moment."""
        if self.notices is not None:
            self.notices.close()

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


def _taskdocs(draft: Draft) -> list[str]:
    """The taskdocs that a draft changed."""
    return sorted({places.name_of(place) for place in draft.touched if place[0] == places.TASKDOC})
