"""When a session or a turn begins: what waits, in a few lines. Without a store nothing heavy is loaded."""

from __future__ import annotations

import os

from gatepost.settings import BadSettings, settings
from gatepost.surfaces.hooks.posttool import roots

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatepost.surfaces.hooks.harnesses import HookCall


def news(event: HookCall) -> str:
    """What waits in the project that an agent begins in; empty if nothing does, or if nobody can tell now."""
    for root in roots(event.cwd):
        try:
            found = settings({}, start=root)
        except BadSettings:
            continue
        if not found.is_server and os.path.isfile(found.store):
            from gatepost.surfaces.hooks.waiting import told

            return told(found, event)
    return ""
