"""Notice that the reader of our output has gone, even while there is nothing to write."""

import os
import select
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from gatepost.surfaces.cli.errors import FAULT, CommandError
from gatepost.surfaces.cli.exits import OUTPUT_CLOSED

_NO_OUTPUT: Final = {
    "code": "NO_OUTPUT",
    "message": "cannot write: standard output is closed",
    "recovery": "Send it to a terminal, a file or a pipe, for example: gatepost watch > lists.txt",
}


@contextmanager
def while_read() -> Iterator[None]:
    """End the process as soon as the reader of our output has gone, even while there is nothing to write.

    Otherwise that would be noticed with the next change, which may be in an hour. The process ends at once, as
    SIGPIPE ends other programs: an exception at a random place could be lost there. Only for commands that write
    nothing. Refuses an output that is closed from the start; one that is not a file is not watched.
    """
    if sys.stdout is None:
        raise CommandError(FAULT, _NO_OUTPUT)
    output = _descriptor()
    if output is None:
        yield
        return
    ours, theirs = os.pipe()
    thread = threading.Thread(target=_listen, args=(output, ours), name="gatepost output", daemon=True)
    try:
        thread.start()
        yield
    finally:
        os.close(theirs)
        thread.join()
        os.close(ours)


def _descriptor() -> int | None:
    try:
        return sys.stdout.fileno()
    except (OSError, ValueError):
        return None


def _listen(output: int, ended: int) -> None:
    """Wait, at no cost, until an output has no reader any more or something has ended."""
    poll = select.poll()
    poll.register(output, 0)  # poll reports errors and hang-ups even with no events requested
    poll.register(ended, 0)
    if any(descriptor == output for descriptor, _ in poll.poll()):
        os._exit(OUTPUT_CLOSED)
