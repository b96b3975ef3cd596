"""Histories of the todo stream: servers, what is done, and what happens to those who watch."""

import random
import socket
from collections.abc import Iterable
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from hypothesis import strategies as st

from gatepost.domain import places
from gatepost.domain.roots import Task
from gatepost.operations import todo_stream
from gatepost.surfaces.http import feeds, frames, todo
from gatepost.todo import TodoStore
from tests.engine import books
from tests.engine.pairs import Move, Pair
from tests.givens import World, new_store, reopened_store
from tests.http.givens import PATIENCE, Site, site
from tests.http.todo_clients import Habits, Watcher
from tests.operations.test_todo_stream_histories import START, lists_of, living, move

HEARTBEAT: Final = 0.03
HASTY: Final = 0.05
LONG: Final = [letter * 1_600 for letter in "abcdefg"]
SCOPES: Final = ("TASK-001", "TASK-002", "TASK-003", "main", "a.b:c", "TASK-404")
ENDINGS: Final[list[Move]] = [
    ("tasks_delete", "task", 0, {"force": True, "reason": "Over."}),
    ("tasks_delete", "task", 1, {"force": True, "reason": "Over."}),
    *(("todo_clear", "", 0, {"session": session}) for session in ("main", "a.b:c", "noise")),
]
ASKING: Final = ((False, False), (True, False), (True, True))

Shown = tuple[str, int | None, list[dict[str, Any]]]

_numbers = count()


class Houses:
    """A store and two servers on it, one of which has no patience with slow clients."""

    def __init__(self, kind: str, folder: Path) -> None:
        self.store = new_store(kind, folder)
        self._folder = folder
        self._stacks = [ExitStack(), ExitStack()]
        self._sites = [self._open(number) for number in (0, 1)]
        self._here = 0

    @property
    def here(self) -> Site:
        """The server that clients come to."""
        return self._sites[self._here]

    def go_to(self, *, hasty: bool) -> None:
        """Let clients come to the one server or the other."""
        self._here = int(hasty)

    def fail_over(self) -> None:
        """Let clients come to the other server from now on."""
        self._here = 1 - self._here

    def restart(self) -> None:
        """End the server that clients come to, and start another on the same store."""
        self._stacks[self._here].close()
        self._sites[self._here] = self._open(self._here)

    def close(self) -> None:
        """End all."""
        for stack in self._stacks:
            stack.close()
        self.store.close()

    def _open(self, number: int) -> Site:
        store = reopened_store(self.store, self._folder)
        terms = {"heartbeat": HEARTBEAT, "stuck": (PATIENCE, HASTY)[number]}
        made = self._stacks[number].enter_context(site(World(store), **terms))
        # What is accepted inherits this: else megabytes would lie in the kernel before anyone felt a slow client.
        made.server._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4_096)
        return made


class Story(Pair):
    """One history in a workspace of its own, and its clients."""

    def __init__(self, houses: Houses, habits: list[Habits], chance: random.Random) -> None:
        self.houses = houses
        self.world = World(houses.store, f"acme/repo-{next(_numbers)}")
        self.kept = self.world.everything()
        for first in START:
            self.play([first])
        self.watchers = [Watcher(self.world.workspace, each, chance) for each in (Habits(), *habits)]
        self.watchers[0].connect(houses.here.server.port, living(self.kept))

    def tell(self, step: "Step") -> None:
        """Do, or let happen, one thing."""
        watcher = self.watchers[step.who % len(self.watchers)]
        match step.kind:
            case "do" | "do unseen":
                self.play(step.moves)
                if step.kind == "do":
                    self.catch_up(self.watchers[0])
            case "follow":
                self.catch_up(watcher)
            case "miss":
                self.miss(watcher, step.number)
            case "dawdle":
                self.dawdle(self.watchers[-1 - step.who % (len(self.watchers) - 1)])
            case "fail over":
                self.houses.fail_over()
                self.connect(self.watchers[0])
            case "restart":
                self.restart()
            case _:
                self.mishap(step.kind, watcher, step.number)

    def mishap(self, kind: str, watcher: Watcher, number: int) -> None:
        match kind:
            case "connect":
                self.connect(watcher)
            case "rewind":
                watcher.rewind(number % (len(watcher.heard) + 1))
                self.connect(watcher)
            case "cut":
                watcher.sip(number, self.is_enough)
                watcher.cut()
            case "sip":
                watcher.sip(number, self.is_enough)
            case "deliver":
                watcher.deliver()
            case _:
                raise AssertionError(kind)

    def miss(self, watcher: Watcher, number: int) -> None:
        """Let a list end, told to a client or while it is away; and let it be cut off as it hears of that."""
        self.catch_up(watcher)
        back = 1 + 2 * (number % 3)  # so far back that of the last event it knows the call only
        if number % 2:
            watcher.cut()
            back = number % 9
        self.play([ENDINGS[number // 6 % len(ENDINGS)]])
        self.catch_up(self.watchers[0])
        for line in ("Later.", "Later still."):
            self.write("later", [line])
        self.catch_up(watcher)
        watcher.rewind(max(len(watcher.heard) - back, 0))

    def dawdle(self, watcher: Watcher) -> None:
        """Let so much happen while a client reads nothing that a narrow one has no room for it."""
        if watcher.connection is None:
            self.connect(watcher)
        for _ in range(10):
            self.write("noise", [f"{next(_numbers)} {line}" for line in LONG])
            self.catch_up(self.watchers[0])

    def restart(self) -> None:
        """End the server. Those who read see how it ends; a socket that is stuck would end with its process."""
        for watcher in self.watchers:
            if watcher.habits.narrow:
                watcher.cut()
            elif watcher.connection is not None:
                self.catch_up(watcher)
        self.houses.restart()

    def play(self, moves: list[Move]) -> None:
        """Make a call, or a batch of several."""
        calls = [call for call in map(self.aimed, moves) if call is not None]
        if len(calls) == 1:
            self.world.ask(calls[0][0], **calls[0][1])
        elif calls:
            self.world.ask("tasks_batch", operations=[{"tool": tool, "arguments": made} for tool, made in calls])
        self.look()

    def write(self, session: str, items: list[str]) -> None:
        self.world.ok("todo_write", session=session, items=items)
        self.look()

    def look(self) -> None:
        self.kept = self.world.everything()
        here = living(self.kept)
        for watcher in getattr(self, "watchers", ()):
            if watcher.connection is not None:
                watcher.connection.living &= here

    def connect(self, watcher: Watcher) -> None:
        watcher.connect(self.houses.here.server.port, living(self.kept))

    def catch_up(self, watcher: Watcher) -> None:
        watcher.catch_up(self.is_enough, self.connect)

    def is_enough(self, watcher: Watcher) -> bool:
        """Whether a client has heard of the newest revision of all that it should have."""
        revisions = self.revisions()
        wanted = living(self.kept) if watcher.habits.scope is None else {watcher.habits.scope}
        return all(watcher.revisions.get(key, -1) >= revisions.get(key, 0) for key in wanted)

    def revisions(self) -> dict[str, int]:
        roots = [row for row in self.kept["tallies"] if row[0] == places.root_of(row[0])]
        return {_key(row[0]): row[1] for row in roots if row[0][0] in (places.TASK, places.SESSION)}

    def end(self) -> None:
        """One last write, and when a client has heard of it and of nothing more, its lists are right."""
        self.write("end", ["The end."])
        for watcher in self.watchers:
            watcher.settle(self.is_enough, self.connect)
            self.check(watcher)

    def check(self, watcher: Watcher) -> None:
        """The client has every list that lives, and of none another idea than the store."""
        scope, held = watcher.habits.scope, shown(watcher.store)
        assert held == self.right(held.keys())
        assert held.keys() >= living(self.kept) if scope is None else held.keys() == {scope}
        assert not watcher.store.needs_snapshot()
        assert watcher.store.ignored == 0

    def is_told_to(self, store: TodoStore) -> bool:
        held = shown(store)
        return held.keys() >= living(self.kept) and held == self.right(held.keys())

    def right(self, keys: Iterable[str]) -> dict[str, Shown]:
        """What there is under some keys: label, revision and list."""
        lists, revisions = lists_of(self.kept), self.revisions()
        titles = {it.id: it.title for it in books.documents_of(self.kept).values() if isinstance(it, Task)}
        return {key: (titles.get(key, key), revisions.get(key, 0), lists.get(key, [])) for key in keys}

    def close(self) -> None:
        for watcher in self.watchers:
            watcher.cut()


class Step(NamedTuple):
    """Something that is done, or that happens to a client; `who` and `number` say to which, and how much."""

    kind: str
    moves: list[Move] = []  # noqa: RUF012 - never changed
    who: int = 0
    number: int = 0


class Frugality(NamedTuple):
    """How little a server keeps, sends and remembers at once."""

    recent: int = 1_000
    kept: int = 1_024
    kept_bytes: int = 8_000_000
    at_once: int = 256
    chunk: int = 65_536
    batch: int = 262_144
    long: int = 8

    def apply(self, patch: pytest.MonkeyPatch) -> None:
        patch.setattr(todo_stream, "RECENT", self.recent)
        patch.setattr(feeds, "KEPT", self.kept)
        patch.setattr(feeds, "KEPT_BYTES", self.kept_bytes)
        patch.setattr(feeds, "AT_ONCE", self.at_once)
        patch.setattr(frames, "CHUNK", self.chunk)
        patch.setattr(todo, "_BATCH", self.batch)
        patch.setattr(todo_stream, "_LONG", self.long)


def shown(store: TodoStore) -> dict[str, Shown]:
    """What a client's store shows: label, revision and list of each scope."""
    return {
        key: (
            scope.label,
            scope.revision,
            [{"id": item.id, "title": item.title, "status": item.status} for item in store.items(key)],
        )
        for key, scope in store.scopes.items()
    }


def _key(place: str) -> str:
    return places.root_id(place) if places.is_task(place) else places.name_of(place)


who = st.integers(0, 3)
sizes = st.one_of(st.integers(0, 400), st.integers(0, 5_000), st.integers(0, 60_000))
ends = st.sampled_from(ENDINGS[2:])
one = st.lists(move | ends, min_size=1, max_size=1)
several = st.lists(move | ends, min_size=2, max_size=3)
doings = st.tuples(st.sampled_from(["do", "do", "do", "do unseen"]), one | one | one | several).map(
    lambda drawn: Step(drawn[0], drawn[1])
)
happenings = st.tuples(
    st.sampled_from(
        [
            "follow",
            "connect",
            "rewind",
            "rewind",
            "cut",
            "cut",
            "sip",
            "deliver",
            "miss",
            "miss",
            "dawdle",
            "fail over",
        ]
    ),
    who,
    sizes,
).map(lambda drawn: Step(drawn[0], who=drawn[1], number=drawn[2]))
steps = doings | happenings
histories = st.tuples(
    st.lists(steps, min_size=10, max_size=25),
    st.sampled_from([[], [], [], [Step("restart")]]),
    st.lists(steps, max_size=8),
).map(lambda parts: [step for part in parts for step in part])

asking = st.sampled_from(
    [Habits()] * 18
    + [Habits(None, True), Habits(None, True, True)] * 2
    + [Habits(key, *how) for key in SCOPES for how in ASKING]
)
habits = st.tuples(asking, st.tuples(*[st.booleans()] * 4)).map(
    lambda drawn: drawn[0]._replace(
        **dict(zip(("twice", "again", "shuffled", "narrow"), drawn[1], strict=True)),
    )
)
frugalities = st.builds(
    Frugality,
    recent=st.sampled_from([0, 0, 5, 1_000]),
    kept=st.sampled_from([1, 3, 1_024]),
    kept_bytes=st.sampled_from([500, 8_000_000]),
    at_once=st.sampled_from([1, 256]),
    chunk=st.sampled_from([1_000, 65_536]),
    batch=st.sampled_from([1, 262_144]),
    long=st.sampled_from([0, 8]),
)
