"""A session's todo list, and when it is too much of one."""

from collections.abc import Callable
from typing import Final

import msgspec

from gatepost.domain.refusals import InvalidInput, TooLarge
from gatepost.domain.value import Value

MOST_ITEMS: Final = 200
MOST_SHARING: Final = 64
MOST_CHARS: Final = 12_000
"""Of the whole list as JSON, so that a reply always holds it."""


class Todos(Value, frozen=True, kw_only=True, tag="todos", tag_field="kind"):
    """What a session means to do, in its order.

    `process` wrote it last, and the `sharing` ones before that. The list goes with the last of them to end; where
    there is none, it stays.
    """

    items: tuple[str, ...] = ()
    process: str | None = None
    sharing: tuple[str, ...] = ()
    writes: int = 0
    """How often it was written: an equal write is one of its own, and can be undone alone."""

    @property
    def processes(self) -> tuple[str, ...]:
        """Every process whose end the list awaits."""
        return () if self.process is None else (self.process, *self.sharing)


def written(before: Todos, items: tuple[str, ...], process: str | None, ended: Callable[[str], bool]) -> Todos:
    """A list after a write by a process, or by somebody who has none.

    A list that belongs to no process stays so. Who has ended is forgotten, and so is the oldest of very many.
    """
    writes = before.writes + 1
    if before.writes and before.process is None:
        return Todos(items=items, writes=writes)
    living = (one for one in before.processes if one != process and not ended(one))
    known = (*(() if process is None else (process,)), *living)[:MOST_SHARING]
    first, *others = known or (None,)
    return Todos(items=items, process=first, sharing=tuple(one for one in others if one), writes=writes)


def trimmed(items: tuple[str, ...]) -> tuple[str, ...]:
    """The items without white space around them; one that is blank is refused by its position."""
    kept = tuple(item.strip() for item in items)
    blank = [(f"items[{at}]", "must not be blank") for at, item in enumerate(kept) if not item]
    if blank:
        raise InvalidInput(blank)
    size = len(msgspec.json.encode(kept).decode())
    if size > MOST_CHARS:
        raise TooLarge(
            f"`items` has {size:,} characters in all; a list may have {MOST_CHARS:,}.",
            "Keep each item to a line, and the details in a task's steps (tasks_create).",
            field="items",
        )
    return kept
