"""Dispatch: one event at a time, all or nothing, and nothing lost on the way."""

import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from typing import TypeVar

import pytest

from gatepost.runtime import ReducerContext, Session, append, replace_latest, upsert_by
from tests.runtime.values import Broken, Card, Count, Echo, Increment, Note, count, fail, key_of

T = TypeVar("T")

THREADS = 8
EACH = 2_000


@pytest.fixture
def hurried() -> Iterator[None]:
    """Threads that take turns as often as the interpreter can: what is not locked goes wrong."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.requirement("session.dispatch.serialised")
@pytest.mark.usefixtures("hurried")
def test_eight_threads_count_to_exactly_sixteen_thousand() -> None:
    session = Session()
    session[Count].register(Increment, count)

    at_once(session, lambda _: [Increment()] * EACH)

    assert session[Count].all() == (Count(THREADS * EACH),)


@pytest.mark.requirement("session.dispatch.serialised")
@pytest.mark.usefixtures("hurried")
def test_eight_threads_append_sixteen_thousand_each_in_its_own_order() -> None:
    session = Session()
    session[Card].register(Card, append)

    at_once(session, lambda number: [Card(str(number), turn) for turn in range(EACH)])

    assert len(session[Card].all()) == THREADS * EACH
    for number in range(THREADS):
        own = session[Card].where(lambda card, key=str(number): card.key == key)  # type: ignore[misc]  # bound now
        assert [card.worth for card in own] == list(range(EACH))


@pytest.mark.requirement("session.dispatch.serialised", "session.dispatch.nested-queued")
@pytest.mark.usefixtures("hurried")
def test_eight_threads_whose_events_bring_about_others_lose_none_of_either() -> None:
    session = Session()
    session[Count].register(Increment, count)
    session[Echo].register(Echo, counting)
    session.dispatcher.subscribe(Echo, lambda _: session.dispatch(Note("heard")))

    at_once(session, lambda _: [Echo()] * EACH)

    assert len(session[Echo].all()) == 1
    assert session[Count].all() == (Count(THREADS * EACH),)
    assert len(session[Note].all()) == THREADS * EACH


@pytest.mark.requirement("session.dispatch.serialised")
@pytest.mark.usefixtures("hurried")
def test_when_dispatch_returns_its_own_event_has_been_taken_in_whatever_other_threads_do() -> None:
    session = Session()
    session[Card].register(Card, upsert_by(key_of))
    seen: list[bool] = []

    def turns(number: int) -> Iterator[Card]:
        for turn in range(EACH // 10):
            yield Card(str(number), turn)
            seen.append(Card(str(number), turn) in session[Card].all())

    at_once(session, turns)

    assert len(seen) == THREADS * EACH // 10
    assert all(seen)


@pytest.mark.usefixtures("hurried")
def test_a_parent_and_a_child_that_dispatch_to_each_other_from_two_threads_never_wait_for_ever() -> None:
    parent = Session()
    child = Session(parent=parent)
    parent.dispatcher.subscribe(Increment, lambda _: child.dispatch(Note("from above")))
    child.dispatcher.subscribe(Echo, lambda _: parent.dispatch(Note("from below")))
    threads = [
        threading.Thread(target=repeat, args=(parent, Increment()), daemon=True),
        threading.Thread(target=repeat, args=(child, Echo()), daemon=True),
    ]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)

    assert not [thread for thread in threads if thread.is_alive()]
    assert len(parent[Note].all()) == len(child[Note].all()) == EACH


@pytest.mark.requirement("session.dispatch.nested-queued")
def test_what_a_reducer_dispatches_is_taken_in_behind_the_running_event_before_dispatch_returns() -> None:
    session = Session()
    seen: list[object] = []
    session[Note].register(Note, append)
    session[Echo].register(Echo, echoing)
    session.dispatcher.subscribe(object, seen.append)

    session.dispatch(Echo(3))

    assert session[Echo].all() == (Echo(3),)
    assert session[Note].all() == (Note("0"), Note("1"), Note("2"))
    assert seen == [Echo(3), Note("0"), Note("1"), Note("2")]


@pytest.mark.requirement("session.dispatch.nested-queued")
def test_an_event_of_the_same_slice_that_its_reducer_dispatches_is_not_overwritten() -> None:
    session = Session()
    session[Count].register(Increment, count_down)

    session.dispatch(Increment(4))

    assert session[Count].all() == (Count(4), Count(3), Count(2), Count(1))


@pytest.mark.requirement("session.dispatch.nested-queued")
def test_what_a_subscriber_dispatches_comes_after_the_event_was_announced_to_all() -> None:
    session = Session()
    heard: list[object] = []
    session.dispatcher.subscribe(Echo, lambda _: session.dispatch(Note("nested")))
    session.dispatcher.subscribe(object, lambda event: heard.append((event, session[Note].all())))

    session.dispatch(Echo())

    assert heard == [(Echo(), ()), (Note("nested"), (Note("nested"),))]


@pytest.mark.requirement("session.dispatch.nested-queued")
def test_a_long_chain_of_nested_events_needs_no_deep_stack() -> None:
    session = Session()
    session[Count].register(Increment, count_down)

    session.dispatch(Increment(5_000))

    assert len(session[Count].all()) == 5_000


@pytest.mark.requirement("session.dispatch.failure-reported")
def test_a_failing_reducer_s_own_exception_reaches_the_caller_and_names_event_and_reducer() -> None:
    session = Session()
    session[Note].register(Echo, fail)

    with pytest.raises(Broken) as failure:
        session.dispatch(Echo())

    (note,) = failure.value.__notes__
    assert "fail was processing a Echo for the slice of Note" in note


@pytest.mark.requirement("session.dispatch.failure-changes-nothing")
@pytest.mark.parametrize("failing_first", [True, False])
def test_an_event_that_fails_in_one_slice_changes_none(failing_first: bool) -> None:
    session = Session()
    for event in (Note("kept"), Card("a", 1), Echo(), Increment()):
        session.dispatch(event)
    feeds: list[Callable[[], None]] = [
        lambda: session[Card].register(Note2, carded),
        lambda: session[Note].register(Note2, append),
        lambda: session[Count].register(Note2, fail),
    ]
    for feed in reversed(feeds) if failing_first else feeds:
        feed()
    before = session.snapshot()

    with pytest.raises(Broken):
        session.dispatch(Note2("lost"))

    assert session[Note].all() == (Note("kept"),)
    assert session[Card].all() == (Card("a", 1),)
    assert state_of(before) == state_of(session.snapshot())


@pytest.mark.requirement("session.dispatch.failure-changes-nothing")
def test_what_a_reducer_did_before_the_next_one_failed_is_undone() -> None:
    session = Session()
    for reducer in (append, fail):
        session[Note].register(Note, reducer)

    with pytest.raises(Broken):
        session.dispatch(Note("lost"))

    assert session[Note].all() == ()


@pytest.mark.requirement("session.dispatch.failure-changes-nothing")
def test_a_failed_event_is_not_announced_and_what_it_dispatched_is_dropped() -> None:
    session = Session()
    heard: list[object] = []
    session.dispatcher.subscribe(object, heard.append)
    session[Echo].register(Echo, echoing)
    session[Count].register(Echo, fail)

    with pytest.raises(Broken):
        session.dispatch(Echo(2))

    assert heard == []
    assert session[Note].all() == ()


@pytest.mark.requirement("session.dispatch.failure-changes-nothing")
def test_a_session_goes_on_after_a_failure() -> None:
    session = Session()
    session[Note].register(Echo, fail)
    with pytest.raises(Broken):
        session.dispatch(Echo())

    session.dispatch(Note("on"))

    assert session[Note].all() == (Note("on"),)


@pytest.mark.requirement("session.dispatch.failure-reported", "session.dispatch.nested-queued")
def test_a_queued_event_that_fails_keeps_no_other_from_running_and_is_raised_outside() -> None:
    session = Session()
    session[Count].register(Increment, fail)
    session.dispatcher.subscribe(Echo, lambda _: session.dispatch(Increment()))
    session.dispatcher.subscribe(Echo, lambda _: session.dispatch(Note("after")))

    with pytest.raises(Broken):
        session.dispatch(Echo())

    assert session[Echo].all() == (Echo(),)
    assert session[Note].all() == (Note("after"),)


@pytest.mark.requirement("session.dispatch.failure-reported")
def test_several_failures_are_raised_together() -> None:
    session = Session()
    session[Count].register(Increment, fail)
    session.dispatcher.subscribe(Echo, lambda _: session.dispatch(Increment(1)))
    session.dispatcher.subscribe(Echo, lambda _: session.dispatch(Increment(2)))

    with pytest.raises(ExceptionGroup, match="2 failures while dispatching Echo") as group:
        session.dispatch(Echo())

    assert [type(error) for error in group.value.exceptions] == [Broken, Broken]
    assert session[Echo].all() == (Echo(),)


def test_an_interrupt_passes_at_once_and_drops_what_was_queued() -> None:
    session = Session()

    def interrupt(echo: Echo) -> None:
        session.dispatch(Note("queued"))
        raise KeyboardInterrupt

    unsubscribe = session.dispatcher.subscribe(Echo, interrupt)

    with pytest.raises(KeyboardInterrupt):
        session.dispatch(Echo())
    unsubscribe()
    session.dispatch(Note("next"))

    assert session[Note].all() == (Note("next"),)


def test_a_reducer_sees_the_state_before_its_event_and_a_subscriber_the_one_after() -> None:
    session = Session()
    seen: list[tuple[Note, ...]] = []

    def peeking(state: tuple[Note, ...], event: Note, *, context: ReducerContext) -> tuple[Note, ...]:
        seen.append(context.session[Note].all())
        return (*state, event)

    session[Note].register(Note, peeking)
    session.dispatcher.subscribe(Note, lambda _: seen.append(session[Note].all()))

    session.dispatch(Note("a"))

    assert seen == [(), (Note("a"),)]


@pytest.mark.requirement("workspace.time.utc")
def test_all_reducers_of_an_event_get_one_context_with_the_session_and_the_time_in_utc() -> None:
    given: list[ReducerContext] = []
    elsewhere = datetime(2024, 5, 1, 14, 0, tzinfo=timezone(timedelta(hours=2)))
    session = Session(clock=lambda: elsewhere)

    def keeping(state: tuple[T, ...], event: Echo, *, context: ReducerContext) -> tuple[T, ...]:
        given.append(context)
        return state

    session[object].register(Echo, keeping)
    session[Note].register(Echo, keeping)

    session.dispatch(Echo())

    assert [context.at.isoformat() for context in given] == ["2024-05-01T12:00:00+00:00"] * 2
    assert given[0].session is given[1].session is session


@pytest.mark.requirement("workspace.time.utc")
def test_the_time_is_in_utc_by_default_and_a_clock_without_a_zone_is_refused() -> None:
    assert Session().snapshot().at.tzinfo is UTC

    with pytest.raises(ValueError, match="time zone"):
        Session(clock=lambda: datetime(2024, 5, 1)).snapshot()


def test_many_kinds_of_reducer_take_the_same_event_in_together() -> None:
    session = Session()
    session[Card].register(Card, upsert_by(key_of))
    session[object].register(Card, replace_latest)

    for worth in range(3):
        session.dispatch(Card("a", worth))

    assert session[Card].all() == session[object].all() == (Card("a", 2),)


class Note2(Note):
    """A note that several slices ask for."""


def carded(state: tuple[Card, ...], event: Note2, *, context: ReducerContext) -> tuple[Card, ...]:
    """A card of a note."""
    return (*state, Card(event.text, 0))


def echoing(state: tuple[Echo, ...], event: Echo, *, context: ReducerContext) -> tuple[Echo, ...]:
    """Keep the echo, and bring about its notes."""
    for number in range(event.times):
        context.session.dispatch(Note(str(number)))
        assert context.session[Note].all() == ()
    return (*state, event)


def counting(state: tuple[Echo, ...], event: Echo, *, context: ReducerContext) -> tuple[Echo, ...]:
    """Keep the last echo, and bring about a count."""
    context.session.dispatch(Increment())
    return (event,)


def count_down(state: tuple[Count, ...], event: Increment, *, context: ReducerContext) -> tuple[Count, ...]:
    """Keep a number, and bring about the one below it."""
    if event.by > 1:
        context.session.dispatch(Increment(event.by - 1))
    return (*state, Count(event.by))


def state_of(snapshot: object) -> object:
    """Everything that a snapshot holds."""
    session = Session()
    session.restore(snapshot)  # type: ignore[arg-type]  # only snapshots come here
    return [session[kind].all() for kind in (Note, Note2, Card, Echo, Count, Increment)]


def repeat(session: Session, event: object) -> None:
    """Dispatch an event many times."""
    for _ in range(EACH):
        session.dispatch(event)


def at_once(session: Session, events: Callable[[int], Iterable[object]]) -> None:
    """Have eight threads dispatch their events, starting together; a failure in any of them fails the test."""
    barrier = threading.Barrier(THREADS)

    def work(number: int) -> None:
        own = events(number)
        barrier.wait(timeout=120)
        for event in own:
            session.dispatch(event)

    with ThreadPoolExecutor(THREADS) as pool:
        for done in [pool.submit(work, number) for number in range(THREADS)]:
            done.result(timeout=120)
