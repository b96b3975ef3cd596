"""One event stream of a server, reconnected whenever it is cut, from the last event that was received."""

import threading
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from http.client import HTTPException, IncompleteRead
from random import SystemRandom
from typing import Final

from gatepost.todo.connection import StreamAddress, StreamInterrupted, chunks
from gatepost.todo.sse import EventStreamParser, Message

_FIRST_PAUSE: Final = 0.5
_LONGEST_PAUSE: Final = 15.0
_PART_OF_OUTAGE: Final = 8
"""A pause grows to this part of the outage so far: a server that was away for a short time is found soon."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """The connection is gone, and why. `restart`: the place to resume from is gone too, so all begins again."""

    reason: str
    restart: bool = False


class EventStream:
    """A stream's messages, across connections. `last_id` is where the next connection resumes."""

    def __init__(
        self,
        address: Callable[[], StreamAddress],
        stop: threading.Event,
        *,
        first_pause: float = _FIRST_PAUSE,
        longest_pause: float = _LONGEST_PAUSE,
    ) -> None:
        self.last_id = ""
        self._address = address
        self._stop = stop
        self._first_pause = first_pause
        self._longest_pause = longest_pause
        self._waited = 0.0
        self._restarting = False

    def batches(self) -> Iterator[list[Message] | Lost]:
        """The messages of each chunk as it arrives, and `Lost` each time the connection is cut.

        A list, even an empty one, shows that the connection is up. Waits a little before it connects again, longer
        as an outage goes on. After `stop` is set, ends when the next chunk arrives. Raises `StreamRefused` if
        trying again would not help; call it again to try anyway.
        """
        while not self._stop.is_set():
            retry_after = 0.0
            try:
                lost = yield from self._connected()
            except StreamInterrupted as interruption:
                retry_after = interruption.retry_after
                lost = Lost(reason="the server is busy")
                if interruption.start_afresh:
                    lost = Lost(reason="the events to resume from are gone", restart=True)
                    self.last_id = ""
            except (OSError, HTTPException) as error:
                lost = Lost(reason=reason_of(error))
            yield lost
            self.pause(retry_after)

    def pause(self, asked: float = 0.0) -> None:
        """Wait before the next attempt: longer as an outage goes on, and as long as the server `asked` for."""
        longest = min(max(self._first_pause, self._waited / _PART_OF_OUTAGE), self._longest_pause)
        # Spread out, so that not all clients connect at once when a server comes back.
        own = longest * SystemRandom().uniform(0.5, 1.0)
        pause = max(own, min(asked, 4 * self._longest_pause))
        self._waited += own
        self._stop.wait(pause)

    def restart(self) -> None:
        """Drop this connection, and begin the stream again from its start."""
        self._restarting = True

    def _connected(self) -> Generator[list[Message], None, Lost]:
        address = self._address()
        parser = EventStreamParser()
        parser.last_id = self.last_id
        for chunk in chunks(address, self.last_id):
            messages = list(parser.feed(chunk))
            self._waited = 0.0
            yield messages
            if self._restarting:
                self._restarting, self.last_id = False, ""
                return Lost(reason="starting again")
            self.last_id = parser.last_id
            if parser.retry_ms is not None:
                self._first_pause = min(max(parser.retry_ms / 1000, 0.01), self._longest_pause)
            if self._stop.is_set():
                break
        return Lost(reason="the server ended the stream")


def reason_of(error: BaseException) -> str:
    """Why there is no connection, in a few words for people."""
    reason = getattr(error, "reason", None)
    if isinstance(reason, BaseException):
        return reason_of(reason)
    if isinstance(error, TimeoutError):
        return "it took too long"
    if isinstance(error, IncompleteRead):
        return "the connection was cut"
    said = getattr(error, "strerror", None) or reason or str(error) or type(error).__name__
    return str(said).rstrip(".")
