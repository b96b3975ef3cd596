"""Text for a terminal: control characters made visible, and widths in columns."""

import re
from typing import Final

from rich.cells import cell_len, set_cell_size

from gatepost.surfaces.terminal import RICH

# What moves the cursor, starts an escape sequence, hides or reorders text beside it. The joiners (200c,
# 200d) are left: scripts and emoji need them.
_ACTS: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
# Variation selectors. Terminals disagree on the width that results, which would break the row.
_LOOKS: Final = re.compile("[\ufe00-\ufe0f]+")
_MARK: Final = "[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
# Piled up, accents reach into the rows above and below.
_PILE: Final = re.compile(f"({_MARK}{{4}}){_MARK}+")
_UNKNOWN: Final = "\ufffd"
_PICTURES: Final = 0x2400
_DELETE: Final = 0x7F
_MINUTE, _HOUR, _DAY = 60, 3600, 86_400


def safe(text: str, *, lines: bool = False) -> str:
    """The text with control characters made visible: an escape is shown as ␛.

    One line comes back, unless `lines` asks for the line breaks to be kept.
    """
    if lines:
        return "\n".join(safe(line) for line in text.expandtabs(4).splitlines())
    if text.isascii() and text.isprintable():
        return text
    return _PILE.sub(r"\1", _LOOKS.sub("", _ACTS.sub(_shown, text)))


width: Final = cell_len
"""How many columns a safe text takes."""


def clip(text: str, room: int, ellipsis: str = RICH.ellipsis) -> str:
    """As much of a safe text as fits into `room` columns, with an ellipsis if that is not all."""
    if len(text) * 2 <= room or cell_len(text) <= room:
        return text
    kept = room - cell_len(ellipsis)
    if kept < 0:
        return set_cell_size(text, max(room, 0)).rstrip()
    return set_cell_size(text, kept).rstrip() + ellipsis


def pad(text: str, room: int) -> str:
    """A safe text, cut or padded to exactly `room` columns."""
    return set_cell_size(clip(text, room), max(room, 0))


def elapsed(seconds: float) -> str:
    """How long something has been going on, in at most six characters: 7s, 4m05s, 2h30m, 3d04h."""
    whole = max(0, int(seconds))
    if whole < _MINUTE:
        return f"{whole}s"
    if whole < _HOUR:
        return f"{whole // _MINUTE}m{whole % _MINUTE:02d}s"
    if whole < _DAY:
        return f"{whole // _HOUR}h{whole % _HOUR // _MINUTE:02d}m"
    return f"{whole // _DAY}d{whole % _DAY // _HOUR:02d}h"


def _shown(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < ord(" "):
        return chr(_PICTURES + code)
    return chr(_PICTURES + 0x21) if code == _DELETE else _UNKNOWN
