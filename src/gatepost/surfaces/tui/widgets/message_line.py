"""The line above the keys."""

from typing import Final

from rich.text import Text
from textual.app import RenderResult
from textual.widgets import Static

from gatepost.surfaces.tui.session import glyphs_of
from gatepost.surfaces.tui.texts import clip, safe

_ROWS: Final = 3


class MessageLine(Static):
    """What was done last, or what was refused; hidden while there is nothing to say."""

    def __init__(self) -> None:
        super().__init__("", markup=False)

    def say(self, words: str) -> None:
        """Show a sentence, or nothing."""
        self.set_class(bool(words), "some")
        self.update(Text(safe(words)))

    def on_resize(self) -> None:
        self.refresh()

    def render(self) -> RenderResult:
        """As much as fits, with an ellipsis if that is not all."""
        room, words = self.content_size.width, Text(str(self.content))
        lines = words.wrap(self.app.console, max(room, 1))
        if not room or len(lines) <= _ROWS:
            return words
        *first, last = (line.plain.rstrip() for line in lines[:_ROWS])
        return Text("\n".join((*first, clip(f"{last} {lines[_ROWS].plain}", room, glyphs_of(self).ellipsis))))
