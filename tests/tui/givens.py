"""What tests of the terminal start from: an application on a source, driven by keys, and its screen as text."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TypeVar

from textual.pilot import Pilot

from gatepost.client.local import LocalClient
from gatepost.client.protocol import State, Update
from gatepost.client.refusals import rebuilt
from gatepost.client.remote import RemoteClient
from gatepost.client.workspaces import Workspace
from gatepost.domain.refusals import Refusal
from gatepost.engine.caller import Caller
from gatepost.engine.engine import Engine
from gatepost.replies.tree import TreeRow
from gatepost.surfaces.terminal import PLAIN, RICH
from gatepost.surfaces.tui.app import GatepostApp
from gatepost.surfaces.tui.source import Source
from gatepost.todo import TodoStore
from tests.givens import WORKSPACE, World

PATIENCE: Final = 20.0
PAUSE: Final = 0.01
NOW: Final = datetime(2026, 1, 1, 0, 5, tzinfo=UTC).timestamp()
"""When it is, in tests; worlds begin five minutes before."""
SNAPSHOTS: Final = Path(__file__).with_name("snapshots")
SIZES: Final = {"80x24": (80, 24), "120x40": (120, 40), "80x10": (80, 10)}
NARROW: Final = ("80x24", "80x10")
"""The sizes at which behaviour is tried; `test_snapshots` looks at a large screen as well."""

Driver = Callable[["Driven"], Awaitable[None]]
Listener = Callable[[Update], None]
Fields = Mapping[str, object]
R = TypeVar("R")
NO_FIELDS: Final[Fields] = {}


class Driven:
    """An application under test."""

    def __init__(self, app: GatepostApp, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot

    async def press(self, *keys: str) -> None:
        """Press keys once what has arrived is drawn, and let what follows at once follow."""
        await self.until(lambda: self.app._waiting is None)
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def type(self, text: str) -> None:
        """Type a text, letter by letter."""
        await self.press(*(_KEYS.get(letter, letter) for letter in text))

    async def until(self, what: Callable[[], object]) -> None:
        """Wait until something is so, but not for ever."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            await self.pilot.pause()
            if what():
                return
            await asyncio.sleep(PAUSE)
        raise AssertionError(f"that never came; the screen is\n{self.picture()}")

    async def sees(self, *words: str) -> None:
        """Wait until all these words are on the screen."""
        await self.until(lambda: all(word in self.picture() for word in words))

    def picture(self) -> str:
        """The screen as plain text."""
        app = self.app
        strips = app.screen._compositor.render_strips(app.size)
        for filtering in app._filters:
            if filtering.enabled:
                strips = [strip.apply_filter(filtering, app.screen.styles.background) for strip in strips]
        return "\n".join(strip.text.rstrip() for strip in strips) + "\n"

    def line(self, word: str) -> str:
        """The first line of the screen that has a word."""
        return next(line for line in self.picture().splitlines() if word in line)

    def check(self, name: str) -> None:
        """The screen is as it was kept. `GATEPOST_SNAPSHOTS=write` keeps it anew, to be looked at."""
        kept, seen = SNAPSHOTS / f"{name}.txt", self.picture()
        if os.environ.get("GATEPOST_SNAPSHOTS") == "write":
            kept.parent.mkdir(exist_ok=True)
            kept.write_text(seen, encoding="utf-8")
        assert kept.exists(), f"there is no {kept.name} yet: run once with GATEPOST_SNAPSHOTS=write, and look at it"
        assert seen == kept.read_text(encoding="utf-8")


_KEYS: Final = {
    " ": "space",
    ":": "colon",
    "{": "left_curly_bracket",
    "}": "right_curly_bracket",
    '"': "quotation_mark",
    ",": "comma",
    "_": "underscore",
    "-": "minus",
    "/": "slash",
    ".": "full_stop",
    "?": "question_mark",
}


@asynccontextmanager
async def shown(
    source: Source,
    size: tuple[int, int] = (80, 24),
    *,
    ascii_only: bool = False,
    now: Callable[[], float] = lambda: NOW,
) -> AsyncIterator[Driven]:
    """An application on a source, at a fixed time."""
    app = GatepostApp(source, glyphs=PLAIN if ascii_only else RICH, now=now)
    async with app.run_test(size=size) as pilot:
        yield Driven(app, pilot)


def drive(source: Source, driver: Driver, size: tuple[int, int] = (80, 24), *, ascii_only: bool = False) -> None:
    """Run an application on a source until the driver is done with it."""

    async def run() -> None:
        async with shown(source, size, ascii_only=ascii_only) as driven:
            await driven.until(lambda: driven.app.session.state == "live")
            await driver(driven)

    asyncio.run(run())


def some_lamps(world: World) -> str:
    """A task whose first step asks for three checkpoints."""
    step = {
        "title": "Draw the lamps",
        "criteria": ["a lamp for each checkpoint", "lit only if confirmed"],
        "tests": ["pytest tests/lamps"],
        "required": ["security"],
        "blockers": ["the old lamps stay until the new ones work"],
    }
    made: str = world.ok("tasks_create", kind="task", title="Lamps", steps=[step, {"title": "Then"}])["id"]
    return made


def with_a_taskdoc(world: World) -> World:
    """A world with a task and a taskdoc."""
    a_login_page(world)
    world.ok("taskdoc_create", name="main")
    world.ok("change_mind", taskdoc="main", selector="goals", content="Ship it", expected_revision=0)
    return world


class StoreSource(Source):
    """A store in this process as a source. `hear` is told of every call first, and may hold or refuse it."""

    def __init__(self, engine: Engine, workspace: str, who: Caller, place: str = "") -> None:
        super().__init__(LocalClient(engine, who, place), workspace)

    def hear(self, operation: str, fields: dict[str, Any], /) -> None:
        """Before a call is made."""

    def request(self, tool: str, reply: type[R], given: Fields, nullable: Fields = NO_FIELDS, /) -> R:
        self.hear(tool, {name: value for name, value in given.items() if value is not None})
        return super().request(tool, reply, given, nullable)

    def call(self, operation: str, arguments: dict[str, Any]) -> tuple[Any, str]:
        self.hear(operation, arguments)
        return super().call(operation, arguments)


def refused(code: str, message: str, recovery: str) -> Refusal:
    """A refusal as a server would send it."""
    return rebuilt({"code": code, "message": message, "recovery": recovery}, 0)


class ServerSource(Source):
    """A server as a source."""

    def __init__(self, url: str, workspace: str, *, token: str | None = None, actor: str = "human:tui") -> None:
        super().__init__(RemoteClient(url, token=token, actor=actor), workspace)


def source_of(world: World) -> StoreSource:
    """A world as a source, asked by a person."""
    return StoreSource(world.engine, WORKSPACE, Caller("human:tester"))


class Listening(StoreSource):
    """A world as a source that remembers what it was asked."""

    def __init__(self, world: World) -> None:
        super().__init__(world.engine, WORKSPACE, Caller("human:tester"))
        self.sent: list[dict[str, Any]] = []

    def hear(self, operation: str, fields: dict[str, Any], /) -> None:
        self.sent.append({"op": operation, **fields})


class Script(StoreSource):
    """A source that says what it is told to say: what a server may send that is none of ours."""

    def __init__(self) -> None:
        self.workspace = WORKSPACE
        self.place = "nowhere"
        self.todos = TodoStore()
        self.calls = Workspace(WORKSPACE, self.request)
        self.heard: list[tuple[str, dict[str, Any]]] = []
        self._heard: Listener = lambda _batch: None

    def hear(self, operation: str, fields: dict[str, Any], /) -> None:
        self.heard.append((operation, fields))
        raise refused("STORE_UNREACHABLE", "there is nobody here.", "Do not ask.")

    def start(self, heard: Listener) -> None:
        self._heard = heard
        self.say()

    def stop(self) -> None:
        self._heard = lambda _batch: None

    def say(self, *todo: Any, state: State = "live", reason: str = "", events: Any = ()) -> None:
        """Send session events, as a stream would."""
        taken = [event for event in todo if isinstance(event, dict) and self.todos.apply(event)]
        self._heard(Update(todo=tuple(taken), events=tuple(events), state=state, reason=reason))


def envelope(
    op: str, revision: int, scope: str = "TASK-001", *, seq: int | None = None, at: float = NOW, **rest: Any
) -> dict[str, Any]:
    """A session event with a list."""
    todo = {"op": op, "revision": revision, "scopeKey": scope, "scopeLabel": scope, **rest}
    return {
        "seq": revision if seq is None else seq,
        "type": "tool_result",
        "timestamp_ms": int(at * 1000),
        "payload": {"tool": "tasks_x", "todo": todo},
    }


def items(**statuses: str) -> list[dict[str, str]]:
    """Items by their ids, which are their titles as well."""
    return [{"id": name, "title": name, "status": status} for name, status in statuses.items()]


def a_login_page(world: World) -> str:
    """A task with a step done, one in progress, one blocked and two to come; another task, and a session's list."""
    task = world.task(
        "Write the form", "Call the API", "Test 日本語 input", "Document it", "Release", title="Login page"
    )
    world.task("Index", "Query", title="Search")
    world.close(task, "s:0")
    world.ok("tasks_block", task=task, path="s:3", reason="waits for the style guide")
    world.ok("todo_write", items=["ask about passkeys", "rename the branch"])
    return task


def a_row(at: int, *, path: str, step_id: str, children: int = 0, title: str = "") -> TreeRow:
    """An open step as a tree shows it."""
    return TreeRow(
        at=at,
        kind="step",
        blocked=False,
        now=False,
        children=children,
        checkpoints={"criteria": False, "tests": False},
        required=(),
        step_id=step_id,
        path=path,
        title=title,
        done=False,
    )
