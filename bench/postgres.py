"""PostgreSQL: calls beside a bare transaction, hot and cool workspaces, and the cost in large ones."""

import multiprocessing
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Final, LiteralString, NamedTuple

import psycopg
from psycopg import sql

from bench.figures import Aim, Figure, Section, alone, compared, median
from bench.rig import Closing, Field, Rig, seed
from bench.scale import Scale
from bench.timing import OutOfTime, Progress, take_turns, timed
from tests import postgres

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
_STEPS_EACH: Final = 1_000
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


def measure(scale: Scale, _folder: Path) -> Section:
    """A server of our own, with the durability of a real one."""
    if postgres.programs() is None:
        return Section(name="postgres", figures=(), notes=("NOT MEASURED: there is no PostgreSQL here",))
    with _server() as url, Rig(url, "FULL", "size/0") as first:
        rigs, notes = [first], []
        fields = [_seeded(first, scale.sizes[0], scale.seeding)]
        try:
            for number, size in enumerate(scale.sizes[1:], start=1):
                rigs.append(Rig(url, "FULL", f"size/{number}"))
                fields.append(_seeded(rigs[-1], size, scale.seeding))
        except OutOfTime as late:
            notes.append(str(late))
        figures = list(_calls(scale, url, rigs[: len(fields)], fields))
        for rig in rigs[1:]:
            rig.engine.store.close()
        figures += _crowds(url, scale.writing)
    return Section(name="postgres", figures=figures, notes=notes)


@contextmanager
def _server() -> Iterator[str]:
    server = postgres.new_server()
    try:
        server.stop("fast")
        server.start(_DURABLE)
        yield server.url()
    finally:
        server.end()


def _seeded(rig: Rig, steps: int, seconds: float) -> Field:
    progress = Progress(f"{steps:,} steps on PostgreSQL", steps, until=time.monotonic() + seconds)
    field = seed(rig, tasks=max(1, steps // _STEPS_EACH), steps_each=_STEPS_EACH, progress=progress)
    progress.finish()
    return field


def _calls(scale: Scale, url: str, rigs: Sequence[Rig], fields: Sequence[Field]) -> Iterator[Figure]:
    """Each call in workspaces of all sizes, beside a transaction that only stores."""
    with closing(psycopg.connect(url, autocommit=True)) as connection:
        turns: dict[str, Callable[[], float]] = {}
        for rig, field, size in zip(rigs, fields, scale.sizes, strict=False):
            turns[f"close, {size:,} steps"] = Closing(rig.ok, field)
            turns[f"radar, {size:,} steps"] = _radar(rig, field)
        turns["bare"] = _bare(connection)
        times = take_turns(turns, rounds=scale.rounds, seconds=scale.seconds * 2)
    smallest = f"{scale.sizes[0]:,} steps"
    bare, close, radar_time = (
        median(times[name], "ms") for name in ("bare", f"close, {smallest}", f"radar, {smallest}")
    )
    yield alone("a bare transaction with the rows of a closing", bare, "ms")
    yield compared(f"close, {smallest}, to it", close, "ms", bare, _HOT)
    yield compared(f"radar, {smallest}, to it", radar_time, "ms", bare)
    for name in list(turns)[2:-1]:
        base = close if name.startswith("close") else radar_time
        yield compared(name, median(times[name], "ms"), "ms", base, _FLAT)


def _radar(rig: Rig, field: Field) -> Callable[[], float]:
    return lambda: timed(lambda: rig.ok("tasks_radar", task=field.tasks[0]))


def _bare(connection: Connection, workspace: str = "size/0", copies: str = "bare") -> Callable[[], float]:
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
    """One writer, several in one workspace beside as many bare ones, and several with a workspace each."""
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
    yield compared(f"{WRITERS} writers, a workspace each", apart, "calls/s", one, _COOL)
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
