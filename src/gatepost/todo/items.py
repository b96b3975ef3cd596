"""Items of a list, and an update's fields for an item, under any of the usual names and spellings."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import islice
from typing import Final

from gatepost.todo.json_values import Record, Scalar, filled, name, record, scalar, text, whole

ID: Final = ("id", "todo_id", "todoId")

_TITLE: Final = ("title", "content", "text")
_STATUS: Final = ("status", "state")
_ENVELOPE: Final = (
    *("op", "revision", "rev", "seq", "version", "items", "todos", "item", "todo", "patches", "patch", "ids"),
    *("scopeKey", "scope_key", "scope", "scopeLabel", "scope_label", "position"),
)
_KNOWN: Final = frozenset((*ID, *_TITLE, *_STATUS, *_ENVELOPE))
_MOST_EXTRAS: Final = 16
_LONGEST_STATUS: Final = 64


class Status(StrEnum):
    """An item's status. Compares and prints as text."""

    TODO = "todo"
    IN_PROGRESS = "in_progress"
    DONE = "done"
    BLOCKED = "blocked"
    CANCELED = "canceled"


# Everything else is `todo`, so its many spellings need no entry.
_SPELLINGS: Final = {
    **{status.value: status for status in Status},
    "inprogress": Status.IN_PROGRESS,
    "active": Status.IN_PROGRESS,
    "doing": Status.IN_PROGRESS,
    "completed": Status.DONE,
    "complete": Status.DONE,
    "finished": Status.DONE,
    "cancelled": Status.CANCELED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TodoItem:
    """One item of a list. Its position is its place in the list.

    `extra` has the first few plain fields that this client does not know, for a UI that does. They are not part of
    the contract: two items that differ only in them are equal.
    """

    id: str
    title: str
    status: Status = Status.TODO
    extra: tuple[tuple[str, Scalar], ...] = field(default=(), compare=False)

    @property
    def weight(self) -> int:
        """Its size in characters, with an allowance for the object itself."""
        extras = sum(len(key) + (len(held) if isinstance(held, str) else 8) for key, held in self.extra)
        return 64 + len(self.id) + len(self.title) + extras


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemFields:
    """An update's fields for one item: `None` for what it leaves out. There is an id or a title."""

    id: str | None = None
    title: str | None = None
    status: Status | None = None
    position: int | None = None
    extra: tuple[tuple[str, Scalar], ...] = ()

    def item(self, item_id: str) -> TodoItem:
        """A new item from these fields alone."""
        return TodoItem(id=item_id, title=self.title or "", status=self.status or Status.TODO, extra=self.extra)

    def onto(self, item: TodoItem) -> TodoItem:
        """The item with only the given fields changed."""
        return replace(
            item,
            title=item.title if self.title is None else self.title,
            status=self.status or item.status,
            extra=tuple(islice((dict(item.extra) | dict(self.extra)).items(), _MOST_EXTRAS)),
        )


def entries(given: Iterable[object]) -> tuple[ItemFields | None, ...]:
    """The fields for each item, in order; `None` for junk, which has neither an id nor a title."""
    return tuple(map(_entry, given))


def _entry(given: object) -> ItemFields | None:
    title = filled(given)
    fields = record(given) if title is None else {"title": title}
    if fields is None:
        return None
    title = first_text(fields, _TITLE)
    named = item_id(fields)
    if named is None and filled(title) is None:
        return None
    return ItemFields(
        id=named, title=title, status=_status(fields), position=whole(fields.get("position")), extra=_extra(fields)
    )


def item_id(fields: Record) -> str | None:
    """The item's id, under any of its names."""
    return next((found for key in ID if (found := name(fields.get(key))) is not None), None)


def first_text(fields: Record, names: Iterable[str]) -> str | None:
    """The first of the named fields that is text."""
    return next((found for key in names if (found := text(fields.get(key))) is not None), None)


def _status(fields: Record) -> Status | None:
    given = first_text(fields, _STATUS)
    if given is None:
        return None
    if len(given) > _LONGEST_STATUS:
        return Status.TODO
    return _SPELLINGS.get(re.sub(r"[\s_-]+", "_", given.strip().casefold()), Status.TODO)


def _extra(fields: Record) -> tuple[tuple[str, Scalar], ...]:
    unknown = ((key, scalar(held)) for key, held in fields.items() if key not in _KNOWN)
    return tuple(islice(((key, held) for key, held in unknown if held is not None), _MOST_EXTRAS))
