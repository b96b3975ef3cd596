"""Exceptions from user code: passed to a handler, or collected while the remaining work is done, then raised."""

from collections.abc import Callable
from types import TracebackType
from typing import Final


class FailureHandler:
    """Passes exceptions from user code to a handler and continues. Interrupts (not an `Exception`) pass through."""

    __slots__ = ("_failed",)

    def __init__(self, failed: Callable[[Exception], None]) -> None:
        self._failed = failed

    def __enter__(self) -> None:
        """Guard a block. One object can guard several blocks, also nested ones."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if not isinstance(error, Exception):
            return False
        self._failed(error)
        return True


class Failures(FailureHandler):
    """Collects exceptions, so that the work after a failed block is still done. `report` raises them."""

    __slots__ = ("found",)

    def __init__(self) -> None:
        # Not by the base class: every dispatch creates one of these.
        self.found: Final[list[Exception]] = []
        self._failed = self.found.append

    def report(self, doing: str, what: str | type) -> None:
        """Raise what was collected: a single exception as it is, several as a group with a description."""
        found = self.found
        if not found:
            return
        if len(found) == 1:
            raise found[0]
        named = what if isinstance(what, str) else what.__qualname__
        raise ExceptionGroup(f"{len(found)} failures while {doing} {named}", found)
