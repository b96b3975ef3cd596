"""Problems, and the calls that fix them."""

from typing import Any

import msgspec

from gatepost.surfaces.cli.invocation import Invocation
from gatepost.surfaces.cli.suggested_commands import call_lines
from gatepost.surfaces.terminal import stdout


def show(invocation: Invocation, text: str) -> bool:
    """Print a lint's reply; whether nothing was found."""
    terminal = stdout()
    reply: dict[str, Any] = msgspec.json.decode(text)
    for finding in reply["findings"]:
        where = " ".join(finding[name] for name in ("task", "plan", "path") if finding.get(name))
        terminal.say(f"{terminal.paint(finding['code'], 'yellow')}  {terminal.paint(where, 'bold')}")
        for line in terminal.wrap(finding["says"], 2):
            terminal.say(f"  {line}")
        if "fix" in finding:
            for line in call_lines(terminal, finding["fix"], invocation.options, 2):
                terminal.say(f"  {line}")
        terminal.say()
    if not reply["findings"]:
        terminal.say(terminal.paint(f"{terminal.glyphs.done} no problems found", "green"))
    elif reply["count"] > len(reply["findings"]):
        terminal.say(terminal.paint(f"{reply['count'] - len(reply['findings'])} more; see --limit", "dim"))
    return not reply["findings"]
