"""Checks program text in a command (`python -c …`) for paths to something closed."""

from __future__ import annotations

import re

from gatepost.domain.protected_names import HOME, PACKAGE, closed
from gatepost.surfaces.hooks.written_paths import is_remote, names_closed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from gatepost.surfaces.hooks.disk_paths import DiskPaths

# A path inside a program: no spaces, quotes or brackets.
_RUN: Final = r"[^\s'\"`()\[\]{},;=<>|&$]+"
_QUOTES: Final = ("'", '"', "`", "")
# `/a\.tsk/`, `s/a.tsk/b/` and `$1 == "a.tsk"`, where a program of `awk` or `perl` can have them: a path, too, has
# slashes and may have a folder called `s`, but it does not follow a bracket or an `if`.
_START: Final = r"(?:^|[(,{};!~&|\n]|\b(?:if|unless|and|or|not|when|grep|split)\b)[ \t]*"
_MATCHER: Final = rf"{_START}(?:m|qr)?/(?:\\.|[^/\\\n])+/"
_CHANGER: Final = rf"{_START}(?:s|tr|y)([/#|,!])(?:\\.|(?!\1)[^\\\n])*\1(?:\\.|(?!\1)[^\\\n])*\1"
_COMPARED: Final = r"(?:==|!=|~|\beq|\bne)[ \t]*(?:\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')"

# The commands of `sed` that read, write or run something, once its patterns are gone.
_SED_FILE: Final = r"(?:^|[;{}\n])[\d$,~+! \tgpIMm]*[rRwWe][ \t]*([^\n]*)"


def code_names_closed(code: str, paths: DiskPaths) -> bool:
    """Whether a program contains a path to something closed. `item.tsk` and `endswith(".tsk")` are not paths."""
    return any(
        _names_closed(run.group(), code[run.end() : run.end() + 1]) and not paths.is_elsewhere(run.group())
        for run in re.finditer(_RUN, code)
    )


def without_patterns(code: str) -> str:
    """A program for `awk`, `perl` or `ruby` without its patterns and comparisons."""
    for shape in (_CHANGER, _MATCHER, _COMPARED):
        code = re.sub(shape, ";", code)
    return code


def sed_names_closed(code: str) -> bool:
    """Whether a program for `sed` reads or writes a file in something closed, or runs a command that names one."""
    return any(
        names_closed(word) for line in re.findall(_SED_FILE, without_patterns(code)) for word in line.split()
    )


def _names_closed(run: str, following: str) -> bool:
    if is_remote(run):
        return False
    folders, is_path, last = run.rpartition("/")
    if is_path and names_closed(folders if closed(last) else run):
        return True
    return following in _QUOTES and run not in (HOME, PACKAGE) and closed(last)
