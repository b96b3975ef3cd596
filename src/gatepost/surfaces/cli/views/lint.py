"""Problems, and the calls that fix them."""

from gatepost.replies.lint import LintReply
from gatepost.surfaces.cli.invocation import Invocation
from gatepost.surfaces.cli.suggested_commands import call_lines
from gatepost.surfaces.terminal import stdout


def show(invocation: Invocation, reply: LintReply) -> None:
    """Print what was found."""
    terminal = stdout()
    for finding in reply.findings:
        where = " ".join(filter(None, (finding.task, finding.path)))
        terminal.say(f"{terminal.paint(finding.code, 'yellow')}  {terminal.paint(where, 'bold')}")
        fix, options = finding.fix, invocation.options
        call = [] if fix is None else call_lines(terminal, fix.tool, fix.arguments, options, 2)
        for line in (*terminal.wrap(finding.says, 2), *call):
            terminal.say(f"  {line}")
        terminal.say()
    if not reply.findings:
        terminal.say(terminal.paint(f"{terminal.glyphs.done} no problems found", "green"))
    elif reply.count > len(reply.findings):
        terminal.say(terminal.paint(f"{reply.count - len(reply.findings)} more; see --limit", "dim"))
