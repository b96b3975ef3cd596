"""The stream under load: five hundred clients of a real server, and what they cost a writer."""

import multiprocessing
import re
import selectors
import time
from collections.abc import Sequence
from multiprocessing.queues import Queue
from pathlib import Path
from typing import Final, NamedTuple

from bench.figures import Aim, Section, alone, compared, median
from bench.rig import WORKSPACE
from bench.scale import Scale
from bench.serving import Served, opened, serving
from bench.timing import Progress, timed

CLIENTS: Final = 500
EVENTS: Final = 10_000
_BATCH: Final = 100
_PATIENCE: Final = 300.0
_READ: Final = 256 * 1024
_id = re.compile(rb"\nid: ([0-9]+)\n")


class Heard(NamedTuple):
    """What all clients heard together: how many events the one that heard least got, and whether in order."""

    least: int
    most: int
    in_order: bool


def measure(scale: Scale, folder: Path) -> Section:
    """A writer alone, then before five hundred who follow; then ten thousand events for all of them."""
    clients, events = (CLIENTS, EVENTS) if scale.name == "full" else (CLIENTS // 10, EVENTS // 10)
    with serving(folder / "stream.db") as served:
        served.ok(
            "tasks_create", kind="task", title="What is written about", description="Because it must be done."
        )
        quiet = _writes(served, scale.rounds)
        bare = served.memory()
        with _following(served.port, clients) as crowd:
            before = _writes(served, scale.rounds)
            spent = timed(lambda: _burst(served, events, scale.seeding))
            last = served.ok("tasks_note", task="TASK-001", note="The last.")["events"][-1]["seq"]
            heard = crowd.heard(last)
        held = served.memory()
    return Section(
        name="stream",
        figures=(
            alone("a write over HTTP, nobody follows", median(quiet, "ms"), "ms"),
            compared(
                f"the same, {clients} clients follow",
                median(before, "ms"),
                "ms",
                median(quiet, "ms"),
                Aim(sign="≤", bound=2),
            ),
            alone(f"events lost by any of {clients}", last - heard.least, "calls", Aim(sign="≤", bound=0, unit="")),
            alone("memory of the server alone", bare, "MiB"),
            alone("memory after all that", held, "MiB", Aim(sign="≤", bound=200, unit=" MiB")),
        ),
        notes=(
            f"{last:,} events for each of {clients}, {'in order' if heard.in_order else 'OUT OF ORDER'}",
            f"the burst of {events:,} was written in {spent:.1f} s",
        ),
    )


def _writes(served: Served, rounds: int) -> Sequence[float]:
    """How long single writes take, one after another."""
    notes = (f"Note {number}." for number in range(rounds))
    return [timed(lambda: served.ok("tasks_note", task="TASK-001", note=note)) for note in notes]  # noqa: B023


def _burst(served: Served, events: int, seconds: float) -> None:
    """So many events, as fast as batches bring them."""
    progress = Progress("stream", events, until=time.monotonic() + seconds)
    for start in range(0, events, _BATCH):
        notes = [
            {"tool": "tasks_note", "arguments": {"task": "TASK-001", "note": f"Note {start + number}."}}
            for number in range(_BATCH)
        ]
        served.ok("tasks_batch", operations=notes)
        progress.add(_BATCH)
    progress.finish()


class _following:  # noqa: N801 - reads as a verb where it is used
    """Clients in a process of their own, so that reading does not slow the writer down more than it must."""

    def __init__(self, port: int, clients: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._tales: Queue[Heard] = context.Queue()
        self._last: Queue[int] = context.Queue()
        self._process = context.Process(target=_follow, args=(port, clients, self._last, self._tales), daemon=True)

    def __enter__(self) -> "_following":
        self._process.start()
        self._tales.get(timeout=_PATIENCE)
        return self

    def heard(self, last: int) -> Heard:
        """What was heard once everyone has heard the last event."""
        self._last.put(last)
        return self._tales.get(timeout=_PATIENCE)

    def __exit__(self, *_trouble: object) -> None:
        self._process.terminate()
        self._process.join()


def _follow(port: int, clients: int, last: "Queue[int]", tales: "Queue[Heard]") -> None:
    path = f"/v1/events?workspace={WORKSPACE}"
    chosen = selectors.DefaultSelector()
    crowd = [_Client(port, path) for _ in range(clients)]
    for client in crowd:
        chosen.register(client.connection, selectors.EVENT_READ, client)
    while not all(client.seq for client in crowd):
        _listen(chosen)
    tales.put(Heard(0, 0, in_order=True))
    end = None
    until = time.monotonic() + _PATIENCE
    while (end is None or any(client.seq < end for client in crowd)) and time.monotonic() < until:
        _listen(chosen)
        if end is None and not last.empty():
            end = last.get()
    counts = [client.count for client in crowd]
    tales.put(Heard(min(counts), max(counts), in_order=all(client.in_order for client in crowd)))


def _listen(chosen: selectors.BaseSelector) -> None:
    for key, _ in chosen.select(timeout=0.1):
        key.data.read()


class _Client:
    """Counts what it is sent; looks at nothing but the numbers."""

    def __init__(self, port: int, path: str) -> None:
        self.connection = opened(port, path)
        self.seq = self.count = 0
        self.in_order = True
        self._rest = b""

    def read(self) -> None:
        data = self._rest + self.connection.recv(_READ)
        found = list(_id.finditer(data))
        numbers = [int(one[1]) for one in found]
        if numbers:
            self.in_order = self.in_order and numbers == list(range(self.seq + 1, self.seq + 1 + len(numbers)))
            self.seq = numbers[-1]
            self.count += len(numbers)
        self._rest = data[found[-1].end() - 1 :] if found else data
