"""Which list an update is for, and how a list is shown beside others."""

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

# They mean something else where a UI keeps its scopes in a plain JavaScript object.
_RESERVED: Final = frozenset(
    (
        *("constructor", "prototype", "toString", "toLocaleString", "toJSON", "valueOf"),
        *("hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable"),
    )
)
_DUNDER: Final = re.compile(r"__.*__")


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How many items of a list have each status."""

    todo: int = 0
    in_progress: int = 0
    done: int = 0
    blocked: int = 0
    canceled: int = 0

    @property
    def total(self) -> int:
        """How many items there are."""
        return self.todo + self.in_progress + self.done + self.blocked + self.canceled


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """A list as a menu names it: the label is the key where none came, the revision `None` before one was used."""

    key: str
    label: str
    revision: int | None
    counts: Counts
    needs_snapshot: bool


def counted(items: Iterable[TodoItem]) -> Counts:
    """The counts of some items."""
    found = Counter(item.status for item in items)
    return Counts(
        todo=found[Status.TODO],
        in_progress=found[Status.IN_PROGRESS],
        done=found[Status.DONE],
        blocked=found[Status.BLOCKED],
        canceled=found[Status.CANCELED],
    )


def scope_key(envelope: Record, payload: Record) -> str | None:
    """The first key that is given, in the ruled order; `main` where there is none.

    Nothing, if no list may have that key. To look further would put the update into a list that it is not for.
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
