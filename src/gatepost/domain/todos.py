"""A session's todo list and its size limit."""

from collections.abc import Callable
from typing import Final

import msgspec

from gatepost.domain.refusals import InvalidInput, TooLarge
from gatepost.domain.value import Value

MOST_ITEMS: Final = 200
MOST_SHARING: Final = 64
MOST_CHARS: Final = 12_000
"""The limit for the whole list as JSON, so that a reply always has room for it."""


class Todos(Value, frozen=True, kw_only=True, tag="todos", tag_field="kind"):
    """A session's todo items, in order.

    `process` wrote the list last, the `sharing` ones before. The list is removed when the last of them ends;
    without any, it stays.
    """

    items: tuple[str, ...] = ()
    process: str | None = None
    sharing: tuple[str, ...] = ()
    writes: int = 0
    """How often it was written: a write of the same items also counts, and can be undone."""

    @property
    def processes(self) -> tuple[str, ...]:
        """Every process that keeps the list alive."""
        return () if self.process is None else (self.process, *self.sharing)


def written(before: Todos, items: tuple[str, ...], process: str | None, ended: Callable[[str], bool]) -> Todos:
    """The list after a write by a process, or by a caller without one.

    A list without a process stays without. Processes that have ended are removed, and the oldest ones if there are
    too many.
    """
    writes = before.writes + 1
    if before.writes and before.process is None:
        return Todos(items=items, writes=writes)
    living = (one for one in before.processes if one != process and not ended(one))
    known = (*(() if process is None else (process,)), *living)[:MOST_SHARING]
    first, *others = known or (None,)
    return Todos(items=items, process=first, sharing=tuple(one for one in others if one), writes=writes)


def trimmed(items: tuple[str, ...]) -> tuple[str, ...]:
    """The items without surrounding white space. Refuses blank items, and a list that is too long in all."""
    kept = tuple(item.strip() for item in items)
    blank = [(f"items[{at}]", "must not be blank") for at, item in enumerate(kept) if not item]
    if blank:
        raise InvalidInput(blank)
    size = len(msgspec.json.encode(kept).decode())
    if size > MOST_CHARS:
        raise TooLarge(
            f"`items` has {size:,} characters in total; the limit is {MOST_CHARS:,}.",
            "Keep each item to one line, and put details into a task's steps.",
            field="items",
        )
    return kept
