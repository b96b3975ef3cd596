"""What a stream can show: colours, glyphs, a width; and texts made fit for it."""

import io
import os
import sys
import unicodedata
from typing import Final, TextIO

_STYLES: Final = {
    "bold": "1",
    "dim": "2",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "blue": "36",
    "magenta": "35",
    "alarm": "1;31",
    "now": "1;36",
}
_JOINERS: Final = "\u200c\u200d"
_UNSEEN: Final = ("Cc", "Cf", "Cs", "Zl", "Zp")
_JAMO: Final = ("\u1160", "\u11ff")
"""Vowels and ends of Korean syllables: they stand in the first letter's columns."""


class Glyphs:
    """The signs for states and lines: never colour alone."""

    done = "✓"
    now = "●"
    open = "○"
    blocked = "■"
    waiting = "◷"
    full = "█"
    empty = "░"
    branch = "├─ "
    last = "└─ "
    trunk = "│  "
    more = "⋮"
    ellipsis = "…"
    dot = "·"
    canceled = "⊘"
    on = "◉"
    off = "○"
    folded = "▸"
    unfolded = "▾"
    cursor = "▶"
    prompt = "»"
    dash = "—"
    arrow = "→"
    rule = "─"
    stale = "!"
    lamps = "◔◑◕●☻"
    """What confirmations rest on, the weakest first: the fuller, the stronger; a face is a person."""
    parts: tuple[str, ...] = ("", *"▏▎▍▌▋▊▉")
    """A bar's sign that is not yet full, from none of it to nearly all."""

    def text(self) -> str:
        """All the signs, to see whether a stream can carry them."""
        names = [name for name in vars(Glyphs) if isinstance(getattr(self, name), str) and not name.startswith("_")]
        return "".join((*(getattr(self, name) for name in names), *self.parts))

    def bar(self, done: int, total: int, room: int) -> str:
        """A progress bar of `room` columns. It is full only when everything is done."""
        filled = 0 if total <= 0 else min(room, done * room // total)
        return self.full * filled + self.empty * (room - filled)


class _PlainGlyphs(Glyphs):
    """The same in ASCII."""

    done = "x"
    now = ">"
    open = "o"
    blocked = "!"
    waiting = "~"
    full = "#"
    empty = "."
    branch = "|- "
    last = "`- "
    trunk = "|  "
    more = ":"
    ellipsis = "..."
    dot = "-"
    canceled = "-"
    on = "x"
    off = "."
    folded = "+"
    unfolded = "-"
    cursor = ">"
    prompt = ">"
    dash = "-"
    arrow = "->"
    rule = "-"
    stale = "!"
    lamps = "wnecp"
    parts = ("",)


RICH: Final = Glyphs()
PLAIN: Final = _PlainGlyphs()


class Terminal:
    """A stream as something to write on. `width` is `None` where nobody looks: then nothing is cut or wrapped."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._encoding = "ascii" if _declines_unicode() else stream.encoding or "utf-8"
        self.colour = _coloured(stream)
        self.width = _columns(stream)
        self.glyphs = RICH if self._carries(RICH.text()) else PLAIN

    def say(self, line: str = "") -> None:
        """Write a line."""
        print(line, file=self._stream)

    def paint(self, text: str, *styles: str) -> str:
        """The text in these styles, if there are colours; an empty style is none."""
        codes = ";".join(_STYLES[style] for style in styles if style)
        return f"\x1b[{codes}m{text}\x1b[0m" if self.colour and codes and text else text

    def clean(self, text: str, *, lines: bool = False) -> str:
        """A text that does nothing but show: what could move the cursor, hide or reorder is spelled out.

        The spelling is JSON's, so that a cleaned JSON text still says the same.
        """
        text = spelled_out(text, lines=lines)
        return text if self._carries(text) else "".join(map(self._carried, text))

    def clip(self, text: str, width: int) -> str:
        """As much of a clean text as fits, with a sign if that is not all."""
        if columns(text) <= width:
            return text
        kept, room = "", width - columns(self.glyphs.ellipsis)
        for sign in text:
            room -= columns(sign)
            if room < 0:
                break
            kept += sign
        return kept.rstrip() + self.glyphs.ellipsis if width >= columns(self.glyphs.ellipsis) else ""

    def wrap(self, text: str, indent: int) -> list[str]:
        """The lines of a prose text, each clean and within the width that an indent leaves."""
        found: list[str] = []
        for line in text.expandtabs(4).splitlines():
            found.extend(self._folded(self.clean(line.rstrip()), indent))
        return found

    def _folded(self, line: str, indent: int) -> list[str]:
        if self.width is None or columns(line) <= self.width - indent:
            return [line]
        room = max(20, self.width - indent)
        folded, current = [], ""
        pieces = (piece for word in line.split(" ") for piece in _pieces(word, room))
        for word in pieces:
            if current and columns(current) + 1 + columns(word) > room:
                folded.append(current)
                current = word
            else:
                current = f"{current} {word}" if current else word
        return [*folded, current]

    def _carried(self, sign: str) -> str:
        return sign if self._carries(sign) else _spelled(sign)

    def _carries(self, text: str) -> bool:
        try:
            text.encode(self._encoding)
        except UnicodeEncodeError:
            return False
        return True


def stdout() -> Terminal:
    """The screen that a command's result goes to."""
    return Terminal(sys.stdout if sys.stdout is not None else io.StringIO())


def spelled_out(text: str, *, lines: bool = False) -> str:
    """A text whose control characters, and those that hide or reorder, are spelled as JSON has them."""
    if lines:
        return "\n".join(map(spelled_out, text.split("\n")))
    return text if text.isprintable() else "".join(_spelled(sign) if _acts(sign) else sign for sign in text)


def columns(text: str) -> int:
    """How many columns a clean text takes: East Asian characters two, accents none."""
    if text.isascii():
        return len(text)
    return sum(_breadth(sign) for sign in text)


def pad(text: str, width: int) -> str:
    """A clean text, filled up to a width."""
    return text + " " * (width - columns(text))


def _pieces(word: str, room: int) -> list[str]:
    """A word that fits, or else in pieces that do: not all scripts put spaces between words."""
    if columns(word) <= room:
        return [word]
    found, current = [], ""
    for sign in word:
        if columns(current) + _breadth(sign) > room:
            found.append(current)
            current = ""
        current += sign
    return [*found, current]


def _breadth(sign: str) -> int:
    if unicodedata.category(sign) in ("Mn", "Me", "Cf") or _JAMO[0] <= sign <= _JAMO[1]:
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1


def _acts(sign: str) -> bool:
    return unicodedata.category(sign) in _UNSEEN and sign not in _JOINERS


def _spelled(sign: str) -> str:
    code = ord(sign)
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


def _declines_unicode() -> bool:
    """Whether somebody chose a locale without it. Python overrules that for itself, but not for the terminal."""
    if not sys.flags.utf8_mode or os.environ.get("PYTHONUTF8") or os.environ.get("PYTHONIOENCODING"):
        return False
    # In this mode, LC_CTYPE may be what Python itself has put there.
    chosen = os.environ.get("LC_ALL") or os.environ.get("LANG") or ""
    return bool(chosen) and "utf" not in chosen.lower()


def _coloured(stream: TextIO) -> bool:
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def _columns(stream: TextIO) -> int | None:
    if not stream.isatty():
        return None
    import shutil

    return max(40, shutil.get_terminal_size().columns)
