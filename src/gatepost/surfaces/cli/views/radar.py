"""The radar on one terminal."""

from typing import Any, Final

import msgspec

from gatepost.surfaces.cli.invocation import Invocation
from gatepost.surfaces.cli.suggested_commands import call_lines
from gatepost.surfaces.cli.tables import paragraph
from gatepost.surfaces.cli.views.root_summary import checklist, heading
from gatepost.surfaces.terminal import Terminal, stdout

INDENT: Final = 10


def show(invocation: Invocation, workspace: str, text: str) -> None:
    """Print a radar's reply."""
    terminal = stdout()
    reply: dict[str, Any] = msgspec.json.decode(text)
    say_parts(terminal, head(terminal, invocation, workspace, reply), core(terminal, invocation, reply))


def core(terminal: Terminal, invocation: Invocation, reply: dict[str, Any]) -> list[tuple[str, list[str]]]:
    """What a radar says, part by part."""
    return [
        ("Now", _now(terminal, reply)),
        ("Why", _why(terminal, reply)),
        ("Verify", _verify(terminal, reply)),
        ("Next", _next(terminal, reply, invocation)),
        ("Blockers", _blockers(terminal, reply)),
        ("Checklist", checklist(terminal, reply["target"], INDENT)),
    ]


def say_parts(terminal: Terminal, first: list[str], parts: list[tuple[str, list[str]]]) -> None:
    """Print labelled parts below a heading; those that say nothing are left out."""
    lines = [*first, ""]
    for label, part in parts:
        if part:
            lines += [*paragraph(terminal, label, part, INDENT), ""]
    for line in lines[:-1]:
        terminal.say(line)


def head(terminal: Terminal, invocation: Invocation, workspace: str, reply: dict[str, Any]) -> list[str]:
    target, counts = reply["target"], reply["counts"]
    if target is None:
        return [
            f"Nothing to do in {terminal.paint(terminal.clean(workspace), 'bold')}.",
            *invocation.other_workspaces(workspace),
        ]
    plan = [target["plan"]] if "plan" in target else []
    return heading(terminal, target, counts, [terminal.clean(workspace), *plan, f"revision {target['revision']}"])


def _now(terminal: Terminal, reply: dict[str, Any]) -> list[str]:
    now = reply["now"]
    if now is None:
        return [terminal.paint("nothing can be worked on now", "dim")] if reply["target"] is not None else []
    title, *rest = terminal.wrap(now["title"], INDENT + 2)
    task = "" if now["task"] == reply["target"]["id"] else f"{now['task']} "
    name = f"{task}{now['path']} {terminal.glyphs.dot} {now['step_id']}"
    found = [terminal.paint(f"{terminal.glyphs.now} {title}", "now"), *(f"  {line}" for line in rest)]
    found.append(f"  {terminal.paint(name, 'dim')}")
    return found + [
        f"  beware: {line}" for note in now.get("blockers", ()) for line in terminal.wrap(note, INDENT + 10)
    ]


def _why(terminal: Terminal, reply: dict[str, Any]) -> list[str]:
    why = reply["why"]
    if why is None:
        return []
    lines = terminal.wrap(why["text"], INDENT)
    if len(lines) > 6:
        lines = [*lines[:5], terminal.glyphs.ellipsis]
    own = reply["target"] is not None and why["from"] == reply["target"]["id"]
    return lines if own else [*lines, terminal.paint(f"from {why['from']}", "dim")]


def _verify(terminal: Terminal, reply: dict[str, Any]) -> list[str]:
    verify = reply["verify"]
    if verify is None:
        return []
    unconfirmed = verify["unconfirmed"]
    found: list[str] = []
    for name in ("criteria", "tests", *verify["required"]):
        is_open = name in unconfirmed
        sign, style = (terminal.glyphs.open, "yellow") if is_open else (terminal.glyphs.done, "green")
        found.append(
            terminal.paint(f"{sign} {name}", style) + ("" if is_open else terminal.paint(" confirmed", "dim"))
        )
        for text in verify.get(name, ()):
            first, *rest = terminal.wrap(text, INDENT + 4)
            found += [f"  {terminal.glyphs.dot} {first}", *(f"    {line}" for line in rest)]
    return found


def _next(terminal: Terminal, reply: dict[str, Any], invocation: Invocation) -> list[str]:
    call = reply["next"]
    lines = call_lines(terminal, call, invocation.options, INDENT)
    return [*terminal.wrap(call.get("because", ""), INDENT), *lines]


def _blockers(terminal: Terminal, reply: dict[str, Any]) -> list[str]:
    found: list[str] = []
    for blocker in reply["blockers"]:
        style = "yellow" if "depends_on" in blocker else "red"
        first, *rest = terminal.wrap(_blocker(terminal, reply["target"]["id"], blocker), INDENT + 2)
        found += [terminal.paint(first, style), *(f"  {line}" for line in rest)]
    return found


def _blocker(terminal: Terminal, target: str, blocker: dict[str, Any]) -> str:
    title = blocker.get("title", "")
    if "depends_on" in blocker:
        waits = f"{blocker['task']} waits for {blocker['depends_on']}"
        return f"{terminal.glyphs.waiting} {waits}  {title} ({blocker['status']})"
    task = "" if blocker["task"] == target else f"{blocker['task']} "
    reason = f": {' '.join(blocker['reason'].split())}" if blocker["reason"] else ""
    return f"{terminal.glyphs.blocked} {task}{blocker['path']}  {title}{reason}"
