"""The clock. Everything that needs the time receives one."""

import time
from typing import Protocol


class Clock(Protocol):
    """Gives the time in RFC 3339, UTC, to the millisecond."""

    def now(self) -> str:
        """The current time."""


def later(at: str, seconds: float) -> str:
    """A time some seconds after another one."""
    from datetime import datetime, timedelta  # few calls need it

    moved = datetime.fromisoformat(at) + timedelta(seconds=seconds)
    return moved.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moved.microsecond // 1000:03d}Z"


class SystemClock:
    """The system clock."""

    def now(self) -> str:
        """The current time."""
        moment = time.time()
        whole = int(moment)
        return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(whole))}.{int((moment - whole) * 1000):03d}Z"
