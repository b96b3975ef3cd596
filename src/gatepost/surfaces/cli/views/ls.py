"""Plans and tasks as a table."""

import json
from collections.abc import Sequence
from typing import Any, Final

from gatepost.surfaces.cli.pasting import joined, same_place
from gatepost.surfaces.cli.screen import Screen, stdout
from gatepost.surfaces.cli.session import ROOM, Session
from gatepost.surfaces.cli.tables import Cell, bar, table
from gatepost.surfaces.cli.words import labels, status

_GIVE: Final = ((1, 30), (6, 0), (1, 16), (3, 0), (5, 0), (1, 8))
"""The title gives way first, but before it becomes unreadable the labels go."""

_LOOKS: Final = 50
"""How often a search that has found nothing yet goes on with older texts by itself."""


def show(session: Session, asked: dict[str, Any]) -> None:
    """Print a list."""
    screen = stdout()
    reply = _asked(session, asked)
    if session.options.quiet:
        for item in reply["items"]:
            screen.say(item["id"])
        return
    if not reply["items"] and not reply.get("taskdocs"):
        _nothing(screen, session, asked)
    for line, item in zip(roots_table(screen, reply["items"]), reply["items"], strict=True):
        screen.say(line)
        _show_hits(screen, item.get("hits", ()))
    for taskdoc in reply.get("taskdocs", ()):
        screen.say(f"taskdoc {screen.paint(screen.clean(taskdoc['taskdoc']), 'bold')}")
        _show_hits(screen, taskdoc["hits"])
    if reply.get("more_hits"):
        screen.say()
        screen.say("Older texts have not been looked at yet. Go on, or add a word to narrow the search.")
    if reply["has_more"]:
        screen.say()
        screen.say(f"There is more:  {screen.paint(_next_page(session, asked, reply['cursor']), 'bold')}")


def _asked(session: Session, asked: dict[str, Any]) -> dict[str, Any]:
    """The first page; of a search, the first that has something."""
    page: dict[str, Any] = {}
    for _ in range(_LOOKS):
        more = {"cursor": page["cursor"]} if page else {}
        page = json.loads(session.ask("tasks_context", {**asked, **more, "max_chars": ROOM}))
        if page["items"] or page.get("taskdocs") or not page["has_more"]:
            break
    return page


def _show_hits(screen: Screen, hits: Sequence[dict[str, Any]]) -> None:
    """Where the words are in a row: the field, the step, and the excerpt on one line."""
    for hit in hits:
        if "snippet" in hit:
            where = " ".join(filter(None, (hit["in"], hit.get("path"))))
            line = f"    {where}: {screen.clean(' '.join(hit['snippet'].split()))}"
            screen.say(screen.paint(line if screen.width is None else screen.clip(line, screen.width), "dim"))


def roots_table(screen: Screen, items: list[dict[str, Any]], indent: int = 0) -> list[str]:
    """Plans and tasks, one a line."""
    return table(screen, [_row(screen, item) for item in items], give=_GIVE, indent=indent)


def _row(screen: Screen, item: dict[str, Any]) -> list[Cell]:
    counts = item.get("counts", {})
    waiting = item.get("waiting_for", 0)
    trouble = [f"{counts['blocked']} blocked"] if counts.get("blocked") else []
    trouble += [f"waits for {waiting}"] if waiting else []
    priority = item.get("priority", "")
    return [
        Cell(item["id"], "bold"),
        Cell(screen.clean(item.get("title", ""))),
        status(screen, item),
        Cell("" if priority == "MEDIUM" else priority, "alarm" if priority == "CRITICAL" else ""),
        Cell(bar(screen, counts)),
        Cell(", ".join(trouble), "red"),
        Cell(" ".join(labels(screen, item)), "dim"),
    ]


def _nothing(screen: Screen, session: Session, asked: dict[str, Any]) -> None:
    """Say that there is nothing, and whether the filters or the name of the workspace may be why."""
    workspace = asked["workspace"]
    what = "Nothing like that" if len(asked) > 1 else "Nothing yet"
    for line in (f"{what} in {screen.clean(workspace)}.", *session.elsewhere(workspace)):
        screen.say(line)


def _next_page(session: Session, asked: dict[str, Any], cursor: str) -> str:
    words = ["ls"]
    for name, value in {**asked, "cursor": cursor}.items():
        words += [f"--{name}"] if value is True else [f"--{name}", str(value)]
    return joined(words + same_place(session.options))
