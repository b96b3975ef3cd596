"""Notice that the reader of our output has gone, even while there is nothing to write."""

import os
import select
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

from gatepost.surfaces.cli.errors import FAULT, CommandError

_NO_OUTPUT: Final = {
    "code": "NO_OUTPUT",
    "message": "cannot write: standard output is closed",
    "recovery": "Send it to a terminal, a file or a pipe, for example: gatepost watch > lists.txt",
}


class _OutputClosed(BaseException):
    """Becomes a `BrokenPipeError`, which code that follows a server would take for a lost connection."""


@contextmanager
def while_read() -> Iterator[None]:
    """Raise `BrokenPipeError` as soon as the reader of our output has gone, even while there is nothing to write.

    Else that would be noticed with the next change, which may be in an hour. It needs the main thread, and an
    output that is a file; where there is neither, nothing is noticed before something is written. Refuses an output
    that is closed from the start.
    """
    if sys.stdout is None:
        raise CommandError(FAULT, _NO_OUTPUT)
    output = _descriptor()
    if output is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    gone, (ours, theirs) = threading.Event(), os.pipe()

    def hung_up(_signum: int, _frame: FrameType | None) -> None:
        # If it is not set, a connection was lost, which is handled elsewhere. A write may have failed already.
        if gone.is_set() and not isinstance(sys.exc_info()[1], BrokenPipeError):
            raise _OutputClosed

    thread = threading.Thread(target=_listen, args=(output, ours, gone), name="gatepost output", daemon=True)
    before = signal.signal(signal.SIGPIPE, hung_up)
    try:
        try:
            thread.start()
            yield
        finally:
            signal.signal(signal.SIGPIPE, before)
            os.close(theirs)
            thread.join()
            os.close(ours)
    except _OutputClosed:
        raise BrokenPipeError from None


def _descriptor() -> int | None:
    try:
        return sys.stdout.fileno()
    except (OSError, ValueError):
        return None


def _listen(output: int, ended: int, gone: threading.Event) -> None:
    """Wait, at no cost, until an output has no reader any more or something has ended."""
    poll = select.poll()
    poll.register(output, 0)  # poll reports errors and hang-ups even with no events requested
    poll.register(ended, 0)
    if any(descriptor == output for descriptor, _ in poll.poll()):
        gone.set()
        ident = threading.main_thread().ident
        if ident is not None:
            signal.pthread_kill(ident, signal.SIGPIPE)
