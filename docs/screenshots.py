"""`python -m docs.screenshots`: stops the demo in the middle of its work and takes a picture of each view.

Not part of `make check`: pictures differ from machine to machine.
"""

import json
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from urllib.parse import quote

from playwright.sync_api import Browser, Page, expect

from bench.chromium import browsing, executable
from gatepost.checks.project_checks import ProjectChecks
from gatepost.engine.caller import Caller
from gatepost.engine.engine import Engine
from gatepost.files.host import HostFilesystem
from gatepost.operations.answer import answer
from gatepost.storage.sqlite.store import SqliteStore
from gatepost.surfaces.demo.player import WORKSPACE, Player
from gatepost.surfaces.demo.scripted_checks import ScriptedChecks
from gatepost.surfaces.http.app import ServerSettings
from gatepost.surfaces.http.server import Server

IMAGES: Final = Path(__file__).with_name("images")
SIZE: Final = {"width": 1280, "height": 800}
SCHEMES: Final = ("light", "dark")
PAUSE: Final = timedelta(seconds=11)
"""Seconds that a call of the demo takes."""
CREW: Final = 4
PROGRESS: Final = """The bucket counts in Redis, and refused clients get a time to retry.

- **Decided:** a token bucket, because customers come in bursts.
- **Waits:** the rehearsed outage, until OPS-412 is granted.
- **Next:** a review of the refusal, then headers with every answer.
"""
"""What the story comes to later, so that no pane is empty."""


def main() -> int:
    """Take all the pictures."""
    path = executable()
    if path is None:
        print("There is no Chromium here: install the package `chromium`.", file=sys.stderr)
        return 1
    with TemporaryDirectory() as folder:
        engine = staged(folder)
        server = Server(engine, ServerSettings(), 0, _silently)
        try:
            with browsing(path) as browser:
                for kept in taken(browser, f"http://127.0.0.1:{server.port}/", engine):
                    print(f"{kept.relative_to(IMAGES.parents[1])}: {kept.stat().st_size / 1024:.0f} KiB")
        finally:
            server.stop()
    return 0


def staged(folder: str) -> Engine:
    """The demo's work up to now, on files in a folder. Its last call was a moment ago."""
    rehearsal = Clock(datetime.now(UTC))
    _play(rehearsal, folder)
    return _play(Clock(datetime.now(UTC) - rehearsal.reads * PAUSE), folder)


class Clock:
    """Goes on by a pause each time it is read, but not beyond now."""

    def __init__(self, begin: datetime) -> None:
        self.reads = 0
        self._begin = begin

    def now(self) -> str:
        """The time, as the log has it."""
        self.reads += 1
        at = min(self._begin + self.reads * PAUSE, datetime.now(UTC))
        return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _play(clock: Clock, folder: str) -> Engine:
    """Play until there is most to see: one step active, another blocked, and every agent at work."""
    files, checks = HostFilesystem(folder), ScriptedChecks(ProjectChecks(folder))
    engine = Engine(SqliteStore(":memory:"), clock, files=lambda: files, checks=checks)
    worth_seeing = False

    def rest(_: float) -> bool:
        nonlocal worth_seeing
        seen = _asked(engine, "workspace_overview")
        radar = seen["radar"] or {}
        busy = radar.get("now") and radar["blockers"] and len(seen["actors"]) >= CREW and len(seen["sessions"]) > 2
        worth_seeing = worth_seeing or bool(busy)
        return worth_seeing

    Player(engine, say=_silently, rest=rest, rounds=1).play()
    name = _asked(engine, "workspace_overview")["taskdocs"][0]["name"]
    _asked(engine, "change_mind", taskdoc=name, selector="progress", content=PROGRESS)
    if not worth_seeing:
        raise LookupError("The demo's first story has no such moment any more: look for another one.")
    return engine


def taken(browser: Browser, address: str, engine: Engine) -> list[Path]:
    """Every main view, in the light and in the dark."""
    IMAGES.mkdir(exist_ok=True)
    kept = []
    for scheme in SCHEMES:
        context = browser.new_context(viewport=SIZE, color_scheme=scheme, reduced_motion="reduce", locale="en-GB")  # type: ignore[arg-type]
        page = context.new_page()
        for name, place in views(engine).items():
            _go(page, address, *place)
            kept.append(IMAGES / f"{name}-{scheme}.png")
            page.screenshot(path=kept[-1])
        context.close()
    return kept


def views(engine: Engine) -> dict[str, tuple[str, ...]]:
    """The address of each view, at what is worth a look."""
    seen = _asked(engine, "workspace_overview")
    now = seen["radar"]["now"]
    return {
        "overview": ("overview",),
        "task": ("task", now["task"], now["path"]),
        "taskdoc": ("taskdoc", seen["taskdocs"][0]["name"]),
        "todos": ("todos",),
    }


def _go(page: Page, address: str, *place: str) -> None:
    page.goto(f"{address}#/{'/'.join(quote(part, safe='') for part in (WORKSPACE, *place))}")
    page.wait_for_selector(".connection.live")
    page.wait_for_selector("main h1")
    expect(page.locator("main :is(p.waiting, gp-markdown:not(:has(*)):not(:empty))")).to_have_count(0)
    page.evaluate("document.activeElement.blur()")


def _asked(engine: Engine, tool: str, **arguments: object) -> dict[str, Any]:
    answered = answer(engine, tool, {"workspace": WORKSPACE, **arguments}, Caller("agent:builder"))
    seen: dict[str, Any] = json.loads(answered.text)
    return seen


def _silently(_: object) -> None:
    """Nobody listens."""


if __name__ == "__main__":
    sys.exit(main())
