"""The shift report: what is done, what remains, what may go wrong, and the radar below."""

import json
from typing import Any

from gatepost.surfaces.cli.screen import Screen, stdout
from gatepost.surfaces.cli.session import Session
from gatepost.surfaces.cli.views.radar import INDENT, core, head, say_parts
from gatepost.surfaces.cli.words import short_time


def show(session: Session, workspace: str, text: str, now: str) -> None:
    """Print a handoff's reply."""
    screen = stdout()
    reply: dict[str, Any] = json.loads(text)
    if reply["target"] is None:
        say_parts(screen, head(screen, session, workspace, reply), [])
        return
    parts = [
        ("Done", _done(screen, reply["done"], now)),
        ("Remaining", _remaining(screen, reply["remaining"])),
        ("Risks", _risks(screen, reply["risks"])),
        *core(screen, session, reply),
    ]
    say_parts(screen, head(screen, session, workspace, reply), parts)


def _done(screen: Screen, part: dict[str, Any], now: str) -> list[str]:
    rows: list[str] = []
    for item in part["items"]:
        at = short_time(item["at"], now) if "at" in item else ""
        *lines, last = _item(screen, screen.glyphs.done, f"{_named(screen, item)}  {at}")
        rows += [*lines, last.removesuffix(at) + screen.paint(at, "dim")]
    return _counted(screen, part, rows)


def _remaining(screen: Screen, part: dict[str, Any]) -> list[str]:
    rows: list[str] = []
    for item in part["items"]:
        rows += _item(
            screen, screen.glyphs.blocked if item.get("blocked") else screen.glyphs.open, _named(screen, item)
        )
    return _counted(screen, part, rows)


def _risks(screen: Screen, part: dict[str, Any]) -> list[str]:
    found: list[str] = []
    for item in part["items"]:
        word = item["code"].replace("_", " ").lower()
        more = item.get("reason") or ", ".join(item.get("unconfirmed") or item.get("lacks") or [])
        line = f"{_named(screen, item)}: {word}" + (f" ({more})" if more else "")
        first, *rest = _item(screen, "!", line)
        found += [screen.paint(first, "yellow"), *rest]
    return _counted(screen, part, found) if part["count"] else []


def _item(screen: Screen, sign: str, text: str) -> list[str]:
    """A text behind its sign, in as many lines as it takes."""
    first, *rest = screen.wrap(text, INDENT + 2)
    return [f"{sign} {first}", *(f"  {line}" for line in rest)]


def _counted(screen: Screen, part: dict[str, Any], rows: list[str]) -> list[str]:
    """The rows, and how many more there are."""
    left = part["count"] - len(part["items"])
    if not part["count"]:
        return [screen.paint("nothing", "dim")]
    return [*rows, screen.paint(f"{screen.glyphs.more} and {left} more", "dim")] if left > 0 else rows


def _named(screen: Screen, item: dict[str, Any]) -> str:
    name = " ".join(item[part] for part in ("task", "plan", "path") if item.get(part))
    return screen.clean(f"{name}  {item.get('title', '')}".strip())
