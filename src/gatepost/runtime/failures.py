"""What goes wrong in others' code: noted, gathered while the rest is still done, and then raised."""

from collections.abc import Callable
from types import TracebackType
from typing import Final


class Failures:
    """Gathers the exceptions of the blocks that it guards, so that the work after them is done too.

    Nothing is swallowed: `report` raises what was gathered. What is no `Exception` (an interrupt) passes at once.
    """

    __slots__ = ("found",)

    def __init__(self) -> None:
        self.found: Final[list[Exception]] = []

    def __enter__(self) -> None:
        """Guard a block; one object may guard many, also within one another."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if not isinstance(error, Exception):
            return False
        self.found.append(error)
        return True

    def report(self, doing: str, what: str | type) -> None:
        """Raise what was gathered: one as it is, several as a group that says what was being done to what."""
        found = self.found
        if not found:
            return
        if len(found) == 1:
            raise found[0]
        named = what if isinstance(what, str) else what.__qualname__
        raise ExceptionGroup(f"{len(found)} failures while {doing} {named}", found)


class FailureHandler:
    """Hands an exception of others' code to who is concerned, and goes on. What is no `Exception` passes."""

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
    """Adds words to an exception that passes by."""

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
