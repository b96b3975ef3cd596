"""The scope of an update, and the summary of a scope's list."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from gatepost.todo.items import Status, TodoItem
from gatepost.todo.json_values import Record, filled, name

MAIN: Final = "main"

_SCOPE: Final = ("scopeKey", "scope_key", "scope")
_INFERRED: Final = (*_SCOPE, "lane_id", "laneId", "task_id", "taskId", "agent_id", "agentId")
_LABEL: Final = ("scopeLabel", "scope_label")
_LONGEST_LABEL: Final = 500
_FORM: Final = re.compile(r"[A-Za-z0-9._:-]{1,64}")

# These names have a meaning of their own if a UI keeps its scopes in a plain JavaScript object.
_RESERVED: Final = frozenset(
    (
        *("constructor", "prototype", "toString", "toLocaleString", "toJSON", "valueOf"),
        *("hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable"),
    )
)
_DUNDER: Final = re.compile(r"__.*__")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListCounts:
    """How many items of a list have each status."""

    todo: int = 0
    in_progress: int = 0
    done: int = 0
    blocked: int = 0
    canceled: int = 0

    @property
    def total(self) -> int:
        """The number of items."""
        return self.todo + self.in_progress + self.done + self.blocked + self.canceled


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The summary of a list. Without a label the key is used; the revision is `None` until one is applied."""

    key: str
    label: str
    revision: int | None
    counts: ListCounts
    needs_snapshot: bool


def counted(items: Iterable[TodoItem]) -> ListCounts:
    """Count items by status."""
    found = Counter(item.status for item in items)
    return ListCounts(
        todo=found[Status.TODO],
        in_progress=found[Status.IN_PROGRESS],
        done=found[Status.DONE],
        blocked=found[Status.BLOCKED],
        canceled=found[Status.CANCELED],
    )


def scope_key(envelope: Record, payload: Record) -> str | None:
    """The first key that is given, in the specified order, or `main`.

    `None` if that key is not allowed. Trying the next one could put the update into the wrong list.
    """
    given = (value for value in _candidates(envelope, payload) if value is not None)
    first = next(given, MAIN)
    key = name(first)
    return key if key is not None and usable(key) else None


def scope_label(envelope: Record, payload: Record) -> str | None:
    """The label that came with an update."""
    found = (filled(source.get(key)) for source in (envelope, payload) for key in _LABEL)
    return next((label[:_LONGEST_LABEL] for label in found if label is not None), None)


def usable(key: str) -> bool:
    """Whether a scope may have this key."""
    return _FORM.fullmatch(key) is not None and key not in _RESERVED and _DUNDER.fullmatch(key) is None


def _candidates(envelope: Record, payload: Record) -> Iterator[object]:
    yield from (envelope.get(key) for key in _SCOPE)
    yield from (payload.get(key) for key in _INFERRED)
