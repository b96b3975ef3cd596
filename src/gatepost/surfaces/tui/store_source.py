"""A store as a source: asked directly, and followed by its own wait."""

import threading
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import msgspec

from gatepost.domain.refusals import Refusal
from gatepost.engine.caller import Caller
from gatepost.engine.engine import Engine
from gatepost.engine.log import shown
from gatepost.engine.reader import Reader
from gatepost.operations import todo_stream
from gatepost.operations.answer import answer
from gatepost.operations.session_stream import EventGroup, SessionEventFormat
from gatepost.surfaces.tui.fault_reports import report
from gatepost.surfaces.tui.source import TAIL, Heard, Hearing, Refused, Telling, mark, refused, sentence
from gatepost.surfaces.tui.storefile import StoreFile
from gatepost.todo import TodoStore
from gatepost.wire import json_output

_FAR: Final = 10_000
"""Further behind than so many events, everything is read anew."""
_LISTS: Final = 64
_WAIT: Final = 1.0
_PAUSE: Final = 1.0
_TRIES: Final = 50
_MENDING: Final = "Have gatepost doctor check the store."


class StoreSource:
    """A workspace of a store in this process."""

    def __init__(self, engine: Engine, workspace: str, who: Caller, place: str = "") -> None:
        self.workspace = workspace
        self.place = place
        self.todos = TodoStore()
        self._engine = engine
        self._who = who
        self._file = StoreFile(engine.store.describe())
        self._speech = SessionEventFormat(workspace)
        self._telling: Telling | None = None
        self._thread: threading.Thread | None = None

    def call(self, operation: str, /, **arguments: Any) -> dict[str, Any]:
        """The reply of an operation. Nothing is asked of a file that is not the store any more."""
        trouble = self._file.look()
        if trouble is not None:
            raise trouble.refusal()
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
        at = _At()
        while not telling.ended.is_set():
            try:
                at = self._step(telling, at)
            except Refusal as no:
                telling.tell(Heard(state="lost", reason=f"{sentence(no.message)} {no.recovery}"))
                telling.ended.wait(_PAUSE)
            except Exception as error:  # noqa: BLE001 - the edge: a thread that died would look like a quiet log
                fault = report("while following the store", error)
                telling.tell(Heard(state="lost", reason=f"internal error {fault}; trying again"))
                at = at._replace(whole=True)
                telling.ended.wait(_PAUSE)

    def _step(self, telling: Telling, at: "_At") -> "_At":
        """Go on, if the store is still where it was; or begin with the one that has taken its place."""
        trouble = self._file.look()
        if trouble is not None and trouble.another:
            self._engine.store.close()  # whoever asks next opens what is there now
            self._file.take()
            self.todos.forget()
            telling.tell(Heard(state="lost", reason=trouble.brief, afresh=True, anew=True))
            return _At()
        if trouble is not None:
            telling.tell(Heard(state="lost", reason=trouble.brief))
            telling.ended.wait(_PAUSE)
            return at._replace(whole=True)
        return self._afresh(telling, at) if at.whole else self._on(telling, at)

    def _afresh(self, telling: Telling, at: "_At") -> "_At":
        """Everything as it is: the end of the log, and every list."""
        begun = self._engine.read(self.workspace, self._who, lambda reader: _beginning(reader, at))
        if begun.anew:
            self.todos.forget()
        for first in range(0, max(len(begun.keys), 1), _LISTS):
            some = begun.keys[first : first + _LISTS]
            told = self._engine.read(
                self.workspace,
                self._who,
                lambda reader: self._lists(reader, some, begun.head),  # noqa: B023 - called at once
            )
            events = [] if first else begun.events
            anew = begun.anew and not first
            telling.tell(Heard(events=events, todo=self._taken(told), afresh=True, anew=anew))
        return _At(begun.head, begun.last, whole=False)

    def _lists(self, reader: Reader, keys: Sequence[str], head: int) -> list[EventGroup]:
        return [self._speech.snapshot(reader, key, head, head) for key in keys]

    def _on(self, telling: Telling, at: "_At") -> "_At":
        """What came after an event. Where that leaves a hole, or joins nothing, only whole lists mend it."""
        self._engine.store.wait(self.workspace, at.seq, _WAIT)
        news = self._engine.read(self.workspace, self._who, lambda reader: self._news(reader, at))
        if news is None:
            return at._replace(whole=True)
        told, events = news
        telling.tell(Heard(events=events, todo=self._taken(told)))
        if events:
            at = _At(events[-1]["seq"], mark(events[-1]))
        return at._replace(whole=self.todos.needs_snapshot())

    def _news(self, reader: Reader, at: "_At") -> tuple[list[EventGroup], list[dict[str, Any]]] | None:
        head = reader.head().seq
        if head == at.seq:
            return [], []
        if head < at.seq or head - at.seq > _FAR:
            return None
        events = [shown(row) for row in reader.events(max(at.seq - 1, 0), _FAR + 1, None)]
        if not at.seq:
            return self._speech.changes(reader, at.seq), events
        return (self._speech.changes(reader, at.seq), events[1:]) if mark(events[0]) == at.last else None

    def _taken(self, told: Sequence[EventGroup]) -> list[dict[str, Any]]:
        events = [msgspec.json.decode(json_output.text(event)) for one in told for event in one.events]
        return [event for event in events if self.todos.apply(event)]


def _beginning(reader: Reader, at: "_At") -> "_Beginning":
    head = reader.head().seq
    since: int | None = None
    if at.seq:
        there = reader.events(at.seq - 1, 1, None)
        since = at.seq if there and mark(shown(there[0])) == at.last else None
    recent = [shown(row) for row in reversed(reader.recent(TAIL, None))]
    return _Beginning(
        keys=todo_stream.scopes(reader, since),
        events=[event for event in recent if since is None or event["seq"] > since],
        head=head,
        last=mark(recent[-1]) if recent else None,
        anew=bool(at.seq) and since is None,
    )


class _At(NamedTuple):
    """How far the log was heard, and what its last event is known by; `whole` where everything is to be read."""

    seq: int = 0
    last: tuple[Any, ...] | None = None
    whole: bool = True


class _Beginning(NamedTuple):
    """What a listener begins with; `anew` where it is not the log that was heard before."""

    keys: list[str]
    events: list[dict[str, Any]]
    head: int
    last: tuple[Any, ...] | None
    anew: bool
