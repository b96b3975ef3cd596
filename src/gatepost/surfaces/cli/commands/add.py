"""`gatepost add` and `gatepost step`: a new task or plan, and new steps."""

from __future__ import annotations

from gatepost.surfaces.cli import step_parts
from gatepost.surfaces.cli.invocation import Invocation
from gatepost.surfaces.cli.parser import Parser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatepost.operations.editable import NewStep
    from gatepost.operations.roots import Create
    from gatepost.replies.steps import StepName

_ABOUT = {
    "add": """\
Create a task with its steps; or a plan, with --plan-only. --criteria, --test
and --check belong to the step before them. Without --step, the task gets one
step with its own title for them.""",
    "step": """\
Add steps to a task, or below one of its steps. --criteria, --test and --check
belong to the --step before them, or to the only TITLE.""",
}
_EXAMPLES = {
    "add": """\
  gatepost add 'Login page'
  gatepost add 'Login page' --step Form --test 'pytest -k form' --step API
  gatepost add 'Fix the total' --plan 1 --priority high --check 'pytest -q'
  gatepost add --plan-only 'Spring release' --tag release""",
    "step": """\
  gatepost step 1 Form API Docs
  gatepost step TASK-001 'Refund endpoint' --check 'pytest -q tests/refunds'
  gatepost step 1 Labels --under s:0.s:1""",
}


def declare(parser: Parser) -> None:
    """Declare arguments and help of the two commands."""
    adds = parser.command == "add"
    parser.describe(_ABOUT[parser.command], examples=_EXAMPLES[parser.command])
    if adds:
        parser.add_argument("title", metavar="TITLE", nargs="?", help="what the task or plan is called")
        parser.add_argument("--plan-only", action="store_true", help="create a plan instead of a task")
        parser.add_plan("the plan that the task belongs to: PLAN-001, plan-1 or 1")
        parser.add_argument("--description", metavar="TEXT", help="what it is about; - reads stdin")
        parser.add_argument("-e", "--edit", action="store_true", help="write the description in your editor")
        levels = ("LOW", "MEDIUM", "HIGH", "CRITICAL")
        about = "low, medium (default), high or critical"
        parser.add_argument("--priority", metavar="P", type=str.upper, choices=levels, help=about)
        parser.add_argument("--tag", metavar="TAG", action="append", help="a tag; repeatable")
    else:
        parser.add_target(optional=True)
        parser.add_argument("titles", metavar="TITLE", nargs="*", help="a step to add")
        parser.add_argument("--under", metavar="STEP", help="the step to add them below")
    step_parts.declare(parser)
    parser.add_quiet("print only the new id" if adds else "print only the paths of the new steps")
    parser.add_actor()
    parser.add_json()
    parser.add_place()


def answer(invocation: Invocation) -> None:
    """Create what was asked for, and say what it is called."""
    if invocation.options.command == "add":
        _add(invocation)
    else:
        _add_steps(invocation)


def _add(invocation: Invocation) -> None:
    from gatepost.surfaces.cli.long_text import STDIN, send_text
    from gatepost.surfaces.cli.questions import needed, require

    options = invocation.options
    if options.title is None:
        require(options, "TITLE")
        options.title = needed("Title")
        if not options.plan_only and not options.parts:
            options.parts = _typed_steps()
    command = _new_root(invocation)
    if options.edit or options.description == STDIN:
        send_text(options, options.description, "DESCRIPTION", lambda text: _create(invocation, command, text))
    else:
        _create(invocation, command, options.description)


def _typed_steps() -> list[step_parts.Part]:
    """The steps that the person types, one on each line."""
    from gatepost.surfaces.cli.questions import line

    found: list[step_parts.Part] = []
    while title := line(f"Step {len(found) + 1} (Enter to finish)"):
        found.append(("step", title))
    return found


def _new_root(invocation: Invocation) -> Create:
    from gatepost.operations.roots import Create
    from gatepost.surfaces.cli.errors import BadUsage

    options = invocation.options
    if options.plan_only and (options.parts or options.plan is not None):
        raise BadUsage(
            "--plan-only creates a plan, which has tasks and no steps", "Leave out --plan and the steps."
        )
    return Create(
        workspace=_workspace(invocation),
        kind="plan" if options.plan_only else "task",
        title=options.title,
        plan=options.plan,
        priority=options.priority or "MEDIUM",
        tags=tuple(options.tag or ()),
        steps=step_parts.new_steps(options.parts or (), options.title),
    )


def _workspace(invocation: Invocation) -> str:
    """The workspace to write to. The first write of all creates it, so that it needs a name."""
    if invocation.settings.workspace is not None:
        return invocation.settings.workspace
    if invocation.has_store() and invocation.client.workspaces():
        return invocation.workspace()
    from os.path import basename

    from gatepost.surfaces.cli.errors import BadUsage
    from gatepost.surfaces.cli.questions import can_ask, needed

    if not can_ask(invocation.options):
        raise BadUsage(
            "which workspace? The store is empty",
            "Name it with --workspace, for example --workspace acme/repo; or set it in gatepost.toml.",
        )
    return needed("Name of the workspace", _name(basename(invocation.settings.root)))


def _name(folder: str) -> str:
    """The name of a folder, as far as a workspace can have it."""
    from re import sub

    return sub(r"[^A-Za-z0-9_-]+", "-", folder).strip("_-")


def _create(invocation: Invocation, command: Create, description: str | None) -> None:
    from msgspec.structs import replace

    from gatepost.surfaces.cli.json_output import print_json
    from gatepost.surfaces.terminal import stdout

    options, terminal = invocation.options, stdout()
    text, reply = invocation.ask(replace(command, description=description))
    if options.json:
        print_json(text)
    elif options.quiet:
        terminal.say(reply.id)
    else:
        terminal.say(f"Created {terminal.paint(reply.id, 'bold')}: {terminal.clean(command.title)}")
        _say_steps(reply.steps or (), command.steps)


def _add_steps(invocation: Invocation) -> None:
    from gatepost.operations.steps import Decompose
    from gatepost.surfaces.cli.json_output import print_json
    from gatepost.surfaces.cli.selectors import selected
    from gatepost.surfaces.cli.subjects import task_of
    from gatepost.surfaces.terminal import stdout

    options, terminal = invocation.options, stdout()
    new = _titled(invocation)
    task = task_of(invocation)
    command = Decompose(
        workspace=invocation.workspace(), task=task, **selected(invocation, task, options.under), steps=new
    )
    text, reply = invocation.ask(command)
    if options.json:
        print_json(text)
    elif options.quiet:
        for step in reply.steps:
            terminal.say(step.path)
    else:
        count = len(reply.steps)
        terminal.say(f"Added {count} {'step' if count == 1 else 'steps'} to {terminal.paint(reply.task, 'bold')}:")
        _say_steps(reply.steps, new)


def _titled(invocation: Invocation) -> tuple[NewStep, ...]:
    """The new steps: those with only a title, then those that --step describes."""
    from gatepost.surfaces.cli.errors import BadUsage
    from gatepost.surfaces.cli.questions import require

    options = invocation.options
    titles, parts = options.titles, options.parts or []
    if not titles and not parts:
        require(options, *(["TITLE"] if options.target is not None else ["TASK", "TITLE"]))
        parts = _typed_steps()
        if not parts:
            raise BadUsage("no step to add", "Nothing was changed.")
    if len(titles) > 1 and parts and parts[0][0] != "step":
        raise BadUsage(
            f"--{parts[0][0]} could belong to each of {len(titles)} steps",
            f"Name its step in front of it: --step TITLE --{parts[0][0]} …",
        )
    return step_parts.new_steps([*(("step", title) for title in titles), *parts], None)


def _say_steps(names: tuple[StepName, ...], steps: tuple[NewStep, ...]) -> None:
    from gatepost.surfaces.terminal import stdout

    terminal = stdout()
    for name, step in zip(names, steps, strict=False):
        terminal.say(f"  {terminal.paint(name.path, 'dim')}  {terminal.clean(step.title)}")
