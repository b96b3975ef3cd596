"""Something to look at before deciding: a text, and a key for each choice."""

from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from gatepost.surfaces.tui.keys import REVIEW, Key, bindings, hints
from gatepost.surfaces.tui.session import glyphs_of
from gatepost.surfaces.tui.texts import safe
from gatepost.surfaces.tui.widgets.frame import KeyBar
from gatepost.surfaces.tui.widgets.text_view import TextLine, TextView


class ReviewDialog(ModalScreen[str | None]):
    """Gives the key that was chosen, or nothing."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(REVIEW)

    def __init__(self, title: str, lines: Sequence[TextLine], choices: Sequence[Key]) -> None:
        super().__init__()
        self._heading = title
        self._lines = lines
        self._choices = choices

    def compose(self) -> ComposeResult:
        with Vertical(id="frame"):
            yield Static(f"{glyphs_of(self).rule * 2} {safe(self._heading)}", id="title", markup=False)
            yield TextView()
            yield KeyBar(hints([*self._choices, *REVIEW]))

    def on_mount(self) -> None:
        text = self.query_one(TextView)
        text.show(self._lines)
        text.focus()

    def on_key(self, event: events.Key) -> None:
        """Close with the choice, if the key is one."""
        chosen = next((key.press for key in self._choices if key.press in (event.key, event.character)), None)
        if chosen is not None:
            event.stop()
            self.dismiss(chosen)
