"""Wake-ups: who in this process waits for which workspace, and one thread that looks on behalf of all of them.

Commits of this process wake at once. Those of others are told by datagram; beneath that the thread glances at the
database now and then, and often where datagrams cannot be had.
"""

import atexit
import os
import threading
import time
import weakref
from collections.abc import Callable
from io import FileIO
from typing import TYPE_CHECKING, Final, NamedTuple

import apsw

from gatepost.domain.refusals import Refusal

if TYPE_CHECKING:
    from gatepost.storage.sqlite.datagrams import ListenerSocket

_AGAIN: Final = 5.0
"""Where no socket could be had, it is tried again after so many seconds: what stood in the way may be gone."""
_PATIENCE: Final = 2.0


class PollIntervals(NamedTuple):
    """How often a store that is waited on looks for commits nobody told it of, in seconds.

    `glance` while datagrams come, `quick` where they cannot; `linger` after the last wait, it looks no more.
    """

    glance: float = 0.25
    quick: float = 0.02
    linger: float = 10.0


class CommitProbe(NamedTuple):
    """What can be seen of a database: something that changes with every commit, and where a workspace's log is."""

    version: Callable[[], object]
    seq: Callable[[str], int]


class Notifier:
    """Waiting for the workspaces of one database. Nothing is opened or started before somebody waits."""

    def __init__(self, path: str, probe: CommitProbe, intervals: PollIntervals) -> None:
        # The file itself, so that all who write to it meet in one folder, whatever name they know it by.
        self._file = "" if path == ":memory:" else os.path.realpath(path)
        self._folder = f"{self._file}-wake"
        self._probe = probe
        self._intervals = intervals
        self._start_afresh()
        _ALL.add(self)

    def _start_afresh(self) -> None:
        self._lock = threading.Lock()
        self._waiters: dict[str, set[_Waiter]] = {}
        self._watch: _PollThread | None = None

    def wait(self, workspace: str, after: int, seconds: float) -> bool:
        """Whether a workspace's log went past `after` in time. Ends early, without news, once this is closed."""
        waiter = _Waiter(after)
        with self._lock:
            self._waiters.setdefault(workspace, set()).add(waiter)
        try:
            # Only now: a commit after this look finds the waiter.
            if self._probe.seq(workspace) > after:
                return True
            self._watch_for(waiter)
            return waiter.wait(seconds)
        finally:
            self._dismiss(workspace, waiter)

    def tell(self, workspace: str, seq: int) -> None:
        """This process has committed: wake who waits for that, here and elsewhere."""
        if self._waiters:
            self.wake(workspace, seq)
        if self._file and os.access(self._folder, os.F_OK):
            from gatepost.storage.sqlite import datagrams

            watch = self._watch
            datagrams.ring(self._folder, None if watch is None else watch.name)

    def wake(self, workspace: str, seq: int) -> None:
        """Wake who waits for a workspace's log to come this far."""
        with self._lock:
            for waiter in self._waiters.get(workspace, ()):
                if waiter.after < seq:
                    waiter.wake(news=True)

    def release(self, workspace: str) -> None:
        """Let everyone go who waits for a workspace, without news."""
        with self._lock:
            for waiter in self._waiters.get(workspace, ()):
                waiter.wake(news=False)

    def wake_the_only(self) -> bool:
        """Wake who waits, if all wait for one workspace; whether it was so.

        To look first whether the news is theirs would take as long as their own look, and keep them waiting.
        """
        with self._lock:
            if len(self._waiters) != 1:
                return False
            self._rouse(news=True)
            return True

    def wake_all(self) -> None:
        """Wake everyone."""
        with self._lock:
            self._rouse(news=True)

    def waited_for(self) -> list[str]:
        """The workspaces somebody waits for."""
        with self._lock:
            return list(self._waiters)

    def close(self) -> None:
        """Let everyone go who waits, and leave nothing behind. Who waits later begins anew."""
        with self._lock:
            watch, self._watch = self._watch, None
            self._rouse(news=False)
        if watch is not None:
            watch.stop()

    def let_go(self, watch: "_PollThread") -> bool:
        """Whether a watch may end, because nobody waits or another one has taken over."""
        with self._lock:
            if self._watch is watch and not self._waiters:
                self._watch = None
            return self._watch is not watch

    def lose(self, watch: "_PollThread") -> None:
        """A watch has ended, whatever the reason: if anybody still counts on it, they look for themselves."""
        with self._lock:
            if self._watch is watch:
                self._watch = None
                self._rouse(news=True)

    def leave_to_parent(self) -> None:
        """After a fork, threads and waiters are the parent's, and so is the socket."""
        watch = self._watch
        self._start_afresh()
        if watch is not None:
            watch.forget()

    def _watch_for(self, waiter: "_Waiter") -> None:
        if not self._file:  # in memory, there are no others
            return
        with self._lock:
            if self._watch is None and not waiter.woken:
                self._watch = _PollThread(self, self._probe, self._intervals, self._file, self._folder)
                _WATCHED.add(self)

    def _dismiss(self, workspace: str, waiter: "_Waiter") -> None:
        with self._lock:
            waiting = self._waiters.get(workspace, set())
            waiting.discard(waiter)
            if not waiting:
                self._waiters.pop(workspace, None)

    def _rouse(self, *, news: bool) -> None:
        for waiting in self._waiters.values():
            for waiter in waiting:
                waiter.wake(news=news)


class _Waiter:
    """One call that waits."""

    def __init__(self, after: int) -> None:
        self.after = after
        self._event = threading.Event()
        self._news = False

    @property
    def woken(self) -> bool:
        return self._event.is_set()

    def wait(self, seconds: float) -> bool:
        return self._event.wait(seconds) and self._news

    def wake(self, *, news: bool) -> None:
        self._news = self._news or news
        self._event.set()


class _PollThread:
    """The thread that looks: when it is told to, and now and then without."""

    def __init__(
        self, notifier: Notifier, probe: CommitProbe, intervals: PollIntervals, file: str, folder: str
    ) -> None:
        self._notifier = notifier
        self._probe = probe
        self._intervals = intervals
        self._file = file
        self._folder = folder
        self._ear: ListenerSocket | None = None
        self._try_again = 0.0
        self._seen: object = None
        self._needed = time.monotonic()
        self._stopping = False
        bell, rope = os.pipe()
        self._bell, self._rope = FileIO(bell), FileIO(rope, "w")
        self._pulling = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="notifier", daemon=True)
        self._thread.start()

    @property
    def name(self) -> str | None:
        """Its socket's name in the folder."""
        ear = self._ear
        return None if ear is None else ear.name

    def stop(self) -> None:
        """End, in a moment; whoever is held up by a locked database ends when that does."""
        self._stopping = True
        with self._pulling:
            if not self._rope.closed:  # it may have ended already, and its descriptor be somebody else's
                self._rope.write(b"\0")
        self._thread.join(_PATIENCE)

    def forget(self) -> None:
        """In a child, let go of what it inherited."""
        self._bell.close()
        self._rope.close()
        if self._ear is not None:
            self._ear.forget()

    def _run(self) -> None:
        try:
            told = False
            while not self._stopping and self._is_needed():
                if not told:
                    self._mend()
                if not told or not self._notifier.wake_the_only():
                    self._look()  # also after a mending: what came before it was told to nobody
                told = self._rest()
        finally:
            if self._ear is not None:
                self._ear.close()
            with self._pulling:
                self._bell.close()
                self._rope.close()
            self._notifier.lose(self)

    def _is_needed(self) -> bool:
        now = time.monotonic()
        if self._notifier.waited_for():
            self._needed = now
        return now - self._needed < self._intervals.linger or not self._notifier.let_go(self)

    def _mend(self) -> None:
        """Have a socket where others find it. There is none before there is a file: looking creates nothing."""
        from gatepost.storage.sqlite import datagrams

        if self._ear is not None:
            if self._ear.stands():
                return
            self._ear.close()
            self._ear = None
        elif time.monotonic() < self._try_again:
            return
        if os.path.exists(self._file):
            self._ear = datagrams.listen(self._folder)
            self._try_again = time.monotonic() + _AGAIN

    def _look(self) -> None:
        if not self._notifier.waited_for():
            return
        try:
            version = self._probe.version()
            if version != self._seen:
                # Asked only now: who came after the version was read has looked at least as late as that.
                for workspace in self._notifier.waited_for():
                    self._notifier.wake(workspace, self._probe.seq(workspace))
                self._seen = version
        except (apsw.Error, Refusal):
            self._notifier.wake_all()  # they will see for themselves what is wrong, and can say so

    def _rest(self) -> bool:
        """Sleep until it is time for a look; whether it is because something was told."""
        import select

        told = select.poll()  # `select.select` knows no descriptor beyond 1,023
        told.register(self._bell, select.POLLIN)
        if self._ear is None:
            return bool(told.poll(self._intervals.quick * 1_000))
        told.register(self._ear, select.POLLIN)
        heard = bool(told.poll(self._intervals.glance * 1_000))
        if heard:
            self._ear.empty()
        return heard


def _leave_all_to_parent() -> None:
    for notifier in list(_ALL):
        notifier.leave_to_parent()
    _WATCHED.clear()


def _close_all() -> None:
    """A program may end without closing its store, and still leaves no socket behind."""
    for notifier in list(_WATCHED):
        notifier.close()


_ALL: Final[weakref.WeakSet[Notifier]] = weakref.WeakSet()
_WATCHED: Final[weakref.WeakSet[Notifier]] = weakref.WeakSet()
os.register_at_fork(after_in_child=_leave_all_to_parent)
atexit.register(_close_all)
