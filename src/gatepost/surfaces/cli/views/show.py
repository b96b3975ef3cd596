"""A plan, a task or a step in full, with the tree below it."""

import json
from collections.abc import Sequence
from typing import Any

from gatepost.engine.clock import SystemClock
from gatepost.surfaces.cli.pasting import joined, same_place
from gatepost.surfaces.cli.screen import Screen, stdout
from gatepost.surfaces.cli.session import Session
from gatepost.surfaces.cli.tables import Cell, branches, table
from gatepost.surfaces.cli.views.heading import checklist, heading
from gatepost.surfaces.cli.views.log import event_line
from gatepost.surfaces.cli.views.ls import roots_table
from gatepost.surfaces.cli.words import labels, short_time


def show(session: Session, asked: dict[str, Any], text: str) -> None:
    """Print the reply of a resume."""
    screen = stdout()
    reply: dict[str, Any] = json.loads(text)
    if session.options.quiet:
        for row in reply.get("tasks") or reply["steps"]:
            screen.say(row.get("id") or row["step_id"])
        return
    now = _now(session, asked)
    top = reply.get("step")
    parts = [_head(screen, reply["target"], brief=top is not None or "cursor" in asked)]
    parts.append(_re_entry(screen, reply))
    if top is None:
        parts.append(checklist(screen, reply["target"], 0))
    else:
        parts.append(_step(screen, top, now))
    parts.append(roots_table(screen, reply.get("tasks", [])) or _tree(screen, reply, now))
    if reply["has_more"]:
        parts.append([f"There is more:  {screen.paint(_next_page(session, reply['cursor']), 'bold')}"])
    events = reply.get("events", [])
    parts.append([event_line(screen, event) for event in reversed(events)])
    for line in _spaced(parts):
        screen.say(line)


def _now(session: Session, asked: dict[str, Any]) -> str | None:
    """The step that is next in this task, by the one rule for that: the radar's."""
    radar = json.loads(session.ask("tasks_radar", {"workspace": asked["workspace"], "task": asked["task"]}))
    return None if radar["now"] is None else radar["now"]["step_id"]


def _re_entry(screen: Screen, reply: dict[str, Any]) -> list[str]:
    """What the last round left for the next."""
    left = reply.get("re_entry")
    if left is None:
        return []
    ended = (
        f"Round {left['round']} ended {short_time(left['at'], SystemClock().now())}, {screen.clean(left['actor'])}"
    )
    return [screen.paint(ended, "bold"), *screen.wrap(left["reminder_content"], 2)]


def _head(screen: Screen, root: dict[str, Any], *, brief: bool) -> list[str]:
    made = short_time(root["created_at"], SystemClock().now())
    under = [*labels(screen, root), root["priority"], f"revision {root['revision']}", f"made {made}"]
    if "depends_on" in root:
        under.append(f"after {', '.join(root['depends_on'])}")
    lines = heading(screen, root, root["counts"], under)
    for name in () if brief else ("description", "context", "contract"):
        if name in root:
            name_of_it = [] if name == "description" else [screen.paint(name.capitalize(), "bold")]
            lines += ["", *name_of_it, *screen.wrap(root[name], 0)]
    return lines


def _step(screen: Screen, step: dict[str, Any], now: str | None) -> list[str]:
    sign, style = _sign(screen, step, now)
    title, *rest = screen.wrap(step["title"], 2)
    name = f"{step['path']} {screen.glyphs.dot} {step['step_id']}"
    if "done_at" in step:
        name += f" {screen.glyphs.dot} done {short_time(step['done_at'], SystemClock().now())}"
    lines = [screen.paint(f"{sign} {title}", style or "bold"), *(f"  {line}" for line in rest)]
    lines.append(f"  {screen.paint(name, 'dim')}")
    if "blocked" in step:
        lines.append(f"  {screen.paint(_remark(screen, step), 'red')}")
    confirmed = {mark["checkpoint"]: mark for mark in step["confirmed"]}
    for checkpoint in dict.fromkeys(("criteria", "tests", *step["required"], *confirmed)):
        lines += _checkpoint(screen, checkpoint, step.get(checkpoint, ()), confirmed.get(checkpoint))
    for note in step["blockers"]:
        lines += [f"  beware: {line}" for line in screen.wrap(note, 10)]
    return lines


def _checkpoint(screen: Screen, name: str, texts: Sequence[str], mark: dict[str, Any] | None) -> list[str]:
    if mark is None:
        lines = [f"  {screen.paint(f'{screen.glyphs.open} {name}', 'yellow')}"]
    else:
        said = f" confirmed by {mark['actor']}, {short_time(mark['at'], SystemClock().now())}"
        if "note" in mark:
            said += f": {' '.join(mark['note'].split())}"
        lines = [
            f"  {screen.paint(f'{screen.glyphs.done} {name}', 'green')}{screen.paint(screen.clean(said), 'dim')}"
        ]
    for text in texts:
        first, *rest = screen.wrap(text, 6)
        lines += [f"    {screen.glyphs.dot} {first}", *(f"      {line}" for line in rest)]
    return lines


def _tree(screen: Screen, reply: dict[str, Any], now: str | None) -> list[str]:
    steps = reply["steps"]
    above = reply["step"]["path"].count(".") + 1 if "step" in reply else 0
    depths = [step["path"].count(".") - above for step in steps]
    lines = branches(screen, depths, goes_on=reply["has_more"])
    rows = [_row(screen, line, step, now) for line, step in zip(lines, steps, strict=True)]
    tree = table(screen, rows, give=((0, 34), (3, 16), (0, 16), (3, 0)))
    return [*tree, screen.glyphs.more] if reply["has_more"] else tree


def _row(screen: Screen, line: str, step: dict[str, Any], now: str | None) -> list[Cell]:
    sign, style = _sign(screen, step, now)
    counts = step.get("counts")
    return [
        Cell(f"{line}{sign} {screen.clean(step.get('title', ''))}", style),
        Cell(step["path"], "dim"),
        Cell(f"{counts['done']}/{counts['total']}" if counts else ""),
        Cell(_remark(screen, step), "red" if "blocked" in step else "dim"),
    ]


def _sign(screen: Screen, step: dict[str, Any], now: str | None) -> tuple[str, str]:
    if step["done"]:
        return screen.glyphs.done, "green"
    if "blocked" in step:
        return screen.glyphs.blocked, "red"
    return (screen.glyphs.now, "now") if step["step_id"] == now else (screen.glyphs.open, "")


def _remark(screen: Screen, step: dict[str, Any]) -> str:
    if "blocked" in step:
        reason = step["blocked"]
        return "blocked" if reason is True else f"blocked: {screen.clean(' '.join(reason.split()))}"
    missing = step.get("unconfirmed")
    if not missing:
        return "" if step["done"] else "confirmed"
    return f"{'forced without' if step['done'] else 'needs'} {', '.join(missing)}"


def _next_page(session: Session, cursor: str) -> str:
    options = session.options
    words = ["show", options.target, *([options.step] if options.step is not None else [])]
    words += ["--workspace", options.workspace] if options.workspace is not None else []
    words += ["--limit", str(options.limit)] if options.limit is not None else []
    return joined([*words, "--cursor", cursor, *same_place(options)])


def _spaced(parts: list[list[str]]) -> list[str]:
    lines: list[str] = []
    for part in filter(None, parts):
        lines += ["", *part] if lines else part
    return lines
