"""Snapshots: what they give back, what leaves them alone, and that they cost nothing."""

import tracemalloc
from collections.abc import Callable

import pytest

from gatepost.runtime import (
    ReducerContext,
    Session,
    SessionRestored,
    append,
    replace_latest,
    upsert_by,
)
from tests.runtime.values import Broken, Card, Count, Increment, Note, count, key_of

MANY = 100_000
LITTLE = 4_096
"""Bytes: far more than a constant amount of work takes, far less than a copy of a long slice."""


@pytest.mark.requirement("session.snapshot.restores")
def test_restoring_gives_back_the_state_of_every_slice_at_the_taking() -> None:
    session = furnished()
    before = (session[Note].all(), session[Card].all(), session[Count].all())
    snapshot = session.snapshot()
    for event in (Note("later"), Card("a", 9), Card("z", 9), Increment(), 3.5):
        session.dispatch(event)

    session.restore(snapshot)

    assert (session[Note].all(), session[Card].all(), session[Count].all()) == before
    assert session[float].all() == ()


@pytest.mark.requirement("session.snapshot.restores")
def test_a_snapshot_restores_many_times_and_after_others() -> None:
    session = Session()
    snapshots = []
    for text in "abc":
        session.dispatch(Note(text))
        snapshots.append(session.snapshot())

    for position in (0, 2, 1, 0, 1):
        session.restore(snapshots[position])
        session.dispatch(Note("x"))

        assert [note.text for note in session[Note].all()] == [*"abc"[: position + 1], "x"]


@pytest.mark.requirement("session.snapshot.restores")
def test_a_snapshot_restores_in_another_session_and_leaves_the_first_alone() -> None:
    one, other = furnished(), Session()
    other.dispatch(3.5)

    other.restore(one.snapshot())
    other.dispatch(Note("other"))
    one.dispatch(Note("one"))

    assert other[Card].all() == one[Card].all()
    assert other[float].all() == ()
    assert one[Note].latest() == Note("one")
    assert other[Note].all() == (*one[Note].all()[:-1], Note("other"))


@pytest.mark.parametrize("event", [Card("a", 9), Note("more"), Increment()])
def test_what_is_dispatched_later_does_not_disturb_a_snapshot(event: object) -> None:
    session, witness = furnished(), Session()
    snapshot = session.snapshot()
    before = session[Note].all(), session[Card].all(), session[Count].all()

    session.dispatch(event)
    session.dispatch(event)
    witness.restore(snapshot)

    assert (witness[Note].all(), witness[Card].all(), witness[Count].all()) == before


def test_registered_reducers_stay_when_a_snapshot_from_before_them_is_restored() -> None:
    session = Session()
    snapshot = session.snapshot()
    session[Note].register(Note, replace_latest)

    session.restore(snapshot)
    session.dispatch(Note("a"))
    session.dispatch(Note("b"))

    assert session[Note].all() == (Note("b"),)


@pytest.mark.requirement("workspace.time.utc")
def test_restoring_is_announced_with_the_session_s_id_and_a_time_in_utc() -> None:
    session = Session(id="s1")
    heard: list[SessionRestored] = []
    session.dispatcher.subscribe(SessionRestored, heard.append)

    session.restore(session.snapshot())

    (restored,) = heard
    assert restored.session_id == "s1"
    offset = restored.at.utcoffset()
    assert offset is not None
    assert not offset


def test_a_reducer_cannot_restore_and_a_subscriber_can() -> None:
    session = Session()
    empty = session.snapshot()

    def restoring(state: tuple[Note, ...], event: Note, *, context: ReducerContext) -> tuple[Note, ...]:
        context.session.restore(empty)
        return (*state, event)

    session.dispatcher.subscribe(Count, lambda _: session.restore(empty))
    session.dispatch(Card("a", 1))
    session[Note].register(Note, restoring)

    with pytest.raises(RuntimeError, match="Restore from a subscriber"):
        session.dispatch(Note("n"))
    kept = session[Card].all()
    session.dispatch(Count(1))

    assert kept == (Card("a", 1),)
    assert session[Card].all() == ()


def test_what_is_no_snapshot_is_refused() -> None:
    with pytest.raises(TypeError, match=r"a snapshot that snapshot\(\) returned"):
        Session().restore({})  # type: ignore[arg-type]  # the point


@pytest.mark.requirement("session.cost.snapshot-constant")
def test_a_snapshot_of_a_hundred_thousand_entries_takes_no_memory_to_speak_of() -> None:
    session = long()

    assert allocated(session.snapshot) < LITTLE
    assert allocated(session.clone) < 2 * LITTLE


@pytest.mark.requirement("session.cost.append-constant")
def test_appending_to_a_hundred_thousand_entries_copies_nothing_even_after_snapshots() -> None:
    session = long()
    session.snapshot()

    taken = [allocated(lambda: session.dispatch(Note("one more"))) for _ in range(50)]

    # A list grows by an eighth of its length once in a while: that may happen once here.
    assert sorted(taken)[-2] < LITTLE
    assert len(session[Note].all()) == MANY + 50


@pytest.mark.requirement("session.cost.append-constant")
def test_appending_copies_nothing_when_somebody_listens() -> None:
    session = long()
    heard: list[Note] = []
    session.dispatcher.subscribe(Note, heard.append)

    taken = [allocated(lambda: session.dispatch(Note("one more"))) for _ in range(50)]

    assert sorted(taken)[-2] < LITTLE
    assert len(heard) == 50


def test_the_latest_of_a_hundred_thousand_entries_is_found_without_building_them_all() -> None:
    session = long()

    assert allocated(session[Note].latest) < LITTLE
    assert session[Note].latest() == Note("n")


def test_an_upsert_asks_for_few_keys_however_many_entries_there_are() -> None:
    asked: list[Card] = []

    def asking(card: Card) -> str:
        asked.append(card)
        return card.key

    session = Session()
    session[Card].register(Card, upsert_by(asking))
    for number in range(1_000):
        session.dispatch(Card(str(number), 0))
    session.snapshot()
    asked.clear()

    for number in range(100):
        session.dispatch(Card(str(number), 1))

    assert len(asked) <= 2 * 100
    assert len(session[Card].all()) == 1_000


def test_an_upsert_copies_the_slice_once_after_a_snapshot() -> None:
    session = Session()
    session[Card].register(Card, upsert_by(key_of))
    for number in range(10_000):
        session.dispatch(Card(str(number), 0))
    session.dispatch(Card("0", 0))
    session.snapshot()

    taken = [allocated(lambda: session.dispatch(Card("1", 1))) for _ in range(10)]

    assert taken[0] > LITTLE
    assert max(taken[1:]) < LITTLE


def furnished() -> Session:
    """A session with something in every kind of slice."""
    session = Session()
    session[Note].register(Note, append)
    session[Card].register(Card, upsert_by(key_of))
    session[Count].register(Increment, count)
    for event in (Note("a"), Note("b"), Card("a", 1), Card("b", 2), Increment(), Increment()):
        session.dispatch(event)
    return session


def long() -> Session:
    """A session with a long slice."""
    session = Session()
    note = Note("n")
    for _ in range(MANY):
        session.dispatch(note)
    return session


def allocated(work: Callable[[], object]) -> int:
    """The most bytes beyond what there was before that something needed at a time."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        kept = work()
        peak = tracemalloc.get_traced_memory()[1]
        del kept
    finally:
        tracemalloc.stop()
    return peak - before


def breaking(event: object) -> None:
    """A subscriber that fails."""
    raise Broken(f"cannot hear {event}")
