"""Long texts to scroll through: wrapped once for a width and drawn line by line, so that length costs little."""

from collections.abc import Iterable, Sequence
from typing import ClassVar, Final, NamedTuple

from rich.cells import cell_len, get_character_cell_size
from rich.segment import Segment
from textual.binding import BindingType
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from gatepost.domain.refusals import Refusal
from gatepost.surfaces.tui.keys import TEXT, bindings
from gatepost.surfaces.tui.source import sentence
from gatepost.surfaces.tui.texts import safe

_NARROWEST: Final = 8
_LOOKS: Final = ("plain", "title", "dim", "good", "bad", "warn", "info", "person")


class TextLine(NamedTuple):
    """A logical line: what does not fit is wrapped below, indented by `hang`."""

    text: str
    look: str = "plain"
    hang: int = 0


def text_lines(text: str, look: str = "plain", indent: str = "") -> list[TextLine]:
    """The lines of a text, with control characters made visible."""
    return [TextLine(indent + line, look, len(indent)) for line in safe(text, lines=True).split("\n")]


def markdown_lines(text: str) -> list[TextLine]:
    """The same for Markdown, which is shown as it is written, with its headings in bold."""
    found, fenced = [], False
    for line in safe(text, lines=True).split("\n"):
        fence = line.lstrip().startswith(("```", "~~~"))
        fenced = fenced != fence
        found.append(TextLine(line, "title" if line.startswith("#") and not fenced else "plain", _hang(line)))
    return found


def diff_lines(diff: str) -> list[TextLine]:
    """The lines of a unified diff, styled by their first character."""
    looks = {"+": "good", "-": "bad", "@": "dim", "\\": "dim"}
    return [
        TextLine(line, "dim" if line.startswith(("+++ ", "--- ")) and at < 2 else looks.get(line[:1], "plain"), 1)
        for at, line in enumerate(safe(diff, lines=True).split("\n"))
    ]


def refusal_lines(no: Refusal) -> list[TextLine]:
    """What is wrong, and the next step."""
    moved = [
        line
        for one in no.details.get("moved", ())
        for line in text_lines(f"{one.get('where', '')} {one.get('says', '')}", indent="    ")
    ]
    message, recovery = no.message, no.recovery
    if no.code == "CLAIMED":  # the refusal names a call for agents; people have a key for it
        message = f"{no.details.get('holder')} has been working on it since {str(no.details.get('since'))[11:16]}."
        recovery = "Leave a note for them with n, or take it over with T."
    return [
        *text_lines(sentence(message), "bad"),
        *moved,
        *text_lines(recovery, "plain", "  "),
        TextLine("  Nothing was changed.", "dim"),
    ]


class TextView(ScrollView, can_focus=True):
    """Lines to read."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"text-view--{look}" for look in _LOOKS}
    BINDINGS: ClassVar[list[BindingType]] = bindings(TEXT)

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__(id=id)
        self._lines: Sequence[TextLine] = ()
        self._rows: list[TextLine] = []
        self._wrapped_for = 0

    def show(self, lines: Iterable[TextLine], *, reset: bool = False) -> None:
        """Show these lines. The scroll position stays unless `reset` is set; equal lines change nothing."""
        lines = tuple(lines)
        if reset:
            self.scroll_to(y=0, animate=False)
        if lines != self._lines:
            self._lines = lines
            self._wrap()

    def on_resize(self) -> None:
        if self.scrollable_content_region.width != self._wrapped_for:
            self._wrap()

    def _wrap(self) -> None:
        self._wrapped_for = room = self.scrollable_content_region.width
        self._rows = [row for line in self._lines for row in _folded(line, max(room, _NARROWEST))]
        self.virtual_size = Size(room, len(self._rows))
        self.refresh()

    def render_line(self, y: int) -> Strip:
        index = self.scroll_offset.y + y
        room = self.scrollable_content_region.width
        if index >= len(self._rows):
            return Strip.blank(room, self.rich_style)
        row = self._rows[index]
        style = self.rich_style + self.get_component_rich_style(f"text-view--{row.look}", partial=True)
        return Strip([Segment(row.text, style)]).adjust_cell_length(room, self.rich_style)


def _folded(line: TextLine, room: int) -> list[TextLine]:
    """A line in pieces that fit, broken at spaces where possible. Only one piece is measured at a time."""
    rows, at, lead, hang = [], 0, "", " " * min(line.hang, room // 2)
    while True:
        ahead = line.text[at : at + room + 1]
        if len(ahead) <= room and cell_len(ahead) <= room - len(lead):
            break
        cut = _cut(ahead, room - len(lead))
        rows.append(line._replace(text=lead + ahead[:cut].rstrip()))
        at, lead = at + cut, hang
        while line.text[at : at + 1] == " ":
            at += 1
    if ahead or not rows:
        rows.append(line._replace(text=lead + ahead))
    return rows


def _cut(text: str, room: int) -> int:
    """How many characters fit: up to the last space, if the line is not one long word."""
    used = fits = 0
    for sign in text:
        used += get_character_cell_size(sign)
        if used > room:
            break
        fits += 1
    if fits < len(text) and text[fits] == " ":
        return fits
    space = text.rfind(" ", room // 3, fits)
    return max(space + 1 if space > 0 else fits, 1)


def _hang(line: str) -> int:
    """The indentation of a list item's text."""
    bare = line.lstrip(" ")
    return len(line) - len(bare) + (2 if bare.startswith(("- ", "* ")) else 0)
