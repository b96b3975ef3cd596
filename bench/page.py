"""The page in a real browser: how soon it is of use, and how soon it shows what was just committed."""

import itertools
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import quote

from playwright.sync_api import Browser, Page

from bench.chromium import browsing, executable
from bench.figures import Aim, Figure, Section, alone, compared, median
from bench.rig import WORKSPACE, Rig, seed
from bench.scale import Scale
from bench.serving import serving
from bench.timing import OutOfTime, Progress, Turn, take_turns

SMALL: Final = 100
_TASK: Final = "TASK-001"
_ROUNDS: Final = 40
_WARM_UP: Final = 2
_AIM: Final = Aim(sign="≤", bound=1.5)
VIEWS: Final = {
    "overview": ("overview", ".radar-now .step"),
    "task": (f"task/{_TASK}", "[role=treeitem][data-path]"),
}
"""Each view's address, and what makes it useful: the radar, or the first steps."""

_WATCH: Final = """(() => {
  let wanted = () => false;
  let found = () => {};
  const look = () => {
    if (!wanted()) return;
    wanted = () => false;
    const painted = () => found(performance.timeOrigin + performance.now());
    requestAnimationFrame(() => setTimeout(painted));
  };
  window.seen = (test) => new Promise((resolve) => { wanted = test; found = resolve; look(); });
  new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });
})()"""
"""Gives the page `seen(test)`: when a test held and that was painted, in milliseconds of the machine's clock."""


def measure(scale: Scale, folder: Path) -> Section:
    """A small task and a big one, side by side."""
    path = executable()
    if path is None:
        return Section(name="page", figures=(), notes=("left out, because there is no Chromium here",))
    with ExitStack() as stack:
        try:
            grounds = [_planted(stack, folder / f"{size}.db", size, scale) for size in (SMALL, scale.one_task)]
        except OutOfTime as late:
            return Section(name="page", figures=(), notes=(f"left out, because making it took too long: {late}",))
        browser = stack.enter_context(browsing(path))
        return Section(name="page", figures=tuple(_figures(stack, browser, grounds, scale)))


class Ground:
    """A served store with one task of some size."""

    def __init__(self, size: int, rig: Rig, port: int) -> None:
        self.size = size
        self.address = f"http://127.0.0.1:{port}/"
        self._rig = rig
        self._notes = itertools.count()

    def note(self) -> tuple[str, float]:
        """Write something, in a process that is not the server's; what it says, and when it was committed."""
        text = f"Note {next(self._notes)} of {self.size}."
        self._rig.ok("tasks_note", task=_TASK, note=text)
        return text, time.time()


def _planted(stack: ExitStack, path: Path, size: int, scale: Scale) -> Ground:
    rig = stack.enter_context(Rig(path, "NORMAL"))
    progress = Progress(f"task of {size:,}", size, until=time.monotonic() + scale.seeding)
    seed(rig, tasks=1, steps_each=size, progress=progress)
    progress.finish()
    return Ground(size, rig, stack.enter_context(serving(path)).port)


def _figures(stack: ExitStack, browser: Browser, grounds: list[Ground], scale: Scale) -> Iterator[Figure]:
    for view in VIEWS:
        turns: dict[int, Turn] = {ground.size: Opening(browser, ground, view) for ground in grounds}
        yield from _judged(f"{view}: address → of use", turns, scale)
    for view in VIEWS:
        pages = {ground.size: stack.enter_context(_watching(browser, ground, view)) for ground in grounds}
        turns = {ground.size: Updating(pages[ground.size], ground) for ground in grounds}
        yield from _judged(f"{view}: commit → shown", turns, scale)


def _judged(what: str, turns: dict[int, Turn], scale: Scale) -> Iterator[Figure]:
    rounds = min(scale.rounds, _ROUNDS)
    times = take_turns(turns, rounds=rounds, seconds=scale.seconds, warm_up=_WARM_UP)
    (small, base), *others = ((size, median(spent, "ms")) for size, spent in times.items())
    yield alone(f"{what}, {small:,} steps", base, "ms")
    for size, spent in others:
        yield compared(f"{what}, {size:,} steps", spent, "ms", base, _AIM)


class Opening:
    """Opens a view in a fresh profile: nothing is cached, nothing is known."""

    def __init__(self, browser: Browser, ground: Ground, view: str) -> None:
        self._browser = browser
        self._ground = ground
        self._view = view

    def __call__(self) -> float:
        """From going to the address until what is of use was painted."""
        with _watching(self._browser, self._ground, self._view) as page:
            spent: float = page.evaluate("window.useful.then((at) => at - performance.timeOrigin)")
            return spent / 1e3


class Updating:
    """Writes, and waits until an open page shows it."""

    def __init__(self, page: Page, ground: Ground) -> None:
        self._page = page
        self._ground = ground

    def __call__(self) -> float:
        """From the commit until it was painted."""
        text, committed = self._ground.note()
        shown: float = self._page.evaluate(
            "text => window.seen(() => document.getElementById('main').textContent.includes(text))", text
        )
        return max(0.0, shown / 1e3 - committed)


@contextmanager
def _watching(browser: Browser, ground: Ground, view: str) -> Iterator[Page]:
    """A view, of use and live."""
    place, useful = VIEWS[view]
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    try:
        page = context.new_page()
        page.add_init_script(f"{_WATCH};")
        page.add_init_script(f"window.useful = window.seen(() => document.querySelector('{useful}'));")
        page.goto(f"{ground.address}#/{quote(WORKSPACE, safe='')}/{place}")
        page.wait_for_selector(".connection.live")
        yield page
    finally:
        context.close()
