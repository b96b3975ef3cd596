"""The handoff report: what is done, what remains, what is at risk, and the radar below."""

from typing import Any

import msgspec

from gatepost.surfaces.cli.formats import short_time
from gatepost.surfaces.cli.invocation import Invocation
from gatepost.surfaces.cli.views.radar import INDENT, core, head, say_parts
from gatepost.surfaces.terminal import Terminal, stdout


def show(invocation: Invocation, workspace: str, text: str) -> None:
    """Print a handoff's reply."""
    terminal = stdout()
    reply: dict[str, Any] = msgspec.json.decode(text)
    if reply["target"] is None:
        say_parts(terminal, head(terminal, invocation, workspace, reply), [])
        return
    parts = [
        ("Done", _done(terminal, reply["done"])),
        ("Remaining", _remaining(terminal, reply["remaining"])),
        ("Risks", _risks(terminal, reply["risks"])),
        *core(terminal, invocation, reply),
    ]
    say_parts(terminal, head(terminal, invocation, workspace, reply), parts)


def _done(terminal: Terminal, part: dict[str, Any]) -> list[str]:
    rows: list[str] = []
    for item in part["items"]:
        at = short_time(item["at"]) if "at" in item else ""
        *lines, last = _item(terminal, terminal.glyphs.done, f"{_named(terminal, item)}  {at}")
        rows += [*lines, last.removesuffix(at) + terminal.paint(at, "dim")]
    return _counted(terminal, part, rows)


def _remaining(terminal: Terminal, part: dict[str, Any]) -> list[str]:
    rows: list[str] = []
    for item in part["items"]:
        rows += _item(
            terminal,
            terminal.glyphs.blocked if item.get("blocked") else terminal.glyphs.open,
            _named(terminal, item),
        )
    return _counted(terminal, part, rows)


def _risks(terminal: Terminal, part: dict[str, Any]) -> list[str]:
    found: list[str] = []
    for item in part["items"]:
        lacks = item.get("lacks")
        problem = f"no {' or '.join(lacks)}" if lacks else item["code"].replace("_", " ").lower()
        detail = item.get("reason") or ", ".join(item.get("unconfirmed") or [])
        line = f"{_named(terminal, item)}: {problem}" + (f" ({detail})" if detail else "")
        first, *rest = _item(terminal, "!", line)
        found += [terminal.paint(first, "yellow"), *rest]
    return _counted(terminal, part, found) if part["count"] else []


def _item(terminal: Terminal, sign: str, text: str) -> list[str]:
    """A text behind its sign, in as many lines as it takes."""
    first, *rest = terminal.wrap(text, INDENT + 2)
    return [f"{sign} {first}", *(f"  {line}" for line in rest)]


def _counted(terminal: Terminal, part: dict[str, Any], rows: list[str]) -> list[str]:
    """The rows, and how many more there are."""
    left = part["count"] - len(part["items"])
    if not part["count"]:
        return [terminal.paint("nothing", "dim")]
    return [*rows, terminal.paint(f"{terminal.glyphs.more} and {left} more", "dim")] if left > 0 else rows


def _named(terminal: Terminal, item: dict[str, Any]) -> str:
    name = " ".join(item[part] for part in ("task", "plan", "path") if item.get(part))
    return terminal.clean(f"{name}  {item.get('title', '')}".strip())
