"""Async subscribers and callbacks: awaited wherever the event comes from, and never left without an await."""

import asyncio
import gc
import threading
from collections.abc import Iterator

import pytest

from gatepost.runtime import Dispatcher, ReducerContext, Session, SessionFinished, SubscriberFailed
from tests.runtime.values import Broken, Card, Echo, Increment, Note, fail


@pytest.fixture(autouse=True)
def _nothing_is_left_without_an_await() -> Iterator[None]:
    """A coroutine that nobody awaits warns when it is collected, and a warning is a failure."""
    yield
    gc.collect()


class Ear:
    """An async subscriber that takes its time."""

    def __init__(self) -> None:
        self.heard: list[object] = []
        self.threads: set[int] = set()
        self.loops: set[object] = set()

    async def hear(self, event: object) -> None:
        await asyncio.sleep(0)
        self.heard.append(event)
        self.threads.add(threading.get_ident())
        self.loops.add(asyncio.get_running_loop())


async def breaking(event: object) -> None:
    """An async subscriber that fails."""
    await asyncio.sleep(0)
    raise Broken(f"cannot hear {event}")


def test_plain_code_goes_on_when_the_async_subscribers_are_done_in_the_order_of_events_and_of_subscribing() -> None:
    session, ear = Session(), Ear()
    session.dispatcher.subscribe(Echo, lambda _: session.dispatch(Note("nested")))
    session.dispatcher.subscribe(object, ear.hear)
    session.dispatcher.subscribe(Note, lambda event: ear.hear(("again", event)))

    session.dispatch(Echo())
    session.dispatcher.dispatch(Card("a", 1))

    assert ear.heard == [Echo(), Note("nested"), ("again", Note("nested")), Card("a", 1)]
    assert ear.threads == {threading.get_ident()}


def test_on_a_loop_adispatch_awaits_the_subscribers_and_dispatch_leaves_them_to_the_loop() -> None:
    session, ear = Session(), Ear()
    session.dispatcher.subscribe(Note, ear.hear)

    async def main() -> list[int]:
        await session.adispatch(Note("awaited"))
        await session.dispatcher.adispatch(Note("announced"))
        counts = [len(ear.heard)]
        session.dispatch(Note("left to the loop"))
        counts.append(len(ear.heard))
        while len(ear.heard) < 3:
            await asyncio.sleep(0)
        return counts

    assert asyncio.run(asyncio.wait_for(main(), 120)) == [2, 2]
    assert len(session[Note].all()) == 2


def test_an_async_subscriber_may_dispatch_and_await_it_without_waiting_for_itself() -> None:
    session = Session()

    async def answer(echo: Echo) -> None:
        await session.adispatch(Note(f"answer {echo.times}"))
        if echo.times > 1:
            await session.adispatch(Echo(echo.times - 1))

    session.dispatcher.subscribe(Echo, answer)

    asyncio.run(asyncio.wait_for(session.adispatch(Echo(3)), 120))
    session.dispatch(Echo(1))

    assert [note.text for note in session[Note].all()] == ["answer 3", "answer 2", "answer 1", "answer 1"]


@pytest.mark.parametrize("awaited", [True, False])
def test_an_async_subscriber_that_fails_is_reported_and_stops_neither_the_call_nor_the_others(
    awaited: bool, caplog: pytest.LogCaptureFixture
) -> None:
    session, ear = Session(), Ear()
    session.dispatcher.subscribe(SubscriberFailed, ear.hear)
    session.dispatcher.subscribe(Note, breaking)
    session.dispatcher.subscribe(Note, ear.hear)

    if awaited:
        asyncio.run(session.adispatch(Note("n")))
    else:
        session.dispatch(Note("n"))

    assert session[Note].all() == (Note("n"),)
    event, failed = ear.heard
    assert event == Note("n")
    assert isinstance(failed, SubscriberFailed)
    assert isinstance(failed.error, Broken)
    assert "The subscriber breaking failed on Note" in caplog.text


def test_a_reducer_s_failure_is_raised_by_adispatch_after_the_subscribers_of_other_events_have_run() -> None:
    session, ear = Session(), Ear()
    session[Echo].register(Increment, fail)
    session.dispatcher.subscribe(Echo, lambda _: session.dispatch(Increment()))
    session.dispatcher.subscribe(Echo, ear.hear)

    with pytest.raises(Broken):
        asyncio.run(session.adispatch(Echo()))

    assert ear.heard == [Echo()]


def test_a_worker_thread_has_a_subscriber_run_on_the_loop_where_it_subscribed_and_waits_for_it() -> None:
    session, ear = Session(), Ear()
    seen: list[int] = []

    def work() -> None:
        session.dispatch(Note("from a thread"))
        seen.append(len(ear.heard))

    async def main() -> object:
        session.dispatcher.subscribe(Note, ear.hear)
        await asyncio.to_thread(work)
        return asyncio.get_running_loop()

    loop = asyncio.run(asyncio.wait_for(main(), 120))
    session.dispatch(Note("after that loop"))

    assert seen == [1]
    assert loop in ear.loops
    assert len(ear.loops) == 2
    assert ear.threads == {threading.get_ident()}


def test_a_subscriber_whose_loop_ends_first_is_reported(caplog: pytest.LogCaptureFixture) -> None:
    dispatcher = Dispatcher()
    failed: list[SubscriberFailed] = []
    dispatcher.subscribe(SubscriberFailed, failed.append)

    async def never(_event: Note) -> None:
        await asyncio.Event().wait()

    async def main() -> None:
        dispatcher.dispatch(Note("begun, not ended"))
        await asyncio.sleep(0)
        dispatcher.dispatch(Note("not even begun"))

    dispatcher.subscribe(Note, never)
    asyncio.run(main())

    assert {str(one.event) for one in failed} == {str(Note("begun, not ended")), str(Note("not even begun"))}
    assert "failed on Note" in caplog.text


def test_a_cancelled_adispatch_has_taken_the_event_in_and_reports_who_did_not_hear_of_it() -> None:
    session = Session()
    failed: list[SubscriberFailed] = []
    session.dispatcher.subscribe(SubscriberFailed, failed.append)

    async def never(_event: Note) -> None:
        await asyncio.Event().wait()

    async def main() -> None:
        session.dispatcher.subscribe(Note, never)
        session.dispatcher.subscribe(Note, never)
        async with asyncio.timeout(0.01):
            await session.adispatch(Note("n"))

    with pytest.raises(TimeoutError):
        asyncio.run(main())

    assert session[Note].all() == (Note("n"),)
    assert [type(one.error) for one in failed] == [asyncio.CancelledError] * 2


def test_a_subscriber_that_is_cancelled_by_others_does_not_cancel_the_call() -> None:
    session, ear = Session(), Ear()

    async def cancelled(_event: object) -> None:
        raise asyncio.CancelledError

    session.dispatcher.subscribe(Note, cancelled)
    session.dispatcher.subscribe(Note, ear.hear)

    asyncio.run(session.adispatch(Note("n")))

    assert ear.heard == [Note("n")]


def test_an_interrupt_leaves_no_coroutine_behind() -> None:
    session, ear = Session(), Ear()

    def interrupt(_event: object) -> None:
        raise KeyboardInterrupt

    session.dispatcher.subscribe(Note, ear.hear)
    session.dispatcher.subscribe(Note, interrupt)

    for announce in (session.dispatch, session.dispatcher.dispatch):
        with pytest.raises(KeyboardInterrupt):
            announce(Note("n"))

    assert ear.heard == []


def test_what_a_child_s_subscribers_await_is_awaited_when_the_tree_is_free_for_other_threads() -> None:
    parent = Session()
    child = Session(parent=parent)

    async def other_thread(_event: Note) -> None:
        await asyncio.to_thread(parent.dispatch, Card("from elsewhere", 1))

    parent.dispatcher.subscribe(Echo, lambda _: child.dispatch(Note("below")))
    child.dispatcher.subscribe(Note, other_thread)

    done = threading.Thread(target=parent.dispatch, args=(Echo(),), daemon=True)
    done.start()
    done.join(timeout=120)

    assert parent[Card].all() == (Card("from elsewhere", 1),)


@pytest.mark.parametrize("way", ["end", "with", "aend", "async with"])
def test_async_callbacks_at_the_end_are_awaited_and_their_failure_reaches_the_caller(way: str) -> None:
    session, ear = Session(), Ear()
    session.on_end(lambda: ear.hear(session[Note].all()))
    session.on_end(lambda: breaking("the end"))
    session.on_end(lambda: ear.hear("last"))
    session.dispatcher.subscribe(SessionFinished, ear.hear)
    session.dispatch(Note("n"))

    with pytest.raises(Broken):
        leave(session, way)

    assert session.ended
    assert ear.heard[:2] == [(), "last"]
    assert isinstance(ear.heard[2], SessionFinished)


def test_an_end_without_await_on_a_loop_runs_callbacks_next_and_logs_what_fails(
    caplog: pytest.LogCaptureFixture,
) -> None:
    session, ear = Session(), Ear()
    session.on_end(lambda: breaking("the end"))
    session.on_end(lambda: ear.hear("last"))

    async def main() -> None:
        session.end()
        while not ear.heard:
            await asyncio.sleep(0)

    asyncio.run(asyncio.wait_for(main(), 120))

    assert "Broken('cannot hear the end') failed in the background" in caplog.text


def test_a_reducer_that_is_async_is_refused_like_any_that_gives_no_tuple() -> None:
    session = Session()

    async def reduce(state: tuple[Note, ...], event: Note, *, context: ReducerContext) -> tuple[Note, ...]:
        return (*state, event)

    with pytest.raises(TypeError, match="async"):
        session[Note].register(Note, reduce)  # type: ignore[arg-type]  # what is being tested


def leave(session: Session, way: str) -> None:
    """End a session in one of the four ways."""
    if way == "end":
        session.end()
    elif way == "with":
        with session:
            pass
    elif way == "aend":
        asyncio.run(session.aend())
    else:
        asyncio.run(_entered(session))


async def _entered(session: Session) -> None:
    async with session:
        assert not session.ended
