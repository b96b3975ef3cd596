"""The log, a line an event."""

import json
import sys
from collections import deque
from typing import Any, Final

from gatepost.engine.clock import SystemClock
from gatepost.engine.log import shown
from gatepost.surfaces.cli.hangups import while_read
from gatepost.surfaces.cli.pasting import joined, same_place
from gatepost.surfaces.cli.printing import print_json
from gatepost.surfaces.cli.screen import Screen, columns, pad, stdout
from gatepost.surfaces.cli.session import ROOM, Session, given
from gatepost.surfaces.cli.words import event_words, short_time
from gatepost.wire import rendering

_LIMIT: Final = 50
_MOST: Final = 200
_WIDE: Final = 100
_SLIM: Final = 72


def show(session: Session) -> None:
    """Print one page of the log."""
    screen = stdout()
    arguments = _asked(session)
    if session.options.json:
        print_json(session.ask("tasks_delta", arguments))
        return
    reply: dict[str, Any] = json.loads(session.ask("tasks_delta", {**arguments, "max_chars": ROOM}))
    for event in reply["events"]:
        screen.say(_shown(screen, event, session))
    if session.options.quiet:
        return
    if not reply["events"]:
        since = f" since {arguments['since']}" if arguments["since"] else ""
        screen.say(f"Nothing happened in {screen.clean(arguments['workspace'])}{since}.")
        for line in session.elsewhere(arguments["workspace"]):
            screen.say(line)
    if reply["has_more"] and session.options.since is not None:
        screen.say()
        screen.say(f"There is more:  {screen.paint(_next_page(session, reply['next']), 'bold')}")


def follow(session: Session) -> None:
    """Print events as they come, until interrupted or until nobody reads them."""
    screen = stdout()
    arguments = _asked(session)
    types, target = arguments.get("types"), arguments.get("task")
    with while_read():
        for row in session.engine.follow(arguments["workspace"], arguments["since"]):
            event: dict[str, Any] = shown(row)
            if types is not None and event["type"] not in types:
                continue
            if target is not None and target not in (event.get("task"), event.get("plan")):
                continue
            if session.options.json:
                print_json(rendering.text(event))
            else:
                screen.say(_shown(screen, event, session))
            sys.stdout.flush()


def _shown(screen: Screen, event: dict[str, Any], session: Session) -> str:
    return str(event["seq"]) if session.options.quiet else event_line(screen, event)


def event_line(screen: Screen, event: dict[str, Any]) -> str:
    """One event. The widths are fixed, for the next line may come in an hour."""
    named = (event[name] for name in ("task", "plan", "session", "section_key", "taskdoc") if name in event)
    where = " ".join(filter(None, (next(named, None), event.get("path") or event.get("selector"))))
    narrow = screen.width is not None and screen.width < _WIDE
    slim = screen.width is not None and screen.width < _SLIM
    if screen.width is not None:
        where = screen.clip(where, 16 if slim else screen.width // 3)
    actor = screen.clean(event["actor"])
    when_and_who = (
        (pad(short_time(event["at"], SystemClock().now(), seconds=not narrow), 5 if narrow else 8), "dim"),
        (pad(screen.clip(actor, 8) if narrow else actor, 8 if narrow else 12), ""),
    )
    fields = (
        (pad(str(event["seq"]), 4), "dim"),
        *(() if slim else when_and_who),
        (pad(where, 16), "bold"),
        (pad(event["type"], 13), "blue"),
    )
    words = event_words(screen, event)
    if screen.width is not None:
        taken = sum(columns(text) + 2 for text, _ in fields)
        words = screen.clip(words, max(0, screen.width - taken))
    return "  ".join([*(screen.paint(text, style) for text, style in fields), words]).rstrip()


def _asked(session: Session) -> dict[str, Any]:
    """The arguments of the page that is wanted; without `--since`, of the one that ends the log."""
    options = session.options
    arguments: dict[str, Any] = {"workspace": session.workspace(), **given(options, "limit", "types")}
    if options.target is not None:
        arguments["task"] = options.target
    limit = arguments.setdefault("limit", _LIMIT)
    if options.since is not None:
        return {**arguments, "since": options.since}
    if "task" not in arguments and "types" not in arguments:
        holds = json.loads(session.ask("tasks_storage", {"workspace": arguments["workspace"]}))["holds"]
        return {**arguments, "since": max(0, holds["seq"] - max(0, limit))}
    return {**arguments, "since": _before_the_last(session, arguments, limit)}


def _before_the_last(session: Session, arguments: dict[str, Any], limit: int) -> int:
    """After which event the last `limit` of those that are wanted begin. Reads all of them once."""
    latest: deque[int] = deque(maxlen=max(1, min(limit, _MOST)))
    page: dict[str, Any] = {"next": 0, "has_more": True}
    while page["has_more"]:
        asked = {**arguments, "since": page["next"], "limit": _MOST, "max_chars": ROOM}
        page = json.loads(session.ask("tasks_delta", asked))
        latest.extend(event["seq"] for event in page["events"])
    return latest[0] - 1 if latest else 0


def _next_page(session: Session, since: int) -> str:
    options = session.options
    words = ["log", *([options.target] if options.target is not None else []), "--since", str(since)]
    words += ["--limit", str(options.limit)] if options.limit is not None else []
    for name in options.types or ():
        words += ["--type", name]
    words += ["--workspace", options.workspace] if options.workspace is not None else []
    return joined(words + same_place(options))
