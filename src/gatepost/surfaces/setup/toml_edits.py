"""Additions to TOML files. Each is checked: the file must then say what it said before, and the addition."""

import re
import tomllib
from typing import Any, Final

from gatepost.surfaces.setup.json_spans import CannotMerge
from gatepost.surfaces.setup.splices import EditedText

_AHEAD: Final = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\r?\n)*")


def values(text: str) -> dict[str, Any]:
    """What a file says. Raises `CannotMerge`."""
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        raise CannotMerge("is not TOML that can be read") from None


def add_key(edited: EditedText, key: str, line: str) -> bool:
    """Add a key to the top level, behind the comments that the file begins with, unless it is there."""
    known = values(edited.text)
    if key in known:
        return False
    found = _AHEAD.match(edited.text)
    edited.insert(found.end() if found else 0, f"{line}{edited.newline}")
    if {name: it for name, it in values(edited.text).items() if name != key} != known:
        raise CannotMerge(f"has no place for {key}")
    return True


def add_table(edited: EditedText, path: tuple[str, ...], lines: list[str]) -> bool:
    """Add a table at the end, unless it is there."""
    known: Any = values(edited.text)
    for key in path:
        known = known.get(key) if isinstance(known, dict) else None
    if known is not None:
        return False
    newline = edited.newline
    ahead = "" if not edited.text else newline if edited.text.endswith("\n") else newline * 2
    edited.insert(len(edited.text), ahead + "".join(line + newline for line in lines))
    values(edited.text)
    return True
