"""After a tool call: checks whether a package was changed. If so, it is restored and the agent gets a message.

It does not matter how the call did it: the command is not parsed here. As long as nothing changes, the store is not
opened and nothing heavy is loaded.
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

    from gatepost.surfaces.hooks.harnesses import HookCall
    from gatepost.surfaces.hooks.package_restorer import RestoreReport

MOST_LOOKS: Final = 3
"""A check that restored something is followed by another one, up to this limit: others may write meanwhile."""


def reports_after(call: HookCall) -> list[RestoreReport]:
    """What was found and restored after a call; almost always nothing."""
    return [report for root in roots(call.cwd) for report in _checked(root, call)]


def _checked(root: str, call: HookCall) -> Iterator[RestoreReport]:
    then = package_state.last_saved(root)
    for look in range(MOST_LOOKS):
        # Read before the check: the next call sees any change in between.
        now = package_state.current(root)
        if then is not None and then.states == now.states:
            if then.head != now.head:
                package_state.save(root, now)
            return
        from gatepost.surfaces.hooks.package_restorer import keep

        report = keep(root, call, then, now)
        if report.message and (report.restored or not look):
            yield report
        if report.busy:
            return
        then = now
        package_state.save(root, now)
        if not report.restored:
            return


def roots(cwd: str) -> Iterator[str]:
    """The projects with a store that a call may touch: those named by the harness, and the session's own."""
    given = os.environ.get("GATEPOST_ROOT")
    starts = [*(os.environ.get(name) for name in PROJECT_VARIABLES), cwd]
    roots = [os.path.abspath(given)] if given else [find_root(os.path.abspath(it)) for it in starts if it]
    for root in dict.fromkeys(roots):
        if "GATEPOST_STORE" in os.environ or _has_store(root):
            yield root


def _has_store(root: str) -> bool:
    folders = [root]
    if os.path.isfile(f"{root}/.git"):
        from gatepost.files.worktrees import linked_worktree

        linked = linked_worktree(root)
        folders += [] if linked is None else [linked.main]
    return any(os.path.exists(f"{folder}/{it}") for folder in folders for it in (".gatepost", FILE))
