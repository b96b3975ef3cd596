"""Exceptions from user code: annotated, collected while the remaining work is done, then raised."""

from collections.abc import Callable
from types import TracebackType
from typing import Final


class Failures:
    """Collects the exceptions of guarded blocks, so that the work after them is still done.

    Nothing is swallowed: `report` raises what was collected. Interrupts (not an `Exception`) pass through at once.
    """

    __slots__ = ("found",)

    def __init__(self) -> None:
        self.found: Final[list[Exception]] = []

    def __enter__(self) -> None:
        """Guard a block. One object can guard several blocks, also nested ones."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if not isinstance(error, Exception):
            return False
        self.found.append(error)
        return True

    def report(self, doing: str, what: str | type) -> None:
        """Raise what was collected: a single exception as it is, several as a group with a description."""
        found = self.found
        if not found:
            return
        if len(found) == 1:
            raise found[0]
        named = what if isinstance(what, str) else what.__qualname__
        raise ExceptionGroup(f"{len(found)} failures while {doing} {named}", found)


class FailureHandler:
    """Passes exceptions from user code to a handler and continues. Interrupts pass through."""

    __slots__ = ("_failed",)

    def __init__(self, failed: Callable[[Exception], None]) -> None:
        self._failed: Final = failed

    def __enter__(self) -> None:
        """Guard a block."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if not isinstance(error, Exception):
            return False
        self._failed(error)
        return True


class FailureNote:
    """Adds a note to an exception that passes through."""

    __slots__ = ("_words",)

    def __init__(self, words: Callable[[], str]) -> None:
        self._words: Final = words

    def __enter__(self) -> None:
        """Guard a block."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            error.add_note(self._words())
