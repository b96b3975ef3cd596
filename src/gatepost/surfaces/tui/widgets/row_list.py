"""A list of any length, of which only what is seen is drawn, and which stays where it is when it changes."""

from collections.abc import Callable, Hashable, Sequence
from typing import ClassVar, Generic, TypeVar

from rich.segment import Segment
from rich.style import Style
from rich.text import Span, Text
from textual.binding import BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from gatepost.surfaces.tui.keys import ROWS, bindings

R = TypeVar("R")

RowStyle = tuple[str, str | Style, tuple[Span, ...]]

_HERE = Style(bold=True, reverse=True)


class RowList(ScrollView, Generic[R], can_focus=True):
    """Rows with a cursor. `draw` makes a row of something for a width, with its first column free for the `mark` of
    the cursor; `name` identifies it."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(ROWS)

    class Chosen(Message):
        """Enter was pressed on a row."""

        def __init__(self, row: object) -> None:
            super().__init__()
            self.row = row

    class CursorMoved(Message):
        """The cursor was moved by a key."""

    def __init__(
        self,
        draw: Callable[[R, int], Text],
        name: Callable[[R], Hashable],
        *,
        mark: str = ">",
        id: str | None = None,  # noqa: A002 - Textual's name
    ) -> None:
        super().__init__(id=id)
        self._draw = draw
        self._mark = mark
        self._identity = name
        self._rows: Sequence[R] = ()
        self._drawn: dict[int, tuple[int, RowStyle]] = {}
        """For each line of the window: which row was drawn there, and how it looked."""
        self.cursor = 0

    @property
    def rows(self) -> Sequence[R]:
        """The rows."""
        return self._rows

    @property
    def row(self) -> R | None:
        """The row at the cursor."""
        return self._rows[self.cursor] if self._rows else None

    def renew(self, rows: Sequence[R]) -> None:
        """Show these rows. The cursor stays on its row, and that in its place on the screen. Equal rows draw
        nothing."""
        if rows == self._rows:
            return
        here = self.row
        above = self.cursor - int(self.scroll_offset.y)
        self._rows = rows
        self.cursor = self._found(here)
        self._resized()
        self.scroll_to(y=max(0, self.cursor - above), animate=False, immediate=True)
        self.refresh()

    def redraw(self) -> None:
        """Draw the rows that look different now."""
        top, room = int(self.scroll_offset.y), self.scrollable_content_region.width
        for index in range(top, min(len(self._rows), top + self.scrollable_content_region.height)):
            if self._drawn.get(index - top) != (index, _look(self._draw(self._rows[index], room))):
                self.refresh_line(index)

    def go(self, index: int) -> None:
        """Move the cursor to a row and scroll it into view. A negative index counts from the end."""
        last = len(self._rows) - 1
        before, self.cursor = self.cursor, max(0, min(last, index if index >= 0 else last + 1 + index))
        if before != self.cursor:
            self.refresh_line(before)
            self.refresh_line(self.cursor)
        # Forced: a list that has just become longer than its window has no scrollbar yet, and would not scroll.
        self.scroll_to_region(Region(0, self.cursor, 1, 1), animate=False, immediate=True, force=True)

    def action_move(self, by: int) -> None:
        self.go(max(0, self.cursor + by))
        self.post_message(self.CursorMoved())

    def action_jump(self, index: int) -> None:
        self.go(index)
        self.post_message(self.CursorMoved())

    def action_page(self, by: int) -> None:
        self.go(max(0, self.cursor + by * max(1, self.scrollable_content_region.height - 1)))
        self.post_message(self.CursorMoved())

    def action_choose(self) -> None:
        row = self.row
        if row is not None:
            self.post_message(self.Chosen(row))

    def on_resize(self) -> None:
        self._resized()
        self.go(self.cursor)

    def render_line(self, y: int) -> Strip:
        room = self.scrollable_content_region.width
        index = int(self.scroll_offset.y) + y
        if index >= len(self._rows):
            return Strip.blank(room, self.rich_style)
        text = self._draw(self._rows[index], room)
        self._drawn[y] = (index, _look(text))
        strip = Strip(text.render(self.app.console)).adjust_cell_length(room)
        if index != self.cursor:
            return strip.apply_style(self.rich_style)
        return _marked(strip, self._mark, self.rich_style)

    def _found(self, row: R | None) -> int:
        """The index of a row; if it is gone, the index it had."""
        last = max(0, len(self._rows) - 1)
        if row is None:
            return 0
        name = self._identity(row)
        if self.cursor <= last and self._rows and self._identity(self._rows[self.cursor]) == name:
            return self.cursor
        found = (index for index, each in enumerate(self._rows) if self._identity(each) == name)
        return next(found, min(self.cursor, last))

    def _resized(self) -> None:
        self.virtual_size = Size(self.scrollable_content_region.width, len(self._rows))


def _look(text: Text) -> RowStyle:
    return (text.plain, text.style, tuple(text.spans))


def _marked(strip: Strip, mark: str, base: Style) -> Strip:
    """The row at the cursor, with a mark in its first column: the cursor is visible without colors, too."""
    return Strip([Segment(mark + strip.crop(1).text, base + _HERE)], strip.cell_length)
