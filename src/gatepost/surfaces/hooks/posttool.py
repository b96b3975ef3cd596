"""After a tool call: whether a package was touched. If so, the keeper judges it, restores it and says so.

It does not matter how the call did it: nothing of its command is parsed here. While nothing changes, nothing heavy
is loaded and the store is not opened.
"""

from __future__ import annotations

import os

from gatepost.settings import FILE, find_root
from gatepost.surfaces.hooks import package_state
from gatepost.surfaces.hooks.harnesses import PROJECT_VARIABLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Final

    from gatepost.surfaces.hooks.harnesses import ToolCall
    from gatepost.surfaces.hooks.package_restorer import RestoreReport

MOST_LOOKS: Final = 3
"""A look that changed something is checked by another one, but not for ever: others may write meanwhile."""


def kept_after(call: ToolCall) -> list[RestoreReport]:
    """What was found and done in the packages around a call; nothing, nearly always."""
    return [kept for root in _roots(call.cwd) for kept in _kept(root, call)]


def _kept(root: str, call: ToolCall) -> Iterator[RestoreReport]:
    then = package_state.last_saved(root)
    for look in range(MOST_LOOKS):
        # Seen before it is judged: what changes in between is seen by the next call.
        now = package_state.current(root)
        if then is not None and then.states == now.states:
            if then.head != now.head:
                package_state.save(root, now)
            return
        from gatepost.surfaces.hooks.package_restorer import keep

        kept = keep(root, call, then, now)
        if kept.says and (kept.changed or not look):
            yield kept
        if kept.again:
            return
        then = now
        package_state.save(root, now)
        if not kept.changed:
            return


def _roots(cwd: str) -> Iterator[str]:
    """The projects that a call may touch: what the harness says, and where the session is. Those with a store."""
    given = os.environ.get("GATEPOST_ROOT")
    starts = [*(os.environ.get(name) for name in PROJECT_VARIABLES), cwd]
    roots = [os.path.abspath(given)] if given else [find_root(os.path.abspath(it)) for it in starts if it]
    for root in dict.fromkeys(roots):
        if "GATEPOST_STORE" in os.environ or any(os.path.exists(f"{root}/{it}") for it in (".gatepost", FILE)):
            yield root
