"""What is amiss, and the calls that mend it."""

import json
from typing import Any

from gatepost.surfaces.cli.pasting import call_lines
from gatepost.surfaces.cli.screen import stdout
from gatepost.surfaces.cli.session import Session


def show(session: Session, text: str) -> bool:
    """Print a lint's reply; whether nothing was found."""
    screen = stdout()
    reply: dict[str, Any] = json.loads(text)
    for finding in reply["findings"]:
        where = " ".join(finding[name] for name in ("task", "plan", "path") if finding.get(name))
        screen.say(f"{screen.paint(finding['code'], 'yellow')}  {screen.paint(where, 'bold')}")
        for line in screen.wrap(finding["says"], 2):
            screen.say(f"  {line}")
        if "fix" in finding:
            for line in call_lines(screen, finding["fix"], session.options, 2):
                screen.say(f"  {line}")
        screen.say()
    if not reply["findings"]:
        screen.say(screen.paint(f"{screen.glyphs.done} nothing amiss", "green"))
    elif reply["count"] > len(reply["findings"]):
        screen.say(screen.paint(f"{reply['count'] - len(reply['findings'])} more; see --limit", "dim"))
    return not reply["findings"]
