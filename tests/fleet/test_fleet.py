"""Three servers and twelve writers on one database, while servers are killed, the database crashes and connections
are cut: what was acknowledged is there once, and nobody won twice. Where namespaces can be made, half of the
writers have their own."""

import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

import psycopg
import pytest

from gatepost.engine import doctor
from gatepost.engine.rows import EventRow
from gatepost.storage.postgres.address import Address
from gatepost.storage.postgres.store import PostgresStore
from tests import postgres
from tests.fleet.writer import COOL, HOT
from tests.givens import World
from tests.storage.database_proxy import CutOnce, DatabaseProxy, socket_folder

SECONDS = float(os.environ.get("GATEPOST_FLEET_SECONDS", "12"))
HERE = Path(__file__).parent
STEPS = 400
OWN_NAMESPACES = ("unshare", "--net", "--pid", "--fork", "--mount-proc", "--kill-child")
"""Runs a program as if on a machine of its own: it sees no network and no process of others."""


class Fleet:
    """A database with its servers, writers and followers."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.database = postgres.new_server()
        self.proxy = DatabaseProxy(socket_folder(), self.database.folder)
        """Writers that use the database go through it. It loses commits, or their answers."""
        self.apart = OWN_NAMESPACES if _can_run(*OWN_NAMESPACES, "true") else ()
        self.ports = [_free_port() for _ in range(3)]
        self.servers: list[subprocess.Popen[bytes]] = []
        self.others: list[subprocess.Popen[bytes]] = []
        self.stop = folder / "stop"

    @property
    def url(self) -> str:
        return self.database.url()

    @property
    def proxied_url(self) -> str:
        return f"postgresql://gatepost@/postgres?host={self.proxy.folder}"

    def prepare(self) -> None:
        """The work that the writers fight for."""
        with closing(PostgresStore(Address(self.url))) as store:
            hot = World(store, workspace=HOT)
            hot.task("noted")
            hot.task("edited")
            hot.task(*[f"step {number}" for number in range(STEPS)])
            for number in range(COOL):
                World(store, workspace=f"cool/{number}").task("noted")

    def begin(self) -> None:
        self.servers = [self.serve(port) for port in self.ports]
        addresses = [f"http://127.0.0.1:{port}" for port in self.ports]
        for port in self.ports:
            self.until(partial(_answers, port))
        for number in range(12):
            where, apart = (addresses, ()) if number % 2 else ([self.proxied_url], self.apart)
            notes = str(self.folder / f"w{number}.txt")
            self.run("writer.py", f"w{number}", notes, str(self.stop), *where, apart=apart)
        for number, address in enumerate((*addresses[:2], self.url)):
            self.run("follower.py", str(self.folder / f"followed{number}.txt"), address, HOT)

    def serve(self, port: int) -> subprocess.Popen[bytes]:
        words = [sys.executable, "-m", "gatepost", "up", "--port", str(port), "--store", self.url]
        return subprocess.Popen(words, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def run(self, script: str, *arguments: str, apart: Sequence[str] = ()) -> None:
        words = [*apart, sys.executable, "-m", f"tests.fleet.{script.removesuffix('.py')}", *arguments]
        self.others.append(subprocess.Popen(words, cwd=HERE.parent.parent, stderr=subprocess.PIPE))

    def until(self, holds: Callable[[], bool]) -> None:
        """Wait for other processes, within bounds. Starts servers again that found no database at their start."""
        until = time.monotonic() + 120
        while not holds():
            assert time.monotonic() < until, "the fleet stands still"
            for number, server in enumerate(self.servers):
                if server.poll() is not None:
                    self.servers[number] = self.serve(self.ports[number])
            time.sleep(0.05)

    def harm(self, chance: random.Random) -> str:
        """Do one of the things that happen to fleets."""
        what = chance.choice(
            ("kill a server", "crash the database", "cut connections", "lose an answer", "lose a commit")
        )
        if what == "kill a server":
            number = chance.randrange(3)
            self.servers[number].send_signal(signal.SIGKILL)
            self.servers[number].wait()
            self.servers[number] = self.serve(self.ports[number])
        elif what == "crash the database":
            self.database.stop("immediate")
            self.database.start()
        elif what.startswith("lose"):
            self.proxy.before = what == "lose a commit"
            self.proxy.cuts = CutOnce()
        else:
            with psycopg.connect(self.url, autocommit=True) as admin:
                admin.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE application_name = 'gatepost' AND random() < 0.5"
                )
        return what

    def rest(self) -> None:
        """Let the writers finish what they began."""
        self.stop.touch()
        for writer in self.others[:12]:
            _, said = writer.communicate(timeout=120)
            assert writer.returncode == 0, said.decode()

    def noted(self, kind: str) -> list[tuple[str, str]]:
        lines = [line.split() for path in self.folder.glob("w*.txt") for line in path.read_text().splitlines()]
        return [(workspace, what) for said, workspace, what in lines if said == kind]

    def claimed(self) -> list[set[str]]:
        """The steps that each writer claimed."""
        notes = [path.read_text().splitlines() for path in self.folder.glob("w*.txt")]
        return [{line.split()[2] for line in lines if line.startswith("claimed ")} for lines in notes]

    def has_noted(self, more_than: int) -> bool:
        return len(self.noted("noted")) > more_than

    def end(self) -> None:
        for process in (*self.others, *self.servers):
            if process.poll() is None:
                process.kill()
            process.wait()
            if process.stderr is not None:
                process.stderr.close()
        self.proxy.close()
        shutil.rmtree(self.proxy.folder)
        self.database.end()


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Fleet]:
    made = Fleet(tmp_path)
    try:
        yield made
    finally:
        made.end()


def test_what_was_acknowledged_is_there_once_whatever_happens_to_servers_and_database(fleet: Fleet) -> None:
    fleet.prepare()
    fleet.begin()
    fleet.until(partial(fleet.has_noted, 20))
    chance, began, harmed = random.Random(14), time.monotonic(), Counter[str]()

    while time.monotonic() - began < SECONDS or len(harmed) < 5:
        seen = len(fleet.noted("noted"))
        harmed[fleet.harm(chance)] += 1
        fleet.until(partial(fleet.has_noted, seen + 5))
    fleet.rest()

    with closing(PostgresStore(Address(fleet.url))) as store:
        logs = {workspace: _log(store, workspace) for workspace in store.workspaces()}
        assert not doctor.check_store(store).findings
    _check_notes(fleet, logs)
    _check_winners(fleet, logs[HOT])
    last = logs[HOT][-1].seq
    for number in range(3):
        assert _followed(fleet, number, last) == list(range(1, last + 1))
    assert fleet.proxy.cut


def _check_notes(fleet: Fleet, logs: dict[str, list[EventRow]]) -> None:
    """Every log is without gaps; acknowledged notes are there once, and others at most once."""
    for log in logs.values():
        assert [row.seq for row in log] == list(range(1, len(log) + 1))
    kept = Counter(
        (workspace, row.body.partition('"note":"')[2].partition('"')[0])
        for workspace, log in logs.items()
        for row in log
        if row.body.startswith('{"type":"step_noted"')
    )
    acknowledged = fleet.noted("noted")
    assert len(acknowledged) > 50
    assert {found: kept[found] for found in acknowledged if kept[found] != 1} == {}
    assert max(kept.values()) == 1
    assert kept.keys() <= set(fleet.noted("sent"))


def _check_winners(fleet: Fleet, log: list[EventRow]) -> None:
    """Nobody else won the revision that somebody won, nor closed the step that somebody closed."""
    won = Counter(what for _, what in fleet.noted("won"))
    assert won
    assert max(won.values()) == 1
    claimed = Counter(step for found in fleet.claimed() for step in found)
    assert claimed
    assert max(claimed.values()) == 1  # no writer ends before the others, so no claim does
    closed = Counter(what for _, what in fleet.noted("closed"))
    done = Counter(row.step_id for row in log if row.body.startswith('{"type":"step_done"'))
    assert closed
    assert max(closed.values()) == max(done.values()) == 1
    assert closed.keys() <= done.keys()


def _followed(fleet: Fleet, number: int, last: int) -> list[int]:
    """What a follower got, once it has the last event."""
    path = fleet.folder / f"followed{number}.txt"
    fleet.until(lambda: path.read_text().split()[-1:] == [str(last)])
    return [int(line) for line in path.read_text().split()]


def _log(store: PostgresStore, workspace: str) -> list[EventRow]:
    with store.reading(workspace) as snapshot:
        return snapshot.events(0, 1_000_000, None)


def _can_run(*words: str) -> bool:
    try:
        return subprocess.run(words, capture_output=True).returncode == 0
    except OSError:
        return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
