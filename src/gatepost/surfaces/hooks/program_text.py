"""Checks program text in a command (`python -c …`) for paths to something closed."""

from __future__ import annotations

from gatepost.domain.protected_names import HOME, PACKAGE, closed
from gatepost.surfaces.hooks.written_paths import is_remote, names_closed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from gatepost.surfaces.hooks.disk_paths import DiskPaths
    from gatepost.surfaces.hooks.written_paths import WrittenPaths

# A path inside a program: no spaces, quotes or brackets.
_RUN: Final = r"[^\s'\"`()\[\]{},;=<>|&$]+"
_QUOTES: Final = ("'", '"', "`", "")
# `/a\.tsk/`, `s/a.tsk/b/` and `$1 == "a.tsk"`, where a program of `awk` or `perl` can have them: a path, too, has
# slashes and may have a folder called `s`, but it does not follow upon a bracket or an `if`.
_START: Final = r"(?:^|[(,{};!~&|\n]|\b(?:if|unless|and|or|not|when|grep|split)\b)[ \t]*"
_MATCHER: Final = rf"{_START}(?:m|qr)?/(?:\\.|[^/\\\n])+/"
_CHANGER: Final = rf"{_START}(?:s|tr|y)([/#|,!])(?:\\.|(?!\1)[^\\\n])*\1(?:\\.|(?!\1)[^\\\n])*\1"
_COMPARED: Final = r"(?:==|!=|~|\beq|\bne)[ \t]*(?:\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')"


def code_names_closed(code: str, ground: DiskPaths | WrittenPaths) -> bool:
    """Whether a program contains a path to something closed. `item.tsk` and `endswith(".tsk")` are not paths."""
    import re

    return any(
        _names_closed(run.group(), code[run.end() : run.end() + 1]) and not ground.is_elsewhere(run.group())
        for run in re.finditer(_RUN, code)
    )


def without_patterns(code: str) -> str:
    """A program for `awk`, `perl` or `ruby` without its patterns and comparisons."""
    import re

    for shape in (_CHANGER, _MATCHER, _COMPARED):
        code = re.sub(shape, ";", code)
    return code


def _names_closed(run: str, following: str) -> bool:
    if is_remote(run):
        return False
    folders, is_path, last = run.rpartition("/")
    if is_path and names_closed(folders if closed(last) else run):
        return True
    return following in _QUOTES and run not in (HOME, PACKAGE) and closed(last)
