"""A plan, a task or a step in full, with the tree below it."""

from collections.abc import Sequence
from typing import Any

import msgspec

from gatepost.surfaces.cli.formats import labels, short_time
from gatepost.surfaces.cli.invocation import Invocation
from gatepost.surfaces.cli.tables import Cell, branches, table
from gatepost.surfaces.cli.views.log import event_line
from gatepost.surfaces.cli.views.ls import roots_table
from gatepost.surfaces.cli.views.root_summary import checklist, heading
from gatepost.surfaces.terminal import Terminal, stdout


def show(invocation: Invocation, asked: dict[str, Any], text: str) -> None:
    """Print the reply of a resume."""
    terminal = stdout()
    reply: dict[str, Any] = msgspec.json.decode(text)
    if invocation.options.quiet:
        for row in reply.get("tasks") or reply["steps"]:
            terminal.say(row.get("id") or row["step_id"])
        return
    now = _now(invocation, asked)
    top = reply.get("step")
    parts = [_head(terminal, reply["target"], brief=top is not None or "cursor" in asked)]
    parts.append(_re_entry(terminal, reply))
    if top is None:
        parts.append(checklist(terminal, reply["target"], 0))
    else:
        parts.append(_step(terminal, top, now))
    parts.append(roots_table(terminal, reply.get("tasks", [])) or _tree(terminal, reply, now))
    if reply["has_more"]:
        parts.append([f"More:  {terminal.paint(_next_page(invocation, reply['cursor']), 'bold')}"])
    events = reply.get("events", [])
    parts.append([event_line(terminal, event) for event in reversed(events)])
    for line in _spaced(parts):
        terminal.say(line)


def _now(invocation: Invocation, asked: dict[str, Any]) -> str | None:
    """The step that is next in this task, by the one rule for that: the radar's."""
    radar = msgspec.json.decode(
        invocation.ask("tasks_radar", {"workspace": asked["workspace"], "task": asked["task"]})
    )
    return None if radar["now"] is None else radar["now"]["step_id"]


def _re_entry(terminal: Terminal, reply: dict[str, Any]) -> list[str]:
    """What the last round left for the next."""
    left = reply.get("re_entry")
    if left is None:
        return []
    at, actor = short_time(left["at"]), terminal.clean(left["actor"])
    ended = f"Round {left['round']} ended {at}, {actor}"
    return [terminal.paint(ended, "bold"), *terminal.wrap(left["reminder_content"], 2)]


def _head(terminal: Terminal, root: dict[str, Any], *, brief: bool) -> list[str]:
    made = short_time(root["created_at"])
    under = [*labels(terminal, root), root["priority"], f"revision {root['revision']}", f"created {made}"]
    if "depends_on" in root:
        under.append(f"after {', '.join(root['depends_on'])}")
    lines = heading(terminal, root, root["counts"], under)
    for name in () if brief else ("description", "context", "contract"):
        if name in root:
            name_of_it = [] if name == "description" else [terminal.paint(name.capitalize(), "bold")]
            lines += ["", *name_of_it, *terminal.wrap(root[name], 0)]
    return lines


def _step(terminal: Terminal, step: dict[str, Any], now: str | None) -> list[str]:
    sign, style = _sign(terminal, step, now)
    title, *rest = terminal.wrap(step["title"], 2)
    name = f"{step['path']} {terminal.glyphs.dot} {step['step_id']}"
    if "done_at" in step:
        name += f" {terminal.glyphs.dot} done {short_time(step['done_at'])}"
    lines = [terminal.paint(f"{sign} {title}", style or "bold"), *(f"  {line}" for line in rest)]
    lines.append(f"  {terminal.paint(name, 'dim')}")
    if "blocked" in step:
        lines.append(f"  {terminal.paint(_remark(terminal, step), 'red')}")
    confirmed = {mark["checkpoint"]: mark for mark in step["confirmed"]}
    for checkpoint in dict.fromkeys(("criteria", "tests", *step["required"], *confirmed)):
        lines += _checkpoint(terminal, checkpoint, step.get(checkpoint, ()), confirmed.get(checkpoint))
    for note in step["blockers"]:
        lines += [f"  beware: {line}" for line in terminal.wrap(note, 10)]
    return lines


def _checkpoint(terminal: Terminal, name: str, texts: Sequence[str], mark: dict[str, Any] | None) -> list[str]:
    if mark is None:
        lines = [f"  {terminal.paint(f'{terminal.glyphs.open} {name}', 'yellow')}"]
    else:
        said = f" confirmed by {mark['actor']}, {short_time(mark['at'])}"
        if "note" in mark:
            said += f": {' '.join(mark['note'].split())}"
        sign = terminal.paint(f"{terminal.glyphs.done} {name}", "green")
        lines = [f"  {sign}{terminal.paint(terminal.clean(said), 'dim')}"]
    for text in texts:
        first, *rest = terminal.wrap(text, 6)
        lines += [f"    {terminal.glyphs.dot} {first}", *(f"      {line}" for line in rest)]
    return lines


def _tree(terminal: Terminal, reply: dict[str, Any], now: str | None) -> list[str]:
    steps = reply["steps"]
    above = reply["step"]["path"].count(".") + 1 if "step" in reply else 0
    depths = [step["path"].count(".") - above for step in steps]
    lines = branches(terminal, depths, goes_on=reply["has_more"])
    rows = [_row(terminal, line, step, now) for line, step in zip(lines, steps, strict=True)]
    tree = table(terminal, rows, give=((0, 34), (3, 16), (0, 16), (3, 0)))
    return [*tree, terminal.glyphs.more] if reply["has_more"] else tree


def _row(terminal: Terminal, line: str, step: dict[str, Any], now: str | None) -> list[Cell]:
    sign, style = _sign(terminal, step, now)
    counts = step.get("counts")
    return [
        Cell(f"{line}{sign} {terminal.clean(step.get('title', ''))}", style),
        Cell(step["path"], "dim"),
        Cell(f"{counts['done']}/{counts['total']}" if counts else ""),
        Cell(_remark(terminal, step), "red" if "blocked" in step else "dim"),
    ]


def _sign(terminal: Terminal, step: dict[str, Any], now: str | None) -> tuple[str, str]:
    if step["done"]:
        return terminal.glyphs.done, "green"
    if "blocked" in step:
        return terminal.glyphs.blocked, "red"
    return (terminal.glyphs.now, "now") if step["step_id"] == now else (terminal.glyphs.open, "")


def _remark(terminal: Terminal, step: dict[str, Any]) -> str:
    if "blocked" in step:
        reason = step["blocked"]
        return "blocked" if reason is True else f"blocked: {terminal.clean(' '.join(reason.split()))}"
    missing = step.get("unconfirmed")
    if not missing:
        return "" if step["done"] else "confirmed"
    return f"{'forced without' if step['done'] else 'needs'} {', '.join(missing)}"


def _next_page(invocation: Invocation, cursor: str) -> str:
    options = invocation.options
    words = ["show", options.target, *([options.step] if options.step is not None else [])]
    words += ["--workspace", options.workspace] if options.workspace is not None else []
    words += ["--limit", str(options.limit)] if options.limit is not None else []
    from gatepost.surfaces.cli.suggested_commands import joined, same_place

    return joined([*words, "--cursor", cursor, *same_place(options)])


def _spaced(parts: list[list[str]]) -> list[str]:
    lines: list[str] = []
    for part in filter(None, parts):
        lines += ["", *part] if lines else part
    return lines
