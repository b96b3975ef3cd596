"""The keys and commands, to read."""

from typing import Final

from gatepost.surfaces.tui.models.composer_syntax import COMMANDS
from gatepost.surfaces.tui.screens.text import TextScreen
from gatepost.surfaces.tui.widgets.text_view import TextLine

_KEYS: Final = """\
t   the tree of steps of the task that leads
o   all todo lists
d   taskdocs: goals, constraints, progress
r   radar: what to do now, why, and what proves it
a   what happens, live
i   type a note to the step in progress (Enter goes on typing)
:   type a command
?   this page
q   quit; on other screens Esc goes back

in lists: j k or arrows move, g G go to the ends, / searches, Enter opens
in the tree: c close, b block, n note, x reopen, u undo, U redo, p tasks
in a dialog: Ctrl-R shows the radar, and what is typed stays
"""
_TYPED: Final = """\
Plain words are a note, and a word with a colon in front is a command.
The name of an operation and its arguments in JSON are a call, as in:
    tasks_note {"task": "TASK-001", "note": "half way"}
Tab completes. Up and Down bring back earlier lines. Esc leaves the line.
"""


class Help(TextScreen):
    """The page. It is a kind of its own, so that it comes up again instead of a second one."""

    def __init__(self) -> None:
        commands = [TextLine(f":{name:<8} {what}", hang=10) for name, what in COMMANDS.items()]
        lines = (
            TextLine("keys", "title"),
            *_lines(_KEYS),
            TextLine("what can be typed", "title"),
            *_lines(_TYPED),
            TextLine("commands", "title"),
            *commands,
        )
        super().__init__("help", lines)


def help_pages() -> Help:
    """The page."""
    return Help()


def _lines(text: str) -> list[TextLine]:
    return [TextLine(line, hang=4) for line in text.split("\n")]
