"""MCP on stdin and stdout: one JSON message a line, calls one after the other, slow ones in the background."""

from __future__ import annotations

import fcntl
import os
import select
import signal
import sys
from collections import deque

from gatepost.surfaces import faults
from gatepost.surfaces.mcp.answers import PendingQuestions
from gatepost.surfaces.mcp.messages import (
    INVALID_REQUEST,
    Peer,
    RpcError,
    RpcReply,
    id_of_unreadable,
    read,
    refusal,
    usable_id,
)
from gatepost.surfaces.mcp.protocol import McpDispatcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from threading import Event
    from typing import Final

    from gatepost.surfaces.mcp.background_calls import BackgroundCalls
    from gatepost.surfaces.mcp.exchange import ClientAnswers
    from gatepost.surfaces.mcp.protocol import Toolbox
    from gatepost.surfaces.mcp.stdio_questions import StdioQuestions
    from gatepost.surfaces.mcp.stdio_subscriptions import StdioSubscriptions
    from gatepost.surfaces.mcp.subscriptions import SubscriptionStream
    from gatepost.surfaces.mcp.watched_resources import WatchedResource

LINE_LIMIT: Final = 16 * 1024 * 1024
CHUNK: Final = 64 * 1024
# Messages read ahead, so that a cancellation can overtake them. Each served message admits one more chunk, so
# memory stays near READ_AHEAD chunks and one line.
READ_AHEAD: Final = 256
# Seconds between two checks whether a question to the client still needs an answer.
GLANCE: Final = 1.0
# Clients list tools within milliseconds of the handshake; loading the engine in that gap would delay the list.
QUIET_SECONDS: Final = 0.05


def serve(toolbox: Toolbox, *, idle: Callable[[], None] | None = None) -> int:
    """Serve until the client disconnects or a signal arrives. Returns the process's exit code.

    Takes stdin and stdout for the protocol and does not give them back: other writes to fd 1 go to stderr, and
    other reads from fd 0 find its end. Must run in the main thread. `idle` is called once, after the tools were
    listed, or after a handshake that nothing follows.
    """
    source = _take_aside(0, os.open(os.devnull, os.O_RDONLY))
    sink = _take_aside(1, _stray_output())
    sys.stdout = sys.stderr  # the old one would hold stray prints back until the end
    stops = (signal.SIGINT, signal.SIGTERM)
    try:
        for stop in stops:
            signal.signal(stop, _stop)
        _Conversation(toolbox, source, sink, idle).run()
    except (_Stopped, ConnectionError):
        pass
    finally:
        for stop in stops:  # a late second signal must not find a handler that raises during shutdown
            signal.signal(stop, signal.SIG_DFL)
    return 0


class _Stopped(BaseException):
    """A signal asked for the end. Not an Exception: a tool must not swallow it."""


def _stop(_signal: int, _frame: object) -> None:
    for stop in (signal.SIGINT, signal.SIGTERM):  # a second one must not break off the ending
        signal.signal(stop, signal.SIG_IGN)
    raise _Stopped


def _take_aside(standard: int, replacement: int) -> int:
    """Move a standard stream to a descriptor that no child inherits, and put the replacement in its place."""
    aside = fcntl.fcntl(standard, fcntl.F_DUPFD_CLOEXEC, 3)  # plain dup() may pick a closed stderr's number
    os.dup2(replacement, standard)
    if replacement != standard:
        os.close(replacement)
    os.set_blocking(aside, True)
    return aside


def _stray_output() -> int:
    try:
        return os.dup(2)
    except OSError:  # started without a stderr
        return os.open(os.devnull, os.O_WRONLY)


class _Conversation:
    """One client's messages: waiting, answered and cancelled."""

    def __init__(self, toolbox: Toolbox, source: int, sink: int, idle: Callable[[], None] | None) -> None:
        self._dispatcher = McpDispatcher(toolbox, listens=True)
        self._subscriptions = _ClientSubscriptions(toolbox)
        self._lines = _Lines(source)
        self._source = source
        self._sink = sink
        self._idle = idle
        self._greeted = False
        self._peer = Peer(subscriptions=self._subscriptions, asks=True)
        self._waiting: deque[object] = deque()
        self._waiting_ids: set[str | int | None] = set()
        self._background: BackgroundCalls | None = None
        self._questions: StdioQuestions | None = None

    def run(self) -> None:
        """Answer every message in order until the input ends. Then nobody waits for slow calls any more."""
        try:
            while self._one_waits():
                self._answer(self._waiting.popleft())
                self._send_news()
        finally:
            if self._background is not None:
                self._background.close()
            self._subscriptions.close()

    def _one_waits(self) -> bool:
        # Blocks only when nothing waits; otherwise just checks for cancellations.
        if 0 < len(self._waiting) < READ_AHEAD and self._readable(0):
            self._gather()
        while not self._waiting and not self._lines.ended:
            if self._idle and self._greeted and not self._readable(QUIET_SECONDS):
                self._warm_up()
            if self._tell():
                self._gather()
        return bool(self._waiting)

    def _tell(self) -> bool:
        """Send notifications until a message comes or a request can continue. Returns whether a message came."""
        while True:
            bells = [
                one.wake_reader
                for one in (self._subscriptions, self._background)
                if one and one.wake_reader is not None
            ]
            if not bells and not self._questions:
                return True  # reading waits
            ready, _, _ = select.select([self._source, *bells], [], [], GLANCE if self._questions else None)
            self._send_news()
            if self._source in ready:
                return True
            if self._resume():
                return False

    def _resume(self) -> bool:
        """Serve the requests again whose questions are settled. Returns whether there are any."""
        over = [] if not self._questions else self._questions.over()
        self._waiting.extend(_Resumed(*one) for one in over)
        return bool(over)

    def _send_news(self) -> None:
        for line in self._subscriptions.news():
            self._say(line)
        for line in () if self._background is None else self._background.news():
            self._say(line)

    def _readable(self, seconds: float) -> bool:
        return not self._lines.ended and bool(select.select([self._source], [], [], seconds)[0])

    def _gather(self) -> None:
        for line in self._lines.read():
            try:
                self._receive(read(line))
            except RpcError as error:
                self._waiting.append(refusal(error))
        for begun in self._lines.take_skipped():
            self._waiting.append(refusal(_too_long(begun)))

    def _receive(self, message: object) -> None:
        if self._questions and self._questions.take(message):
            self._resume()
            return
        cancelled = _cancelled_id(message)
        if cancelled in self._waiting_ids:
            # A quick call that runs cannot be cancelled: it ends in a commit or a rollback.
            self._waiting = deque(item for item in self._waiting if _request_id(item) != cancelled)
            self._waiting_ids.discard(cancelled)
        elif cancelled is not None:
            self._subscriptions.end(cancelled)
            if self._background is not None:
                self._background.cancel(cancelled)
            if self._questions is not None:
                self._questions.cancel(cancelled)
        request_id = _request_id(message)
        if request_id in self._waiting_ids or any(
            request_id in one.ids for one in (self._background, self._questions) if one
        ):
            raise RpcError(
                INVALID_REQUEST, "this id belongs to a request that is still waiting", request_id=request_id
            )
        if request_id is not None:
            self._waiting_ids.add(request_id)
        self._waiting.append(message)

    def _answer(self, item: object) -> None:
        self._waiting_ids.discard(_request_id(item))
        if self._dispatcher.takes_long(item):
            self._begin(item)
            return
        answers, item = (item.answers, item.message) if isinstance(item, _Resumed) else (None, item)
        reply = item
        if not isinstance(reply, RpcReply):
            reply = self._dispatcher.answer(item, self._peer, send=self._say, answers=answers)
        if isinstance(reply, RpcReply):
            self._say(reply.body)
        elif isinstance(reply, PendingQuestions):
            self._ask(item, reply)
        elif reply is not None:
            self._subscriptions.listen(
                reply
            )  # nothing is missed from here on; notifications follow the acknowledgement
            self._say(reply.acknowledged())
        method = item.get("method") if isinstance(item, dict) else None
        self._greeted = self._greeted or method == "initialize"
        if method == "tools/list":
            self._warm_up()

    def _ask(self, item: object, pending: PendingQuestions) -> None:
        if self._questions is None:
            from gatepost.surfaces.mcp.stdio_questions import StdioQuestions

            self._questions = StdioQuestions(self._say)
        self._questions.ask(item, _request_id(item), pending)

    def _begin(self, item: object) -> None:
        if self._background is None:
            from gatepost.surfaces.mcp.background_calls import BackgroundCalls

            self._background = BackgroundCalls(self._serve)
        ids = map(_request_id, item if isinstance(item, list) else [item])
        self._background.begin(item, frozenset(one for one in ids if one is not None))

    def _serve(self, item: object, say: Callable[[bytes], None], cancelled: Event) -> bytes | None:
        """Answer in a thread."""
        reply = self._dispatcher.answer(item, self._peer, send=say, cancelled=cancelled)
        return reply.body if isinstance(reply, RpcReply) else None

    def _warm_up(self) -> None:
        idle, self._idle = self._idle, None
        if idle is None:
            return
        try:
            idle()
        except Exception as error:  # noqa: BLE001 - the surface's edge; the first call will tell the client
            faults.report("while warming up", error)

    def _say(self, line: bytes) -> None:
        view = memoryview(line + b"\n")
        while view:
            view = view[os.write(self._sink, view) :]


class _Resumed:
    """A request whose questions are settled."""

    __slots__ = ("answers", "message")

    def __init__(self, message: object, answers: ClientAnswers) -> None:
        self.message = message
        self.answers = answers


class _ClientSubscriptions:
    """The client's subscriptions. Threads are loaded with the first one."""

    def __init__(self, toolbox: Toolbox) -> None:
        self._toolbox = toolbox
        self._following: StdioSubscriptions | None = None

    @property
    def wake_reader(self) -> int | None:
        """A descriptor that becomes readable when there is news."""
        return None if self._following is None else self._following.wake_reader

    def add(self, watched: WatchedResource) -> bool:
        """Subscribe a legacy client to a resource."""
        return self._begun().add(watched)

    def remove(self, uri: str) -> None:
        """Unsubscribe a legacy client."""
        if self._following is not None:
            self._following.remove(uri)

    def listen(self, listening: SubscriptionStream) -> None:
        """Open a modern client's stream."""
        self._begun().listen(listening)

    def end(self, request_id: str | int) -> None:
        """Close a modern client's stream."""
        if self._following is not None:
            self._following.end(request_id)

    def news(self) -> list[bytes]:
        """The pending notifications."""
        return [] if self._following is None else self._following.news()

    def close(self) -> None:
        """End the threads."""
        if self._following is not None:
            self._following.close()

    def _begun(self) -> StdioSubscriptions:
        if self._following is None:
            from gatepost.surfaces.mcp.stdio_subscriptions import StdioSubscriptions

            resources = getattr(self._toolbox, "resources")  # noqa: B009 - a toolbox without them is never asked
            self._following = StdioSubscriptions(resources(None))
        return self._following


class _Lines:
    """Splits a descriptor's bytes into lines. Lines above the limit are skipped and never kept."""

    def __init__(self, source: int) -> None:
        self.ended = False
        self._skipped: list[bytes] = []
        self._source = source
        self._begun = bytearray()
        self._skipping = False

    def read(self) -> list[bytes]:
        """The lines that one more chunk completes, without blank ones."""
        chunk = os.read(self._source, CHUNK)
        if not chunk:
            self.ended = True
            chunk = b"\n"  # a last line without its end is a line
        *complete, rest = chunk.split(b"\n")
        lines = [line for line in map(self._complete, complete) if line.strip()]
        self._keep(rest)
        return lines

    def take_skipped(self) -> list[bytes]:
        """The beginnings of the lines skipped since the last call."""
        skipped, self._skipped = self._skipped, []
        return skipped

    def _complete(self, tail: bytes) -> bytes:
        self._keep(tail)
        line = bytes(self._begun)
        self._begun.clear()
        self._skipping = False
        return line

    def _keep(self, part: bytes) -> None:
        if self._skipping:
            return
        self._begun += part
        if len(self._begun) > LINE_LIMIT:
            self._skipped.append(bytes(self._begun[:CHUNK]))
            self._begun.clear()
            self._skipping = True


def _too_long(begun: bytes) -> RpcError:
    words = f"the message is longer than {LINE_LIMIT} bytes: send less at once"
    return RpcError(INVALID_REQUEST, words, request_id=id_of_unreadable(begun))


def _cancelled_id(message: object) -> str | int | None:
    if isinstance(message, dict) and message.get("method") == "notifications/cancelled":
        params = message.get("params")
        if isinstance(params, dict):
            return usable_id(params.get("requestId"))
    return None


def _request_id(message: object) -> str | int | None:
    """The id under which a request can wait. A handshake cannot be cancelled in any revision."""
    if not isinstance(message, dict) or message.get("method") in (None, "initialize"):
        return None
    return usable_id(message.get("id"))
