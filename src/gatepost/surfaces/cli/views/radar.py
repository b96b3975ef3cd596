"""The radar on one screen."""

import json
from typing import Any, Final

from gatepost.surfaces.cli.pasting import command_line
from gatepost.surfaces.cli.screen import Screen, stdout
from gatepost.surfaces.cli.session import Session
from gatepost.surfaces.cli.tables import Cell, bar, paragraph, table
from gatepost.surfaces.cli.words import status

_INDENT: Final = 10


def show(session: Session, workspace: str, text: str) -> None:
    """Print a radar's reply."""
    screen = stdout()
    reply: dict[str, Any] = json.loads(text)
    lines = [*_head(screen, workspace, reply), ""]
    for label, part in (
        ("Now", _now(screen, reply)),
        ("Why", _why(screen, reply)),
        ("Verify", _verify(screen, reply)),
        ("Next", _next(screen, reply, session)),
        ("Blockers", _blockers(screen, reply)),
    ):
        if part:
            lines += [*paragraph(screen, label, part, _INDENT), ""]
    for line in lines[:-1]:
        screen.say(line)


def _head(screen: Screen, workspace: str, reply: dict[str, Any]) -> list[str]:
    target, counts = reply["target"], reply["counts"]
    if target is None:
        return [f"Nothing to do in {screen.paint(screen.clean(workspace), 'bold')}."]
    blocked = f"{counts['blocked']} blocked" if counts["blocked"] else ""
    row = [
        Cell(target["id"], "bold"),
        Cell(screen.clean(target["title"]), "bold"),
        status(screen, target),
        Cell(bar(screen, counts)),
        Cell(blocked, "red"),
    ]
    under = [
        screen.clean(workspace),
        *([target["plan"]] if "plan" in target else []),
        f"revision {target['revision']}",
    ]
    return [*table(screen, [row], elastic=1), screen.paint(f" {screen.glyphs.dot} ".join(under), "dim")]


def _now(screen: Screen, reply: dict[str, Any]) -> list[str]:
    now = reply["now"]
    if now is None:
        return [screen.paint("nothing that can be worked on", "dim")] if reply["target"] is not None else []
    title, *rest = screen.wrap(now["title"], _INDENT + 2)
    task = "" if now["task"] == reply["target"]["id"] else f"{now['task']} "
    name = f"{task}{now['path']} {screen.glyphs.dot} {now['step_id']}"
    found = [screen.paint(f"{screen.glyphs.now} {title}", "now"), *(f"  {line}" for line in rest)]
    found.append(f"  {screen.paint(name, 'dim')}")
    return found + [
        f"  beware: {line}" for note in now.get("blockers", ()) for line in screen.wrap(note, _INDENT + 10)
    ]


def _why(screen: Screen, reply: dict[str, Any]) -> list[str]:
    why = reply["why"]
    if why is None:
        return []
    lines = screen.wrap(why["text"], _INDENT)
    if len(lines) > 6:
        lines = [*lines[:5], screen.glyphs.ellipsis]
    own = reply["target"] is not None and why["from"] == reply["target"]["id"]
    return lines if own else [*lines, screen.paint(f"from {why['from']}", "dim")]


def _verify(screen: Screen, reply: dict[str, Any]) -> list[str]:
    verify = reply["verify"]
    if verify is None:
        return []
    unconfirmed = verify["unconfirmed"]
    found: list[str] = []
    for name in ("criteria", "tests", *verify["required"]):
        is_open = name in unconfirmed
        sign, style = (screen.glyphs.open, "yellow") if is_open else (screen.glyphs.done, "green")
        found.append(screen.paint(f"{sign} {name}", style) + ("" if is_open else screen.paint(" confirmed", "dim")))
        for text in verify.get(name, ()):
            first, *rest = screen.wrap(text, _INDENT + 4)
            found += [f"  {screen.glyphs.dot} {first}", *(f"    {line}" for line in rest)]
    return found


def _next(screen: Screen, reply: dict[str, Any], session: Session) -> list[str]:
    call = reply["next"]
    line = screen.clean(command_line(call["tool"], call["arguments"], session.options))
    return [*screen.wrap(call.get("because", ""), _INDENT), screen.paint(line, "bold")]


def _blockers(screen: Screen, reply: dict[str, Any]) -> list[str]:
    found: list[str] = []
    for blocker in reply["blockers"]:
        title = screen.clean(blocker.get("title", ""))
        if "depends_on" in blocker:
            sign = f"{screen.glyphs.waiting} {blocker['task']} waits for {blocker['depends_on']}"
            found.append(f"{screen.paint(sign, 'yellow')}  {title} ({blocker['status']})")
        else:
            task = "" if blocker["task"] == reply["target"]["id"] else f"{blocker['task']} "
            reason = f": {screen.clean(blocker['reason'])}" if blocker["reason"] else ""
            sign = f"{screen.glyphs.blocked} {task}{blocker['path']}"
            found.append(f"{screen.paint(sign, 'red')}  {title}{reason}")
    return found
