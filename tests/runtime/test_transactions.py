"""Transactions: a block that fails leaves no trace of its own, and every trace of others."""
# ruff: noqa: PT012 - a block that fails is what is tested

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from gatepost.domain.refusals import TooLarge
from gatepost.runtime import ReducerContext, Session, SessionRestored, append, replace_latest, upsert_by
from gatepost.tools import (
    Filesystem,
    HostFilesystem,
    InMemoryFilesystem,
    TodoList,
    TodoToolsSection,
    Tool,
    ToolResult,
    todo_read,
    todo_write,
)
from tests.runtime.values import Broken, Card, Count, Echo, Increment, Note, count, key_of


@pytest.fixture(params=["memory", "disk"])
def files(request: pytest.FixtureRequest, tmp_path: Path) -> Filesystem:
    """Files in either home."""
    return InMemoryFilesystem() if request.param == "memory" else HostFilesystem(tmp_path)


def furnished() -> Session:
    """A session with every kind of reducer and something in its slices."""
    session = Session()
    session[Note].register(Note, append)
    session[Card].register(Card, upsert_by(key_of))
    session[Count].register(Increment, count)
    session[TodoList].register(TodoList, replace_latest)
    for event in (Note("kept"), Card("a", 1), Increment(), TodoList(["first"])):
        session.dispatch(event)
    return session


def held(session: Session) -> list[object]:
    """Everything in the slices."""
    return [session[kind].all() for kind in (Note, Card, Count, TodoList, Echo)]


def change(session: Session) -> None:
    """Something to each slice."""
    for event in (Note("gone"), Card("a", 9), Card("b", 9), Increment(), TodoList(["second"]), Echo()):
        session.dispatch(event)


def test_a_block_that_fails_leaves_neither_events_nor_files(files: Filesystem) -> None:
    session = furnished()
    files.write("kept.txt", "before\n")
    before = held(session)
    restored: list[SessionRestored] = []
    session.dispatcher.subscribe(SessionRestored, restored.append)

    with pytest.raises(Broken), session.transaction(files):
        change(session)
        files.write("kept.txt", "after\n")
        files.write("new/file.txt", "new\n")
        raise Broken

    assert held(session) == before
    assert files.read("kept.txt").content == "before\n"
    assert list(files.glob("**")) == ["kept.txt"]
    assert len(restored) == 1
    session.dispatch(Note("on"))
    assert session[Note].all() == (Note("kept"), Note("on"))


def test_a_block_that_ends_well_keeps_everything(files: Filesystem) -> None:
    session, other = furnished(), furnished()
    change(other)

    with session.transaction(files):
        change(session)
        files.write("new.txt", "new\n")
    session.dispatch(Note("on"))
    other.dispatch(Note("on"))

    assert held(session) == held(other)
    assert files.read("new.txt").content == "new\n"


def test_an_inner_block_that_fails_takes_back_its_own_and_an_outer_one_all() -> None:
    session = furnished()
    before = held(session)

    with pytest.raises(Broken), session.transaction():
        session.dispatch(Note("outer"))
        with pytest.raises(ZeroDivisionError), session.transaction():
            session.dispatch(Note("inner"))
            raise ZeroDivisionError
        with session.transaction():
            session.dispatch(Note("second inner"))
        assert [note.text for note in session[Note].all()] == ["kept", "outer", "second inner"]
        raise Broken

    assert held(session) == before


def test_what_another_thread_dispatches_meanwhile_stays_with_its_effects_in_order() -> None:
    session = furnished()
    begun, done = threading.Event(), threading.Event()

    def other() -> None:
        assert begun.wait(timeout=120)
        session.dispatch(Increment(10))
        session.dispatch(Note("theirs"))
        done.set()

    thread = threading.Thread(target=other, daemon=True)
    thread.start()
    with pytest.raises(Broken), session.transaction():
        session.dispatch(Increment(100))
        begun.set()
        assert done.wait(timeout=120)
        session.dispatch(Note("ours"))
        assert session[Count].latest() == Count(111)
        raise Broken
    thread.join(timeout=120)

    assert session[Count].latest() == Count(11)
    assert session[Note].all() == (Note("kept"), Note("theirs"))


def test_on_a_loop_two_blocks_at_once_take_back_each_its_own_with_what_they_ran_in_threads() -> None:
    session = Session()

    async def block(name: str, *, fails: bool) -> None:
        async with session.transaction():
            await asyncio.to_thread(session.dispatch, Note(f"{name} in a thread"))
            await asyncio.gather(session.adispatch(Note(f"{name} in a task")))
            await asyncio.sleep(0)
            if fails:
                raise Broken

    async def main() -> tuple[BaseException | None, ...]:
        return await asyncio.gather(block("good", fails=False), block("bad", fails=True), return_exceptions=True)

    outcomes = asyncio.run(main())

    assert [type(outcome) for outcome in outcomes] == [type(None), Broken]
    assert sorted(note.text for note in session[Note].all()) == ["good in a task", "good in a thread"]


def test_what_reducers_of_others_dispatched_is_not_done_twice_when_a_block_is_taken_back() -> None:
    session = Session()
    session[Echo].register(Echo, echoing)
    ready, done = threading.Event(), threading.Event()

    def other() -> None:
        assert ready.wait(timeout=120)
        session.dispatch(Echo(2))
        done.set()

    thread = threading.Thread(target=other, daemon=True)
    thread.start()
    with pytest.raises(Broken), session.transaction():
        session.dispatch(Note("ours"))
        ready.set()
        assert done.wait(timeout=120)
        raise Broken
    thread.join(timeout=120)

    assert session[Note].all() == (Note("echo"), Note("echo"))


@pytest.mark.parametrize("leave", [KeyboardInterrupt, GeneratorExit, asyncio.CancelledError])
def test_an_interrupt_takes_the_block_back_too(leave: type[BaseException]) -> None:
    session = furnished()
    before = held(session)

    with pytest.raises(leave), session.transaction():
        change(session)
        raise leave

    assert held(session) == before


def test_a_restoring_within_a_block_is_taken_back_with_it() -> None:
    session = furnished()
    empty = Session().snapshot()
    before = held(session)

    with pytest.raises(Broken), session.transaction():
        session.restore(empty)
        session.dispatch(Note("on nothing"))
        raise Broken

    assert held(session) == before


def test_a_session_that_ends_within_its_block_stays_ended() -> None:
    session = furnished()

    with pytest.raises(Broken), session.transaction():
        session.end()
        raise Broken

    assert session.ended
    assert session[Note].all() == ()


def test_files_that_are_too_much_to_remember_refuse_the_block_before_it_begins(tmp_path: Path) -> None:
    session = furnished()
    with (tmp_path / "large.bin").open("wb") as large:
        large.truncate(65 * 2**20)
    reached: list[str] = []

    with pytest.raises(TooLarge), session.transaction(HostFilesystem(tmp_path)):
        reached.append("inside")

    assert reached == []


def test_another_session_may_be_part_of_the_block_and_a_block_is_for_once() -> None:
    session, child = furnished(), furnished()
    before = held(child)

    once = session.transaction(child)
    with pytest.raises(Broken), once:
        change(child)
        raise Broken

    assert held(child) == before
    with pytest.raises(RuntimeError, match="used once"), once:
        pass


def test_what_cannot_be_restored_is_raised_with_the_block_s_own_failure_as_its_context() -> None:
    session = furnished()
    before = held(session)

    with pytest.raises(ZeroDivisionError) as raised, session.transaction(Stuck()):
        change(session)
        raise Broken

    assert held(session) == before
    assert isinstance(raised.value.__context__, Broken)
    assert "The transaction was not completely rolled back" in raised.value.__context__.__notes__[0]


@pytest.mark.parametrize("failing", ["raises", "without success"])
@pytest.mark.parametrize("is_async", [False, True])
def test_a_tool_in_a_transaction_that_fails_leaves_no_trace_and_one_that_succeeds_does(
    failing: str, is_async: bool, files: Filesystem
) -> None:
    session = Session()
    TodoToolsSection(session=session)
    tool = made(session, files, is_async).in_transaction(session, files)

    assert tool.call({"how": "well"}).value == "done"
    if failing == "raises":
        with pytest.raises(Broken):
            tool.call({"how": failing})
    else:
        assert tool.call({"how": failing}) == ToolResult("no", success=False)

    assert todo_read(session).items == ("well",)
    assert list(files.glob("**")) == ["well.txt"]
    assert tool.is_async is is_async


def made(session: Session, files: Filesystem, is_async: bool) -> Tool:
    """A tool that writes here and there before it fails."""

    def work(how: str) -> object:
        """Work."""
        todo_write(session, [how])
        files.write(f"{how.partition(' ')[0]}.txt", how)
        if how == "raises":
            raise Broken
        return "done" if how == "well" else ToolResult("no", success=False)

    async def awork(how: str) -> object:
        """Work, some time."""
        await asyncio.sleep(0)
        return work(how)

    chosen: Callable[[str], object] = awork if is_async else work
    return Tool.of(chosen)


class Stuck:
    """Something that remembers, and does not go back."""

    def snapshot(self) -> None:
        """Nothing."""

    def restore(self, snapshot: object) -> None:
        """Fail."""
        raise ZeroDivisionError(str(snapshot))


def echoing(state: tuple[Echo, ...], event: Echo, *, context: ReducerContext) -> tuple[Echo, ...]:
    """Keep the echo, and bring about its notes."""
    for _ in range(event.times):
        context.session.dispatch(Note("echo"))
    return (*state, event)
