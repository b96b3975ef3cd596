"""The dispatcher: who hears of what, and in which order."""

import threading
from datetime import timedelta
from typing import Protocol

import pytest

from gatepost.runtime import Dispatcher, Session, SessionFinished, SessionRestored, SubscriberFailed
from tests.runtime.values import Broken, Card, Joker, Note


def test_a_subscriber_hears_events_of_its_type_and_of_subtypes_only() -> None:
    dispatcher = Dispatcher()
    cards: list[Card] = []
    jokers: list[Joker] = []
    everything: list[object] = []
    dispatcher.subscribe(Card, cards.append)
    dispatcher.subscribe(Joker, jokers.append)
    dispatcher.subscribe(object, everything.append)

    for event in (Card("a", 1), Joker("j", 2), Note("n")):
        dispatcher.dispatch(event)

    assert cards == [Card("a", 1), Joker("j", 2)]
    assert jokers == [Joker("j", 2)]
    assert everything == [Card("a", 1), Joker("j", 2), Note("n")]


def test_subscribers_are_called_in_the_order_of_subscribing_whatever_they_subscribed_to() -> None:
    dispatcher = Dispatcher()
    called: list[str] = []
    dispatcher.subscribe(object, lambda _: called.append("first"))
    dispatcher.subscribe(Note, lambda _: called.append("second"))
    dispatcher.subscribe(object, lambda _: called.append("third"))

    dispatcher.dispatch(Note("n"))

    assert called == ["first", "second", "third"]


def test_after_unsubscribing_a_handler_hears_nothing_and_doing_it_again_is_harmless() -> None:
    dispatcher = Dispatcher()
    heard: list[object] = []
    unsubscribe = dispatcher.subscribe(Note, heard.append)
    dispatcher.subscribe(Note, heard.append)
    dispatcher.dispatch(Note("twice"))

    unsubscribe()
    unsubscribe()
    dispatcher.dispatch(Note("once"))

    assert heard == [Note("twice"), Note("twice"), Note("once")]


def test_a_handler_that_another_unsubscribes_does_not_hear_the_event_that_is_being_announced() -> None:
    dispatcher = Dispatcher()
    heard: list[object] = []
    dispatcher.subscribe(Note, lambda _: unsubscribe())
    unsubscribe = dispatcher.subscribe(Note, heard.append)

    dispatcher.dispatch(Note("n"))

    assert heard == []


def test_one_who_subscribes_while_an_event_is_announced_hears_the_next_one() -> None:
    dispatcher = Dispatcher()
    heard: list[object] = []
    unsubscribe = dispatcher.subscribe(Note, lambda _: dispatcher.subscribe(Note, heard.append))

    dispatcher.dispatch(Note("now"))
    unsubscribe()
    dispatcher.dispatch(Note("next"))

    assert heard == [Note("next")]


def test_a_handler_that_fails_is_logged_and_announced_and_stops_nobody(caplog: pytest.LogCaptureFixture) -> None:
    dispatcher = Dispatcher()
    heard: list[object] = []
    failed: list[SubscriberFailed] = []
    dispatcher.subscribe(SubscriberFailed, failed.append)
    dispatcher.subscribe(Note, breaking)
    dispatcher.subscribe(Note, heard.append)

    dispatcher.dispatch(Note("n"))

    assert heard == [Note("n")]
    (one,) = failed
    assert (one.event, one.subscriber) == (Note("n"), breaking)
    assert isinstance(one.error, Broken)
    assert one.at.utcoffset() == timedelta(0)
    assert "The subscriber breaking failed on Note: Broken(" in caplog.text
    assert "Traceback" in caplog.text


def test_one_who_fails_to_hear_of_failures_is_in_the_log_and_nothing_goes_on_for_ever(
    caplog: pytest.LogCaptureFixture,
) -> None:
    dispatcher = Dispatcher()
    dispatcher.subscribe(object, breaking)

    dispatcher.dispatch(Note("n"))

    assert [record.levelname for record in caplog.records] == ["ERROR", "ERROR"]
    assert "failed on SubscriberFailed" in caplog.text


@pytest.mark.parametrize("act", ["dispatch", "restore", "end"])
def test_a_call_whose_effect_is_done_does_not_fail_for_a_subscriber(
    act: str, caplog: pytest.LogCaptureFixture
) -> None:
    session = Session()
    session.dispatch(Note("before"))
    before = session.snapshot()
    failed: list[SubscriberFailed] = []
    session.dispatcher.subscribe(SubscriberFailed, failed.append)
    for kind in (Note, SessionRestored, SessionFinished):
        session.dispatcher.subscribe(kind, breaking)

    if act == "dispatch":
        session.dispatch(Note("stays"))
    elif act == "restore":
        session.restore(before)
    else:
        session.end()

    assert len(failed) == 1
    assert "failed on" in caplog.text
    assert [note.text for note in session[Note].all()] == {
        "dispatch": ["before", "stays"],
        "restore": ["before"],
        "end": [],
    }[act]


def test_a_dispatcher_announces_what_two_sessions_take_in_and_changes_neither() -> None:
    dispatcher = Dispatcher()
    heard: list[Note] = []
    dispatcher.subscribe(Note, heard.append)
    one, other = Session(dispatcher=dispatcher), Session(dispatcher=dispatcher)

    one.dispatch(Note("from one"))
    other.dispatch(Note("from the other"))
    dispatcher.dispatch(Note("from outside"))

    assert heard == [Note("from one"), Note("from the other"), Note("from outside")]
    assert one[Note].all() == (Note("from one"),)


def test_each_session_has_a_dispatcher_of_its_own_by_default() -> None:
    one, other = Session(), Session()
    heard: list[object] = []
    one.dispatcher.subscribe(object, heard.append)

    other.dispatch(Note("elsewhere"))

    assert heard == []


def test_threads_may_subscribe_and_unsubscribe_while_others_announce() -> None:
    dispatcher = Dispatcher()
    heard: list[object] = []
    dispatcher.subscribe(Note, heard.append)
    barrier = threading.Barrier(4)

    def come_and_go() -> None:
        barrier.wait(timeout=120)
        for _ in range(500):
            dispatcher.subscribe(object, lambda _: None)()

    def announce() -> None:
        barrier.wait(timeout=120)
        for _ in range(500):
            dispatcher.dispatch(Note("n"))

    threads = [threading.Thread(target=work) for work in (come_and_go, come_and_go, announce, announce)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)

    assert len(heard) == 1_000
    assert len(dispatcher.subscribers) == 1


def test_what_is_no_class_or_no_handler_or_no_dispatcher_is_refused() -> None:
    with pytest.raises(TypeError, match="class of events"):
        Dispatcher().subscribe(Note("n"), print)  # type: ignore[arg-type]  # the point
    with pytest.raises(TypeError, match="callable"):
        Dispatcher().subscribe(Note, "print")  # type: ignore[arg-type]  # the point
    with pytest.raises(TypeError, match="protocols"):
        Dispatcher().subscribe(Named, print)  # type: ignore[type-abstract]  # the point
    with pytest.raises(TypeError, match=r"gatepost\.runtime\.Dispatcher"):
        Session(dispatcher=print)  # type: ignore[arg-type]  # the point


class Named(Protocol):
    """Something that no class can be asked about."""

    name: str


def breaking(event: object) -> None:
    """A handler that fails."""
    raise Broken(f"cannot hear {event}")
