"""A problem with reading something: said for as long as it lasts, and no longer."""

from collections.abc import Callable
from typing import Any, Final

from textual.screen import Screen

from gatepost.surfaces.tui.session import MessageLine
from gatepost.surfaces.tui.source import STORE_FAULTS, Refused
from gatepost.surfaces.tui.texts import safe

_PAUSE: Final = 1.5
_LONGEST: Final = 10.0
_PASSING: Final = frozenset({"BUSY", "RATE_LIMITED", *STORE_FAULTS})


class ReadErrors:
    """The problem that a screen has just now, if it has one. `again` tries what failed, if trying may help: nobody
    tells when a store that was busy is free."""

    def __init__(self, screen: Screen[Any], again: Callable[[], None] | None = None) -> None:
        self._screen = screen
        self._again = again
        self._said = ""
        self._pause = _PAUSE
        self.waits = False
        """Whether it is going to be tried again, and there is no use in trying before."""

    def met(self, no: Refused, more: str = "") -> None:
        """Something was refused."""
        self._said = safe(f"{no.message} {no.recovery}{more}")
        for saying in self._screen.query(MessageLine):
            saying.say(self._said)
        if self._again is not None and no.code in _PASSING and not self.waits:
            self.waits = True
            self._screen.set_timer(self._pause, self._retry)
            self._pause = min(self._pause * 2, _LONGEST)

    def over(self) -> None:
        """It went well: what was said of a problem goes, but nothing else that was said since."""
        self._pause = _PAUSE
        if self._said:
            for saying in self._screen.query(MessageLine):
                if str(saying.content) == self._said:
                    saying.say("")
            self._said = ""

    def _retry(self) -> None:
        self.waits = False
        if self._again is not None:
            self._again()
