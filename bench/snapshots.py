"""A long list for many clients: what all but the first cost a server, and what a step in its middle costs."""

import re
import selectors
import socket
import time
import urllib.request
from pathlib import Path
from typing import Final, NamedTuple

from bench.figures import Aim, Section, alone, compared
from bench.rig import WORKSPACE
from bench.scale import Scale
from bench.serving import Served, opened, serving
from bench.timing import Progress

CLIENTS: Final = 200
_AT_ONCE: Final = 1_000
_PATIENCE: Final = 120.0
_READ: Final = 1024 * 1024
_made = re.compile(r"^gatepost_todo_snapshots_total ([0-9]+)$", re.MULTILINE)


class Spent(NamedTuple):
    """What connecting cost: the server's seconds of work, the MiB it then held more, lists made, bytes for each."""

    seconds: float
    memory: float
    made: int
    size: int


def measure(scale: Scale, folder: Path) -> Section:
    """One client of a workspace with one long list, then many at once; then a step in the middle, told to all."""
    clients, steps = (CLIENTS, scale.one_task) if scale.name == "full" else (CLIENTS // 4, scale.one_task // 2)
    with serving(folder / "snapshots.db") as served:
        _seed(served, steps, scale.seeding)
        _connected(served, 1)  # the first one also pays for what is imported and read for the first time
        time.sleep(0.5)
        one = _connected(served, 1)
        many = _connected(served, clients)
        middle = _middle(served, steps)
    return Section(
        name="snapshots",
        figures=(
            alone(f"work for one client of {steps:,} steps", one.seconds, "s"),
            compared(
                f"the same for {clients} at once", many.seconds, "s", one.seconds, Aim(sign="≤", bound=clients / 5)
            ),
            alone(f"lists made for {clients} at once", many.made, "calls", Aim(sign="≤", bound=1, unit="")),
            alone(f"memory that {clients} at once took", many.memory, "MiB"),
            alone("a list as it is sent", one.size / 2**20, "MiB"),
            compared(
                "a step put into its middle, as sent",
                middle / 2**20,
                "MiB",
                one.size / 2**20,
                Aim(sign="≤", bound=0.01),
            ),
        ),
        notes=(f"{clients} copies of the list would be {clients * one.size / 2**20:,.0f} MiB",),
    )


def _seed(served: Served, steps: int, seconds: float) -> None:
    served.ok("tasks_create", kind="task", title="A long list", description="Because there is much to do.")
    progress = Progress("snapshots", steps, until=time.monotonic() + seconds)
    for start in range(0, steps, _AT_ONCE):
        titles = [
            {"title": f"Step {start + number} of very many"} for number in range(min(_AT_ONCE, steps - start))
        ]
        served.ok("tasks_decompose", task="TASK-001", steps=titles)
        progress.add(len(titles))
    progress.finish()


def _connected(served: Served, clients: int) -> Spent:
    """So many clients at once, until each has heard the list to its end."""
    work, memory, made = served.seconds(), served.memory(), _makings(served)
    crowd = [opened(served.port, f"/v1/todo?workspace={WORKSPACE}") for _ in range(clients)]
    try:
        heard, most = _heard(crowd, served)
    finally:
        for connection in crowd:
            connection.close()
    spent = Spent(served.seconds() - work, max(most - memory, 0.0), _makings(served) - made, heard)
    time.sleep(0.5)  # until the server has noticed that they are gone, and let go of what it held for them
    return spent


def _heard(crowd: list[socket.socket], served: Served) -> tuple[int, float]:
    """The bytes that each was sent, and the most that the server held meanwhile."""
    chosen = selectors.DefaultSelector()
    sizes, ends = dict.fromkeys(crowd, 0), dict.fromkeys(crowd, b"")
    for connection in crowd:
        chosen.register(connection, selectors.EVENT_READ, connection)
    until, most, waiting = time.monotonic() + _PATIENCE, 0.0, set(crowd)
    while waiting and time.monotonic() < until:
        for key, _ in chosen.select(timeout=0.1):
            connection = key.data
            data = connection.recv(_READ)
            sizes[connection] += len(data)
            ends[connection] = (ends[connection] + data)[-64:]
            if ends[connection].endswith(b'"protocol_version":"1.0"}\n\n') and sizes[connection] > _AT_ONCE:
                waiting.discard(connection)
        most = max(most, served.memory())
    assert not waiting, f"{len(waiting)} clients did not hear the list to its end"
    return max(sizes.values()), most


def _middle(served: Served, steps: int) -> int:
    """The bytes that a client is sent when a step comes into the middle."""
    connection = opened(served.port, f"/v1/todo?workspace={WORKSPACE}")
    try:
        _heard([connection], served)
        served.afresh()
        served.ok("tasks_decompose", task="TASK-001", path=f"s:{steps // 2}", steps=[{"title": "In the middle"}])
        received = b""
        while received.count(b"\n\n") < 2:
            received += connection.recv(_READ)
        assert b"In the middle" in received
        return len(received)
    finally:
        connection.close()


def _makings(served: Served) -> int:
    with urllib.request.urlopen(f"http://127.0.0.1:{served.port}/metrics") as answer:
        found = _made.search(answer.read().decode())
    return int(found[1]) if found else 0
