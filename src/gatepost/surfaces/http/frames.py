"""Server-sent events as bytes, built once for all clients: the log, and todo lists in each format."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple

from msgspec import Raw

from gatepost.engine.caller import Caller
from gatepost.engine.engine import Engine
from gatepost.engine.log import shown
from gatepost.engine.reader import Reader
from gatepost.operations.session_stream import AcpFormat, EventGroup, LogPosition, SessionEventFormat
from gatepost.views.session_events import SessionEvent
from gatepost.wire import json_output

PAGE: Final = 256
CHUNK: Final = 64 * 1024
BEAT: Final = b": still here\n\n"

_READER: Final = Caller("stream")
_HOLE: Final = b'"%list%"'
"""The placeholder for a list. No key, id or tool name has a percent sign, so it is unambiguous."""


class Frame(NamedTuple):
    """Events as bytes, the `seq` to resume from after them, and their scope.

    `rest` follows `data`: a list shared by all clients, and the end of the event around it.
    """

    seq: int
    data: bytes
    scope: str = ""
    rest: tuple[bytes, ...] = ()


class Point(NamedTuple):
    """A client's position among its snapshots: where it resumes before and after one, and the end of the log."""

    before: int
    seq: int
    now: LogPosition


class FeedPage(NamedTuple):
    """The frames for a part of the log, and where that part ends."""

    frames: list[Frame]
    upto: int


Pages = Callable[[Engine, str, int], FeedPage]
"""The frames of a workspace after a `seq`. Blocks: for threads."""
TodoFormat = SessionEventFormat | AcpFormat


def log_pages(engine: Engine, workspace: str, after: int) -> FeedPage:
    """The log, unchanged."""
    with engine.store.reading(workspace) as snapshot:
        rows = snapshot.events(after, PAGE, None)
    return FeedPage([Frame(row.seq, event(row.seq, shown(row))) for row in rows], rows[-1].seq if rows else after)


def todo_pages(todo_format: TodoFormat) -> Pages:
    """The changes of todo lists, in one format."""

    def pages(engine: Engine, workspace: str, after: int) -> FeedPage:
        def read(reader: Reader) -> FeedPage:
            return FeedPage([frame(found) for found in todo_format.changes(reader, after)], reader.head().seq)

        return engine.read(workspace, _READER, read)

    return pages


def frame(group: EventGroup) -> Frame:
    """One scope's events as bytes."""
    events = [(one.seq if isinstance(one, SessionEvent) else group.seq, one) for one in group.events]
    return Frame(group.seq, b"".join(event(seq, one) for seq, one in events), group.scope)


def snapshot(todo_format: TodoFormat, scope: str, point: Point, body: bytes) -> Frame:
    """A cached list as a snapshot for one client: only the event around it is built for the client."""
    around = frame(todo_format.wrapped(scope, point.before, point.seq, point.now, Raw(_HOLE)))
    data, tail = around.data.split(_HOLE)
    return around._replace(data=data, rest=(body, tail))


def event(seq: int, data: Any) -> bytes:
    """One server-sent event."""
    return f"id: {seq}\ndata: {json_output.text(data)}\n\n".encode()


def chunks(frames: Iterable[Frame]) -> Iterator[bytes]:
    """The frames, joined and split into chunks."""
    piece: list[bytes] = []
    size = 0
    for data in (data for found in frames for data in (found.data, *found.rest)):
        if size + len(data) > CHUNK:
            if piece:
                yield b"".join(piece)
            piece, size = [], 0
        if len(data) > CHUNK:
            view = memoryview(data)  # a long one is shared by all clients, so it is not copied for each
            yield from (bytes(view[start : start + CHUNK]) for start in range(0, len(view), CHUNK))
        else:
            piece.append(data)
            size += len(data)
    if piece:
        yield b"".join(piece)
