"""Several trees of sessions: what one thread does in two of them never makes two threads wait for each other."""

import threading
from collections.abc import Callable

import pytest

from gatepost.runtime import Session
from gatepost.tools import TodoList, TodoToolsSection, todo_write
from tests.runtime.values import Broken, Card, Echo, Increment, Note, fail

WAIT = 60


class Crossing:
    """Two trees, each with a thread that acts on the other in the middle of its own turn."""

    def __init__(self, act: Callable[[Session], None]) -> None:
        self.one, self.other = Session(), Session()
        self._both = threading.Barrier(2)
        self.one.dispatcher.subscribe(Echo, lambda _: self._meet(act, self.other))
        self.other.dispatcher.subscribe(Echo, lambda _: self._meet(act, self.one))
        self.failures: list[BaseException] = []

    def run(self) -> None:
        """Both threads are in their turns at once. Fails if they do not end."""
        threads = [
            threading.Thread(target=self._dispatch, args=(each,), daemon=True) for each in (self.one, self.other)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=WAIT)
        assert not [thread for thread in threads if thread.is_alive()], "two threads wait for each other"

    def _dispatch(self, session: Session) -> None:
        try:
            session.dispatch(Echo())
        except Exception as error:  # noqa: BLE001 - looked at by the test
            self.failures.append(error)

    def _meet(self, act: Callable[[Session], None], session: Session) -> None:
        self._both.wait(timeout=WAIT)
        act(session)


def test_two_trees_that_dispatch_into_each_other_do_not_wait_for_ever_and_lose_nothing() -> None:
    crossing = Crossing(lambda session: session.dispatch(Note("from the other")))

    crossing.run()

    assert crossing.one[Note].all() == crossing.other[Note].all() == (Note("from the other"),)


@pytest.mark.parametrize(
    "act",
    [
        lambda session: session.restore(session.snapshot()),
        lambda session: session.clone(),
        lambda session: session.clone(parent=session),
        lambda session: Session(parent=session),
        lambda session: session.on_end(print),
        lambda session: session.end(),
        lambda session: session[Note].register(Note, fail),
        lambda session: todo_write(session, TodoList(["a"])),
        lambda session: TodoToolsSection(session=session).tools[1].call({"items": ["a"]}),
    ],
    ids=["restore", "clone", "clone below", "child", "on_end", "end", "register", "todo_write", "tool"],
)
def test_whatever_two_turns_do_to_each_other_s_trees_both_end(act: Callable[[Session], None]) -> None:
    crossing = Crossing(act)

    crossing.run()

    assert crossing.failures == []


def test_the_failure_of_an_event_that_had_to_wait_reaches_the_outermost_dispatch() -> None:
    crossing = Crossing(lambda session: session.dispatch(Increment()))
    for session in (crossing.one, crossing.other):
        session[Note].register(Increment, fail)

    crossing.run()

    # Both were busy when they were asked, or one had ended by then and failed within the other's subscriber.
    assert crossing.one[Note].all() == crossing.other[Note].all() == ()
    assert all(isinstance(error, Broken) for error in crossing.failures)


def test_in_one_thread_another_tree_takes_an_event_in_at_once() -> None:
    one, other = Session(), Session()
    seen: list[tuple[Note, ...]] = []

    def cross(_event: Echo) -> None:
        other.dispatch(Note("n"))
        seen.append(other[Note].all())

    one.dispatcher.subscribe(Echo, cross)

    one.dispatch(Echo())

    assert seen == [(Note("n"),)]


def test_what_a_failing_reducer_asked_of_a_busy_tree_is_dropped() -> None:
    one, other = Session(), Session()
    inside, leave = threading.Event(), threading.Event()

    def hold(_event: Card) -> None:
        inside.set()
        assert leave.wait(timeout=WAIT)

    def reach_and_fail(state: tuple[Note, ...], event: Echo, *, context: object) -> tuple[Note, ...]:
        other.dispatch(Note("dropped"))
        raise Broken

    other.dispatcher.subscribe(Card, hold)
    one[Note].register(Echo, reach_and_fail)
    busy = threading.Thread(target=other.dispatch, args=(Card("a", 1),), daemon=True)
    busy.start()
    assert inside.wait(timeout=WAIT)

    with pytest.raises(Broken):
        one.dispatch(Echo())
    leave.set()
    busy.join(timeout=WAIT)

    assert other[Note].all() == ()
    assert other[Card].all() == (Card("a", 1),)


def test_a_tree_can_be_looked_at_while_a_subscriber_of_another_thread_takes_long() -> None:
    session = Session()
    inside, leave = threading.Event(), threading.Event()

    def hold(_event: Card) -> None:
        inside.set()
        assert leave.wait(timeout=WAIT)

    session.dispatcher.subscribe(Card, hold)
    busy = threading.Thread(target=session.dispatch, args=(Card("a", 1),), daemon=True)
    busy.start()
    assert inside.wait(timeout=WAIT)

    copy = session.clone()
    leave.set()
    busy.join(timeout=WAIT)

    assert copy[Card].all() == (Card("a", 1),)
