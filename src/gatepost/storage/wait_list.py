"""The calls that wait for a workspace's log to grow, in this process."""

import threading


class WaitList:
    """Waiting calls by workspace. Each is woken once, with news or without."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiters: dict[str, set[Waiter]] = {}

    def add(self, workspace: str, after: int) -> "Waiter":
        """A call that waits for the log to pass a `seq`."""
        waiter = Waiter(after)
        with self._lock:
            self._waiters.setdefault(workspace, set()).add(waiter)
        return waiter

    def remove(self, workspace: str, waiter: "Waiter") -> None:
        """A call that waits no longer."""
        with self._lock:
            waiting = self._waiters.get(workspace, set())
            waiting.discard(waiter)
            if not waiting:
                self._waiters.pop(workspace, None)

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

    def wake_all(self, *, news: bool) -> None:
        """Wake everybody."""
        with self._lock:
            for waiting in self._waiters.values():
                for waiter in waiting:
                    waiter.wake(news=news)

    def waited_for(self) -> list[str]:
        """The workspaces that have waiters."""
        with self._lock:
            return list(self._waiters)


class Waiter:
    """One waiting call."""

    def __init__(self, after: int) -> None:
        self.after = after
        self._event = threading.Event()
        self._news = False

    @property
    def woken(self) -> bool:
        """Whether the wait is over."""
        return self._event.is_set()

    def wait(self, seconds: float) -> bool:
        """Whether there was news in time."""
        return self._event.wait(seconds) and self._news

    def wake(self, *, news: bool) -> None:
        """End the wait."""
        self._news = self._news or news
        self._event.set()
