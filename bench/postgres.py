"""PostgreSQL: calls beside a bare transaction, their round trips, their cost in large databases; many writers."""

import json
import multiprocessing
import random
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Final, LiteralString, NamedTuple

import psycopg
from psycopg import sql

from bench.copied_tasks import copy_task
from bench.figures import Aim, Figure, Section, alone, compared, median
from bench.grounds import shape
from bench.rig import GROUP, LEAVES, Closing, Field, Rig, close, leaf, seed
from bench.scale import Scale
from bench.timing import OutOfTime, Progress, take_turns, timed
from tests import postgres
from tests.round_trips import counting_round_trips

WRITERS: Final = 4
_NEWEST: Final = "operation = (SELECT max(operation) FROM gatepost.operations WHERE workspace = {number})"
_TOUCHED: Final = """place IN (SELECT place FROM gatepost.touches WHERE workspace = {number} AND operation = (
    SELECT max(operation) FROM gatepost.operations WHERE workspace = {number}))"""
_WRITTEN: Final[dict[str, LiteralString]] = {
    "documents": _TOUCHED,
    "tallies": _TOUCHED,
    "events": _NEWEST,
    "images": _NEWEST,
    "touches": _NEWEST,
    "operations": _NEWEST,
    "searched": """seq IN (SELECT seq FROM gatepost.events WHERE workspace = {number} AND operation = (
        SELECT max(operation) FROM gatepost.operations WHERE workspace = {number}))""",
}
"""Which rows of each table the last operation wrote."""
_WORKSPACE: Final = "acme/bench"
_PAGE: Final = 20
_MOST_TRIPS: Final = {"radar": 4, "close": 5, "context": 6, "handoff": 8}
"""Round trips of each call, with the beginning and the end of its transaction."""
_DURABLE: Final = "-c fsync=on -c synchronous_commit=on -c full_page_writes=on -c autovacuum=on"
_HOT: Final = Aim(sign="≤", bound=2.0)
_HOT_CROWD: Final = Aim(sign="≥", bound=0.5)
_COOL: Final = Aim(sign="≥", bound=1.5)
_BOUNDED: Final = Aim(sign="≤", bound=10.0)
_FLAT: Final = Aim(sign="≤", bound=1.5)
_ROUNDS: Final = 3
_PATIENCE: Final = 60.0

Connection = psycopg.Connection[tuple[object, ...]]


class Written(NamedTuple):
    """What one writer did: the seconds of each call."""

    calls: Sequence[float]
    spent: float


class Ground(NamedTuple):
    """A database with a workspace of some size."""

    size: int
    url: str
    rig: Rig
    field: Field


def measure(scale: Scale, _folder: Path) -> Section:
    """A server of our own, with the durability of a real one."""
    if postgres.programs() is None:
        return Section(name="postgres", figures=(), notes=("NOT MEASURED: there is no PostgreSQL here",))
    notes: list[str] = []
    with _server() as server, ExitStack() as stack:
        grounds: list[Ground] = []
        try:
            grounds.extend(_ground(server, size, scale.seeding, stack) for size in scale.sizes)
        except OutOfTime as late:
            notes.append(f"left out, because making it took too long: {late}")
        figures = [*_calls(scale, grounds), *_round_trips(grounds[-1])] if grounds else []
        figures += _crowds(server.url(), scale.writing)
    return Section(name="postgres", figures=figures, notes=notes)


@contextmanager
def _server() -> Iterator[postgres.Server]:
    server = postgres.new_server()
    try:
        server.stop("fast")
        server.start(_DURABLE)
        yield server
    finally:
        server.end()


def _ground(server: postgres.Server, size: int, seconds: float, stack: ExitStack) -> Ground:
    """Calls write one task, and its rows are copied. Each size has a database of its own: tables of their size."""
    name = f"steps_{size}"
    with closing(psycopg.connect(server.url(), autocommit=True)) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    rig = stack.enter_context(Rig(server.url(name), "FULL", _WORKSPACE))
    tasks, steps_each = shape(size)
    progress = Progress(f"{size:,} steps on PostgreSQL", size, until=time.monotonic() + seconds)
    seed(rig, tasks=1, steps_each=steps_each, progress=progress)
    with closing(psycopg.connect(server.url(name), autocommit=True)) as connection:
        copy_task(connection, _WORKSPACE, tasks, progress)
    progress.finish()
    field = Field([f"TASK-{number:03d}" for number in range(1, tasks + 1)], steps_each)
    return Ground(size, server.url(name), rig, field)


def _calls(scale: Scale, grounds: Sequence[Ground]) -> Iterator[Figure]:
    """Each call in workspaces of all sizes, beside a transaction that only stores."""
    smallest = grounds[0].size
    with closing(psycopg.connect(grounds[0].url, autocommit=True)) as connection:
        turns: dict[tuple[str, int], Callable[[], float]] = {}
        for ground in grounds:
            turns["close", ground.size] = Closing(ground.rig.ok, ground.field)
            turns |= {(name, ground.size): partial(timed, read) for name, read in _reads(ground.rig, ground.field)}
        turns["bare", smallest] = _bare(connection, _WORKSPACE)
        times = take_turns(turns, rounds=scale.rounds, seconds=scale.seconds * 2)
    medians = {key: median(seconds, "ms") for key, seconds in times.items()}
    bare = medians["bare", smallest]
    yield alone("a bare transaction with the rows of a closing", bare, "ms")
    for call in _MOST_TRIPS:
        base = medians[call, smallest]
        yield compared(f"{call}, {smallest:,} steps, to it", base, "ms", bare, _HOT if call == "close" else None)
    for (call, size), value in medians.items():
        if size != smallest:
            yield compared(f"{call}, {size:,} steps", value, "ms", medians[call, smallest], _FLAT)


def _reads(rig: Rig, field: Field) -> Iterator[tuple[str, Callable[[], object]]]:
    """Reads about the workspace, and about some task."""
    chance = random.Random(2)
    yield "radar", lambda: rig.ok("tasks_radar", task=chance.choice(field.tasks))
    yield "context", lambda: rig.ok("tasks_context", limit=_PAGE)
    yield "handoff", lambda: rig.ok("tasks_handoff", task=chance.choice(field.tasks))


def _round_trips(ground: Ground) -> Iterator[Figure]:
    """How often each call about a task of a plan waits for the server, once its connection is open."""
    with counting_round_trips() as counter, Rig(ground.url, "FULL", _WORKSPACE) as rig:
        rig.ok("tasks_create", kind="plan", title="The plan")
        steps = [{"title": "A part of the work", "steps": [{"title": "An item"}] * LEAVES}]
        made = rig.ok("tasks_create", kind="task", title="The work", plan="PLAN-001", steps=steps)
        field = Field([json.loads(made)["id"]], GROUP)
        calls = dict(_reads(rig, field))
        calls["close"] = lambda: close(rig.ok, leaf(field.tasks[0], 1))
        close(rig.ok, leaf(field.tasks[0], 0))  # the first work on a task and its plan changes more than later work
        counted = {name: counter.of(call) for name, call in calls.items()}
    for name, most in _MOST_TRIPS.items():
        aim = Aim(sign="≤", bound=most, unit="")
        yield alone(f"{name}, {ground.size:,} steps: waits for the server", counted[name], "round trips", aim)


def _bare(connection: Connection, workspace: str, copies: str = "bare") -> Callable[[], float]:
    """A transaction that writes the rows of a workspace's last operation, in two round trips: it locks a row and
    reads it; then it writes and commits. The tables are copies with all indexes, and the rows get a new key each
    time."""
    schema = sql.Identifier(copies)
    connection.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(schema))
    counter = sql.SQL("CREATE TABLE IF NOT EXISTS {}.counter AS SELECT 1 AS id, 0 AS seq")
    connection.execute(counter.format(schema))
    found = connection.execute("SELECT id FROM gatepost.workspaces WHERE name = %s", [workspace]).fetchone()
    assert found is not None
    inserts: list[tuple[sql.Composed, list[object]]] = []
    for table, condition in _WRITTEN.items():
        copy, original = sql.Identifier(copies, table), sql.Identifier("gatepost", table)
        create = sql.SQL("CREATE TABLE IF NOT EXISTS {} (LIKE {} INCLUDING ALL)")
        connection.execute(create.format(copy, original))
        chosen = sql.SQL("SELECT * FROM {} WHERE workspace = {number} AND {}")
        number = sql.Literal(found[0])
        where = sql.SQL(condition).format(number=number)
        for _, *values in connection.execute(chosen.format(original, where, number=number)):
            places = sql.SQL(", ").join([sql.Placeholder()] * (len(values) + 1))
            inserts.append((sql.SQL("INSERT INTO {} VALUES ({})").format(copy, places), values))
    lock = sql.SQL("SELECT seq FROM {}.counter WHERE id = 1 FOR UPDATE").format(schema)
    count = sql.SQL("UPDATE {}.counter SET seq = seq + 1 WHERE id = 1").format(schema)

    def transact() -> None:
        with connection.pipeline():
            connection.execute("BEGIN")
            row = connection.execute(lock).fetchone()
        assert row is not None
        with connection.pipeline():
            connection.execute(count)
            for insert, values in inserts:
                connection.execute(insert, [row[0], *values])
            connection.execute("COMMIT")

    return lambda: timed(transact)


def _crowds(url: str, seconds: float) -> Iterator[Figure]:
    """One writer, several in one workspace beside as many bare ones, and several with a workspace each.

    The last are compared with those in one workspace: one writer alone keeps most of two cores busy.
    """
    rounds: list[list[list[Written]]] = []
    for _ in range(_ROUNDS):  # in turns, so that what else the machine does falls on all of them
        single = _together(url, ["hot/one"], seconds)
        hot = _together(url, ["hot/one"] * WRITERS, seconds)
        with closing(psycopg.connect(url, autocommit=True)) as connection:
            _bare(connection, "hot/one", "bare_hot")
        bare = _together(url, ["hot/one"] * WRITERS, seconds, _write_bare)
        cool = _together(url, [f"cool/{number}" for number in range(WRITERS)], seconds)
        rounds.append([single, hot, bare, cool])
    one, several, stored, apart = (statistics.median(map(_rate, crowd)) for crowd in zip(*rounds, strict=True))
    yield alone("one writer's notes", one, "calls/s")
    yield compared(f"{WRITERS} writers in one workspace", several, "calls/s", one)
    what = f"{WRITERS} writers in one workspace, to {WRITERS} bare ones with the same rows"
    yield compared(what, several, "calls/s", stored, _HOT_CROWD)
    yield compared(f"{WRITERS} writers, a workspace each", apart, "calls/s", one)
    yield compared(f"{WRITERS} writers, a workspace each, to those in one", apart, "calls/s", several, _COOL)
    for name, number in (("one workspace", 1), ("a workspace each", 3)):
        calls = [call for each in rounds for writer in each[number] for call in writer.calls]
        p99 = statistics.quantiles(calls, n=100)[-1] * 1e3
        yield compared(f"their calls in {name}, p99, to the median", p99, "ms", median(calls, "ms"), _BOUNDED)


def _rate(written: Sequence[Written]) -> float:
    return sum(len(writer.calls) for writer in written) / max(writer.spent for writer in written)


def _together(
    url: str, workspaces: Sequence[str], seconds: float, write: "Callable[..., None] | None" = None
) -> list[Written]:
    context = multiprocessing.get_context("spawn")
    barrier, found = context.Barrier(len(workspaces)), context.Queue()
    processes = [
        context.Process(target=write or _write, args=(url, workspace, seconds, barrier, found), daemon=True)
        for workspace in workspaces
    ]
    for process in processes:
        process.start()
    written = [found.get(timeout=_PATIENCE) for _ in processes]
    for process in processes:
        process.join(_PATIENCE)
    return written


def _write(url: str, workspace: str, seconds: float, barrier: Barrier, found: "Queue[Written]") -> None:
    with Rig(url, "FULL", workspace) as rig:
        rig.ok("tasks_create", kind="task", title="Noted", steps=[{"title": "Note"}])
        barrier.wait(_PATIENCE)
        calls: list[float] = []
        begun = time.perf_counter()
        while time.perf_counter() - begun < seconds:
            calls.append(timed(lambda: rig.ok("tasks_note", task="TASK-001", note=f"Note {len(calls)}.")))
        found.put(Written(calls, time.perf_counter() - begun))


def _write_bare(url: str, workspace: str, seconds: float, barrier: Barrier, found: "Queue[Written]") -> None:
    with closing(psycopg.connect(url, autocommit=True)) as connection:
        transact = _bare(connection, workspace, "bare_hot")
        barrier.wait(_PATIENCE)
        calls: list[float] = []
        begun = time.perf_counter()
        while time.perf_counter() - begun < seconds:
            calls.append(transact())
        found.put(Written(calls, time.perf_counter() - begun))
