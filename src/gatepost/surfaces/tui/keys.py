"""Keys, one after another: each is done, and what it opens is there, before the next one finds its way.

Textual sends a key to whatever has the focus when it arrives, and what it leads to happens later. Whoever types
ahead would have `i` open a line to type in, and the words that follow taken for commands.
"""

import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, Final

from textual.app import App
from textual.dom import DOMNode
from textual.events import Event

_PATIENCE: Final = 2.0
"""So long a key may take at most, in seconds, before the next one no longer waits for it."""


class Keys:
    """The keys that were pressed and have not been done."""

    def __init__(self, app: App[Any], do: Callable[[Event], Awaitable[None]]) -> None:
        self._app = app
        self._do = do
        self._waiting: deque[Event] = deque()
        self._began: float | None = None

    async def press(self, event: Event) -> None:
        """Do a key when those before it are done."""
        self._waiting.append(event)
        if self._began is None or time.monotonic() - self._began > _PATIENCE:
            await self._next()

    async def _next(self) -> None:
        if not self._waiting or not self._app.screen_stack:  # all are done, or it has ended
            self._began = None
            return
        self._began = time.monotonic()
        app, event = self._app, self._waiting.popleft()
        target = app.focused or app.screen
        await self._do(event)
        self._climb(target)

    def _climb(self, node: DOMNode | None) -> None:
        """Go behind a key the way it goes if nobody wants it: from what has the focus up to the application."""
        if node is None or node is self._app:
            self._app.call_later(self._arrive)
        elif not node.call_later(self._climb, node.parent):
            self._climb(node.parent)  # it was taken away meanwhile

    def _arrive(self) -> None:
        """A screen that was opened is made first; and the application sets the focus behind what it does now."""
        app = self._app
        if not app.screen_stack or not app.screen.call_later(app.call_later, self._next):
            app.call_later(self._next)
