"""The keys and commands, to read."""

from collections.abc import Iterable
from typing import Final

from gatepost.surfaces.proof_text import legend
from gatepost.surfaces.tui.keys import SECTIONS
from gatepost.surfaces.tui.models.composer_syntax import COMMANDS
from gatepost.surfaces.tui.screens.text import TextScreen
from gatepost.surfaces.tui.session import glyphs_of
from gatepost.surfaces.tui.widgets.text_view import TextLine

_KEY_WIDTH: Final = 10
_TYPING: Final = """\
Plain words are a note on the current step. A line that starts with a colon is
a command. For scripts, an operation and its arguments in JSON also work:
    tasks_note {"task": "TASK-001", "note": "half way"}"""


class HelpScreen(TextScreen):
    """The help. A kind of its own, so that it is never opened twice."""

    def __init__(self) -> None:
        lines: list[TextLine] = []
        for title, table in SECTIONS:
            lines += [TextLine(title, "title"), *(_line(key.name, key.help) for key in table if key.help)]
            lines.append(TextLine(""))
        lines.append(TextLine("What you can type", "title"))
        lines += [TextLine(line, hang=4) for line in _TYPING.split("\n")]
        lines += [TextLine(""), TextLine("Commands", "title")]
        super().__init__("help", (*lines, *(_line(f":{name}", what) for name, what in COMMANDS.items())))

    def show(self, lines: Iterable[TextLine]) -> None:
        """Show the keys and commands, then the signs of this terminal."""
        signs = [_line(sign, word) for sign, word in legend(glyphs_of(self))]
        super().show((*lines, TextLine(""), TextLine("Checkpoints", "title"), *signs))


def _line(name: str, what: str) -> TextLine:
    return TextLine(f"{name:<{_KEY_WIDTH}} {what}", hang=_KEY_WIDTH + 1)
