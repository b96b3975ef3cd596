"""Why items are blocked: the stream does not say it, so it is asked for when it is shown."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

Why = Callable[[str, str], str]
"""The reason of an item of a list, in brackets behind its title; nothing where there is none."""

_TASK: Final = re.compile(r"TASK-[0-9]+\Z")


class Reasons:
    """Reasons by list, asked for once for as long as a list is the same."""

    def __init__(self, radar: Callable[[str], Mapping[str, Any]]) -> None:
        self._radar = radar
        self._known: dict[str, dict[str, str]] = {}

    def __call__(self, scope: str, item: str) -> str:
        """An item's reason."""
        if _TASK.match(scope) is None:
            return ""
        known = self._known.get(scope)
        if known is None:
            known = self._known[scope] = reasons_of(self._radar(scope))
        reason = known.get(item)
        return f" ({reason})" if reason else ""

    def forget(self, scope: str) -> None:
        """A list has changed: what is shown of it is asked for again."""
        self._known.pop(scope, None)


def nobody_knows(_scope: str, _item: str) -> str:
    """No reason."""
    return ""


def reasons_of(radar: Mapping[str, Any]) -> dict[str, str]:
    """The reasons of blocked steps, from a task's radar."""
    blockers = radar.get("blockers") or ()
    return {str(one["step_id"]): str(one.get("reason") or "") for one in blockers if "step_id" in one}
