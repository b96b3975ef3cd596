"""The crew: plays stories, one after the other, through the operations that everyone uses."""

import random
from collections.abc import Callable, Mapping
from threading import Event, Thread
from typing import Any, Final

import msgspec

from gatepost.engine import processes
from gatepost.engine.engine import Engine
from gatepost.operations.answer import answer, caller
from gatepost.surfaces import faults
from gatepost.surfaces.demo.script import SUGGESTED, Beat, Story
from gatepost.surfaces.demo.stories import STORIES

WORKSPACE: Final = "demo/crew"
ROUNDS: Final = 20
"""So many plans are worked through; a demo that was forgotten must not fill a disk."""
SHORTEST, LONGEST, GLANCE, BETWEEN = 0.5, 1.5, 0.2, 6.0
"""Seconds after what can be seen (at least, at most), after what cannot, and between two stories."""
_SEED: Final = 4870

Rest = Callable[[float], bool]
Say = Callable[[str], object]


class OffScript(Exception):
    """A call was answered otherwise than its story says: somebody else works here too."""


class Crew:
    """Agents that work until their stories are told, or until they are stopped.

    `rest` waits so many seconds and says whether to stop; `say` tells people what they would not see otherwise.
    """

    def __init__(self, engine: Engine, *, say: Say, rest: Rest | None = None, rounds: int = ROUNDS) -> None:
        self._engine = engine
        self._say = say
        self._stopping = Event()
        self._rest = rest or self._stopping.wait
        self._rounds = rounds
        self._chance = random.Random(_SEED)  # noqa: S311 - a rhythm, not a secret
        self._process = processes.this()
        self._thread = Thread(target=self._run, name="crew", daemon=True)

    def start(self) -> None:
        """Begin, in a thread."""
        self._thread.start()

    def stop(self, seconds: float) -> bool:
        """Let them end after the call that runs; whether they did in time."""
        self._stopping.set()
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def play(self) -> None:
        """Play story after story, here and now."""
        for number in range(self._rounds):
            story = STORIES[number % len(STORIES)]
            try:
                stopped = self._play(story, number // len(STORIES))
            except OffScript as error:
                self._say(f"The crew leaves “{story.title}” as it is: {error}")
                stopped = False
            if stopped or self._rest(BETWEEN):
                return
        self._say(f"The crew has worked through {self._rounds} plans and rests. What it did stays until you stop.")

    def _run(self) -> None:
        try:
            self.play()
        except Exception as error:  # noqa: BLE001 - the thread's edge: the server goes on without its crew
            faults.report("in the demo", error)

    def _play(self, story: Story, before: int) -> bool:
        """Tell one story, which was told so many times before. Whether it was stopped."""
        again = before + 1
        ids = {
            "title": story.title if again == 1 else f"{story.title} ({again})",
            "taskdoc": story.name if again == 1 else f"{story.name}-{again}",
        }
        suggested: dict[str, Any] = {}
        for beat in story.beats:
            tool, arguments = beat.tool, _named(beat.arguments, ids)
            if tool == SUGGESTED:
                tool, arguments = suggested["tool"], suggested["arguments"]
            reply = self._ask(beat, tool, arguments)
            suggested = reply.get("error", {}).get("suggestion", suggested)
            if beat.names is not None:
                ids[beat.names] = reply["id"]
            if self._rest(self._pause(seen=reply.get("changed", False))):
                return True
        return False

    def _ask(self, beat: Beat, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        who = caller(f"agent:{beat.who}", session=beat.who, process=self._process)
        answered = answer(self._engine, tool, {"workspace": WORKSPACE, **arguments}, who)
        code = None if answered.refusal is None else answered.refusal.code
        if code != beat.refused:
            raise OffScript(f"{tool} of {who.actor} was answered with {code or 'yes'}.")
        reply: dict[str, Any] = msgspec.json.decode(answered.text)
        return reply

    def _pause(self, *, seen: bool) -> float:
        return self._chance.uniform(SHORTEST, LONGEST) if seen else GLANCE


def _named(arguments: Mapping[str, object], ids: Mapping[str, str]) -> dict[str, Any]:
    """Arguments with ids where they have names."""
    return {field: _filled(value, ids) for field, value in arguments.items()}


def _filled(value: object, ids: Mapping[str, str]) -> object:
    if isinstance(value, str):
        return ids[value[1:]] if value.startswith("@") else value
    if isinstance(value, Mapping):
        return _named(value, ids)
    return [_filled(item, ids) for item in value] if isinstance(value, list) else value
