"""Streams of a server that are followed across cuts, and told apart where another log is behind their address."""

import json
import threading
from collections.abc import Callable
from dataclasses import replace
from http.client import HTTPException, IncompleteRead
from random import SystemRandom
from typing import Any, Final

from gatepost.surfaces.tui.fault_reports import report
from gatepost.surfaces.tui.source import Heard, Refused, Telling, mark
from gatepost.surfaces.tui.source import State as Standing
from gatepost.todo import StreamRefused, TodoStore
from gatepost.todo.connection import StreamAddress, StreamInterrupted, chunks
from gatepost.todo.sse import Parser

UNAUTHORIZED: Final = 401
_FIRST_PAUSE: Final = 0.25
_LONGEST_PAUSE: Final = 5.0
_REFUSED_PAUSE: Final = 10.0
_PASSING: Final = frozenset({"UNREACHABLE", "BUSY", "RATE_LIMITED"})


class State:
    """Whether all streams are there. Every batch goes through here, so that it carries that.

    `barred` says what to do where the server does not let us in.
    """

    def __init__(self, telling: Telling, streams: int, barred: str) -> None:
        self.ended = telling.ended
        self.barred = barred
        self._telling = telling
        self._streams = streams
        self._lock = threading.Condition()
        self._up: set[object] = set()
        self._refused: dict[object, str] = {}
        self._reason = "connecting"
        self._was_live = False
        self.hurries = 0
        """How often somebody was in a hurry."""

    def tell(self, batch: Heard) -> None:
        """Pass something on, with the state as it is. Who was let in once and is refused now has what is stale."""
        with self._lock:
            live = len(self._up) == self._streams
            self._was_live = self._was_live or live
            never = self._refused and not self._was_live
            state: Standing = "live" if live else "refused" if never else "lost"
            reason = "" if live else next(iter(self._refused.values()), self._reason)
            self._telling.tell(replace(batch, state=state, reason=reason))

    def up(self, stream: object) -> None:
        """A stream is there. What came before it may have a hole behind it."""
        with self._lock:
            self._up.add(stream)
            self._refused.pop(stream, None)
        self.tell(Heard(afresh=True))

    def down(self, stream: object, reason: str, *, refused: bool = False) -> None:
        """A stream is gone; or a server says that it is no use."""
        with self._lock:
            self._up.discard(stream)
            self._refused.pop(stream, None)
            if refused:
                self._refused[stream] = reason
            self._reason = reason
        self.tell(Heard())

    def begin_anew(self) -> None:
        """It is another log: no stream that was there is one of it."""
        with self._lock:
            self._up.clear()
            self._reason = "another log is there now"
        self.tell(Heard(afresh=True, anew=True))

    def rest(self, seconds: float, before: int) -> None:
        """Wait, unless somebody was in a hurry since there were so many hurries."""
        with self._lock:
            self._lock.wait_for(lambda: self.hurries != before or self.ended.is_set(), seconds)

    def hurry(self) -> None:
        """Let nobody rest any longer."""
        with self._lock:
            self.hurries += 1
            self._lock.notify_all()

    def end(self) -> None:
        """Fall silent."""
        self._telling.end()
        self.hurry()


class Same:
    """Whether it is still the log that was heard: behind one address there may be another server by now.

    `turn` counts the logs. Whatever is heard is taken in under the lock, by those who are on the present one.
    """

    def __init__(self, call: Callable[..., dict[str, Any]], todos: TodoStore, state: State) -> None:
        self.lock: Final = threading.Lock()
        self.turn = 0
        self._call = call
        self._todos = todos
        self._state = state
        self._last: dict[str, Any] | None = None

    def heard(self, event: dict[str, Any]) -> Heard:
        """Take in an event of the log."""
        if not isinstance(event.get("seq"), int):
            return Heard()
        self._last = event
        return Heard(events=[event])

    def look(self) -> int:
        """Which log it is, asked of the server that is there now. Of another one, nothing that was heard holds."""
        with self.lock:
            last = self._last
            there = self._event(self._call("workspace_overview", limit=1)["seq"] if last is None else last["seq"])
            if last is not None and (there is None or mark(there) != mark(last)):
                self.turn += 1
                self._last = None
                self._todos.forget()
                self._state.begin_anew()
            elif last is None:
                self._last = there
            return self.turn

    def _event(self, seq: int) -> dict[str, Any] | None:
        found = self._call("tasks_delta", since=seq - 1, limit=1)["events"] if seq else []
        return next((event for event in found if event["seq"] == seq), None)


class Stream:
    """One stream, made again whenever it is cut, from where it stopped.

    `take` makes of an event what is passed on; nothing where the event does not fit what was heard before: then
    the stream is begun anew. `forget` is called where it cannot go on from where it stopped.
    """

    def __init__(
        self,
        address: Callable[[], StreamAddress],
        take: Callable[[dict[str, Any]], Heard | None],
        same: Same,
        state: State,
        forget: Callable[[], None] = lambda: None,
    ) -> None:
        self._address = address
        self._take = take
        self._same = same
        self._state = state
        self._forget = forget
        self._last_id = ""
        self._turn = 0
        self._failures = 0

    def follow(self) -> None:
        """Until the listener leaves. What is refused is tried again, but not often."""
        while not self._state.ended.is_set():
            try:
                pause = self._follow()
            except Exception as error:  # noqa: BLE001 - the edge: a thread that died would look like a quiet log
                fault = report("while following the server", error)
                self._state.down(self, f"internal error {fault}; trying again")
                pause = _LONGEST_PAUSE
            self._state.ended.wait(pause)

    def _follow(self) -> float:
        """Follow it until it is cut; how long to wait before it is tried again."""
        asked, hurries = 0.0, self._state.hurries
        try:
            reason = self._read()
        except StreamInterrupted as interruption:
            asked, reason = interruption.retry_after, "the server has no stream for us just now"
            if interruption.start_afresh:
                self._last_id = ""
                self._forget()
        except (OSError, HTTPException) as error:
            reason = worded(error)
        except StreamRefused as no:
            return self._refused(*_told(no), hurries)
        except Refused as no:
            if no.code not in _PASSING:
                return self._refused(no.code, no.message, hurries)
            reason = str(no.details.get("why", no.message))
        self._state.down(self, reason)
        return max(self._pause(), min(asked, _LONGEST_PAUSE))

    def _refused(self, code: str, message: str, hurries: int) -> float:
        self._state.down(self, self._state.barred if code == "UNAUTHORIZED" else message, refused=True)
        self._state.rest(_REFUSED_PAUSE, hurries)
        return 0.0

    def _read(self) -> str:
        """Read until it ends, and say why it did."""
        if self._turn != self._same.turn:
            self._turn, self._last_id = self._same.turn, ""
        parser = Parser()
        parser.last_id = self._last_id
        here = False
        for chunk in chunks(self._address(), self._last_id):
            if not here:
                # Only now: whoever answers is whoever this stream is from, or the stream will be cut.
                if self._same.look() != self._turn:
                    return "another log is there now"
                self._state.up(self)
                here, self._failures = True, 0
            with self._same.lock:
                if self._same.turn != self._turn or not self._heard(parser, chunk):
                    return "beginning anew"
            if self._state.ended.is_set():
                break
        return "the server ended the stream"

    def _heard(self, parser: Parser, chunk: bytes) -> bool:
        """Whether what came fits what was heard before. It is passed on as far as it does."""
        batch = Heard()
        for message in parser.feed(chunk):
            event = decoded(message.data.encode("utf-8", "surrogatepass"))
            told = self._take(event) if isinstance(event, dict) else Heard()
            if told is None:
                self._last_id = ""
                self._state.tell(batch)
                return False
            batch = batch + told
        self._last_id = parser.last_id
        if batch.events or batch.todo:
            self._state.tell(batch)
        return True

    def _pause(self) -> float:
        longest = min(_FIRST_PAUSE * 2.0 ** min(self._failures, 8), _LONGEST_PAUSE)
        self._failures += 1
        # Spread, so that a server that comes back does not meet all its clients at once.
        return longest * SystemRandom().uniform(0.5, 1.0)


def worded(error: BaseException) -> str:
    """Why there is no connection, for people: the libraries' words, without what they put around them."""
    reason = getattr(error, "reason", None)
    if isinstance(reason, BaseException):
        return worded(reason)
    if isinstance(error, TimeoutError):
        return "it took too long"
    if isinstance(error, IncompleteRead):
        return "the connection was cut"
    said = getattr(error, "strerror", None) or reason or str(error) or type(error).__name__
    return str(said).rstrip(".")


def _told(no: StreamRefused) -> tuple[str, str]:
    """The code and the words of a server that refused a stream; its own, if it has some."""
    problem = decoded(no.detail.encode("utf-8", "replace"))
    if not isinstance(problem, dict):
        problem = {}
    code = "UNAUTHORIZED" if no.status == UNAUTHORIZED else str(problem.get("code", ""))
    return code, str(problem.get("detail") or f"answered {no.status}: is --url a Gatepost server's?")


def decoded(text: bytes) -> Any:
    """What a text in JSON says; nothing where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
