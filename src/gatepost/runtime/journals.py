"""The journal of a session that outlives its process."""

from collections.abc import Callable
from datetime import datetime

from gatepost.runtime.snapshots import Snapshot


class Journal:
    def keep(self, event: object, at: datetime, state: Callable[[], Snapshot]) -> None: ...
    def keep_state(self, snapshot: Snapshot, *, owed: bool = False) -> None: ...
