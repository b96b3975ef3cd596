"""`taskdoc restore` and `taskdoc adopt`: settle what differs between the log and a package on disk."""

from argparse import Namespace
from typing import TypeVar

from gatepost.domain.refusals import Refusal
from gatepost.domain.taskdocs import SELECTORS
from gatepost.operations.registry import Command
from gatepost.operations.taskdoc_versions import AdoptTaskdoc, RestoreTaskdoc, TaskdocDiff
from gatepost.replies.taskdocs import (
    Adopted,
    MindChanged,
    TaskdocAdded,
    TaskdocArchiveChanged,
    TaskdocBindingChanged,
    TaskdocNameChanged,
)
from gatepost.surfaces.cli.invocation import ROOM, Invocation
from gatepost.surfaces.cli.json_output import print_json
from gatepost.surfaces.cli.prompt import agreed
from gatepost.surfaces.cli.taskdocs.targets import Target, recalled, section, target
from gatepost.surfaces.cli.views import taskdoc as views

C = TypeVar("C", MindChanged, Adopted)
TaskdocChange = (
    TaskdocAdded | TaskdocBindingChanged | TaskdocNameChanged | TaskdocArchiveChanged | MindChanged | Adopted
)


def restore(invocation: Invocation) -> None:
    """Bring back an earlier text; or the package's files, from the log."""
    named = target(invocation.options)
    if named.selector is None:
        _restore_package(invocation, named)
        return
    now = section(invocation, named)
    whose = f"{now.selector} of {now.taskdoc}"
    if named.revisions:
        (revision,) = named.revisions
        back = TaskdocDiff(**now.address, since=now.revision, to=revision, max_chars=ROOM)
        shown = invocation.client.do(back).diff
        what = f"{whose} would get the text of revision {revision} again; it is now at {now.revision}"
    else:
        revision, shown = None, now.edit
        what = f"the edit above would be discarded, and the package would have the log's text of {whose} again"
    command = RestoreTaskdoc(**now.address, revision=revision, expected_revision=now.revision)
    reply = _after_asking(invocation, command, shown, what)
    if reply is not None:
        print_reply(invocation, *reply, f"Restored {whose}, as revision {reply[1].revision}")


def _restore_package(invocation: Invocation, named: Target) -> None:
    """Write every file of the package again."""
    workspace = invocation.workspace()
    present = recalled(invocation, workspace, named)
    name = present.taskdoc
    sections = [section(invocation, Target(name, selector, ())) for selector in SELECTORS]
    shown = "".join(each.edit for each in sections)
    amiss = "".join(f"  {finding.says}\n" for finding in present.findings or ())
    command = RestoreTaskdoc(workspace=workspace, taskdoc=name, expected_revision=present.revision)
    what = f"every file of the package of {name} would be written again from the log"
    reply = _after_asking(invocation, command, shown + amiss, what)
    if reply is not None:
        print_reply(invocation, *reply, f"Restored the package of {name}")


def adopt(invocation: Invocation) -> None:
    """Take what was edited in the package from outside."""
    named = target(invocation.options)
    edits = _edits(invocation, named)
    what = f"the package's {', '.join(edits)} would be adopted" if edits else "the package would become a taskdoc"
    command = AdoptTaskdoc(workspace=invocation.workspace(), **named.arguments())
    reply = _after_asking(invocation, command, "".join(edits.values()), what)
    if reply is not None:
        taken = ", ".join(reply[1].adopted) or "no text"
        print_reply(invocation, *reply, f"Adopted {taken} from the package of {reply[1].taskdoc}")


def writing_workspace(invocation: Invocation) -> str:
    """The workspace to write to: where one is named, the store need not be there yet."""
    return invocation.settings.workspace or invocation.workspace()


def is_silent(options: Namespace) -> bool:
    """Whether nothing need be shown: nobody is asked, and nobody wants to know."""
    return bool(options.quiet and options.yes and not options.dry_run)


def print_reply(invocation: Invocation, text: str, reply: TaskdocChange, said: str) -> None:
    """Print a reply: as it is, or what it means."""
    if invocation.options.json:
        print_json(text)
        return
    if not invocation.options.quiet or invocation.options.dry_run:
        views.say(said if reply.changed else "No change: it is already like this")
    for warning in reply.warnings or ():
        views.say(f"note: {warning}")


def _edits(invocation: Invocation, named: Target) -> dict[str, str]:
    """The edited sections, each with its diff; none of a package that is no taskdoc yet."""
    selectors = SELECTORS if named.selector is None else (named.selector,)
    try:
        found = [section(invocation, named._replace(selector=selector)) for selector in selectors]
    except Refusal as refusal:
        if refusal.code == "UNKNOWN_ID" and named.taskdoc is not None:
            return {}
        raise
    return {each.selector: each.edit for each in found if each.present.edited is not None}


def _after_asking(invocation: Invocation, command: Command[C], shown: str, what: str) -> tuple[str, C] | None:
    """The reply to a command whose effect was shown and agreed to; none if it was not."""
    options = invocation.options
    text, reply = invocation.rehearse(command)
    if not reply.changed:
        return text, reply
    if not options.json and not is_silent(options):
        views.difference(shown)
    if options.dry_run:
        print_reply(invocation, text, reply, what)
        return None
    if not agreed([what], yes=options.yes, what=options.verb.capitalize()):
        return None
    return invocation.ask(command)
