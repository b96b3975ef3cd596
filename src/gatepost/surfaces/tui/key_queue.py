"""Keys, one after another: each takes effect before the next one is dispatched.

Textual sends a key to the widget that has the focus when it arrives, and its effect comes later. When someone types
ahead, `i` would open the composer while the words that follow are still taken for keys. The same goes for a
screen that is still loading: keys wait for it, and if that takes too long, they are dropped with a notice.
"""

import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, Final, NamedTuple, Protocol, runtime_checkable

from textual.app import App
from textual.dom import DOMNode
from textual.events import Event, Key
from textual.screen import Screen
from textual.timer import Timer

PATIENCE: Final = 5.0
"""The longest time, in seconds, that a key waits for the one before it, or for a screen."""
_LOOK: Final = 0.02
_OUT: Final = frozenset({"escape", "ctrl+c"})
_NEVER_HELD: Final = _OUT | {"q"}


@runtime_checkable
class Loadable(Protocol):
    """A screen with keys that are about what it reads."""

    @property
    def ready(self) -> bool:
        """Whether the first answer, or a refusal, has come."""


class KeyQueue:
    """The keys that were pressed and have not been done."""

    def __init__(self, app: App[Any], do: Callable[[Event], Awaitable[None]]) -> None:
        self._app = app
        self._do = do
        self._waiting: deque[Event] = deque()
        self._began: float | None = None
        self._hold: _Hold | None = None

    async def press(self, event: Event) -> None:
        """Handle a key after those before it. Escape and Ctrl+C drop the keys that wait for a screen."""
        if self._hold is not None and isinstance(event, Key) and event.key in _OUT:
            self._waiting.clear()
            self._release()
        self._waiting.append(event)
        late = self._began is not None and time.monotonic() - self._began > PATIENCE
        if self._hold is None and (self._began is None or late):
            await self._next()

    async def _next(self) -> None:
        app = self._app
        if self._hold is not None:  # a key that took too long has ended after all
            return
        if not self._waiting or not app.screen_stack:  # all are done, or it has ended
            self._began = None
            return
        self._began = time.monotonic()
        if not _may_go(self._waiting[0], app.screen):
            self._hold = _Hold(app.screen, self._began + PATIENCE, app.set_interval(_LOOK, self._look))
            return
        target = app.focused or app.screen
        await self._do(self._waiting.popleft())
        self._climb(target)

    async def _look(self) -> None:
        """Continue if the screen is ready. Keys for a screen never reach another one, nor that one much later."""
        hold, app = self._hold, self._app
        if hold is None or not app.screen_stack:
            self._release()
            return
        here = app.screen is hold.screen
        if here and not _is_ready(hold.screen) and time.monotonic() < hold.until:
            return
        if not here or not _is_ready(hold.screen):
            self._drop()
        self._release()
        await self._next()

    def _release(self) -> None:
        if self._hold is not None:
            self._hold.timer.stop()
        self._hold = self._began = None

    def _drop(self) -> None:
        count = len(self._waiting)
        self._waiting.clear()
        what = "1 key was ignored. Press it" if count == 1 else f"{count} keys were ignored. Press them"
        self._app.notify(
            f"Still loading: {what} again when the screen is ready, or leave with Esc.",
            severity="warning",
            markup=False,
        )

    def _climb(self, node: DOMNode | None) -> None:
        """Follow a key up from the focused widget to the application."""
        if node is None or node is self._app:
            self._app.call_later(self._arrive)
        elif not node.call_later(self._climb, node.parent):
            self._climb(node.parent)  # it was taken away meanwhile

    def _arrive(self) -> None:
        """A screen that was opened is made first; and the application sets the focus behind what it does now."""
        app = self._app
        if not app.screen_stack or not app.screen.call_later(app.call_later, self._next):
            app.call_later(self._next)


class _Hold(NamedTuple):
    """A screen for which keys wait, until when, and what looks whether it is ready."""

    screen: Screen[Any]
    until: float
    timer: Timer


def _may_go(event: Event, screen: Screen[Any]) -> bool:
    return _is_ready(screen) or (isinstance(event, Key) and event.key in _NEVER_HELD)


def _is_ready(screen: Screen[Any]) -> bool:
    return not isinstance(screen, Loadable) or screen.ready
