"""The notifier: wakes the waiters of a workspace when its log grows. One thread polls for all of them.

Commits of this process wake waiters at once, commits of others by datagram. The thread also polls the database now
and then, and often where datagrams do not work.
"""

import atexit
import os
import threading
import time
from _weakrefset import WeakSet  # weakref itself costs more to import
from collections.abc import Callable
from io import FileIO
from typing import TYPE_CHECKING, Final

import apsw
from msgspec import Struct

from gatepost.domain.refusals import Refusal

if TYPE_CHECKING:
    from gatepost.storage.sqlite.datagrams import ListenerSocket

_AGAIN: Final = 5.0
"""Seconds until the next attempt to open a socket."""
_PATIENCE: Final = 2.0


class PollIntervals(Struct, frozen=True):
    """How often to poll for commits that nobody announced, in seconds.

    `glance` while datagrams work, `quick` while they do not. Polling stops `linger` seconds after the last wait.
    """

    glance: float = 0.25
    quick: float = 0.02
    linger: float = 10.0


class CommitProbe(Struct, frozen=True):
    """Reads a value that changes with every commit, and the last `seq` of a workspace."""

    version: Callable[[], object]
    seq: Callable[[str], int]


class SqliteNotifier:
    """Waits for the workspaces of one database. Opens and starts nothing before the first wait."""

    def __init__(self, path: str, probe: CommitProbe, intervals: PollIntervals) -> None:
        # The real file, so that all writers use one folder, whatever name they know it by.
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
        """Whether a workspace's log passed `after` in time. Returns false early when the notifier is closed."""
        waiter = _Waiter(after)
        with self._lock:
            self._waiters.setdefault(workspace, set()).add(waiter)
        try:
            # Look only now: a commit after this look finds the waiter.
            if self._probe.seq(workspace) > after:
                return True
            self._watch_for(waiter)
            return waiter.wait(seconds)
        finally:
            self._dismiss(workspace, waiter)

    def tell(self, workspace: str, seq: int) -> None:
        """Wake the waiters here and in other processes after a commit."""
        if self._waiters:
            self.wake(workspace, seq)
        if self._file and os.access(self._folder, os.F_OK):
            from gatepost.storage.sqlite import datagrams

            watch = self._watch
            datagrams.ring(self._folder, None if watch is None else watch.name)

    def wake(self, workspace: str, seq: int) -> None:
        """Wake the waiters for a workspace's log up to this `seq`."""
        with self._lock:
            for waiter in self._waiters.get(workspace, ()):
                if waiter.after < seq:
                    waiter.wake(news=True)

    def release(self, workspace: str) -> None:
        """End all waits for a workspace, without news."""
        with self._lock:
            for waiter in self._waiters.get(workspace, ()):
                waiter.wake(news=False)

    def wake_the_only(self) -> bool:
        """Wake all waiters if they wait for one workspace. Returns whether they do.

        Checking first whether the news is theirs would take as long as their own check.
        """
        with self._lock:
            if len(self._waiters) != 1:
                return False
            self._wake_each(news=True)
            return True

    def wake_all(self) -> None:
        """Wake all waiters."""
        with self._lock:
            self._wake_each(news=True)

    def waited_for(self) -> list[str]:
        """The workspaces that have waiters."""
        with self._lock:
            return list(self._waiters)

    def close(self) -> None:
        """End all waits and remove the socket. A later wait starts again."""
        with self._lock:
            watch, self._watch = self._watch, None
            self._wake_each(news=False)
        if watch is not None:
            watch.stop()

    def let_go(self, watch: "_PollThread") -> bool:
        """Whether a poll thread may end, because nobody waits or another thread took over."""
        with self._lock:
            if self._watch is watch and not self._waiters:
                self._watch = None
            return self._watch is not watch

    def lose(self, watch: "_PollThread") -> None:
        """A poll thread has ended: wake its waiters, so that they look for themselves."""
        with self._lock:
            if self._watch is watch:
                self._watch = None
                self._wake_each(news=True)

    def leave_to_parent(self) -> None:
        """In a forked child: threads, waiters and the socket belong to the parent."""
        watch = self._watch
        self._start_afresh()
        if watch is not None:
            watch.forget()

    def _watch_for(self, waiter: "_Waiter") -> None:
        if not self._file:  # an in-memory store has no other writers
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

    def _wake_each(self, *, news: bool) -> None:
        for waiting in self._waiters.values():
            for waiter in waiting:
                waiter.wake(news=news)


class _Waiter:
    """One waiting call."""

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
    """The thread that polls: after every datagram, and now and then without one."""

    def __init__(
        self, notifier: SqliteNotifier, probe: CommitProbe, intervals: PollIntervals, file: str, folder: str
    ) -> None:
        self._notifier = notifier
        self._probe = probe
        self._intervals = intervals
        self._file = file
        self._folder = folder
        self._listener: ListenerSocket | None = None
        self._try_again = 0.0
        self._seen: object = None
        self._needed = time.monotonic()
        self._stopping = False
        reader, writer = os.pipe()
        self._wake_reader, self._wake_writer = FileIO(reader), FileIO(writer, "w")
        self._wake_lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="notifier", daemon=True)
        self._thread.start()

    @property
    def name(self) -> str | None:
        """The socket's name in the folder."""
        listener = self._listener
        return None if listener is None else listener.name

    def stop(self) -> None:
        """Stop soon, or when the database is no longer locked."""
        self._stopping = True
        with self._wake_lock:
            if not self._wake_writer.closed:  # the thread may have ended, and others may use the descriptor
                self._wake_writer.write(b"\0")
        self._thread.join(_PATIENCE)

    def forget(self) -> None:
        """Close what a forked child inherited."""
        self._wake_reader.close()
        self._wake_writer.close()
        if self._listener is not None:
            self._listener.forget()

    def _run(self) -> None:
        try:
            notified = False
            while not self._stopping and self._is_needed():
                if not notified:
                    self._open_socket()
                if not notified or not self._notifier.wake_the_only():
                    self._check()  # also after reopening the socket: earlier commits were not announced to it
                notified = self._sleep()
        finally:
            if self._listener is not None:
                self._listener.close()
            with self._wake_lock:
                self._wake_reader.close()
                self._wake_writer.close()
            self._notifier.lose(self)

    def _is_needed(self) -> bool:
        now = time.monotonic()
        if self._notifier.waited_for():
            self._needed = now
        return now - self._needed < self._intervals.linger or not self._notifier.let_go(self)

    def _open_socket(self) -> None:
        """Reopen the socket if it is missing. Before the database file exists there is none: waiting creates
        nothing.
        """
        from gatepost.storage.sqlite import datagrams

        if self._listener is not None:
            if self._listener.is_visible():
                return
            self._listener.close()
            self._listener = None
        elif time.monotonic() < self._try_again:
            return
        if os.path.exists(self._file):
            self._listener = datagrams.listen(self._folder)
            self._try_again = time.monotonic() + _AGAIN

    def _check(self) -> None:
        if not self._notifier.waited_for():
            return
        try:
            version = self._probe.version()
            if version != self._seen:
                # Read only now: a waiter that came after the version was read looked at least as late as that.
                for workspace in self._notifier.waited_for():
                    self._notifier.wake(workspace, self._probe.seq(workspace))
                self._seen = version
        except (apsw.Error, Refusal):
            self._notifier.wake_all()  # they see for themselves what is wrong, and can report it

    def _sleep(self) -> bool:
        """Sleep until the next poll. Returns whether a datagram ended the sleep."""
        import select

        poll = select.poll()  # `select.select` knows no descriptor above 1,023
        poll.register(self._wake_reader, select.POLLIN)
        if self._listener is None:
            return bool(poll.poll(self._intervals.quick * 1_000))
        poll.register(self._listener, select.POLLIN)
        heard = bool(poll.poll(self._intervals.glance * 1_000))
        if heard:
            self._listener.empty()
        return heard


def _leave_all_to_parent() -> None:
    for notifier in list(_ALL):
        notifier.leave_to_parent()
    _WATCHED.clear()


def _close_all() -> None:
    """Remove the socket even if a program ends without closing its store."""
    for notifier in list(_WATCHED):
        notifier.close()


_ALL: Final[WeakSet[SqliteNotifier]] = WeakSet()
_WATCHED: Final[WeakSet[SqliteNotifier]] = WeakSet()
os.register_at_fork(after_in_child=_leave_all_to_parent)
atexit.register(_close_all)
