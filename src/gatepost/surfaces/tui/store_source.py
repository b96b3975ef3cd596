"""A store as a source: asked directly, and followed by its own wait."""

import threading
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from gatepost.domain.refusals import Refusal
from gatepost.engine.caller import Caller
from gatepost.engine.engine import Engine
from gatepost.engine.log import shown
from gatepost.engine.reader import Reader
from gatepost.operations import todo_stream
from gatepost.operations.answer import answer
from gatepost.operations.session_stream import Speech, Told
from gatepost.surfaces.faults import report
from gatepost.surfaces.tui.source import TAIL, Heard, Hearing, Refused, Telling, refused
from gatepost.todo import TodoStore
from gatepost.views.session_events import Voice
from gatepost.wire import rendering

_FAR: Final = 10_000
"""Further behind than so many events, everything is read anew."""
_LISTS: Final = 64
_WAIT: Final = 1.0
_PAUSE: Final = 1.0
_TRIES: Final = 50
_MENDING: Final = "Check the store with: gatepost doctor"


class StoreSource:
    """A workspace of a store in this process."""

    def __init__(self, engine: Engine, workspace: str, who: Caller, place: str = "") -> None:
        self.workspace = workspace
        self.place = place
        self.todos = TodoStore()
        self._engine = engine
        self._who = who
        self._speech = Speech(Voice(workspace))
        self._telling: Telling | None = None
        self._thread: threading.Thread | None = None

    def call(self, operation: str, /, **arguments: Any) -> dict[str, Any]:
        """The reply of an operation."""
        try:
            answered = answer(self._engine, operation, {"workspace": self.workspace, **arguments}, self._who)
        except Exception as error:
            fault = report(f"in {operation}", error)
            raise Refused("INTERNAL", f"internal error {fault} in {operation}", _MENDING) from error
        decoded: dict[str, Any] = msgspec.json.decode(answered.text)
        if answered.refusal is None:
            return decoded
        raise refused(decoded["error"])

    def start(self, heard: Hearing) -> None:
        """Listen in a thread of its own."""
        self._telling = telling = Telling(heard)
        self._thread = threading.Thread(target=self._listen, args=(telling,), name="gatepost tui", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop listening. The thread ends with the wait it is in."""
        if self._telling is None or self._thread is None:
            return
        self._telling.end()
        for _ in range(_TRIES):  # it may be just about to wait
            self._engine.store.release(self.workspace)
            self._thread.join(_WAIT / _TRIES)
            if not self._thread.is_alive():
                return

    def _listen(self, telling: Telling) -> None:
        after: int | None = None
        whole = True
        while not telling.ended.is_set():
            try:
                after, whole = self._afresh(telling, after) if whole else self._on(telling, after or 0)
            except Refusal as no:
                telling.tell(Heard(state="lost", reason=f"{no.message} {no.recovery}"))
                telling.ended.wait(_PAUSE)
            except Exception as error:  # noqa: BLE001 - the edge: a thread that died would look like a quiet log
                fault = report("while following the store", error)
                telling.tell(Heard(state="lost", reason=f"internal error {fault}; trying again"))
                whole = True
                telling.ended.wait(_PAUSE)

    def _afresh(self, telling: Telling, after: int | None) -> tuple[int, bool]:
        """Everything as it is: the end of the log, and every list."""
        keys, events, head = self._engine.read(self.workspace, self._who, lambda reader: _beginning(reader, after))
        if after is not None and head < after:  # not the store that it was: nothing that was heard holds
            self.todos.forget()
        for first in range(0, max(len(keys), 1), _LISTS):
            some = keys[first : first + _LISTS]
            told = self._engine.read(self.workspace, self._who, lambda reader: self._lists(reader, some, head))  # noqa: B023 - called at once
            telling.tell(Heard(events=[] if first else events, todo=self._taken(told), afresh=True))
        return head, False

    def _lists(self, reader: Reader, keys: Sequence[str], head: int) -> list[Told]:
        return [self._speech.snapshot(reader, key, head, head) for key in keys]

    def _on(self, telling: Telling, after: int) -> tuple[int, bool]:
        """What came after an event, and up to where; and whether that left a hole that only whole lists mend."""
        self._engine.store.wait(self.workspace, after, _WAIT)
        told, events, head = self._engine.read(self.workspace, self._who, lambda reader: self._news(reader, after))
        if head < after or head - after > _FAR:
            return after, True
        telling.tell(Heard(events=events, todo=self._taken(told)))
        return head, self.todos.needs_snapshot()

    def _news(self, reader: Reader, after: int) -> tuple[list[Told], list[dict[str, Any]], int]:
        head = reader.head().seq
        if head <= after or head - after > _FAR:
            return [], [], head
        events = [rendering.plain(shown(row)) for row in reader.events(after, _FAR, None)]
        return self._speech.changes(reader, after), events, head

    def _taken(self, told: Sequence[Told]) -> list[dict[str, Any]]:
        events = [msgspec.json.decode(rendering.text(event)) for one in told for event in one.events]
        return [event for event in events if self.todos.apply(event)]


def _beginning(reader: Reader, since: int | None) -> tuple[list[str], list[dict[str, Any]], int]:
    recent = [row for row in reversed(reader.recent(TAIL, None)) if since is None or row.seq > since]
    return todo_stream.scopes(reader, since), [rendering.plain(shown(row)) for row in recent], reader.head().seq
