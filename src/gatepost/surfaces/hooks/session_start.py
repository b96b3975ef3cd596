"""When a session or a turn begins: what to work on and what waits, in a few lines.

A session hears everything once, a turn only what is new in the log since then. Without a store, without open work
and without news, nothing heavy is loaded.
"""

from __future__ import annotations

import os

from gatepost.settings import BadSettings, settings
from gatepost.surfaces.hooks.harnesses import begins_session
from gatepost.surfaces.hooks.posttool import roots

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatepost.settings import Settings
    from gatepost.surfaces.hooks.harnesses import HookCall


def news(event: HookCall) -> str:
    """What an agent should know where it starts. Empty if nothing is open, or the store cannot be read."""
    for root in roots(event.cwd):
        try:
            found = settings({}, start=root)
        except BadSettings:
            continue
        if found.is_database or (found.is_file and os.path.isfile(found.store)):
            return _told(found, event) if _is_new(found, event) else ""
    return ""


def _is_new(found: Settings, event: HookCall) -> bool:
    """Whether there is something open, and something that the session was not told yet."""
    if found.is_database:
        return True  # an agent that waits hears of its answer at the start of its next turn
    from gatepost.storage.sqlite.hook_reads import length_of_logs
    from gatepost.surfaces.hooks import told_sessions

    length = length_of_logs(found.store)
    if length == 0:
        return False
    is_known = told_sessions.tell(found.store, event.session or event.harness, length)
    return begins_session(event) or not is_known


def _told(found: Settings, event: HookCall) -> str:
    from gatepost.surfaces.hooks.work_summary import work_summary

    return work_summary(found, event)
