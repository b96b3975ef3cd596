"""The log, a line an event."""

import sys
from collections import deque
from typing import Any, Final

import msgspec

from gatepost.surfaces.cli.broken_pipe import while_read
from gatepost.surfaces.cli.formats import short_time
from gatepost.surfaces.cli.invocation import ROOM, Invocation, given
from gatepost.surfaces.cli.json_output import print_json
from gatepost.surfaces.event_text import event_words
from gatepost.surfaces.terminal import Terminal, columns, pad, stdout
from gatepost.wire import json_output

_LIMIT: Final = 50
_MOST: Final = 200
_WIDE: Final = 100
_SLIM: Final = 72


def show(invocation: Invocation) -> None:
    """Print one page of the log."""
    terminal = stdout()
    arguments = _asked(invocation)
    if invocation.options.json:
        print_json(invocation.ask("tasks_delta", arguments))
        return
    reply: dict[str, Any] = msgspec.json.decode(invocation.ask("tasks_delta", {**arguments, "max_chars": ROOM}))
    for event in reply["events"]:
        terminal.say(_shown(terminal, event, invocation))
    if invocation.options.quiet:
        return
    if not reply["events"]:
        since = f" since {arguments['since']}" if arguments["since"] else ""
        terminal.say(f"No events in {terminal.clean(arguments['workspace'])}{since}.")
        for line in invocation.other_workspaces(arguments["workspace"]):
            terminal.say(line)
    if reply["has_more"] and invocation.options.since is not None:
        terminal.say()
        terminal.say(f"More:  {terminal.paint(_next_page(invocation, reply['next']), 'bold')}")


def follow(invocation: Invocation) -> None:
    """Print events as they come, until interrupted or until nobody reads them."""
    terminal = stdout()
    arguments = _asked(invocation)
    types, target = arguments.get("types"), arguments.get("task")
    with while_read():
        for event in invocation.client.follow(arguments["workspace"], arguments["since"]):
            if types is not None and event["type"] not in types:
                continue
            if target is not None and target not in (event.get("task"), event.get("plan")):
                continue
            if invocation.options.json:
                print_json(json_output.text(event))
            else:
                terminal.say(_shown(terminal, event, invocation))
            sys.stdout.flush()


def _shown(terminal: Terminal, event: dict[str, Any], invocation: Invocation) -> str:
    return str(event["seq"]) if invocation.options.quiet else event_line(terminal, event)


def event_line(terminal: Terminal, event: dict[str, Any]) -> str:
    """One event. The widths are fixed, for the next line may come in an hour."""
    named = (event[name] for name in ("task", "plan", "session", "section_key", "taskdoc") if name in event)
    where = " ".join(filter(None, (next(named, None), event.get("path") or event.get("selector"))))
    narrow = terminal.width is not None and terminal.width < _WIDE
    slim = terminal.width is not None and terminal.width < _SLIM
    if terminal.width is not None:
        where = terminal.clip(where, 16 if slim else terminal.width // 3)
    actor = terminal.clean(event["actor"])
    when_and_who = (
        (pad(short_time(event["at"], seconds=not narrow), 5 if narrow else 8), "dim"),
        (pad(terminal.clip(actor, 8) if narrow else actor, 8 if narrow else 12), ""),
    )
    fields = (
        (pad(str(event["seq"]), 4), "dim"),
        *(() if slim else when_and_who),
        (pad(where, 16), "bold"),
        (pad(event["type"], 13), "blue"),
    )
    words = event_words(terminal, event)
    if terminal.width is not None:
        taken = sum(columns(text) + 2 for text, _ in fields)
        words = terminal.clip(words, max(0, terminal.width - taken))
    return "  ".join([*(terminal.paint(text, style) for text, style in fields), words]).rstrip()


def _asked(invocation: Invocation) -> dict[str, Any]:
    """The arguments of the page that is wanted; without `--since`, of the one that ends the log."""
    options = invocation.options
    arguments: dict[str, Any] = {"workspace": invocation.workspace(), **given(options, "limit", "types")}
    if options.target is not None:
        arguments["task"] = options.target
    limit = arguments.setdefault("limit", _LIMIT)
    if options.since is not None:
        return {**arguments, "since": options.since}
    if "task" not in arguments and "types" not in arguments:
        holds = msgspec.json.decode(invocation.ask("tasks_storage", {"workspace": arguments["workspace"]}))["holds"]
        return {**arguments, "since": max(0, holds["seq"] - max(0, limit))}
    return {**arguments, "since": _before_the_last(invocation, arguments, limit)}


def _before_the_last(invocation: Invocation, arguments: dict[str, Any], limit: int) -> int:
    """After which event the last `limit` of those that are wanted begin. Reads all of them once."""
    latest: deque[int] = deque(maxlen=max(1, min(limit, _MOST)))
    page: dict[str, Any] = {"next": 0, "has_more": True}
    while page["has_more"]:
        asked = {**arguments, "since": page["next"], "limit": _MOST, "max_chars": ROOM}
        page = msgspec.json.decode(invocation.ask("tasks_delta", asked))
        latest.extend(event["seq"] for event in page["events"])
    return latest[0] - 1 if latest else 0


def _next_page(invocation: Invocation, since: int) -> str:
    options = invocation.options
    words = ["log", *([options.target] if options.target is not None else []), "--since", str(since)]
    words += ["--limit", str(options.limit)] if options.limit is not None else []
    for name in options.types or ():
        words += ["--type", name]
    words += ["--workspace", options.workspace] if options.workspace is not None else []
    from gatepost.surfaces.cli.suggested_commands import joined, same_place

    return joined(words + same_place(options))
