"""Plays the demo's stories with simulated agents, through the same operations that everyone uses."""

import os
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any, Final

import msgspec

from gatepost import wiring
from gatepost.engine import processes
from gatepost.engine.engine import Engine
from gatepost.operations.answer import answer, caller
from gatepost.surfaces import faults
from gatepost.surfaces.demo.scripted_checks import ScriptedChecks
from gatepost.surfaces.demo.stories import SUGGESTED, ScriptedCall, Story, stories

WORKSPACE: Final = "demo/crew"
ROUNDS: Final = 12
"""The number of plans to play. A demo that someone forgot to stop must not fill the disk."""
SHORTEST, LONGEST, GLANCE, BETWEEN = 0.5, 1.5, 0.2, 6.0
"""Seconds to pause: after a visible change (shortest, longest), after any other call, and between two stories."""
_SEED: Final = 4870
_PATIENCE: Final = 10.0
"""A check that runs may take a moment. Its folder is removed when it has ended."""

Rest = Callable[[float], bool]
Say = Callable[[str], object]


@contextmanager
def temporary_engine() -> Iterator[tuple[Engine, str]]:
    """An engine on a new store in a temporary folder, and the path of that store. Both are removed at the end."""
    folder = tempfile.mkdtemp(prefix="gatepost-demo-")
    try:
        yield engine_in(folder), store_in(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def engine_in(folder: str) -> Engine:
    """An engine for a folder of the demo's own: the commands of the stories run there, and no others."""
    # Losing a temporary store in a power cut does no harm.
    engine = wiring.engine(store_in(folder), "NORMAL", os.path.join(folder, ".gatepost"))
    if engine.checks is not None:
        engine.checks = ScriptedChecks(engine.checks)
    return engine


def store_in(folder: str) -> str:
    """Where the store in a folder is."""
    return os.path.join(folder, ".gatepost", "gatepost.db")


@contextmanager
def playing(engine: Engine, say: Say) -> Iterator[None]:
    """Play stories in the background until the block ends."""
    player = Player(engine, say=say)
    player.start()
    try:
        yield
    finally:
        player.stop(_PATIENCE)


class OffScript(Exception):
    """A call got another answer than its story expects: someone else works in the same workspace."""


class Player:
    """Plays stories until all rounds are over, or until it is stopped.

    `rest` waits for some seconds and returns whether to stop. `say` prints what people would not see otherwise.
    """

    def __init__(self, engine: Engine, *, say: Say, rest: Rest | None = None, rounds: int = ROUNDS) -> None:
        self._engine = engine
        self._say = say
        self._stopping = Event()
        self._rest = rest or self._stopping.wait
        self._rounds = rounds
        self._chance = random.Random(_SEED)  # noqa: S311 - a rhythm, not a secret
        self._process = processes.this()
        self._thread = Thread(target=self._run, name="demo", daemon=True)

    def start(self) -> None:
        """Play in a thread."""
        self._thread.start()

    def stop(self, seconds: float) -> bool:
        """Stop after the current call. Returns whether that took no longer than `seconds`."""
        self._stopping.set()
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def play(self) -> None:
        """Play story after story in this thread."""
        scripts = stories()
        for number in range(self._rounds):
            story = scripts[number % len(scripts)]
            try:
                stopped = self._play(story, number // len(scripts) + 1)
            except OffScript as error:
                self._say(f"The agents leave “{story.title}” unfinished: {error}")
                stopped = False
            if stopped or self._rest(BETWEEN):
                return
        self._say(f"The agents have completed {self._rounds} plans and stop here. Their work stays until you stop.")

    def _run(self) -> None:
        try:
            self.play()
        except Exception as error:  # noqa: BLE001 - the thread's edge: the server continues without the demo
            faults.report("in the demo", error)

    def _play(self, story: Story, time: int) -> bool:
        """Play one story for the first, second, … time. Returns whether it was stopped."""
        ids = {
            "title": story.title if time == 1 else f"{story.title} ({time})",
            "taskdoc": story.name if time == 1 else f"{story.name}-{time}",
        }
        suggested: dict[str, Any] = {}
        head = self._head()
        for call in story.calls:
            tool, arguments = call.tool, _filled(call.arguments, ids)
            if tool == SUGGESTED:
                tool, arguments = suggested["tool"], suggested["arguments"]
            reply = self._ask(call, tool, arguments)
            suggested = reply.get("error", {}).get("suggestion", suggested)
            if call.names is not None:
                ids[call.names] = reply["id"]
            before, head = head, self._head()  # a refused close may have run checks, which are recorded
            if self._rest(self._chance.uniform(SHORTEST, LONGEST) if head > before else GLANCE):
                return True
        return False

    def _head(self) -> int:
        with self._engine.store.reading(WORKSPACE) as snapshot:
            return snapshot.head().seq

    def _ask(self, call: ScriptedCall, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        who = caller(call.actor, session=call.actor.partition(":")[2], process=self._process)
        answered = answer(self._engine, tool, {"workspace": WORKSPACE, **arguments}, who)
        code = None if answered.refusal is None else answered.refusal.code
        if code != call.refused:
            raise OffScript(f"{tool} by {who.actor} was {f'refused: {code}' if code else 'accepted'}.")
        reply: dict[str, Any] = msgspec.json.decode(answered.text)
        return reply


def _filled(value: Any, ids: Mapping[str, str]) -> Any:
    """A value of an argument with the ids that its names stand for."""
    if isinstance(value, str):
        return ids[value[1:]] if value.startswith("@") else value
    if isinstance(value, Mapping):
        return {field: _filled(item, ids) for field, item in value.items()}
    return [_filled(item, ids) for item in value] if isinstance(value, list) else value
