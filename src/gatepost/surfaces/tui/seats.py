"""What every screen on a task or taskdoc needs: to ask without holding up the screen, and words for states."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from rich.text import Text
from textual.widget import Widget
from textual.widgets import Static

from gatepost.surfaces.tui.source import Heard, Source
from gatepost.surfaces.tui.texts import Glyphs, elapsed, safe

if TYPE_CHECKING:
    from gatepost.surfaces.tui.app import GatepostApp

CHECKPOINTS: Final = ("criteria", "tests", "security", "perf", "docs")
HEIGHTS: Final = [(0, "-low"), (16, "-high")]
"""A screen of few rows leaves out what is said elsewhere as well."""
_ALWAYS: Final = frozenset({"criteria", "tests"})
_ASIDE: Final = "gatepost tui call"

_T = TypeVar("_T")


async def ask(source: Source, operation: str, /, **arguments: Any) -> dict[str, Any]:
    """The reply of an operation, waited for in a thread. Raises `Refused`."""
    return await aside(lambda: source.call(operation, **arguments))


async def aside(work: Callable[[], _T]) -> _T:
    """What something that blocks comes to, done in a thread.

    Asyncio's own threads are waited for in the end: whoever leaves would wait for a server that does not answer.
    """
    answered: Future[_T] = Future()

    def run() -> None:
        try:
            result = work()
        except BaseException as error:  # noqa: BLE001 - handed over: it is raised where it is waited for
            answered.set_exception(error)
        else:
            answered.set_result(result)

    answered.set_running_or_notify_cancel()  # nobody can stop it any more, only stop waiting
    threading.Thread(target=run, name=_ASIDE, daemon=True).start()
    return await asyncio.wrap_future(answered)


def under_way() -> bool:
    """Whether something is still being done aside."""
    return any(thread.name == _ASIDE for thread in threading.enumerate())


class Reading:
    """One question at a time, however often it is wanted: what is wanted meanwhile is asked once, afterwards."""

    def __init__(self, widget: Widget, read: Callable[[], Awaitable[None]]) -> None:
        self._widget = widget
        self._read = read
        self._busy = False
        self._again = False

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


def touches(batch: Heard, task: str | None) -> bool:
    """Whether something was heard after which a task's state must be read again."""
    return batch.afresh or any(task is None or event.get("task") == task for event in batch.events)


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


class Saying(Static):
    """The line above the keys: what was done last, or what was refused."""

    DEFAULT_CSS = (
        "Saying { height: auto; max-height: 3; padding: 0 1; display: none; } Saying.some { display: block; }"
    )

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name for it
        super().__init__("", id=id, markup=False)

    def say(self, words: str) -> None:
        """Show a sentence, or nothing."""
        self.set_class(bool(words), "some")
        self.update(Text(safe(words)))
