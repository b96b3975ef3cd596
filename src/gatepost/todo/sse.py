"""Parses server-sent events from bytes as they arrive, by the HTML standard's rules, in bounded memory."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

MOST_BYTES: Final = 64_000_000

_BOM: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One dispatched event. `id` is the last id in the stream so far."""

    data: str
    event: str = "message"
    id: str = ""


class EventStreamParser:
    """Takes chunks that are cut anywhere. An event that is unfinished at the end is dropped with its id.

    An event of more than `most_bytes` is skipped, and the stream continues after it.
    """

    def __init__(self, *, most_bytes: int = MOST_BYTES) -> None:
        self.last_id = ""
        self.retry_ms: int | None = None
        self._most_bytes: Final = most_bytes
        self._line: list[bytes] = []
        self._blank = True
        self._after_return = False
        self._at_start = True
        self._data: list[str] = []
        self._id: str | None = None
        self._clear()

    def feed(self, chunk: bytes) -> Iterator[Message]:
        """The events that these bytes complete."""
        if not chunk:
            return
        # A line may end in CR, LF or both, and the chunk may end between the two.
        lines = chunk[1:] if self._after_return and chunk.startswith(b"\n") else chunk
        self._after_return = chunk.endswith(b"\r")
        *ended, rest = lines.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        for piece in ended:
            self._add(piece)
            message = self._end_line()
            if message is not None:
                yield message
        self._add(rest)

    def _add(self, piece: bytes) -> None:
        self._blank = self._blank and not piece
        self._size += len(piece)
        if self._size <= self._most_bytes:
            self._line.append(piece)
        else:
            self._overlong = True

    def _end_line(self) -> Message | None:
        line, blank = b"".join(self._line), self._blank
        self._line, self._blank = [], True
        if self._at_start:
            line, self._at_start = line.removeprefix(_BOM), False
        if not line and (blank or not self._overlong):
            return self._dispatched()
        # The id of a skipped event still counts if it came before the event grew too long.
        if not self._overlong:
            self._field(line)
        return None

    def _field(self, line: bytes) -> None:
        name, _, value = line.decode("utf-8", "replace").partition(":")
        value = value.removeprefix(" ")
        match name:
            case "data":
                self._data.append(value)
            case "event":
                self._event = value
            case "id" if "\0" not in value:
                self._id = value
            case "retry" if value.isascii() and value.isdigit():
                self.retry_ms = int(value[:9])
            case _:
                self._size -= len(line)

    def _dispatched(self) -> Message | None:
        if self._id is not None:
            self.last_id = self._id
        event, data, overlong = self._event, self._data, self._overlong
        self._clear()
        if not data or overlong:
            return None
        return Message(data="\n".join(data), event=event or "message", id=self.last_id)

    def _clear(self) -> None:
        self._data = []
        self._event = ""
        self._id = None
        self._size = 0
        self._overlong = False
