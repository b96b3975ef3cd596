"""Program text inside a command (`python -c …`): whether it names something closed."""

from __future__ import annotations

from gatepost.domain.closed import HOME, PACKAGE, closed
from gatepost.surfaces.hooks.names import is_remote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

# What a path is made of where it stands in a program: no blanks, quotes or brackets.
_RUN: Final = r"[^\s'\"`()\[\]{},;=<>|&$]+"
_QUOTES: Final = ("'", '"', "`", "")


def code_names_closed(code: str) -> bool:
    """Whether a program spells a path to or into something closed; `item.tsk` and `endswith(".tsk")` are none."""
    import re

    return any(_names_closed(run.group(), code[run.end() : run.end() + 1]) for run in re.finditer(_RUN, code))


def _names_closed(run: str, following: str) -> bool:
    if is_remote(run):
        return False
    *folders, last = run.split("/")
    if any(closed(folder) for folder in folders):
        return True
    return following in _QUOTES and run not in (HOME, PACKAGE) and closed(last)
