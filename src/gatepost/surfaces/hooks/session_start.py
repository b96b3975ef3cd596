"""When a session or a turn begins: what waits, in a few lines. Without a store nothing heavy is loaded."""

from __future__ import annotations

import os

from gatepost.settings import BadSettings, settings
from gatepost.surfaces.hooks.posttool import roots

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gatepost.surfaces.hooks.harnesses import HookCall


def news(event: HookCall) -> str:
    """What waits in the project where an agent starts. Empty if nothing waits, or the store cannot be read."""
    for root in roots(event.cwd):
        try:
            found = settings({}, start=root)
        except BadSettings:
            continue
        if found.is_database or (found.is_file and os.path.isfile(found.store)):
            from gatepost.surfaces.hooks.work_summary import work_summary

            return work_summary(found, event)
    return ""
