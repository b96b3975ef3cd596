"""What a screen reads: one call at a time, tried again while the cause of a failure may pass."""

from collections.abc import Awaitable, Callable
from typing import Any, Final

from textual.screen import Screen, ScreenResultType

from gatepost.client.protocol import Update
from gatepost.domain.refusals import Refusal
from gatepost.surfaces.tui.source import is_temporary, words_of
from gatepost.surfaces.tui.texts import safe
from gatepost.surfaces.tui.widgets.message_line import MessageLine

_PAUSE: Final = 1.5
_LONGEST_PAUSE: Final = 10.0


class ScreenReader:
    """Reads what a screen shows. However often it is asked to, one read runs at a time, and one more after it.

    A refusal is shown in the message line until a read succeeds, and passed to `refused`.
    """

    def __init__(
        self,
        screen: Screen[Any],
        read: Callable[[], Awaitable[None]],
        refused: Callable[[Refusal], None] = lambda _no: None,
    ) -> None:
        self._screen = screen
        self._read = read
        self._refused = refused
        self._errors = ReadErrors(screen, self.soon)
        self._busy = False
        self._again = False
        self.answered = False
        """Whether there was a reply, or a refusal, to what is asked now."""

    @property
    def paused(self) -> bool:
        """Whether a retry is scheduled: there is no use in reading before."""
        return self._errors.paused

    def restart(self) -> None:
        """Read something new: keys wait until it is there."""
        self.answered = False
        self.soon()

    def soon(self) -> None:
        """Read now, or once the current read has ended."""
        if self._busy:
            self._again = True
        else:
            self._busy = True
            self._screen.run_worker(self._round())

    async def _round(self) -> None:
        try:
            await self._read()
        except Refusal as no:
            self._errors.show(no)
            self._refused(no)
        else:
            self._errors.clear()
        finally:
            again, self._busy, self._again = self._again, False, False
            self.answered = self.answered or not again
        if again and self._screen.is_attached:
            self.soon()


class ReadErrors:
    """The reason why a screen cannot be read now, shown for as long as it lasts. `retry` is called after a pause
    where trying again may help: nobody tells us when a busy store is free."""

    def __init__(self, screen: Screen[Any], retry: Callable[[], None] | None = None) -> None:
        self._screen = screen
        self._try_again = retry
        self._shown = ""
        self._pause = _PAUSE
        self.paused = False

    def show(self, no: Refusal, more: str = "") -> None:
        """Show a refusal."""
        self._shown = safe(f"{words_of(no)}{more}")
        for line in self._screen.query(MessageLine):
            line.say(self._shown)
        if self._try_again is not None and is_temporary(no) and not self.paused:
            self.paused = True
            self._screen.set_timer(self._pause, self._retry)
            self._pause = min(self._pause * 2, _LONGEST_PAUSE)

    def clear(self) -> None:
        """A read succeeded: remove the message, unless another one has replaced it."""
        self._pause = _PAUSE
        if self._shown:
            for line in self._screen.query(MessageLine):
                if str(line.content) == self._shown:
                    line.say("")
            self._shown = ""

    def _retry(self) -> None:
        self.paused = False
        if self._try_again is not None:
            self._try_again()


class ReadScreen(Screen[ScreenResultType]):
    """A screen that shows what it reads, and reads it again when an update is about it."""

    def __init__(self) -> None:
        super().__init__()
        self.reader = ScreenReader(self, self.read, self.refused)

    def on_mount(self) -> None:
        self.reader.soon()

    @property
    def ready(self) -> bool:
        """Whether there is a reply, or a refusal, to act on."""
        return self.reader.answered

    def receive(self, update: Update) -> None:
        """Read it again if something changed."""
        if self.is_mounted and self.is_about(update):
            self.reader.soon()

    def is_about(self, update: Update) -> bool:
        """Whether an update may change what is shown."""
        return update.gap or bool(update.events)

    async def read(self) -> None:
        """Read and show it. Raises `Refusal`."""
        raise NotImplementedError

    def refused(self, no: Refusal) -> None:
        """Show a refusal beside the message line."""


def touches(update: Update, task: str | None) -> bool:
    """Whether a task must be read again after an update."""
    return update.gap or any(task is None or event.get("task") == task for event in update.events)
