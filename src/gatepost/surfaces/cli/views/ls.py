"""Plans and tasks as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from gatepost.surfaces.cli.formats import claims_words, labels, moment_lines, same_moment, status
from gatepost.surfaces.cli.invocation import ROOM, Invocation
from gatepost.surfaces.cli.tables import Cell, bar, table
from gatepost.surfaces.terminal import Terminal, stdout

if TYPE_CHECKING:  # `show` prints such tables, too, and asks for no list
    from collections.abc import Sequence

    from gatepost.operations.context import Context
    from gatepost.replies.context import ContextReply, Hit
    from gatepost.replies.roots import RootRow

_GIVE: Final = ((1, 30), (7, 0), (1, 16), (6, 24), (3, 0), (5, 0), (6, 0), (1, 8))
"""The title gives way first, but before it becomes unreadable the labels go."""

_LOOKS: Final = 50
"""How often a search that has found nothing yet goes on with older texts by itself."""


def show(invocation: Invocation, command: Context) -> None:
    """Print a list."""
    terminal = stdout()
    reply = _first_page(invocation, command)
    if invocation.options.quiet:
        for item in reply.items:
            terminal.say(item.id)
        return
    for line in moment_lines(terminal, reply.at):
        terminal.say(line)
    if not reply.items and not reply.taskdocs:
        filtered = replace(command, workspace="") != type(command)(workspace="")
        what = "No results" if filtered else "No plans or tasks yet"
        terminal.say(f"{what} in {terminal.clean(command.workspace)}.")
        for line in invocation.other_workspaces(command.workspace):
            terminal.say(line)
    for line, item in zip(roots_table(terminal, reply.items), reply.items, strict=True):
        terminal.say(line)
        _show_hits(terminal, item.hits or ())
    for taskdoc in reply.taskdocs or ():
        terminal.say(f"taskdoc {terminal.paint(terminal.clean(taskdoc.taskdoc), 'bold')}")
        _show_hits(terminal, taskdoc.hits)
    if reply.more_hits:
        terminal.say()
        terminal.say("Older texts were not searched yet. Continue, or add a word to narrow the search.")
    if reply.has_more:
        from gatepost.surfaces.cli.suggested_commands import next_page

        terminal.say()
        terminal.say(next_page(terminal, invocation.options, cursor=reply.cursor, **same_moment(reply.at)))


def _first_page(invocation: Invocation, command: Context) -> ContextReply:
    """The first page; of a search, the first that has something."""
    page = invocation.client.do(replace(command, max_chars=ROOM))
    for _ in range(_LOOKS - 1):
        if page.items or page.taskdocs or not page.has_more:
            break
        page = invocation.client.do(replace(command, max_chars=ROOM, cursor=page.cursor))
    return page


def _show_hits(terminal: Terminal, hits: Sequence[Hit]) -> None:
    """Print where a search found its words: the field, the step and an excerpt, on one line each."""
    for hit in hits:
        if hit.snippet is not None:
            where = " ".join(filter(None, (hit.found_in, hit.path)))
            line = f"    {where}: {terminal.clean(' '.join(hit.snippet.split()))}"
            terminal.say(
                terminal.paint(line if terminal.width is None else terminal.clip(line, terminal.width), "dim")
            )


def roots_table(terminal: Terminal, items: Sequence[RootRow]) -> list[str]:
    """Plans and tasks, one a line."""
    return table(terminal, [_row(terminal, item) for item in items], give=_GIVE)


def _row(terminal: Terminal, item: RootRow) -> list[Cell]:
    counts, priority = item.counts, item.priority
    trouble = [f"{counts.blocked} blocked"] if counts.blocked else []
    trouble += [f"waits for {item.waiting_for}"] if item.waiting_for else []
    return [
        Cell(item.id, "bold"),
        Cell(terminal.clean(item.title)),
        status(terminal, item),
        Cell("" if priority == "MEDIUM" else priority, "alarm" if priority == "CRITICAL" else ""),
        Cell(bar(terminal, counts.done, counts.total)),
        Cell(", ".join(trouble), "red"),
        Cell(terminal.clean(claims_words(item)), "dim"),
        Cell(" ".join(labels(terminal, item)), "dim"),
    ]
