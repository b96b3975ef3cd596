"""Where time comes from. Everything that needs it is handed a clock."""

import time
from typing import Protocol


class Clock(Protocol):
    """Tells the time as RFC 3339 in UTC, to the millisecond."""

    def now(self) -> str:
        """The present moment."""


class SystemClock:
    """The machine's own clock."""

    def now(self) -> str:
        """The present moment."""
        moment = time.time()
        whole = int(moment)
        return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(whole))}.{int((moment - whole) * 1000):03d}Z"
