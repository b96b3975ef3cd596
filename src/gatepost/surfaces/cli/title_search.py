"""The step of a task whose title begins in a certain way, if there is only one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gatepost.operations.resume import Resume
from gatepost.surfaces.cli.errors import BadUsage, NothingFound
from gatepost.surfaces.cli.invocation import ROOM, Invocation
from gatepost.surfaces.cli.suggested_commands import joined, same_place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gatepost.replies.resume import ListedStep

_PAGE: Final = 200
_MOST: Final = 2_000
_NAMED: Final = 5


def titled(invocation: Invocation, task: str, begun: str) -> str:
    """The id of the step. A title that is exactly this one is meant before those that only begin with it."""
    if not begun.strip():
        raise BadUsage("the name of the step is empty", "Name the step by its path, its id or its title.")
    folded = begun.casefold()
    found = [row for row in steps(invocation, task) if row.title.casefold().startswith(folded)]
    exact = [row for row in found if row.title.casefold() == folded]
    meant = exact if len(exact) == 1 else found
    if len(meant) == 1:
        return meant[0].step_id
    look = joined(["show", task, *same_place(invocation.options)])
    if not meant:
        raise NothingFound(f"no step of {task} has a title that begins with “{begun}”", f"See its steps: {look}")
    named = ", ".join(f"{row.path} {row.title}" for row in meant[:_NAMED])
    more = f" and {len(meant) - _NAMED} more" if len(meant) > _NAMED else ""
    raise BadUsage(
        f"{len(meant)} steps of {task} have titles that begin with “{begun}”: {named}{more}",
        "Type more of the title, or the step's path.",
    )


def steps(invocation: Invocation, task: str) -> Iterator[ListedStep]:
    """The steps of a task in tree order."""
    seen, cursor = 0, None
    while True:
        command = Resume(workspace=invocation.workspace(), task=task, limit=_PAGE, cursor=cursor, max_chars=ROOM)
        _, page = invocation.ask(command)
        yield from page.steps
        seen, cursor = seen + len(page.steps), page.cursor
        if cursor is None:
            return
        if seen >= _MOST:
            raise BadUsage(
                f"{task} has more than {_MOST:,} steps, too many to look for a title",
                "Name the step by its path or id.",
            )
