"""Todo lists: one for each session, as long as the session lives."""

from collections.abc import Callable
from typing import Annotated

from msgspec import Meta

from gatepost.domain import places, todos
from gatepost.domain.events import TodoWritten
from gatepost.domain.names import SESSION
from gatepost.domain.records import TodoCleared
from gatepost.domain.todos import MOST_ITEMS, Todos
from gatepost.engine import processes
from gatepost.engine.draft import Draft
from gatepost.engine.reader import Reader
from gatepost.operations.fields import KNOWN
from gatepost.operations.registry import Command, Write, operation
from gatepost.operations.step_commands import outcome
from gatepost.replies.todos import TodosReply, TodosWritten
from gatepost.wire.prose import Prose

Session = Annotated[str, Meta(pattern=SESSION, description="Whose list; yours by default.", extra=KNOWN)]


class ReadTodos(Command[TodosReply], frozen=True, kw_only=True):
    """Ask for a session's list."""

    session: Session | None = None


class WriteTodos(Write[TodosWritten], frozen=True, kw_only=True):
    """Let a session's list be this."""

    items: Annotated[tuple[Prose, ...], Meta(max_length=MOST_ITEMS)]
    session: Session | None = None


class ClearTodos(Write[TodosWritten], frozen=True, kw_only=True):
    """End a session."""

    session: Session | None = None


@operation("todo_read", "todo")
def read_todos(reader: Reader, command: ReadTodos) -> TodosReply:
    """Your session's todo list; empty if none is stored yet."""
    session = command.session or reader.caller.session
    place = places.named(places.SESSION, session)
    revision = reader.tally(place).revision
    return TodosReply(items=_living(reader, place).items, session=session, revision=revision)


@operation("todo_write", "todo")
def write_todos(draft: Draft, command: WriteTodos) -> TodosWritten:
    """Replace your session's todo list with these items, in order. Read it first."""
    session = command.session or draft.caller.session
    place = places.named(places.SESSION, session)
    items = todos.trimmed(command.items)
    draft.check_revision(f"session {session}", place, draft.tally(place).revision, command.expected_revision)
    before = _living(draft, place)
    draft.put(place, todos.written(before, items, draft.caller.process, processes.gone))
    draft.log(place, TodoWritten(items=items))
    return _written(draft, place, session, items)


@operation("todo_clear")
def clear_todos(draft: Draft, command: ClearTodos) -> TodosWritten:
    """End a session and clear its todo list. What it wrote stays in the log."""
    session = command.session or draft.caller.session
    place = places.named(places.SESSION, session)
    draft.check_revision(f"session {session}", place, draft.tally(place).revision, command.expected_revision)
    clear(draft, place, "ended")
    return _written(draft, place, session, ())


def clear(draft: Draft, place: str, because: str) -> None:
    """Let a session's list be no more, if there is one."""
    if draft.at(place) is not None:
        draft.put(place, None)
        draft.log(place, TodoCleared(because=because))


def _living(reader: Reader, place: str) -> Todos:
    """The list at a place; one whose processes are all gone counts no more, swept or not."""
    found = reader.at(place)
    if found is None or not isinstance(found.value, Todos):
        return Todos()
    return Todos() if is_over(found.value, processes.gone) else found.value


def is_over(found: Todos, ended: Callable[[str], bool]) -> bool:
    """Whether a list has outlived every process that wrote it."""
    return bool(found.processes) and all(map(ended, found.processes))


def _written(draft: Draft, place: str, session: str, items: tuple[str, ...]) -> TodosWritten:
    kept = outcome(draft, place)
    for event in kept["events"]:
        event.pop("items", None)  # the reply has them already
    return TodosWritten(items=items, session=session, **kept)
