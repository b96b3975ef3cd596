"""A step as people name it: by its path, the numbers of its path, its id, or how its title begins."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gatepost.surfaces.cli.invocation import Invocation

_IDS = ("STEP-", "NODE-")
_PATHS = ("s:", "t:")


def selected(invocation: Invocation, task: str | None, typed: str | None) -> dict[str, Any]:
    """The arguments that name a step; none, if none is named."""
    if typed is None:
        return {}
    known = spelled(typed)
    if known is not None or task is None:
        return known or {"path": typed}
    from gatepost.surfaces.cli.title_search import titled

    return {"step_id": titled(invocation, task, typed)}


def spelled(typed: str) -> dict[str, Any] | None:
    """The arguments that name a step by its path or id; none if the text can only be a title."""
    if typed[:5].upper() in _IDS:
        return {"step_id": typed.upper()}
    if typed[:2].lower() in _PATHS:
        return {"path": typed.lower()}
    numbers = typed.split(".")
    if all(number.isascii() and number.isdecimal() for number in numbers):
        return {"path": ".".join(f"s:{number.lstrip('0') or '0'}" for number in numbers)}
    return None
