"""`taskdoc create`, `bind`, `rename` and `archive`."""

from typing import Any

import msgspec

from gatepost.surfaces.cli.errors import BadUsage
from gatepost.surfaces.cli.invocation import Invocation
from gatepost.surfaces.cli.json_output import print_json
from gatepost.surfaces.cli.taskdocs.packages import answer, writing_workspace
from gatepost.surfaces.cli.taskdocs.targets import HELP, taskdoc_name
from gatepost.surfaces.cli.views import taskdoc as views


def create(invocation: Invocation) -> None:
    """Make a taskdoc of three empty sections."""
    words = invocation.options.words
    if len(words) != 1:
        raise BadUsage("create takes one name", HELP)
    asked = {"workspace": writing_workspace(invocation), "name": taskdoc_name(words[0])}
    text = invocation.ask("taskdoc_create", asked)
    answer(invocation, text, f"Created {words[0]}, with its package {msgspec.json.decode(text)['path']}")


def bind(invocation: Invocation) -> None:
    """Make a taskdoc that of a plan, or of none."""
    options = invocation.options
    if len(options.words) != (1 if options.none else 2):
        raise BadUsage("bind takes a taskdoc and a plan, or a taskdoc and --none", HELP)
    name, plan = taskdoc_name(options.words[0]), None if options.none else options.words[1]
    text = invocation.ask("taskdoc_bind", {"workspace": invocation.workspace(), "taskdoc": name, "plan": plan})
    answer(invocation, text, f"Bound {name} to {plan or 'no plan'}")


def rename(invocation: Invocation) -> None:
    """Call a taskdoc otherwise."""
    words = invocation.options.words
    if len(words) != 2:
        raise BadUsage("rename takes a taskdoc's name and its new name", HELP)
    before, name = map(taskdoc_name, words)
    text = invocation.ask("taskdoc_rename", {"workspace": invocation.workspace(), "taskdoc": before, "name": name})
    reply: dict[str, Any] = msgspec.json.decode(text)
    package = "" if reply["path"] is None else f"; its package is {reply['path']}"
    answer(invocation, text, f"Renamed {reply['before']} to {name}{package}")


def archive(invocation: Invocation) -> None:
    """Archive a taskdoc, bring one back, or list those that are archived."""
    options = invocation.options
    if len(options.words) > 1 or (options.undo and not options.words):
        raise BadUsage("archive takes one name", HELP)
    if not options.words:
        _list(invocation)
        return
    asked = {
        "workspace": invocation.workspace(),
        "taskdoc": taskdoc_name(options.words[0]),
        "archived": not options.undo,
    }
    text = invocation.ask("taskdoc_archive", asked)
    reply: dict[str, Any] = msgspec.json.decode(text)
    name, plan = reply["taskdoc"], reply.get("unbound")
    was_bound = "" if plan is None else f"; it is no longer bound to {plan}"
    answer(invocation, text, f"Restored {name} from the archive" if options.undo else f"Archived {name}{was_bound}")


def _list(invocation: Invocation) -> None:
    text = invocation.ask("taskdoc_list", {"workspace": invocation.workspace(), "archived": True, "limit": 200})
    if invocation.options.json:
        print_json(text)
    else:
        views.archived(msgspec.json.decode(text)["items"])
