"""`taskdoc create`, `bind`, `rename` and `archive`."""

from gatepost.operations.taskdoc_list import ListTaskdocs
from gatepost.operations.taskdoc_names import ArchiveTaskdoc, RenameTaskdoc
from gatepost.operations.taskdocs import BindTaskdoc, CreateTaskdoc
from gatepost.surfaces.cli.errors import BadUsage
from gatepost.surfaces.cli.invocation import Invocation
from gatepost.surfaces.cli.taskdocs.packages import print_reply, writing_workspace
from gatepost.surfaces.cli.taskdocs.targets import HELP, taskdoc_name
from gatepost.surfaces.cli.views import taskdoc as views


def create(invocation: Invocation) -> None:
    """Create a taskdoc of three empty sections."""
    words = invocation.options.words
    if len(words) != 1:
        raise BadUsage("create takes one name", HELP)
    command = CreateTaskdoc(workspace=writing_workspace(invocation), name=taskdoc_name(words[0]))
    text, reply = invocation.ask(command)
    print_reply(invocation, text, reply, f"Created {words[0]}, with its package {reply.path}")


def bind(invocation: Invocation) -> None:
    """Bind a taskdoc to a plan, or to none."""
    options = invocation.options
    if len(options.words) != (1 if options.none else 2):
        raise BadUsage("bind takes a taskdoc and a plan, or a taskdoc and --none", HELP)
    name, plan = taskdoc_name(options.words[0]), None if options.none else options.words[1]
    text, reply = invocation.ask(BindTaskdoc(workspace=invocation.workspace(), taskdoc=name, plan=plan))
    print_reply(invocation, text, reply, f"Bound {name} to {plan or 'no plan'}")


def rename(invocation: Invocation) -> None:
    """Give a taskdoc another name."""
    words = invocation.options.words
    if len(words) != 2:
        raise BadUsage("rename takes a taskdoc's name and its new name", HELP)
    before, name = map(taskdoc_name, words)
    text, reply = invocation.ask(RenameTaskdoc(workspace=invocation.workspace(), taskdoc=before, name=name))
    package = "" if reply.path is None else f"; its package is {reply.path}"
    print_reply(invocation, text, reply, f"Renamed {reply.before} to {name}{package}")


def archive(invocation: Invocation) -> None:
    """Archive a taskdoc, bring one back, or list those that are archived."""
    options, workspace = invocation.options, invocation.workspace()
    if len(options.words) > 1 or (options.undo and not options.words):
        raise BadUsage("archive takes one name", HELP)
    if not options.words:
        command = ListTaskdocs(workspace=workspace, archived=True, limit=200)
        if options.json:
            invocation.print_json(command)
        else:
            views.archived(invocation.client.do(command).items)
        return
    name = taskdoc_name(options.words[0])
    text, reply = invocation.ask(ArchiveTaskdoc(workspace=workspace, taskdoc=name, archived=not options.undo))
    was_bound = "" if reply.unbound is None else f"; it is no longer bound to {reply.unbound}"
    said = f"Restored {reply.taskdoc} from the archive" if options.undo else f"Archived {reply.taskdoc}{was_bound}"
    print_reply(invocation, text, reply, said)
