"""The mode for terminals that have ASCII only: whatever was drawn, nothing else leaves."""

from typing import Final

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

_LINES: Final = str.maketrans(
    {
        **dict.fromkeys("─━═╌┄┈▔▁", "-"),
        **dict.fromkeys("│┃║▏▎▌▐▕", "|"),
        **dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╯╰", "+"),
        **dict.fromkeys("█▓▒▇▆▅▄", "#"),
        **dict.fromkeys("░▃▂", "."),
        **dict.fromkeys("•·", "-"),
    }
)


class AsciiOnly(LineFilter):
    """Lines are drawn with `-`, `|` and `+`; what else is not ASCII is shown as question marks of its width."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002 - Textual's signature
        """The same segments in ASCII."""
        return [
            part if part.text.isascii() else Segment(spelled(part.text), part.style, part.control)
            for part in segments
        ]


def spelled(text: str) -> str:
    """A text in ASCII that takes as many columns."""
    drawn = text.translate(_LINES)
    if drawn.isascii():
        return drawn
    signs = "".join(sign if sign.isascii() else "?" * cell_len(sign) for sign in drawn)
    return set_cell_size(signs, cell_len(text))
