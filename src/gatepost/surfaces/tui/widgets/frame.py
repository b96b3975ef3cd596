"""The frame of every screen: a top line with workspace, title and connection, and a line of keys."""

from collections.abc import Sequence
from typing import Final

from rich.text import Text
from textual.app import RenderResult
from textual.widget import Widget

from gatepost.surfaces.tui.keys import Hint
from gatepost.surfaces.tui.session import TuiSession, session_of
from gatepost.surfaces.tui.texts import clip, elapsed, safe, width

_NARROW: Final = 60
LOW_SCREEN: Final = [(0, "-low"), (16, "-high")]
"""Classes of a screen by its rows: one with few rows leaves out what is shown elsewhere as well."""


class Line(Widget):
    """One row of text. Showing the same again draws nothing."""

    def __init__(self, text: Text | None = None, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._text = text or Text()

    def show(self, text: Text) -> None:
        """Show this text."""
        text.no_wrap, text.overflow = True, "crop"
        if text.plain != self._text.plain or text.spans != self._text.spans or text.style != self._text.style:
            self._text = text
            self.refresh()

    def render(self) -> RenderResult:
        return self._text


class TopBar(Line):
    """The top line: the workspace, the screen's name, and whether what is shown is live."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self._title = title

    def on_resize(self) -> None:
        self.renew()

    def rename(self, title: str) -> None:
        """Change the screen's name."""
        self._title = title
        self.renew()

    def renew(self) -> None:
        """Show the connection's state as it is now."""
        session = session_of(self)
        glyphs, room = session.glyphs, self.size.width or self.app.size.width
        state, style = freshness(session)
        state = clip(state, max(room * 2 // 3, 12), glyphs.ellipsis)
        inbox = f"{session.waiting} for you: w  " if session.waiting and room > _NARROW else ""
        name = f" {safe(session.source.workspace)} {glyphs.dot} {self._title}"
        name = clip(name, room - width(inbox) - width(state) - 3, glyphs.ellipsis)
        gap = max(1, room - width(name) - width(inbox) - width(state) - 1)
        self.show(Text.assemble((name, "bold"), " " * gap, (inbox, "bold magenta"), (state, style)))


def freshness(session: TuiSession) -> tuple[str, str]:
    """How current the screen is, in words with a sign, and a style for them."""
    glyphs = session.glyphs
    if session.state == "live":
        if session.source.todos.needs_snapshot():
            return f"{glyphs.waiting} catching up", "bold yellow"
        return f"{glyphs.now} live", "green"
    if session.state == "refused":
        return f"{glyphs.blocked} refused: {safe(session.reason)}", "bold red"
    if session.last_live is None:
        return f"{glyphs.waiting} {safe(session.reason)}", "bold yellow"
    since = elapsed(session.now() - session.last_live)
    return f"{glyphs.blocked} STALE for {since}: {safe(session.reason)}", "bold yellow reverse"


class KeyBar(Line):
    """The bottom line: the keys. If not all fit, the last one stays: it is the way out."""

    def __init__(self, keys: Sequence[Hint]) -> None:
        super().__init__()
        self._keys = keys

    def on_resize(self) -> None:
        self.name_keys(self._keys)

    def name_keys(self, keys: Sequence[Hint]) -> None:
        """Show these keys."""
        self._keys = keys
        self.show(_named(keys, self.size.width or self.app.size.width, session_of(self).glyphs.ellipsis))


def _named(keys: Sequence[Hint], room: int, ellipsis: str) -> Text:
    """As many keys with their meanings as fit: the first ones, and the last."""
    *first, last = [Text.assemble((key, "bold"), f" {meaning}") for key, meaning in keys] or [Text()]
    more = [] if _breadth([*first, last]) <= room else [Text(ellipsis)]
    while first and _breadth([*first, *more, last]) > room:
        first.pop()
    return Text(" ").append_text(Text("  ").join([*first, *more, last]))


def _breadth(parts: Sequence[Text]) -> int:
    return 1 + sum(part.cell_len for part in parts) + 2 * (len(parts) - 1)
