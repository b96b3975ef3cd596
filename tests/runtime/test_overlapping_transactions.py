"""Transactions where others are at work too: in subscribers, in other contexts, at the same time."""
# ruff: noqa: PT012 - a block that fails is what is tested

import asyncio
import random
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress

import pytest

from gatepost.runtime import Session
from gatepost.tools import InMemoryFilesystem, Tool, ToolResult
from tests.runtime.values import Broken, Card, Count, Increment, Note, count


def test_a_block_in_a_subscriber_that_fails_takes_back_what_it_queued_and_nothing_else() -> None:
    session = Session()

    def attempt(note: Note) -> None:
        session.dispatch(Card("kept", 1))
        with suppress(Broken), session.transaction():
            session.dispatch(Card("gone", 1))
            raise Broken

    session.dispatcher.subscribe(Note, attempt)

    session.dispatch(Note("on"))

    assert session[Card].all() == (Card("kept", 1),)


def test_blocks_that_subscribers_of_two_sessions_begin_in_each_other_end(caplog: pytest.LogCaptureFixture) -> None:
    one, other = Session(), Session()
    both = threading.Barrier(2)

    def into(target: Session) -> Callable[[Note], None]:
        def attempt(note: Note) -> None:
            both.wait(10)
            with target.transaction():
                target.dispatch(Increment())

        return attempt

    one.dispatcher.subscribe(Note, into(other))
    other.dispatcher.subscribe(Note, into(one))
    threads = [threading.Thread(target=each.dispatch, args=(Note("on"),), daemon=True) for each in (one, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(5)

    assert not any(thread.is_alive() for thread in threads)
    assert one[Note].all() == other[Note].all() == (Note("on"),)
    assert "Begin the transaction outside" in caplog.text


def test_a_block_that_is_left_in_another_context_than_it_was_begun_in_is_over() -> None:
    session = Session()

    async def block() -> AsyncGenerator[None, None]:
        async with session.transaction():
            session.dispatch(Note("gone"))
            yield

    async def first(steps: AsyncGenerator[None, None]) -> None:
        await anext(steps)

    async def main() -> None:
        steps = block()
        await asyncio.create_task(first(steps))
        with pytest.raises(Broken):
            await steps.athrow(Broken())

    asyncio.run(main())

    assert session[Note].all() == ()


def test_a_block_with_read_only_files_fails_with_its_own_failure() -> None:
    session, files = Session(), InMemoryFilesystem({"a.txt": "a\n"}, read_only=True)

    with pytest.raises(Broken), session.transaction(files):
        session.dispatch(Note("gone"))
        raise Broken

    assert session[Note].all() == ()


def test_a_handler_that_gives_something_to_await_and_does_not_say_so_is_refused_in_a_transaction() -> None:
    session = Session()

    async def work(note: str) -> ToolResult[None]:
        session.dispatch(Note(note))
        return ToolResult(success=False)

    tool = Tool(name="work", description="Works.", handler=lambda: work("gone")).in_transaction(session)

    with pytest.raises(TypeError, match="async def"):
        tool.call()
    assert session[Note].all() == ()


def test_blocks_that_overlap_and_fail_in_any_order_leave_what_the_others_did() -> None:
    async def live(session: Session, name: str, fails: bool, order: random.Random) -> None:
        with suppress(Broken):
            async with session.transaction():
                for _ in range(order.randrange(3)):
                    session.dispatch(Note(name))
                    session.dispatch(Increment())
                    for _ in range(order.randrange(3)):
                        await asyncio.sleep(0)
                if fails:
                    raise Broken

    async def main(seed: int) -> None:
        order, session = random.Random(seed), Session()
        session[Count].register(Increment, count)
        await asyncio.gather(*(live(session, f"{at}", at % 2 == 0, order) for at in range(6)))
        left = session[Note].all()
        assert [note for note in left if int(note.text) % 2 == 0] == []
        assert session[Count].all() == ((Count(len(left)),) if left else ())

    for seed in range(30):
        asyncio.run(main(seed))
