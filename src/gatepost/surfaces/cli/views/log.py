"""The log, a line an event."""

import sys
from collections import deque
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from gatepost.operations.delta import Delta
from gatepost.operations.storage import Storage
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
    terminal, options = stdout(), invocation.options
    command = _page(invocation)
    if options.json:
        invocation.print_json(command)
        return
    text, reply = invocation.ask(replace(command, max_chars=ROOM))
    for event in events_of(text):
        terminal.say(_shown(terminal, event, invocation))
    if options.quiet:
        return
    if not reply.events:
        since = f" since {command.since}" if options.since else ""
        terminal.say(f"No events in {terminal.clean(command.workspace)}{since}.")
        for line in invocation.other_workspaces(command.workspace):
            terminal.say(line)
    if reply.has_more and options.since is not None:
        from gatepost.surfaces.cli.suggested_commands import next_page

        terminal.say()
        terminal.say(next_page(terminal, options, since=reply.next))


def follow(invocation: Invocation) -> None:
    """Print events as they come, until interrupted or until nobody reads them."""
    terminal = stdout()
    command = _page(invocation)
    with while_read():
        for event in invocation.client.follow(command.workspace, _seq(invocation, command)):
            if command.types is not None and event["type"] not in command.types:
                continue
            if command.task is not None and command.task not in (event.get("task"), event.get("plan")):
                continue
            if invocation.options.json:
                print_json(json_output.text(event))
            else:
                terminal.say(_shown(terminal, event, invocation))
            sys.stdout.flush()


def _seq(invocation: Invocation, command: Delta) -> int:
    """The seq after which the wanted events begin."""
    if isinstance(command.since, int):
        return command.since
    first = invocation.client.do(replace(command, limit=1))
    return first.events[0].seq - 1 if first.events else first.next


def _shown(terminal: Terminal, event: dict[str, Any], invocation: Invocation) -> str:
    return str(event["seq"]) if invocation.options.quiet else event_line(terminal, event)


def events_of(text: str) -> list[dict[str, Any]]:
    """The events of a reply's JSON. A struct would lose the order in which their fields were stored."""
    found: list[dict[str, Any]] = msgspec.json.decode(text).get("events", [])
    return found


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


def _page(invocation: Invocation) -> Delta:
    """The page that is wanted; without `--since`, the one that ends the log."""
    options, workspace = invocation.options, invocation.workspace()
    asked = {"limit": _LIMIT, **given(options, "since", "limit", "types")}
    command = Delta(workspace=workspace, task=options.target, **asked)
    if options.since is not None:
        return command
    if options.target is None and options.types is None:
        last = invocation.client.do(Storage(workspace=workspace)).holds.seq
        return replace(command, since=max(0, last - max(0, command.limit)))
    return replace(command, since=_before_the_last(invocation, command))


def _before_the_last(invocation: Invocation, command: Delta) -> int:
    """After which event the last `limit` of those that are wanted begin. Reads all of them once."""
    latest: deque[int] = deque(maxlen=max(1, min(command.limit, _MOST)))
    page, more = replace(command, limit=_MOST, max_chars=ROOM), True
    while more:
        reply = invocation.client.do(page)
        latest.extend(event.seq for event in reply.events)
        page, more = replace(page, since=reply.next), reply.has_more
    return latest[0] - 1 if latest else 0
