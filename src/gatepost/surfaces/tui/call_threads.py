"""Threads for blocking calls, kept for the next call: a store has one connection for each thread.

Python waits for asyncio's own threads at exit, so quitting would wait for a server that does not answer. It does
not wait for these. Sequential calls use one thread; another is started only while all are busy.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import Any, Final, TypeVar

_T = TypeVar("_T")
_IDLE: Final = 60.0

_lock: Final = threading.Lock()
_idle: Final[list["_Worker"]] = []
_busy: Final[set["_Worker"]] = set()


def submit(work: Callable[[], _T]) -> "Future[_T]":
    """Run work in a free thread."""
    answered: Future[_T] = Future()
    answered.set_running_or_notify_cancel()  # it cannot be canceled any more
    with _lock:
        worker = _idle.pop() if _idle else _Worker()
        _busy.add(worker)
    worker.jobs.put((work, answered))
    return answered


def under_way() -> bool:
    """Whether a call is still running."""
    return bool(_busy)


class _Worker:
    """One thread, which ends when it was not needed for a while."""

    def __init__(self) -> None:
        self.jobs: SimpleQueue[tuple[Callable[[], Any], Future[Any]]] = SimpleQueue()
        threading.Thread(target=self._run, name="gatepost tui call", daemon=True).start()

    def _run(self) -> None:
        while True:
            try:
                work, answered = self.jobs.get(timeout=_IDLE)
            except Empty:
                with _lock:
                    if self in _idle:
                        _idle.remove(self)
                        return
                continue  # a job is on its way
            self._do(work, answered)

    def _do(self, work: Callable[[], Any], answered: "Future[Any]") -> None:
        try:
            result = work()
        except BaseException as error:  # noqa: BLE001 - handed over: it is raised where it is waited for
            self._rest()
            answered.set_exception(error)
        else:
            self._rest()
            answered.set_result(result)

    def _rest(self) -> None:
        """Become free before the result is set: its receiver may submit the next call at once."""
        with _lock:
            _busy.discard(self)
            _idle.append(self)
