"""Unexpected errors while the interface covers the terminal: kept, and printed when it ends."""

import threading
from traceback import format_exception
from typing import Final

from gatepost.surfaces import faults
from gatepost.wire.credentials import redacted

_MOST: Final = 5


class FaultReports:
    """The last few causes. Any thread may add one."""

    def __init__(self) -> None:
        self._lock: Final = threading.Lock()
        self._kept: dict[str, tuple[str, int]] = {}
        """Each cause's id, and how often it occurred."""

    def report(self, where: str, error: BaseException) -> str:
        """Keep a fault without credentials, and return its id. The same cause keeps its id."""
        cause, _ = redacted(f"{where}\n{''.join(format_exception(error))}")
        with self._lock:
            known = self._kept.pop(cause) if cause in self._kept else None
            fault, times = (faults.report(where, error), 0) if known is None else known
            self._kept[cause] = (fault, times + 1)
            if len(self._kept) > _MOST:
                del self._kept[next(iter(self._kept))]
        return fault

    def take(self) -> list[str]:
        """Remove and return the kept faults in words, the latest last."""
        with self._lock:
            kept, self._kept = self._kept, {}
        return [
            f"gatepost: fault {fault}{'' if times == 1 else f', {times} times,'} {cause.rstrip()}"
            for cause, (fault, times) in kept.items()
        ]


REPORTS: Final = FaultReports()
report: Final = REPORTS.report
