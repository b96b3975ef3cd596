"""Opening the page in a person's browser."""

from __future__ import annotations

import os
import sys
from typing import Final

_DISPLAYS: Final = ("DISPLAY", "WAYLAND_DISPLAY")
_CHOICE: Final = "BROWSER"


def open_page(address: str) -> None:
    """Open an address in the browser. If none is opened, say why; what was asked for besides goes on."""
    obstacle = _obstacle()
    if obstacle is None:
        import webbrowser

        if webbrowser.open(address):
            return
        obstacle = "no browser was found"
    if sys.stderr is not None:
        print(f"gatepost: --open: {obstacle}. Open {address} yourself.", file=sys.stderr)


def _obstacle() -> str | None:
    """Why a browser would be of no use here. Without a display, Python would start one in this very terminal."""
    if not all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout)):
        return "not a terminal, so no browser was opened"
    if sys.platform == "linux" and not any(os.environ.get(name) for name in (*_DISPLAYS, _CHOICE)):
        return "there is no display, so no browser was opened"
    return None
