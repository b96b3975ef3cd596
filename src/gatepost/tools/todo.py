"""A session's todo list: ordered texts, written whole and read back."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Final

from msgspec import Meta, Struct

from gatepost.domain.refusals import InvalidInput
from gatepost.runtime import Dispatcher, Session, append, select_latest
from gatepost.runtime.publication import PublishedAs
from gatepost.tools.texts import blank, flaw
from gatepost.tools.tool import Tool

GUIDANCE: Final = """\
Use `todo_read` before writing so you do not overwrite someone else's list.
- `todo_read` returns the latest todo list (empty when nothing is stored yet).
- `todo_write` replaces the list with the ordered items you supply. Items must
  be non-empty strings."""

_MOST_PROBLEMS: Final = 20


@dataclass(frozen=True, slots=True)
class TodoList:
    """What is to be done, in the caller's order: a tuple of trimmed texts, whatever sequence it was made from.

    A text is no sequence of items, nor is a set or a generator. Refusals name items by position, from `items[0]`.
    """

    items: Sequence[str] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "items", _trimmed(self.items))

    def published_as(self) -> PublishedAs:
        """The calls that publish and remove the list."""
        return PublishedAs("todo_write", {"items": list(self.items)}, "todo_clear")


class TodoToolsSection:
    """Tells a model how to use the session's todo list, and offers it `todo_read` and `todo_write`."""

    def __init__(self, *, session: Session, dispatcher: Dispatcher | None = None, key: str = "todo-tools") -> None:
        _register(session)
        self.key: Final = key
        self.session: Final = session
        self.dispatcher: Final = session.dispatcher if dispatcher is None else dispatcher
        self.tools: Final = tuple(tool.bound(session, self.dispatcher) for tool in _tools(session))

    def render(self) -> str:
        """The guidance."""
        return GUIDANCE

    def clone(self, *, session: Session, dispatcher: Dispatcher | None = None) -> "TodoToolsSection":
        """The same section on another session. Without a dispatcher it uses that session's."""
        return TodoToolsSection(session=session, dispatcher=dispatcher, key=self.key)


def todo_write(session: Session, todo: TodoList | Sequence[str]) -> TodoList:
    """Store a list as the session's newest, keep the earlier ones, and return it as stored."""
    # Events go by their exact type, so a subclass would land in a slice of its own.
    stored = todo if type(todo) is TodoList else TodoList(todo.items if isinstance(todo, TodoList) else todo)
    _register(session)
    session.dispatch(stored)
    return stored


def todo_read(session: Session) -> TodoList:
    """The latest list, or an empty one. Changes nothing."""
    return select_latest(session, TodoList) or TodoList()


class WriteTodo(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `todo_write` takes. The items cannot be left out: that would empty the list by omission."""

    items: Annotated[tuple[str, ...], Meta(description="The whole list, in order. Empty clears it.")]


def _tools(session: Session) -> tuple[Tool, ...]:
    return (
        Tool(
            name="todo_read",
            description="Return the latest todo list (empty when nothing is stored yet).",
            handler=partial(todo_read, session),
        ),
        Tool(
            name="todo_write",
            description="Replace the todo list with the ordered items you supply. Items must be non-empty strings.",
            params=WriteTodo,
            handler=lambda given: todo_write(session, given.items),
        ),
    )


def _register(session: Session) -> None:
    session[TodoList].register(TodoList, append)


def _trimmed(items: object) -> tuple[str, ...]:
    if isinstance(items, str | bytes | bytearray | memoryview) or not isinstance(items, Sequence):
        raise InvalidInput([("items", f"must be a list of texts, not {type(items).__name__}")])
    entries = tuple(items)
    problems = [(f"items[{at}]", problem) for at, entry in enumerate(entries) if (problem := _problem(entry))]
    if problems:
        raise InvalidInput(problems[:_MOST_PROBLEMS])
    return tuple(str.strip(entry) for entry in entries)


def _problem(entry: object) -> str | None:
    problem = flaw(entry)
    return "must not be blank" if problem is None and blank(str(entry)) else problem
