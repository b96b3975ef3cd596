"""What every screen on a task or taskdoc needs: to ask without holding up the screen, and words for states."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from rich.text import Text
from textual.app import App, RenderResult
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static
from textual.worker import NoActiveWorker, get_current_worker

from gatepost.client.protocol import Update
from gatepost.surfaces.tui import call_threads
from gatepost.surfaces.tui.source import Source
from gatepost.surfaces.tui.texts import Glyphs, clip, elapsed, safe

if TYPE_CHECKING:
    from gatepost.surfaces.tui.app import GatepostApp

CHECKPOINTS: Final = ("criteria", "tests", "security", "perf", "docs")
HEIGHTS: Final = [(0, "-low"), (16, "-high")]
"""A screen of few rows leaves out what is said elsewhere as well."""
_ALWAYS: Final = frozenset({"criteria", "tests"})
_ROWS: Final = 3

_T = TypeVar("_T")


async def ask(source: Source, operation: str, /, **arguments: Any) -> dict[str, Any]:
    """The reply of an operation, waited for in a thread. Raises `Refused`."""
    return await aside(lambda: source.call(operation, **arguments))


async def aside(work: Callable[[], _T]) -> _T:
    """What something that blocks comes to, done in a thread.

    Whoever asked for a screen that was left meanwhile goes no further: what it would show the answer on is gone.
    """
    try:
        return await asyncio.wrap_future(call_threads.submit(work))
    finally:
        if _was_left():
            raise asyncio.CancelledError


def _was_left() -> bool:
    """Whether what is done now is done for a screen that is none any more.

    Textual takes away what stands on a screen first, and ends its workers afterwards.
    """
    try:
        node = get_current_worker().node
    except NoActiveWorker:
        return False
    if isinstance(node, App):
        return False
    screen = next((each for each in node.ancestors_with_self if isinstance(each, Screen)), None)
    return screen is None or screen not in node.app.screen_stack


class Reader:
    """One question at a time, however often it is wanted: what is wanted meanwhile is asked once, afterwards."""

    def __init__(self, widget: Widget, read: Callable[[], Awaitable[None]]) -> None:
        self._widget = widget
        self._read = read
        self._busy = False
        self._again = False
        self.answered = False
        """Whether there was an answer, or a refusal, to what is asked."""

    def anew(self) -> None:
        """Read something else than before, of which nothing is known yet."""
        self.answered = False
        self.soon()

    def soon(self) -> None:
        """Read, now or as soon as the present reading has ended."""
        if self._busy:
            self._again = True
        else:
            self._busy = True
            self._widget.run_worker(self._round())

    async def _round(self) -> None:
        try:
            await self._read()
        finally:
            again, self._busy, self._again = self._again, False, False
            self.answered = self.answered or not again
        if again and self._widget.is_attached:
            self.soon()


def app_of(widget: Widget) -> "GatepostApp":
    """The application that a widget is part of."""
    return cast("GatepostApp", widget.app)


def glyphs_of(widget: Widget) -> Glyphs:
    """The signs that the application was started with."""
    return app_of(widget).glyphs


def ago(widget: Widget, at: str) -> str:
    """How long ago a moment was, by the application's clock."""
    try:
        moment = datetime.fromisoformat(at)
    except ValueError:
        return safe(at)
    return f"{elapsed(app_of(widget).now() - moment.timestamp())} ago"


def touches(batch: Update, task: str | None) -> bool:
    """Whether something was heard after which a task's state must be read again."""
    return batch.gap or any(task is None or event.get("task") == task for event in batch.events)


def counted(step: dict[str, Any]) -> dict[str, dict[str, Any] | None]:
    """The checkpoints that count for a step, each with its confirmation, if there is one."""
    marks = {mark["checkpoint"]: mark for mark in step.get("confirmed", ())}
    needed = {*_ALWAYS, *step.get("required", ()), *step.get("unconfirmed", ()), *marks}
    return {name: marks.get(name) for name in CHECKPOINTS if name in needed}


def state_word(row: dict[str, Any], *, now: bool) -> str:
    """What a step's state is called."""
    if row["done"]:
        return "done by force" if row.get("unconfirmed") else "done"
    if row.get("blocked"):
        return "blocked"
    return "now" if now else "open"


def state_sign(glyphs: Glyphs, row: dict[str, Any], *, now: bool) -> str:
    """The same as a sign."""
    if row["done"]:
        return glyphs.done
    if row.get("blocked"):
        return glyphs.blocked
    return glyphs.now if now else glyphs.open


class MessageLine(Static):
    """The line above the keys: what was done last, or what was refused."""

    DEFAULT_CSS = """
    MessageLine { height: auto; max-height: 3; padding: 0 1; display: none; }
    MessageLine.some { display: block; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__("", id=id, markup=False)

    def say(self, words: str) -> None:
        """Show a sentence, or nothing."""
        self.set_class(bool(words), "some")
        self.update(Text(safe(words)))

    def on_resize(self) -> None:
        """What fits depends on the width."""
        self.refresh()

    def render(self) -> RenderResult:
        """As much as fits, and a sign where that is not all."""
        room, words = self.content_size.width, Text(str(self.content))
        lines = words.wrap(self.app.console, max(room, 1))
        if not room or len(lines) <= _ROWS:
            return words
        *first, last = (line.plain.rstrip() for line in lines[:_ROWS])
        return Text("\n".join((*first, clip(f"{last} {lines[_ROWS].plain}", room, glyphs_of(self).ellipsis))))
