"""Sessions that outlive their process: every event that was acknowledged is there for the next one."""
# ruff: noqa: PT012 - a block that fails is what is tested

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import gatepost
from gatepost.domain.refusals import SessionHeld, TooLarge, ToolValidationError
from gatepost.runtime import ReducerContext, Session, SessionRestored, Snapshot, append, upsert_by
from gatepost.tools import TodoList, TodoToolsSection, WorkspaceDigest, WorkspaceDigestSection, todo_write
from tests.runtime.values import Broken, Card, Count, Echo, Increment, Note, count, key_of

WORKSPACE = "acme/repo"
TYPES = (Note, Card, Count, Increment, Echo)


@pytest.fixture
def gp() -> Iterator[gatepost.Gatepost]:
    with gatepost.connect("memory:") as opened:
        yield opened


@dataclass(frozen=True)
class Stamped:
    """When something was taken in."""

    at: datetime


def prepare(session: Session) -> None:
    """Reducers of every kind."""
    session[Note].register(Note, append)
    session[Card].register(Card, upsert_by(key_of))
    session[Count].register(Increment, count)
    session[Echo].register(Echo, echoing)
    session[Stamped].register(Increment, stamping)


def open_(gp: gatepost.Gatepost, **given: Any) -> Session:
    """The session, as its program opens it."""
    return Session.open(gp, "agent", workspace=WORKSPACE, **{"prepare": prepare, **given})


def held(session: Session) -> list[object]:
    """Everything in the slices."""
    return [session[kind].all() for kind in (Note, Card, Count, Echo, Stamped, str)]


def test_a_session_that_is_opened_again_holds_what_it_held_and_nothing_is_announced_twice(
    gp: gatepost.Gatepost,
) -> None:
    ticks = iter(range(100))
    with open_(gp, clock=lambda: datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=next(ticks))) as first:
        for event in (Note("a"), Card("k", 1), Increment(2), Echo(2), Card("k", 2), "plain", Increment(3)):
            first.dispatch(event)
        asyncio.run(first.adispatch(Note("awaited")))
        before = held(first)
    heard: list[object] = []

    def prepared(session: Session) -> None:
        prepare(session)
        session.dispatcher.subscribe(object, heard.append)

    with open_(gp, prepare=prepared) as again:
        assert held(again) == before
        again.dispatch(Note("on"))
        assert again[Note].all() == (Note("a"), Note("echo"), Note("echo"), Note("awaited"), Note("on"))
        assert heard == [Note("on")]


def test_a_dispatch_that_cannot_be_kept_changes_nothing_and_tells_nobody(gp: gatepost.Gatepost) -> None:
    with open_(gp) as session:
        heard: list[object] = []
        session.dispatcher.subscribe(object, heard.append)
        before = held(session)

        with pytest.raises(TooLarge, match="at most 65,536"):
            session.dispatch(Note("x" * 70_000))
        with pytest.raises(ToolValidationError, match="A object cannot be encoded"):
            session.dispatch(object())
        with pytest.raises(gatepost.Refusal, match="AWS"):
            session.dispatch(Note("AKIA" + "IOSFODNN7QRSTUVW"))

        assert held(session) == before
        assert heard == []


def test_the_state_is_kept_now_and_then_so_that_few_events_are_read_again(gp: gatepost.Gatepost) -> None:
    with open_(gp) as session:
        for number in range(600):
            session.dispatch(Increment(number))
        before = held(session)
    kept = gp.call("session_history", workspace=WORKSPACE, session="agent", limit=200)["kept"]

    with open_(gp) as again:
        assert held(again) == before
    assert "state" in kept[0]
    assert len(gp.call("session_history", workspace=WORKSPACE, session="agent")["kept"]) < 200


@pytest.mark.parametrize("late", [False, True])
def test_a_restoring_and_a_transaction_that_was_taken_back_are_so_for_the_next_one_too(
    gp: gatepost.Gatepost, late: bool
) -> None:
    with open_(gp) as session:
        session.dispatch(Note("kept " + "x" * 60_000))
        snapshot = session.snapshot()
        for letter in "yz":
            session.dispatch(Card(letter, 1))
            session.dispatch(Note(letter * 60_000))
        if late:
            session.restore(snapshot)
        session.dispatch(Increment())
        with pytest.raises(Broken), session.transaction():
            session.dispatch(Note("gone"))
            session.dispatch(Increment(10))
            raise Broken
        session.dispatch(Note("after"))
        before = held(session)

    with open_(gp) as again:
        assert held(again) == before
        assert again[Note].latest() == Note("after")
        assert again[Count].all() == (Count(1),)


def test_a_state_that_could_not_be_kept_at_once_comes_with_the_next_event(gp: gatepost.Gatepost) -> None:
    flaky = Flaky(gp)
    session = Session.open(flaky, "agent", workspace=WORKSPACE, prepare=prepare)
    session.dispatch(Note("kept"))
    with pytest.raises(OSError, match="unplugged") as raised, session.transaction():
        session.dispatch(Note("gone"))
        flaky.unplugged = True
        raise Broken
    with pytest.raises(OSError, match="unplugged"):
        session.dispatch(Note("not kept"))
    flaky.unplugged = False
    session.dispatch(Note("after"))
    session.end()

    assert isinstance(raised.value.__context__, Broken)
    with open_(gp) as again:
        assert again[Note].all() == (Note("kept"), Note("after"))


class Flaky:
    """A store that can be unplugged for a while."""

    def __init__(self, gp: gatepost.Gatepost) -> None:
        self._gp = gp
        self.unplugged = False

    def for_session(self, session: str) -> "Flaky":
        """The same, asked by a session."""
        self._gp = self._gp.for_session(session)
        return self

    def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Ask, if it is plugged in."""
        if self.unplugged:
            raise OSError("unplugged")
        return self._gp.call(tool, **arguments)


def test_a_connection_to_one_workspace_needs_no_name_for_it() -> None:
    with gatepost.connect("memory:", workspace=WORKSPACE) as gp:
        with Session.open(gp, "agent") as session:
            session.dispatch("kept")
        with Session.open(gp, "agent", workspace=WORKSPACE) as again:
            assert again[str].all() == ("kept",)
    with gatepost.connect("memory:") as gp, pytest.raises(ToolValidationError, match="`workspace` is required"):
        Session.open(gp, "agent")


def test_sections_are_prepared_before_the_events_come_back(gp: gatepost.Gatepost) -> None:
    def sections(session: Session) -> None:
        TodoToolsSection(session=session)
        WorkspaceDigestSection(session=session)

    with open_(gp, prepare=sections) as session:
        todo_write(session, ["a"])
        session.dispatch(WorkspaceDigest("workspace-digest", "", "old"))
        session.dispatch(WorkspaceDigest("workspace-digest", "", "new"))

    with open_(gp, prepare=sections) as again:
        assert again[TodoList].all() == (TodoList(["a"]),)
        assert [digest.body for digest in again[WorkspaceDigest].all()] == ["new"]


def test_what_cannot_be_opened_is_refused_and_can_be_opened_better_afterwards(gp: gatepost.Gatepost) -> None:
    with open_(gp, prepare=None) as session:
        session.dispatch(Note("n"))
    with pytest.raises(ToolValidationError, match="The type 'Note' is unknown"):
        open_(gp, prepare=None)
    with pytest.raises(RuntimeError, match="`prepare` may only register reducers"):
        open_(gp, prepare=lambda session: session.dispatch(Note("too early")))
    with pytest.raises(ToolValidationError, match="cannot name a session"):
        Session.open(gp, "no name", workspace=WORKSPACE)

    with open_(gp, prepare=None, types={"Note": Note}) as again:
        assert again[Note].all() == (Note("n"),)


def test_a_second_opening_is_refused_also_in_the_same_process_and_taking_over_ends_the_first(
    gp: gatepost.Gatepost, caplog: pytest.LogCaptureFixture
) -> None:
    first = open_(gp)
    first.dispatch(Note("first"))
    with pytest.raises(SessionHeld, match="Session agent is open in process"):
        open_(gp)

    second = open_(gp, take_over=True)
    with pytest.raises(SessionHeld, match="no longer open here"):
        first.dispatch(Note("lost"))
    second.dispatch(Note("second"))
    first.end()

    assert "was taken over" in caplog.text
    assert second[Note].all() == (Note("first"), Note("second"))
    second.dispatch(Note("still mine"))
    second.end()


def test_a_snapshot_of_a_durable_session_may_come_from_json_and_a_clone_is_not_durable(
    gp: gatepost.Gatepost,
) -> None:
    with open_(gp) as session:
        session.dispatch(Note("n"))
        text = session.snapshot().to_json()
        clone = session.clone()
        clone.dispatch(Note("elsewhere"))
        restored: list[object] = []
        session.dispatcher.subscribe(SessionRestored, restored.append)
        session.restore(Snapshot.from_json(text, TYPES))

    with open_(gp) as again:
        assert again[Note].all() == (Note("n"),)
    assert len(restored) == 1


PROGRAM = """
import sys
import gatepost
from gatepost.runtime import Session, append
from tests.runtime.values import Card, Increment, Count, count

def prepare(session):
    session[Card].register(Card, append)
    session[Count].register(Increment, count)

gp = gatepost.connect(sys.argv[1])
session = Session.open(gp, "agent", workspace="acme/repo", prepare=prepare)
start = len(session[Card].all())
print("open", start, session[Count].latest().number if start else 0, flush=True)
for number in range(start, 100_000):
    session.dispatch(Increment())
    session.dispatch(Card("k", number))
    print(number, flush=True)
"""


def test_a_process_that_is_killed_loses_nothing_that_it_acknowledged_and_the_next_one_goes_on(
    tmp_path: Path,
) -> None:
    store = str(tmp_path / "gatepost.db")
    acknowledged = -1
    for _ in range(3):
        with started(store) as process:
            opened, cards, counted = line(process).split()
            assert opened == "open"
            assert acknowledged + 1 <= int(cards) <= acknowledged + 2
            assert int(cards) <= int(counted) <= int(cards) + 1
            for _ in range(12):
                acknowledged = int(line(process))
            with gatepost.connect(store) as gp, pytest.raises(SessionHeld, match=f"in process {process.pid}"):
                Session.open(gp, "agent", workspace=WORKSPACE)
            process.send_signal(signal.SIGKILL)
            process.wait(timeout=60)
            for late in process.stdout or ():  # it went on until the signal came
                acknowledged = int(late) if late.endswith("\n") else acknowledged

    with gatepost.connect(store) as gp, Session.open(gp, "agent", workspace=WORKSPACE, types=TYPES) as session:
        numbers = [card.worth for card in session[Card].all()]
        assert numbers == list(range(len(numbers)))
        assert len(numbers) >= acknowledged + 1
        assert gp.call("tasks_storage", workspace=WORKSPACE)


def test_the_example_is_killed_and_goes_on(tmp_path: Path) -> None:
    example = Path(__file__).parents[2] / "examples/durable_session.py"

    done = subprocess.run(
        [sys.executable, "-W", "error", str(example)], capture_output=True, text=True, cwd=tmp_path, timeout=300
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "The first process was killed: True",
        "Resumed: ['Read the code', 'Mend it'], Budget(left=700)",
        "Told of 100 tokens",
        "Reported: ConnectionError('nobody listens')",
        "Told of 500 tokens",
        "Taken back: The budget is spent.",
        "Still there: Budget(left=600), files: []",
    ]
    assert "never awaited" not in done.stderr


def started(store: str) -> "subprocess.Popen[str]":
    """A program of its own, which ends with the test."""
    root = Path(__file__).parents[2]
    return subprocess.Popen([sys.executable, "-c", PROGRAM, store], stdout=subprocess.PIPE, text=True, cwd=root)


def line(process: "subprocess.Popen[str]") -> str:
    """The next line that a process prints."""
    assert process.stdout is not None
    return process.stdout.readline().strip()


def echoing(state: tuple[Echo, ...], event: Echo, *, context: ReducerContext) -> tuple[Echo, ...]:
    """Keep the echo, and bring about its notes."""
    for _ in range(event.times):
        context.session.dispatch(Note("echo"))
    return (*state, event)


def stamping(state: tuple[Stamped, ...], event: Increment, *, context: ReducerContext) -> tuple[Stamped, ...]:
    """Keep the time of the newest."""
    return (Stamped(context.at),)


def test_an_event_that_cannot_be_kept_takes_along_what_its_reducers_dispatched(gp: gatepost.Gatepost) -> None:
    with open_(gp, prepare=lambda session: session[str].register(str, noting)) as session:
        with pytest.raises(TooLarge):
            session.dispatch("x" * 70_000)

        assert (session[str].all(), session[Note].all()) == ((), ())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_forked_child_neither_writes_to_its_parent_s_session_nor_lets_go_of_it(tmp_path: Path) -> None:
    with gatepost.connect(f"sqlite://{tmp_path}/gp.db") as gp, open_(gp) as session:
        session.dispatch(Note("before"))
        child = os.fork()
        if child == 0:
            code = 1
            with suppress(SessionHeld):
                try:
                    session.dispatch(Note("of the child"))
                except SessionHeld:
                    code = 0
                session.end()
            os._exit(code)

        assert os.waitpid(child, 0)[1] == 0
        session.dispatch(Note("after"))
        with pytest.raises(SessionHeld):
            open_(gp)
        assert session[Note].all() == (Note("before"), Note("after"))


def noting(state: tuple[str, ...], event: str, *, context: ReducerContext) -> tuple[str, ...]:
    """Bring about a note."""
    context.session.dispatch(Note("brought about"))
    return (*state, event)
