"""A list that several processes share goes with the last of them, however each of them ends."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gatepost.domain import places
from gatepost.domain.todos import MOST_SHARING, Todos
from gatepost.engine import doctor, processes
from gatepost.operations import sessions, todo_stream
from tests.givens import WORKSPACE, World, worlds
from tests.operations.test_todo_sessions import cleared, dead_process, items, living_in, write

PATIENCE = 60
SHARER = """
import sys
import gatepost
from gatepost.operations import sessions

store, workspace = sys.argv[1:]
with gatepost.connect(store, synchronous="NORMAL") as gp:
    mine = gp.for_session("own")
    for line in sys.stdin:
        word, _, item = line.strip().partition(" ")
        if word == "write":
            mine.call("todo_write", workspace=workspace, session="shared", items=[item])
        if word == "read":
            mine.call("todo_read", workspace=workspace, session="shared")
        if word == "end":
            sessions.end(mine.engine, workspace, mine.client.caller)
        print(word, flush=True)
"""


class Sharer:
    """A process of its own on the same store."""

    def __init__(self, store: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", SHARER, str(store), WORKSPACE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def told(self, line: str) -> None:
        """Let it do something, and wait until it is done."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        assert self._process.stdout.readline().strip() == line.partition(" ")[0]

    def kill(self) -> None:
        """End it without a word (SIGKILL)."""
        with self._process:
            self._process.kill()
            self._process.wait(PATIENCE)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """A world on a file, which other processes can open."""
    yield from worlds("sqlite", tmp_path)


@contextmanager
def two(world: World) -> Iterator[tuple[Sharer, Sharer]]:
    """Two processes that wrote one list, the second one last."""
    store = Path(world.store.describe()["path"])
    sharers = Sharer(store), Sharer(store)
    try:
        for number, sharer in enumerate(sharers):
            sharer.told(f"write {number}")
        yield sharers
    finally:
        for sharer in sharers:
            sharer.kill()


def sweep(world: World) -> int:
    return sessions.sweep(world.engine, world.workspace)


@pytest.mark.requirement("todo.server.shared", "todo.server.swept")
@pytest.mark.parametrize("first", [0, 1], ids=["the first writer first", "the last writer first"])
def test_a_list_outlives_the_first_of_two_that_are_killed_and_goes_with_the_second(
    world: World, first: int
) -> None:
    with two(world) as sharers:
        sharers[first].kill()
        kept = (sweep(world), items(world, session="shared"))
        sharers[1 - first].kill()
        unswept = items(world, session="shared")
        gone = (sweep(world), cleared(world))

    assert kept == (0, ["1"])
    assert unswept == []
    assert gone == (1, [("shared", "gatepost")])
    assert doctor.examine(world.store, world.workspace).findings == []


@pytest.mark.requirement("todo.server.shared", "todo.server.lives-with-session")
def test_a_process_that_ends_leaves_what_another_shares_and_the_last_one_clears_it(world: World) -> None:
    with two(world) as (one, other):
        other.told("end")
        other.kill()
        kept = items(world, session="shared")
        one.told("end")
        left = (items(world, session="shared"), [session for session, _ in cleared(world)])

    assert kept == ["1"]
    assert left == ([], ["shared"])


@pytest.mark.requirement("todo.server.shared")
def test_who_only_reads_a_list_does_not_keep_it(world: World) -> None:
    with two(world) as (one, other):
        reader = Sharer(Path(world.store.describe()["path"]))
        before = world.everything()
        reader.told("read")
        read = world.everything() == before
        one.kill()
        other.kill()
        swept = sweep(world)
        reader.kill()

    assert read
    assert swept == 1


@pytest.mark.requirement("todo.server.shared")
def test_undoing_the_other_s_write_leaves_the_list_to_who_wrote_before(world: World) -> None:
    with two(world) as (one, other):
        world.ok("tasks_undo", operation=world.ok("tasks_history")["operations"][0]["operation"])
        other.kill()
        kept = (sweep(world), items(world, session="shared"))
        one.kill()
        gone = sweep(world)

    assert kept == (0, ["0"])
    assert gone == 1


def sharing(world: World) -> tuple[str, ...]:
    place = places.named(places.SESSION, "shared")
    found = world.engine.read(world.workspace, world.caller, lambda reader: reader.at(place))
    assert found is not None
    assert isinstance(found.value, Todos)
    return found.value.processes


def test_those_who_have_ended_are_forgotten_at_the_next_write(world: World) -> None:
    living_in(world, processes.this())
    write(world, "A", session="shared")
    living_in(world, dead_process())
    write(world, "B", session="shared")
    before = sharing(world)
    living_in(world, processes.this())

    write(world, "C", session="shared")

    assert before == (dead_process(), processes.this())
    assert sharing(world) == (processes.this(),)


def test_no_list_remembers_more_processes_than_a_bounded_number(world: World) -> None:
    machine, *rest = processes.this().split("/")
    for number in range(MOST_SHARING + 5):
        living_in(world, "/".join((f"{machine}{number}", *rest)))  # of other machines nothing is known
        write(world, str(number), session="shared")

    assert len(sharing(world)) == MOST_SHARING
    assert sharing(world)[0].startswith(f"{machine}{MOST_SHARING + 4}/")


def test_a_shared_list_stays_on_the_stream_until_it_is_cleared(world: World) -> None:
    with two(world) as (one, other):
        other.kill()
        sweep(world)
        shown = world.engine.read(
            world.workspace, world.caller, lambda reader: todo_stream.snapshot(reader, "shared")
        )
        one.kill()
        sweep(world)
        over = world.engine.read(
            world.workspace, world.caller, lambda reader: todo_stream.snapshot(reader, "shared")
        )

    assert (shown.op, over.op) == ("replace", "clear")
    assert over.revision == shown.revision + 1
