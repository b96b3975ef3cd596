"""The database's clock, as this process knows it: all machines judge claims by the same time."""

import time
from collections.abc import Callable


class DatabaseClock:
    """Gives the time of the database. Each transaction brings it up to date; in between, this machine counts on."""

    def __init__(self) -> None:
        self._ahead = 0.0
        """Seconds from this machine's monotonic clock to the database's time."""
        self._known = False
        self.ask: Callable[[], float] | None = None
        """Asks the database, for a time before the first transaction."""

    def set(self, epoch: float | None) -> None:
        """The database has just said what time it is."""
        if epoch is not None:
            self._ahead = epoch - time.monotonic()
            self._known = True

    def now(self) -> str:
        """The current time."""
        if not self._known and self.ask is not None:
            self.set(self.ask())
        moment = time.monotonic() + self._ahead if self._known else time.time()
        whole = int(moment)
        return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(whole))}.{int((moment - whole) * 1000):03d}Z"
