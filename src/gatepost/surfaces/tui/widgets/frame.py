"""What frames every screen: a line that says where one is and how fresh it is, and a line of keys."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from rich.text import Text
from textual.app import RenderResult
from textual.widget import Widget

from gatepost.surfaces.tui.texts import clip, elapsed, safe, width

if TYPE_CHECKING:
    from gatepost.surfaces.tui.app import GatepostApp


class Line(Widget):
    """One row of text. Showing the same again draws nothing."""

    DEFAULT_CSS = "Line { height: 1; }"

    def __init__(self, text: Text | None = None, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._text = text or Text()

    def show(self, text: Text) -> None:
        """Be this text from now on."""
        text.no_wrap, text.overflow = True, "crop"
        if text.plain != self._text.plain or text.spans != self._text.spans or text.style != self._text.style:
            self._text = text
            self.refresh()

    def render(self) -> RenderResult:
        """The row."""
        return self._text


class TopBar(Line):
    """The top line: the workspace, the screen's name, and whether what is shown is live."""

    DEFAULT_CSS = "TopBar { dock: top; background: $panel; color: $foreground; }"

    def __init__(self, title: str) -> None:
        super().__init__()
        self._title = title

    def on_mount(self) -> None:
        """Show the state at once."""
        self.renew()

    def on_resize(self) -> None:
        """What fits depends on the width."""
        self.renew()

    def rename(self, title: str) -> None:
        """Name another thing as the screen's."""
        self._title = title
        self.renew()

    def renew(self) -> None:
        """Show the connection's state as it is now."""
        app = cast("GatepostApp", self.app)
        room = self.size.width or app.size.width
        state, style = freshness(app)
        state = clip(state, max(room * 2 // 3, 12), app.glyphs.ellipsis)
        name = clip(
            f" {safe(app.source.workspace)} {app.glyphs.dot} {self._title}",
            room - width(state) - 3,
            app.glyphs.ellipsis,
        )
        gap = max(1, room - width(name) - width(state) - 1)
        self.show(Text.assemble((name, "bold"), " " * gap, (state, style)))


def freshness(app: "GatepostApp") -> tuple[str, str]:
    """How live the screen is, in words with a sign, and a style for them."""
    if app.state == "live":
        if app.source.todos.needs_snapshot():
            return f"{app.glyphs.waiting} catching up", "bold yellow"
        return f"{app.glyphs.now} live", "green"
    if app.state == "refused":
        return f"{app.glyphs.blocked} refused: {safe(app.reason)}", "bold red"
    if app.heard_at is None:
        return f"{app.glyphs.waiting} {safe(app.reason)}", "bold yellow"
    since = elapsed(app.now() - app.heard_at)
    return f"{app.glyphs.blocked} STALE for {since}: {safe(app.reason)}", "bold yellow reverse"


class KeyBar(Line):
    """The bottom line: what can be pressed here. Where not all have room, the last one stays: it is the way out."""

    DEFAULT_CSS = "KeyBar { dock: bottom; background: $panel; color: $foreground; }"

    def __init__(self, keys: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._keys = keys

    def on_mount(self) -> None:
        """Show them."""
        self.press(self._keys)

    def on_resize(self) -> None:
        """How many fit depends on the width."""
        self.press(self._keys)

    def press(self, keys: Sequence[tuple[str, str]]) -> None:
        """Name these keys from now on."""
        self._keys = keys
        app = cast("GatepostApp", self.app)
        self.show(_named(keys, self.size.width or app.size.width, app.glyphs.ellipsis))


def _named(keys: Sequence[tuple[str, str]], room: int, ellipsis: str) -> Text:
    """As many keys with their meanings as fit: the first ones, and the last."""
    *first, last = [Text.assemble((key, "bold"), f" {meaning}") for key, meaning in keys] or [Text()]
    more = [] if _breadth([*first, last]) <= room else [Text(ellipsis)]
    while first and _breadth([*first, *more, last]) > room:
        first.pop()
    return Text(" ").append_text(Text("  ").join([*first, *more, last]))


def _breadth(parts: Sequence[Text]) -> int:
    return 1 + sum(part.cell_len for part in parts) + 2 * (len(parts) - 1)
