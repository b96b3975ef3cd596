"""Todo lists of a store that is open here, followed by its own wait."""

import threading
from collections.abc import Callable, Generator, Sequence
from functools import partial
from typing import Any, Final, TypeVar

import msgspec

from gatepost.domain.refusals import Refusal
from gatepost.engine.caller import Caller
from gatepost.engine.reader import Reader
from gatepost.operations import todo_stream
from gatepost.surfaces.cli.errors import Refused
from gatepost.surfaces.cli.invocation import ACTOR, Invocation
from gatepost.surfaces.cli.watching.lists import News
from gatepost.todo import TodoStore
from gatepost.views.todo_payload import Envelope
from gatepost.wire import json_output

R = TypeVar("R")

_FAR: Final = 10_000
"""Further behind than so many events, whole lists are sooner read than what became of them."""
_AT_ONCE: Final = 64
_WAIT: Final = 30.0


class StoreLists:
    """Every list of a workspace, or one."""

    def __init__(self, invocation: Invocation, scope: str | None) -> None:
        self.todos = TodoStore()
        self.where = invocation.workspace()
        self._invocation = invocation
        self._engine = invocation.engine
        self._scope = scope
        self._who = Caller(invocation.settings.actor or ACTOR)
        self._stopping = threading.Event()
        self._refusing(partial(todo_stream.place_of, scope or "main"))

    def news(self) -> Generator[News, None, None]:
        """Each list as it is; then each change as it is committed, whoever made it."""
        after = yield from self._whole(None)
        while not self._stopping.is_set():
            self._engine.store.wait(self.where, after, _WAIT)
            head, changes = self._read(partial(self._since, after=after))
            if changes is None:
                after = yield from self._whole(after)
                continue
            yield from self._taken(changes)
            after = head
            if self.todos.needs_snapshot():
                after = yield from self._whole(after)

    def radar(self, task: str) -> dict[str, Any]:
        """What the radar says of a task; nothing where there is none by now."""
        try:
            said: dict[str, Any] = msgspec.json.decode(
                self._invocation.ask("tasks_radar", {"workspace": self.where, "task": task})
            )
        except Refused:
            return {}
        return said

    def stop(self) -> None:
        """Let the wait end, and the news with it."""
        self._stopping.set()
        self._engine.store.release(self.where)

    def _whole(self, since: int | None) -> Generator[News, None, int]:
        """Every list as it is, some at a time, for they may be many; returns the event they are good for."""
        head, keys = self._read(partial(self._known, since=since))
        if since is not None and head < since:  # not the store that it was: nothing that was read holds
            self.todos.forget()
        for first in range(0, len(keys), _AT_ONCE):
            yield from self._taken(self._read(partial(_snapshots, keys=keys[first : first + _AT_ONCE])))
        return head

    def _known(self, reader: Reader, since: int | None) -> tuple[int, list[str]]:
        return reader.head().seq, todo_stream.scopes(reader, since) if self._scope is None else [self._scope]

    def _since(self, reader: Reader, after: int) -> tuple[int, list[Envelope] | None]:
        """Where the log is, and what came after an event; nothing where only whole lists can tell."""
        head = reader.head().seq
        if head < after or head - after > _FAR:
            return head, None
        found = (update.envelope for update in todo_stream.changes(reader, after)) if head > after else ()
        return head, [envelope for envelope in found if self._scope in (None, envelope.scope_key)]

    def _taken(self, envelopes: Sequence[Envelope]) -> Generator[News, None, None]:
        for envelope in envelopes:
            todo = msgspec.json.decode(json_output.text(envelope))
            if self.todos.apply(todo):
                yield News(envelope.scope_key, todo)

    def _read(self, ask: Callable[[Reader], R]) -> R:
        return self._refusing(lambda: self._engine.read(self.where, self._who, ask))

    def _refusing(self, ask: Callable[[], R]) -> R:
        try:
            return ask()
        except Refusal as no:
            raise Refused(json_output.refusal(no), no.family) from None


def _snapshots(reader: Reader, keys: Sequence[str]) -> list[Envelope]:
    return [todo_stream.snapshot(reader, key) for key in keys]
