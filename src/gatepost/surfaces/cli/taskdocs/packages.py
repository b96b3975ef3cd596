"""`taskdoc restore` and `taskdoc adopt`: settle what differs between the log and a package on disk."""

from argparse import Namespace
from typing import Any

import msgspec

from gatepost.domain.taskdocs import SELECTORS
from gatepost.surfaces.cli.errors import Refused
from gatepost.surfaces.cli.invocation import ROOM, Invocation
from gatepost.surfaces.cli.json_output import print_json
from gatepost.surfaces.cli.prompt import agreed
from gatepost.surfaces.cli.taskdocs.targets import Target, address, recalled, target
from gatepost.surfaces.cli.views import taskdoc as views


def restore(invocation: Invocation) -> None:
    """Bring back an earlier text; or the package's files, from the log."""
    named = target(invocation.options)
    if named.selector is None:
        _restore_package(invocation, named)
        return
    present = recalled(invocation, {"workspace": invocation.workspace(), **named.arguments()})
    whose = f"{present['selector']} of {present['taskdoc']}"
    asked = {**address(invocation, present), "expected_revision": present["revision"]}
    if named.revisions:
        (revision,) = named.revisions
        shown = _difference(invocation, present, revision)
        asked["revision"] = revision
        what = f"{whose} would get the text of revision {revision} again; it is now at {present['revision']}"
    else:
        shown = present["edited"]["diff"] if "edited" in present else ""
        what = f"the edit above would be discarded, and the package would have the log's text of {whose} again"
    text = _after_asking(invocation, "taskdoc_restore", asked, shown, what)
    if text is not None:
        answer(invocation, text, f"Restored {whose}, as revision {msgspec.json.decode(text)['revision']}")


def _restore_package(invocation: Invocation, named: Target) -> None:
    """Write every file of the package again."""
    present = recalled(invocation, {"workspace": invocation.workspace(), **named.arguments()})
    name, workspace = present["taskdoc"], invocation.workspace()
    sections = [recalled(invocation, {"workspace": workspace, "taskdoc": name, "selector": it}) for it in SELECTORS]
    shown = "".join(section["edited"]["diff"] for section in sections if "edited" in section)
    amiss = "".join(f"  {finding['says']}\n" for finding in present.get("findings", ()))
    asked = {"workspace": workspace, "taskdoc": name, "expected_revision": present["revision"]}
    what = f"every file of the package of {name} would be written again from the log"
    text = _after_asking(invocation, "taskdoc_restore", asked, shown + amiss, what)
    if text is not None:
        answer(invocation, text, f"Restored the package of {name}")


def adopt(invocation: Invocation) -> None:
    """Take what was edited in the package from outside."""
    named = target(invocation.options)
    asked = {"workspace": invocation.workspace(), **named.arguments()}
    edits = _edits(invocation, asked, named)
    what = f"the package's {', '.join(edits)} would be adopted" if edits else "the package would become a taskdoc"
    text = _after_asking(invocation, "taskdoc_adopt", asked, "".join(edits.values()), what)
    if text is not None:
        reply = msgspec.json.decode(text)
        taken = ", ".join(reply["adopted"]) or "no text"
        answer(invocation, text, f"Adopted {taken} from the package of {reply['taskdoc']}")


def writing_workspace(invocation: Invocation) -> str:
    """The workspace to write to: where one is named, the store need not be there yet."""
    return invocation.settings.workspace or invocation.workspace()


def is_silent(options: Namespace) -> bool:
    """Whether nothing need be shown: nobody is asked, and nobody wants to know."""
    return bool(options.quiet and options.yes and not options.dry_run)


def answer(invocation: Invocation, text: str, said: str) -> None:
    """Print a reply: as it is, or what it means."""
    if invocation.options.json:
        print_json(text)
        return
    reply: dict[str, Any] = msgspec.json.decode(text)
    if not invocation.options.quiet or invocation.options.dry_run:
        views.say(said if reply.get("changed", True) else "No change: it is already like this")
    for warning in reply.get("warnings", ()):
        views.say(f"note: {warning}")


def _difference(invocation: Invocation, present: dict[str, Any], revision: int) -> str:
    """What bringing back a revision would change."""
    between = {"from": present["revision"], "to": revision, "max_chars": ROOM}
    found: str = msgspec.json.decode(invocation.ask("taskdoc_diff", {**address(invocation, present), **between}))[
        "diff"
    ]
    return found


def _edits(invocation: Invocation, asked: dict[str, Any], named: Target) -> dict[str, str]:
    """The edited sections, each with its diff; none of a package that is no taskdoc yet."""
    selectors = SELECTORS if named.selector is None else (named.selector,)
    try:
        found = [recalled(invocation, {**asked, "selector": selector}) for selector in selectors]
    except Refused as refused:
        if refused.error["code"] == "UNKNOWN_ID" and named.taskdoc is not None:
            return {}
        raise
    return {present["selector"]: present["edited"]["diff"] for present in found if "edited" in present}


def _after_asking(invocation: Invocation, tool: str, asked: dict[str, Any], shown: str, what: str) -> str | None:
    """The reply of a call whose effect was shown and agreed to; none if it was not."""
    options = invocation.options
    text = invocation.rehearse(tool, asked)
    if not msgspec.json.decode(text)["changed"]:
        return text
    if not options.json and not is_silent(options):
        views.difference(shown)
    if options.dry_run:
        answer(invocation, text, what)
        return None
    if not agreed([what], yes=options.yes, what=options.verb.capitalize()):
        return None
    return invocation.ask(tool, asked)
