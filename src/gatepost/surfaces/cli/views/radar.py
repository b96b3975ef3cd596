"""The radar on one screen."""

import json
from typing import Any, Final

from gatepost.surfaces.cli.pasting import call_lines
from gatepost.surfaces.cli.screen import Screen, stdout
from gatepost.surfaces.cli.session import Session
from gatepost.surfaces.cli.tables import paragraph
from gatepost.surfaces.cli.views.heading import checklist, heading

INDENT: Final = 10


def show(session: Session, workspace: str, text: str) -> None:
    """Print a radar's reply."""
    screen = stdout()
    reply: dict[str, Any] = json.loads(text)
    say_parts(screen, head(screen, session, workspace, reply), core(screen, session, reply))


def core(screen: Screen, session: Session, reply: dict[str, Any]) -> list[tuple[str, list[str]]]:
    """What a radar says, part by part."""
    return [
        ("Now", _now(screen, reply)),
        ("Why", _why(screen, reply)),
        ("Verify", _verify(screen, reply)),
        ("Next", _next(screen, reply, session)),
        ("Blockers", _blockers(screen, reply)),
        ("Checklist", checklist(screen, reply["target"], INDENT)),
    ]


def say_parts(screen: Screen, first: list[str], parts: list[tuple[str, list[str]]]) -> None:
    """Print labelled parts below a heading; those that say nothing are left out."""
    lines = [*first, ""]
    for label, part in parts:
        if part:
            lines += [*paragraph(screen, label, part, INDENT), ""]
    for line in lines[:-1]:
        screen.say(line)


def head(screen: Screen, session: Session, workspace: str, reply: dict[str, Any]) -> list[str]:
    target, counts = reply["target"], reply["counts"]
    if target is None:
        return [f"Nothing to do in {screen.paint(screen.clean(workspace), 'bold')}.", *session.elsewhere(workspace)]
    plan = [target["plan"]] if "plan" in target else []
    return heading(screen, target, counts, [screen.clean(workspace), *plan, f"revision {target['revision']}"])


def _now(screen: Screen, reply: dict[str, Any]) -> list[str]:
    now = reply["now"]
    if now is None:
        return [screen.paint("nothing that can be worked on", "dim")] if reply["target"] is not None else []
    title, *rest = screen.wrap(now["title"], INDENT + 2)
    task = "" if now["task"] == reply["target"]["id"] else f"{now['task']} "
    name = f"{task}{now['path']} {screen.glyphs.dot} {now['step_id']}"
    found = [screen.paint(f"{screen.glyphs.now} {title}", "now"), *(f"  {line}" for line in rest)]
    found.append(f"  {screen.paint(name, 'dim')}")
    return found + [
        f"  beware: {line}" for note in now.get("blockers", ()) for line in screen.wrap(note, INDENT + 10)
    ]


def _why(screen: Screen, reply: dict[str, Any]) -> list[str]:
    why = reply["why"]
    if why is None:
        return []
    lines = screen.wrap(why["text"], INDENT)
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
            first, *rest = screen.wrap(text, INDENT + 4)
            found += [f"  {screen.glyphs.dot} {first}", *(f"    {line}" for line in rest)]
    return found


def _next(screen: Screen, reply: dict[str, Any], session: Session) -> list[str]:
    call = reply["next"]
    lines = call_lines(screen, call, session.options, INDENT)
    return [*screen.wrap(call.get("because", ""), INDENT), *lines]


def _blockers(screen: Screen, reply: dict[str, Any]) -> list[str]:
    found: list[str] = []
    for blocker in reply["blockers"]:
        style = "yellow" if "depends_on" in blocker else "red"
        first, *rest = screen.wrap(_blocker(screen, reply["target"]["id"], blocker), INDENT + 2)
        found += [screen.paint(first, style), *(f"  {line}" for line in rest)]
    return found


def _blocker(screen: Screen, target: str, blocker: dict[str, Any]) -> str:
    title = blocker.get("title", "")
    if "depends_on" in blocker:
        waits = f"{blocker['task']} waits for {blocker['depends_on']}"
        return f"{screen.glyphs.waiting} {waits}  {title} ({blocker['status']})"
    task = "" if blocker["task"] == target else f"{blocker['task']} "
    reason = f": {' '.join(blocker['reason'].split())}" if blocker["reason"] else ""
    return f"{screen.glyphs.blocked} {task}{blocker['path']}  {title}{reason}"
