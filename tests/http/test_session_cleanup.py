"""A running server clears the lists of sessions whose process is gone, without being asked."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from gatepost.engine import processes
from gatepost.engine.caller import Caller
from gatepost.operations.answer import answer
from gatepost.storage.sqlite import connection_pool
from gatepost.storage.sqlite.store import SqliteStore
from gatepost.surfaces.http.app import ServerSettings
from gatepost.surfaces.http.server import Server
from tests.givens import WORKSPACE, World
from tests.http.givens import PATIENCE, Site

OTHER = "acme/other"
SOON = 0.02
NEVER = 3600.0
NAME_OF_A_PROCESS = """
from gatepost.engine import processes
print(processes.this(), flush=True)
input()
"""


class Doomed:
    """A process with a name, which a test can kill."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", NAME_OF_A_PROCESS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        self.name = self._process.stdout.readline().strip()

    def kill(self) -> None:
        """End it without a word (SIGKILL)."""
        with self._process:
            self._process.kill()
            self._process.wait(PATIENCE)


@pytest.fixture
def doomed() -> Iterator[Doomed]:
    """A process that is killed at the latest when the test ends."""
    process = Doomed()
    try:
        yield process
    finally:
        process.kill()


@contextmanager
def sweeping(world: World, every: float, **terms: Any) -> Iterator[Site]:
    """A running server that sweeps so often."""
    server = Server(world.engine, ServerSettings(**terms), 0, lambda _entry: None, sweep_every=every)
    try:
        made = Site(world, server, [])
        with made.client:
            yield made
    finally:
        server.stop()
        assert server.ended.is_set()


def listed(world: World, session: str, process: str | None, workspace: str = WORKSPACE) -> None:
    """A session's list, which lives as long as a process."""
    given = {"workspace": workspace, "items": [session]}
    assert answer(world.engine, "todo_write", given, Caller("agent", None, session, process)).refusal is None


def cleared(site: Site, after: int) -> tuple[str, str]:
    """The next event after some of the log, which must be that a list was cleared: of whom, by whom."""
    with site.following(after=after) as stream:
        event = stream.take(1)[0][1]
    assert event["type"] == "todo_cleared", event
    assert event["because"] == "swept"
    return event["session"], event["actor"]


@pytest.mark.requirement("todo.server.swept")
def test_what_a_killed_process_left_is_swept_when_a_server_starts(world: World, doomed: Doomed) -> None:
    listed(world, "dead", doomed.name)
    listed(world, "living", processes.this())
    listed(world, "lasting", None)
    doomed.kill()

    with sweeping(world, NEVER) as here:
        swept = cleared(here, after=3)

    assert swept == ("dead", "gatepost")
    assert [world.ok("todo_read", session=name)["items"] for name in ("living", "lasting")] == [
        ["living"],
        ["lasting"],
    ]
    assert world.ok("tasks_delta", types=["todo_cleared"])["events"][1:] == []


@pytest.mark.requirement("todo.server.swept")
def test_who_is_killed_while_a_server_runs_is_swept_by_it_in_every_workspace(world: World, doomed: Doomed) -> None:
    with sweeping(world, SOON) as here:
        listed(world, "dead", doomed.name)
        listed(world, "dead", doomed.name, OTHER)
        before = [world.ok("todo_read", session="dead", workspace=name)["items"] for name in (WORKSPACE, OTHER)]

        doomed.kill()

        assert before == [["dead"], ["dead"]]
        assert cleared(here, after=1) == ("dead", "gatepost")
        with here.client.stream("GET", "/v1/events", params={"workspace": OTHER, "after": "1"}) as other:
            assert any("todo_cleared" in line for line in other.iter_lines())


@pytest.mark.requirement("todo.server.swept")
def test_a_bound_server_sweeps_its_own_workspace_alone(world: World, doomed: Doomed) -> None:
    listed(world, "dead", doomed.name)
    listed(world, "dead", doomed.name, OTHER)
    doomed.kill()

    with sweeping(world, SOON, bound=WORKSPACE) as here:
        cleared(here, after=1)
        listed(world, "late", doomed.name)  # a second round has come and gone when this one is swept
        cleared(here, after=3)

    assert world.ok("tasks_delta", workspace=OTHER, types=["todo_cleared"])["events"] == []


def test_a_workspace_that_cannot_be_swept_ends_neither_the_server_nor_the_sweeping_of_others(
    world: World, doomed: Doomed, capfd: pytest.CaptureFixture[str]
) -> None:
    broken = "acme/a-broken"
    listed(world, "odd", "no name of a process", broken)
    listed(world, "dead", doomed.name)
    doomed.kill()

    with sweeping(world, SOON) as here:
        cleared(here, after=1)
        listed(world, "late", doomed.name)
        cleared(here, after=3)
        alive = here.client.get("/healthz").status_code

    assert alive == 200
    assert capfd.readouterr().err.count(f"while sweeping {broken}") == 1


def test_a_store_that_is_busy_is_swept_later_and_is_no_fault(
    world: World, doomed: Doomed, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_pool, "PATIENCE", 0.01)
    listed(world, "dead", doomed.name)
    doomed.kill()

    with world.store.writing(WORKSPACE):
        server = sweeping(world, SOON)
        here = server.__enter__()
        assert here.client.get("/healthz").status_code == 200
    swept = cleared(here, after=1)
    server.__exit__(None, None, None)

    assert swept == ("dead", "gatepost")
    assert "fault" not in capfd.readouterr().err


def test_a_server_where_nothing_was_ever_written_creates_no_store_by_sweeping(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    with closing(SqliteStore(str(path), "NORMAL")) as store:
        with sweeping(World(store), SOON) as here:
            assert here.client.get("/readyz").status_code == 200

        assert store.workspaces() == []
        assert store.blank() is not None
    assert not path.exists()
