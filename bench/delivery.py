"""Delivery: from a commit in one process to whoever follows in another, and what waiting costs meanwhile."""

import multiprocessing
import random
import re
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.queues import Queue
from pathlib import Path
from typing import Final

from bench.figures import Aim, Section, alone, compared, median
from bench.rig import WORKSPACE, Rig
from bench.scale import Scale
from bench.serving import opened, serving
from gatepost import wiring
from gatepost.engine.port import Ask, StoreTransaction
from gatepost.storage.sqlite.store import SqliteStore

Stamps = dict[int, int]
"""When each `seq` was committed, or seen: nanoseconds of a clock that all processes of a machine share."""

Listening = Callable[[str, int, int, "Queue[Stamps]"], None]
"""Follow the bench's workspace in a process of its own: where, from which `seq`, up to which. It says an empty word
when it follows, and at the end when it saw what."""

WATCHED: Final = 64
_PATIENCE: Final = 60.0
_SETTLED: Final = 1.0
_LONGEST_IDLE: Final = 20.0
_LONGEST_PAUSE: Final = 0.01
_READ: Final = 64 * 1024
_id = re.compile(rb"\nid: ([0-9]+)\n")
_IDLE: Final = Aim(sign="<", bound=5, unit=" ms")


def measure(scale: Scale, folder: Path) -> Section:
    """How soon it is seen, and what waiting costs. 5 ms of each second are 0.5 % of a core."""
    path = folder / "delivery.db"
    with _stamping(path) as writer:
        spent = writer.delivered(str(path), follow_store, scale.rounds)
        with serving(path) as served:
            streamed = writer.delivered(str(served.port), follow_stream, scale.rounds)
    idle = min(scale.seconds, _LONGEST_IDLE)
    cost = _in_process(_idle, str(path), idle)
    figures = (
        alone("commit → seen by a wait in another process", median(spent, "ms"), "ms"),
        compared(
            "commit → seen by a client of a server in another",
            median(streamed, "ms"),
            "ms",
            median(spent, "ms"),
            Aim(sign="≤", bound=3),
        ),
        alone(f"{WATCHED} workspaces waited for: CPU in each idle second", cost * 1e3, "ms", _IDLE),
    )
    latest = statistics.quantiles(spent, n=100)[-1]
    return Section(
        name="delivery",
        figures=figures,
        notes=(f"commit → seen, the slowest hundredth of {len(spent)}: from {latest * 1e3:.2f} ms",),
    )


def follow_store(where: str, after: int, last: int, tales: "Queue[Stamps]") -> None:
    """Follow by nothing but the store's own wait."""
    store = wiring.store(where, "FULL")
    seen: Stamps = {}
    store.wait(WORKSPACE, after, _SETTLED)  # whoever waits for the first time has things to open
    tales.put({})
    while after < last:
        if store.wait(WORKSPACE, after, _PATIENCE):
            now = time.monotonic_ns()
            with store.reading(WORKSPACE) as snapshot:
                head = snapshot.head().seq
            seen.update(dict.fromkeys(range(after + 1, head + 1), now))
            after = head
    store.close()
    tales.put(seen)


def follow_stream(port: str, after: int, last: int, tales: "Queue[Stamps]") -> None:
    """Follow the log of a server, which is a process of its own between the writer's and this one."""
    seen: Stamps = {}
    rest = b""
    with opened(int(port), f"/v1/events?workspace={WORKSPACE}&after={after}") as stream:
        rest = stream.recv(_READ)
        tales.put({})
        while last not in seen:
            rest += stream.recv(_READ)
            now = time.monotonic_ns()
            found = list(_id.finditer(rest))
            seen.update({int(one[1]): now for one in found})
            rest = rest[found[-1].end() - 1 :] if found else rest
    tales.put(seen)


class Writer:
    """Writes notes, and knows when each was committed."""

    def __init__(self, rig: Rig, store: "_Stamping") -> None:
        self._rig = rig
        self._store = store
        rig.ok("tasks_create", kind="task", title="What is written about", description="Because it must be done.")

    def delivered(self, where: str, listening: Listening, notes: int) -> list[float]:
        """How many seconds each of so many notes took from its commit until it was seen elsewhere."""
        context = multiprocessing.get_context("spawn")
        tales: Queue[Stamps] = context.Queue()
        first = self._rig.seq()
        listener = context.Process(target=listening, args=(where, first, first + notes, tales), daemon=True)
        listener.start()
        tales.get(timeout=_PATIENCE)
        chance = random.Random(1)
        for number in range(notes):
            time.sleep(chance.random() * _LONGEST_PAUSE)  # so that each finds its listener at rest
            self._rig.ok("tasks_note", task="TASK-001", note=f"Note {number}.")
        seen = tales.get(timeout=_PATIENCE)
        listener.join(_PATIENCE)
        return [(at - self._store.committed[seq]) / 1e9 for seq, at in seen.items()]


@contextmanager
def _stamping(path: Path) -> Iterator[Writer]:
    with Rig(path, "FULL") as rig:
        plain, rig.engine.store = rig.engine.store, (stamping := _Stamping(str(path)))
        plain.close()
        yield Writer(rig, stamping)


class _Stamping(SqliteStore):
    """Looks at the clock between a commit and the moment anybody is told of it."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.committed: Stamps = {}

    @contextmanager
    def writing(
        self, workspace: str, first: Ask | None = None, *, patient: bool = True
    ) -> Iterator[StoreTransaction]:
        with super().writing(workspace, first, patient=patient) as transaction:
            yield transaction
            self.committed[transaction.head().seq] = time.monotonic_ns()


def _in_process(work: Callable[[str, float, "Queue[float]"], None], where: str, seconds: float) -> float:
    context = multiprocessing.get_context("spawn")
    tales: Queue[float] = context.Queue()
    process = context.Process(target=work, args=(where, seconds, tales), daemon=True)
    process.start()
    figure = tales.get(timeout=_PATIENCE)
    process.join(_PATIENCE)
    return figure


def _idle(where: str, seconds: float, tales: "Queue[float]") -> None:
    """Seconds of CPU that each second of waiting for many workspaces takes."""
    store = wiring.store(where, "FULL")

    def wait(workspace: str) -> None:
        while True:
            store.wait(workspace, 0, _PATIENCE)

    for number in range(WATCHED):
        threading.Thread(target=wait, args=(f"acme/idle-{number}",), daemon=True).start()
    time.sleep(_SETTLED)
    before, begun = time.process_time(), time.monotonic()
    time.sleep(seconds)
    tales.put((time.process_time() - before) / (time.monotonic() - begun))
