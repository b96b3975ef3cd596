"""Checks on a terminal: what they print while they run, how long they take, and how they came out."""

import sys
from collections.abc import Iterator
from typing import Final

from gatepost.client.local import LocalClient
from gatepost.operations.checks import CheckStep
from gatepost.operations.resume import Resume
from gatepost.replies.checks import Checked, CheckOutcome
from gatepost.surfaces.cli.errors import EXIT_OF_FAMILY, BadUsage
from gatepost.surfaces.cli.invocation import ROOM, Invocation
from gatepost.surfaces.cli.json_output import print_json
from gatepost.surfaces.cli.selectors import selected
from gatepost.surfaces.cli.subjects import task_of
from gatepost.surfaces.cli.views.check_output import shown
from gatepost.surfaces.terminal import Terminal, stdout

_PAGE: Final = 200


def check(invocation: Invocation) -> int:
    """Run the checks of a step, or of every step that has some. The exit code says whether one failed."""
    options, terminal = invocation.options, stdout()
    task_of(invocation)
    workspace = invocation.workspace()
    names = [options.step] if options.step is not None else list(_checked_steps(invocation, workspace))
    if not names:
        raise BadUsage(
            f"{options.target} has no step with checks",
            "Add a step that has one: gatepost step TASK TITLE --check CMD",
        )
    client = invocation.client
    if isinstance(client, LocalClient) and not (options.json or options.quiet):
        client.watch_checks(shown)
    failed = False
    for name in names:
        command = CheckStep(workspace=workspace, task=options.target, **selected(invocation, options.target, name))
        text, reply = invocation.ask(command)
        failed = failed or not all(outcome.passed for outcome in reply.checks)
        if options.json:
            print_json(text)
        else:
            _show(terminal, reply, live=isinstance(client, LocalClient) and not options.quiet, quiet=options.quiet)
    sys.stdout.flush()
    return EXIT_OF_FAMILY["conflict"] if failed else 0


def _checked_steps(invocation: Invocation, workspace: str) -> Iterator[str]:
    """The ids of the steps of a task that have checks, in tree order."""
    task, cursor = invocation.options.target, None
    while True:
        _, page = invocation.ask(Resume(workspace=workspace, task=task, limit=_PAGE, cursor=cursor, max_chars=ROOM))
        for row in page.steps:
            _, found = invocation.ask(Resume(workspace=workspace, task=task, step_id=row.step_id, limit=1))
            if found.step is not None and found.step.checks:
                yield row.step_id
        if page.cursor is None:
            return
        cursor = page.cursor


def _show(terminal: Terminal, reply: Checked, *, live: bool, quiet: bool) -> None:
    from shlex import join

    for outcome in reply.checks:
        if outcome.passed and quiet:
            continue
        sign, style = (terminal.glyphs.done, "green") if outcome.passed else (terminal.glyphs.blocked, "red")
        line = f"{sign} {reply.step.path} {outcome.checkpoint}: {join(outcome.run)} ({outcome.seconds:.1f} s)"
        terminal.say(terminal.paint(terminal.clean(f"{line}{_why(outcome)}"), style))
        if not outcome.passed and not live:
            for text in outcome.tail.splitlines():
                terminal.say(f"  {terminal.clean(text)}")
    confirmed = " and ".join(reply.confirmed)
    if confirmed and not quiet:
        terminal.say(terminal.paint(f"  {confirmed} of {reply.step.step_id} confirmed", "dim"))
    for warning in reply.warnings or ():
        terminal.say(terminal.clean(f"note: {warning}"))


def _why(outcome: CheckOutcome) -> str:
    return "" if outcome.problem is None else f": {outcome.problem}"
