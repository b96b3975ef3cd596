"""A session's todo list, and when it is too much of one."""

from typing import Final

import msgspec

from gatepost.domain.refusals import InvalidInput, TooLarge
from gatepost.domain.value import Value

MOST_ITEMS: Final = 200
MOST_CHARS: Final = 12_000
"""Of the whole list as JSON, so that a reply always holds it."""


class Todos(Value, frozen=True, kw_only=True, tag="todos", tag_field="kind"):
    """What a session means to do, in its order. `process` is the one whose end ends the session, if any."""

    items: tuple[str, ...] = ()
    process: str | None = None
    writes: int = 0
    """How often it was written: an equal write is one of its own, and can be undone alone."""


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
