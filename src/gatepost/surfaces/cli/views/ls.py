"""Plans and tasks as a table."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from gatepost.surfaces.cli.formats import labels, status
from gatepost.surfaces.cli.invocation import ROOM, Invocation
from gatepost.surfaces.cli.tables import Cell, bar, table
from gatepost.surfaces.terminal import Terminal, stdout

_GIVE: Final = ((1, 30), (6, 0), (1, 16), (3, 0), (5, 0), (1, 8))
"""The title gives way first, but before it becomes unreadable the labels go."""

_LOOKS: Final = 50
"""How often a search that has found nothing yet goes on with older texts by itself."""


def show(invocation: Invocation, asked: dict[str, Any]) -> None:
    """Print a list."""
    terminal = stdout()
    reply = _asked(invocation, asked)
    if invocation.options.quiet:
        for item in reply["items"]:
            terminal.say(item["id"])
        return
    if not reply["items"] and not reply.get("taskdocs"):
        _nothing(terminal, invocation, asked)
    for line, item in zip(roots_table(terminal, reply["items"]), reply["items"], strict=True):
        terminal.say(line)
        _show_hits(terminal, item.get("hits", ()))
    for taskdoc in reply.get("taskdocs", ()):
        terminal.say(f"taskdoc {terminal.paint(terminal.clean(taskdoc['taskdoc']), 'bold')}")
        _show_hits(terminal, taskdoc["hits"])
    if reply.get("more_hits"):
        terminal.say()
        terminal.say("Older texts were not searched yet. Continue, or add a word to narrow the search.")
    if reply["has_more"]:
        terminal.say()
        terminal.say(f"More:  {terminal.paint(_next_page(invocation, asked, reply['cursor']), 'bold')}")


def _asked(invocation: Invocation, asked: dict[str, Any]) -> dict[str, Any]:
    """The first page; of a search, the first that has something."""
    page: dict[str, Any] = {}
    for _ in range(_LOOKS):
        more = {"cursor": page["cursor"]} if page else {}
        page = msgspec.json.decode(invocation.ask("tasks_context", {**asked, **more, "max_chars": ROOM}))
        if page["items"] or page.get("taskdocs") or not page["has_more"]:
            break
    return page


def _show_hits(terminal: Terminal, hits: Sequence[dict[str, Any]]) -> None:
    """Print where a search found its words: the field, the step and an excerpt, on one line each."""
    for hit in hits:
        if "snippet" in hit:
            where = " ".join(filter(None, (hit["in"], hit.get("path"))))
            line = f"    {where}: {terminal.clean(' '.join(hit['snippet'].split()))}"
            terminal.say(
                terminal.paint(line if terminal.width is None else terminal.clip(line, terminal.width), "dim")
            )


def roots_table(terminal: Terminal, items: list[dict[str, Any]], indent: int = 0) -> list[str]:
    """Plans and tasks, one a line."""
    return table(terminal, [_row(terminal, item) for item in items], give=_GIVE, indent=indent)


def _row(terminal: Terminal, item: dict[str, Any]) -> list[Cell]:
    counts = item.get("counts", {})
    waiting = item.get("waiting_for", 0)
    trouble = [f"{counts['blocked']} blocked"] if counts.get("blocked") else []
    trouble += [f"waits for {waiting}"] if waiting else []
    priority = item.get("priority", "")
    return [
        Cell(item["id"], "bold"),
        Cell(terminal.clean(item.get("title", ""))),
        status(terminal, item),
        Cell("" if priority == "MEDIUM" else priority, "alarm" if priority == "CRITICAL" else ""),
        Cell(bar(terminal, counts)),
        Cell(", ".join(trouble), "red"),
        Cell(" ".join(labels(terminal, item)), "dim"),
    ]


def _nothing(terminal: Terminal, invocation: Invocation, asked: dict[str, Any]) -> None:
    """Say that there is nothing, and whether the filters or the name of the workspace may be why."""
    workspace = asked["workspace"]
    what = "No results" if len(asked) > 1 else "No plans or tasks yet"
    for line in (f"{what} in {terminal.clean(workspace)}.", *invocation.other_workspaces(workspace)):
        terminal.say(line)


def _next_page(invocation: Invocation, asked: dict[str, Any], cursor: str) -> str:
    words = ["ls"]
    for name, value in {**asked, "cursor": cursor}.items():
        words += [f"--{name}"] if value is True else [f"--{name}", str(value)]
    from gatepost.surfaces.cli.suggested_commands import joined, same_place

    return joined(words + same_place(invocation.options))
