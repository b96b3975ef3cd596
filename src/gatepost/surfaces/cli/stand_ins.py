"""Imports without what they never use: a stand-in takes a module's place for as long as the import takes.

Only the command line does this. Its process runs one command and nobody else's code.
"""

from __future__ import annotations

import os
import sys
from types import ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def import_argparse() -> None:
    """Import argparse without `gettext`: there are no translations, and looking for them costs as much again."""
    stand_ins = _placed(gettext=_stand_in("gettext", gettext=str, ngettext=_number))
    import argparse  # noqa: F401

    _remove(stand_ins)


def import_msgspec() -> None:
    """Import msgspec without what only others need.

    It prefers `typing_extensions` to `typing` where it is installed, which costs as much as msgspec itself. All
    types that a command uses come from `typing`. In Python 3.11 `uuid` imports `platform` for the name of the
    system. `textwrap` is for schemas.
    """
    if "msgspec" in sys.modules:
        return
    stand_ins = _placed(
        typing_extensions=None,  # makes the import fail
        platform=_stand_in("platform", system=_system),
        textwrap=_stand_in("textwrap"),
    )
    try:
        import msgspec  # noqa: F401
    finally:
        _remove(stand_ins)


def _placed(**stand_ins: ModuleType | None) -> dict[str, ModuleType | None]:
    """Those of the stand-ins whose modules were not imported yet. They are in place now."""
    new = {name: stand_in for name, stand_in in stand_ins.items() if name not in sys.modules}
    sys.modules.update(new)  # type: ignore[arg-type] # None is how an import is made to fail
    return new


def _remove(stand_ins: dict[str, ModuleType | None]) -> None:
    for name, stand_in in stand_ins.items():
        if sys.modules.get(name, stand_ins) is stand_in:
            del sys.modules[name]


def _stand_in(name: str, **known: Callable[..., Any]) -> ModuleType:
    """A module with a few functions. For anything else it turns to the real one, whenever that is."""
    stand_in = ModuleType(name)

    def real(attribute: str) -> Any:
        if attribute.startswith("__"):  # the import itself looks for some
            raise AttributeError(attribute)
        _remove({name: stand_in})
        from importlib import import_module

        return getattr(import_module(name), attribute)

    vars(stand_in).update(known, __getattr__=real)
    return stand_in


def _number(one: str, many: str, count: int) -> str:
    return one if count == 1 else many


def _system() -> str:
    return os.uname().sysname
