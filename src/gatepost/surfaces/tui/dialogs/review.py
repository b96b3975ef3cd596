"""Something to look at before one decides: a text, and a key for each way to go on."""

from collections.abc import Sequence
from typing import ClassVar, Final

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from gatepost.surfaces.tui.session import app_of, glyphs_of
from gatepost.surfaces.tui.texts import safe
from gatepost.surfaces.tui.widgets.frame import KeyBar
from gatepost.surfaces.tui.widgets.text_view import TextLine, TextView

BACK: Final = ("escape", "back")


class ReviewDialog(ModalScreen[str | None]):
    """Gives the key that was chosen, or nothing."""

    DEFAULT_CSS = """
    ReviewDialog { align: center middle; background: $background 60%; }
    ReviewDialog #frame { width: 100%; height: auto; max-height: 100%; background: $surface; }
    ReviewDialog #title { height: auto; max-height: 2; padding: 0 1; background: $panel; text-style: bold; }
    ReviewDialog #text { height: auto; max-height: 100vh; }
    ReviewDialog KeyBar { dock: bottom; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back"),
        Binding("r,ctrl+r", "radar", "Radar"),
    ]

    def __init__(self, title: str, verses: Sequence[TextLine], ways: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._words = title
        self._verses = verses
        self._ways = ways

    def compose(self) -> ComposeResult:
        """A title, the text, the keys."""
        with Vertical(id="frame"):
            yield Static(f"{glyphs_of(self).rule * 2} {safe(self._words)}", id="title", markup=False)
            yield TextView(id="text")
            yield KeyBar([*self._ways, ("r", "radar"), ("esc", BACK[1])])

    def on_mount(self) -> None:
        """Show it."""
        text = self.query_one(TextView)
        text.show(self._verses)
        text.focus()

    def on_key(self, event: events.Key) -> None:
        """One of the ways, if it is one."""
        chosen = next((key for key, _ in self._ways if key in (event.key, event.character)), None)
        if chosen is not None:
            event.stop()
            self.dismiss(chosen)

    def action_radar(self) -> None:
        """Look at the radar, and come back."""
        from gatepost.surfaces.tui.screens.radar import RadarScreen  # it leads to the tree, and the tree to here

        self.app.push_screen(RadarScreen(app_of(self).source))

    def action_leave(self) -> None:
        """Neither."""
        self.dismiss(None)
