"""The composer: one line to type notes, commands and operations in, with completion and history."""

from collections.abc import Callable
from typing import ClassVar, Final

from textual import events
from textual.binding import BindingType
from textual.message import Message
from textual.suggester import Suggester
from textual.widgets import Input

from gatepost.surfaces.tui.keys import COMPOSER, bindings
from gatepost.surfaces.tui.models.composer_syntax import one_line
from gatepost.surfaces.tui.texts import safe

_KEPT: Final = 500

Completing = Callable[[str, list[str]], list[str]]


class Composer(Input):
    """The line. `complete` gives the completions of a line, from it and the earlier lines."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(COMPOSER)

    class Left(Message):
        """The person stopped typing. The text stays."""

    def __init__(self, complete: Completing) -> None:
        super().__init__(id="composer", suggester=_First(self), select_on_focus=False, compact=True)
        self._complete = complete
        self._past: list[str] = []
        self._at: int | None = None
        self._draft = ""
        self._round: list[str] = []
        self._turn = 0

    def completions(self, line: str) -> list[str]:
        """The completions of a line."""
        return self._complete(line, self._past)

    def keep(self, line: str) -> None:
        """Add a sent line to the history, and remove it from the field. Text typed after it stays."""
        if line.strip() and (not self._past or self._past[-1] != line):
            self._past = [*self._past[1 - _KEPT :], line]
        self._at = None
        if self.value.startswith(line):
            self._put(self.value.removeprefix(line))

    def give_back(self, line: str) -> bool:
        """Show a sent line again, unless there is another text."""
        if self.value:
            return False
        self._put(line)
        return True

    def begin(self, text: str = "") -> None:
        """Continue typing; start with this text if the line is empty."""
        self.focus()
        if text and not self.value:
            self.value = text
            self.cursor_position = len(text)

    def swap(self, line: str) -> None:
        """Replace the line."""
        self._at = None
        self._put(line)

    def action_complete(self, by: int) -> None:
        """Take the next completion, or the one before."""
        if self.value not in self._round:
            self._round, self._turn = [self.value, *self.completions(self.value)], 0
        if len(self._round) > 1:
            self._turn = (self._turn + by) % len(self._round)
            self._put(self._round[self._turn])

    def action_recall(self, by: int) -> None:
        """An earlier line, or a later one again; at the end, what was being typed."""
        if self._at is None:
            self._draft, self._at = self.value, len(self._past)
        self._at = max(0, min(len(self._past), self._at + by))
        self._put(self._past[self._at] if self._at < len(self._past) else self._draft)

    def action_leave(self) -> None:
        """Stop typing for now. The next key is no letter any more, so the focus goes at once."""
        self.screen.set_focus(None)
        self.post_message(self.Left())

    def action_abandon(self) -> None:
        """Throw away what was typed; with nothing typed, stop typing."""
        if self.value:
            self.value = ""
            self._at = None
        else:
            self.action_leave()

    def on_paste(self, event: events.Paste) -> None:
        """Several lines become one, and nothing in them acts on the terminal."""
        event.stop()
        event.prevent_default()
        self.insert_text_at_cursor(safe(one_line(event.text)))

    def _put(self, line: str) -> None:
        self.value = line
        self.cursor_position = len(line)


class _First(Suggester):
    """Shows the likeliest completion behind the cursor."""

    def __init__(self, composer: Composer) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._composer = composer

    async def get_suggestion(self, value: str) -> str | None:
        """A line that begins with this one."""
        offers = self._composer.completions(value)
        return next((offer for offer in offers if offer.startswith(value)), None)
