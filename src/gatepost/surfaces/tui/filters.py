"""Filters for plain terminals: ASCII only, or no colors."""

from functools import lru_cache
from typing import Final

from rich.cells import set_cell_size, split_graphemes
from rich.color import Color as RichColor
from rich.color_triplet import ColorTriplet
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

_LINES: Final = str.maketrans(
    {
        **dict.fromkeys("─━═╌┄┈▔▁", "-"),
        **dict.fromkeys("│┃║▏▎▌▐▕", "|"),
        **dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╯╰", "+"),
        **dict.fromkeys("█▓▒▇▆▅▄", "#"),
        **dict.fromkeys("░▃▂", "."),
        **dict.fromkeys("•·\u2013—", "-"),
        "…": ".",
    }
)


class AsciiFilter(LineFilter):
    """Draws lines with `-`, `|` and `+`; other characters become question marks of the same width."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002 - Textual's signature
        """The same segments in ASCII."""
        return [
            part if part.text.isascii() else Segment(to_ascii(part.text), part.style, part.control)
            for part in segments
        ]


def to_ascii(text: str) -> str:
    """A text in ASCII that takes as many columns."""
    drawn = text.translate(_LINES)
    if drawn.isascii():
        return drawn
    spans, columns = split_graphemes(drawn)
    # By grapheme: the parts of a combined character are wider alone than together.
    signs = (_sign(drawn[start:end], breadth) for start, end, breadth in spans)
    return set_cell_size("".join(signs), columns)


def _sign(sign: str, breadth: int) -> str:
    """A letter without its accents; anything else as question marks of its width."""
    return sign[0] if sign[0].isascii() and breadth == 1 else "?" * breadth


class ColorlessFilter(LineFilter):
    """Removes colors. Warnings become bold, marked text reversed, faint text dim."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002 - Textual's signature
        """The same segments without colours."""
        return [
            part if part.style is None else Segment(part.text, without_color(part.style), part.control)
            for part in segments
        ]


_TINTED: Final = 40
"""A colour with a meaning has more than this between its strongest and its weakest part; shades of grey less."""
_FAINT: Final = 140
"""Grey text that differs less than this from its background counts as faint."""
_WARM: Final = 1.25


@lru_cache(4096)
def without_color(style: Style) -> Style:
    """The same style without colors."""
    text, behind = _parts(style.color), _parts(style.bgcolor)
    emphasis = Style(
        bold=True if text is not None and _alarming(text) else None,
        reverse=True if not style.reverse and _marked(text, behind) else None,
        dim=True if _faint(text, behind) else None,
    )
    return style.without_color + emphasis + Style.from_meta(style.meta)


def _parts(color: RichColor | None) -> ColorTriplet | None:
    return None if color is None else color.triplet


def _alarming(text: ColorTriplet) -> bool:
    """Red, orange and yellow."""
    return text.red > _WARM * text.blue and text.red >= text.green


def _marked(text: ColorTriplet | None, behind: ColorTriplet | None) -> bool:
    """Dark on light, or on a colour."""
    if behind is None:
        return False
    return _tint(behind) > _TINTED or (text is not None and _brightness(behind) > _brightness(text))


def _faint(text: ColorTriplet | None, behind: ColorTriplet | None) -> bool:
    if text is None or behind is None or _tint(text) > _TINTED:
        return False
    return 0 < _brightness(text) - _brightness(behind) < _FAINT


def _tint(color: ColorTriplet) -> int:
    return max(color) - min(color)


def _brightness(color: ColorTriplet) -> float:
    return (299 * color.red + 587 * color.green + 114 * color.blue) / 1000
