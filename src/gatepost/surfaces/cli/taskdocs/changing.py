"""Changing taskdocs without an editor: make one, bind it, bring a text back, take one from the package."""

import json
from argparse import Namespace
from typing import Any

from gatepost.domain.taskdocs import SELECTORS
from gatepost.surfaces.cli.asking import agreed
from gatepost.surfaces.cli.endings import BadUsage, Refused
from gatepost.surfaces.cli.printing import print_json
from gatepost.surfaces.cli.session import ROOM, Session
from gatepost.surfaces.cli.taskdocs.targets import HELP, Target, address, recalled, target, taskdoc_name
from gatepost.surfaces.cli.views import taskdoc as views


def create(session: Session) -> None:
    """Make a taskdoc of three empty sections."""
    words = session.options.words
    if len(words) != 1:
        raise BadUsage("create takes the name of one taskdoc", HELP)
    asked = {"workspace": writing_workspace(session), "name": taskdoc_name(words[0])}
    text = session.ask("taskdoc_create", asked)
    answer(session, text, f"{words[0]} is made, with its package {json.loads(text)['path']}")


def bind(session: Session) -> None:
    """Make a taskdoc that of a plan, or of none."""
    options = session.options
    if len(options.words) != (1 if options.none else 2):
        raise BadUsage("bind takes a taskdoc and a plan, or a taskdoc and --none", HELP)
    name, plan = taskdoc_name(options.words[0]), None if options.none else options.words[1]
    text = session.ask("taskdoc_bind", {"workspace": session.workspace(), "taskdoc": name, "plan": plan})
    answer(session, text, f"{name} is bound to {plan or 'no plan'}")


def restore(session: Session) -> None:
    """Bring back an earlier text; or the package's files, from the log."""
    named = target(session.options)
    if named.selector is None:
        _restore_package(session, named)
        return
    present = recalled(session, {"workspace": session.workspace(), **named.arguments()})
    whose = f"{present['selector']} of {present['taskdoc']}"
    asked = {**address(session, present), "expected_revision": present["revision"]}
    if named.revisions:
        (revision,) = named.revisions
        shown = _difference(session, present, revision)
        asked["revision"] = revision
        what = f"{whose} would be as at revision {revision} again; it is at {present['revision']}"
    else:
        shown = present["edited"]["diff"] if "edited" in present else ""
        what = f"the edit above would be taken out of the package, and the log's text of {whose} stand there again"
    text = _after_asking(session, "taskdoc_restore", asked, shown, what)
    if text is not None:
        answer(session, text, f"{whose} is restored, as revision {json.loads(text)['revision']}")


def _restore_package(session: Session, named: Target) -> None:
    """Write every file of the package again."""
    present = recalled(session, {"workspace": session.workspace(), **named.arguments()})
    name, workspace = present["taskdoc"], session.workspace()
    sections = [recalled(session, {"workspace": workspace, "taskdoc": name, "selector": it}) for it in SELECTORS]
    shown = "".join(section["edited"]["diff"] for section in sections if "edited" in section)
    amiss = "".join(f"  {finding['says']}\n" for finding in present.get("findings", ()))
    asked = {"workspace": workspace, "taskdoc": name, "expected_revision": present["revision"]}
    what = f"every file of the package of {name} would be written again from the log"
    text = _after_asking(session, "taskdoc_restore", asked, shown + amiss, what)
    if text is not None:
        answer(session, text, f"the package of {name} is restored")


def adopt(session: Session) -> None:
    """Take what was edited in the package from outside."""
    named = target(session.options)
    asked = {"workspace": session.workspace(), **named.arguments()}
    edits = _edits(session, asked, named)
    what = f"the package's {', '.join(edits)} would be taken" if edits else "the package would become a taskdoc"
    text = _after_asking(session, "taskdoc_adopt", asked, "".join(edits.values()), what)
    if text is not None:
        reply = json.loads(text)
        taken = ", ".join(reply["adopted"]) or "no text"
        answer(session, text, f"{reply['taskdoc']} has taken {taken} from its package")


def writing_workspace(session: Session) -> str:
    """The workspace to write to: where one is named, the store need not be there yet."""
    return session.settings.workspace or session.workspace()


def is_silent(options: Namespace) -> bool:
    """Whether nothing need be shown: nobody is asked, and nobody wants to know."""
    return bool(options.quiet and options.yes and not options.dry_run)


def answer(session: Session, text: str, said: str) -> None:
    """Print a reply: as it is, or what it means."""
    if session.options.json:
        print_json(text)
        return
    reply: dict[str, Any] = json.loads(text)
    if not session.options.quiet or session.options.dry_run:
        views.say(said if reply.get("changed", True) else "nothing is changed: it is so already")
    for warning in reply.get("warnings", ()):
        views.say(f"note: {warning}")


def _difference(session: Session, present: dict[str, Any], revision: int) -> str:
    """What bringing back a revision would change."""
    between = {"from": present["revision"], "to": revision, "max_chars": ROOM}
    found: str = json.loads(session.ask("taskdoc_diff", {**address(session, present), **between}))["diff"]
    return found


def _edits(session: Session, asked: dict[str, Any], named: Target) -> dict[str, str]:
    """The edited sections, each with its diff; none of a package that is no taskdoc yet."""
    selectors = SELECTORS if named.selector is None else (named.selector,)
    try:
        found = [recalled(session, {**asked, "selector": selector}) for selector in selectors]
    except Refused as refused:
        if refused.error["code"] == "UNKNOWN_ID" and named.taskdoc is not None:
            return {}
        raise
    return {present["selector"]: present["edited"]["diff"] for present in found if "edited" in present}


def _after_asking(session: Session, tool: str, asked: dict[str, Any], shown: str, what: str) -> str | None:
    """The reply of a call whose effect was shown and agreed to; none if it was not."""
    options = session.options
    text = session.rehearse(tool, asked)
    if not json.loads(text)["changed"]:
        return text
    if not options.json and not is_silent(options):
        views.difference(shown)
    if options.dry_run:
        answer(session, text, what)
        return None
    if not agreed([what], yes=options.yes, what=options.verb.capitalize()):
        return None
    return session.ask(tool, asked)
