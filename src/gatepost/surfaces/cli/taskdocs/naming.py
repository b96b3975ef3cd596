"""What becomes of a whole taskdoc: it is renamed, or archived and brought back."""

import json
from typing import Any

from gatepost.surfaces.cli.endings import BadUsage
from gatepost.surfaces.cli.printing import print_json
from gatepost.surfaces.cli.session import Session
from gatepost.surfaces.cli.taskdocs.changing import answer
from gatepost.surfaces.cli.taskdocs.targets import HELP, taskdoc_name
from gatepost.surfaces.cli.views import taskdoc as views


def rename(session: Session) -> None:
    """Call a taskdoc otherwise."""
    words = session.options.words
    if len(words) != 2:
        raise BadUsage("rename takes the name of a taskdoc and its new name", HELP)
    before, name = map(taskdoc_name, words)
    text = session.ask("taskdoc_rename", {"workspace": session.workspace(), "taskdoc": before, "name": name})
    reply: dict[str, Any] = json.loads(text)
    package = "" if reply["path"] is None else f"; its package is {reply['path']}"
    answer(session, text, f"{reply['before']} is called {name} now{package}")


def archive(session: Session) -> None:
    """Archive a taskdoc, bring one back, or list those that are archived."""
    options = session.options
    if len(options.words) > 1 or (options.undo and not options.words):
        raise BadUsage("archive takes the name of one taskdoc", HELP)
    if not options.words:
        _list(session)
        return
    asked = {
        "workspace": session.workspace(),
        "taskdoc": taskdoc_name(options.words[0]),
        "archived": not options.undo,
    }
    text = session.ask("taskdoc_archive", asked)
    reply: dict[str, Any] = json.loads(text)
    name, plan = reply["taskdoc"], reply.get("unbound")
    was_bound = "" if plan is None else f", and no longer bound to {plan}"
    answer(session, text, f"{name} is back" if options.undo else f"{name} is archived{was_bound}")


def _list(session: Session) -> None:
    text = session.ask("taskdoc_list", {"workspace": session.workspace(), "archived": True, "limit": 200})
    if session.options.json:
        print_json(text)
    else:
        views.archived(json.loads(text)["items"])
