"""JSON on stdout: to programs as it is, to people indented and coloured."""

from __future__ import annotations

import re
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatepost.surfaces.terminal import Terminal

_PIECES = r'("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?'


def print_json(text: str) -> None:
    """Print a reply. A pipe receives it byte for byte."""
    if sys.stdout is None:
        return
    if not sys.stdout.isatty():
        print(_carried(text, sys.stdout.encoding or "utf-8"))
        return
    import json

    from gatepost.surfaces.terminal import Terminal

    terminal = Terminal(sys.stdout)
    shown = terminal.clean(json.dumps(json.loads(text), ensure_ascii=False, indent=2), lines=True)
    print(re.sub(_PIECES, lambda found: _painted(terminal, found), shown) if terminal.colour else shown)


def _carried(text: str, encoding: str) -> str:
    """The same JSON in characters that the encoding has."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        import json

        return json.dumps(json.loads(text), separators=(",", ":"))
    return text


def _painted(terminal: Terminal, found: re.Match[str]) -> str:
    if found[2] is not None:
        return terminal.paint(found[1], "blue") + found[2]
    return terminal.paint(found[0], "green" if found[1] is not None else "yellow")
