"""Slices and reducers: what is kept where, and how it is asked for."""

from collections.abc import Callable
from typing import NamedTuple, Never

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatepost.runtime import (
    Reducer,
    ReducerContext,
    Session,
    append,
    replace_latest,
    select_all,
    select_latest,
    select_where,
    upsert_by,
)
from tests.runtime.values import Broken, Card, Count, Echo, Increment, Joker, Note, count, key_of

CARDS = st.lists(st.builds(Card, key=st.sampled_from("abc"), worth=st.integers(0, 9)), max_size=12)


@pytest.mark.requirement("session.slices.typed", "workspace.names.runtime")
def test_values_of_two_types_lie_in_two_slices() -> None:
    session = Session()

    session.dispatch(Note("one"))
    session.dispatch(Card("a", 1))
    session.dispatch(Note("two"))

    assert session[Note].all() == (Note("one"), Note("two"))
    assert session[Card].all() == (Card("a", 1),)
    assert session[Count].all() == ()


def test_a_subtype_has_a_slice_of_its_own() -> None:
    session = Session()

    session.dispatch(Joker("j", 1))

    assert session[Joker].latest() == Joker("j", 1)
    assert session[Card].all() == ()


def test_two_sessions_share_nothing() -> None:
    one, other = Session(), Session()

    one.dispatch(Note("mine"))

    assert other[Note].all() == ()


@pytest.mark.requirement("session.reducers.append")
def test_append_adds_to_the_end_equal_or_not() -> None:
    session = Session()
    session[Note].register(Note, append)

    for text in ("a", "b", "a"):
        session.dispatch(Note(text))

    assert session[Note].all() == (Note("a"), Note("b"), Note("a"))


@pytest.mark.requirement("session.reducers.replace-latest")
def test_replace_latest_keeps_only_the_newest() -> None:
    session = Session()
    session[Note].register(Note, replace_latest)

    session.dispatch(Note("old"))
    session.dispatch(Note("new"))

    assert session[Note].all() == (Note("new"),)
    assert session[Note].latest() == Note("new")


@pytest.mark.requirement("session.reducers.upsert-by")
def test_upsert_by_replaces_in_place_what_has_the_key_and_otherwise_adds() -> None:
    session = Session()
    session[Card].register(Card, upsert_by(key_of))

    for card in (Card("a", 1), Card("b", 2), Card("a", 3), Card("c", 4)):
        session.dispatch(card)

    assert session[Card].all() == (Card("a", 3), Card("b", 2), Card("c", 4))


def test_upsert_by_leaves_one_where_others_had_put_several_of_a_key() -> None:
    session = Session()
    session[Card].register(Joker, append)
    session[Card].register(Card, upsert_by(key_of))
    for card in (Joker("a", 1), Joker("b", 2), Joker("a", 3)):
        session.dispatch(card)

    session.dispatch(Card("b", 4))
    session.dispatch(Card("a", 5))

    assert session[Card].all() == (Card("a", 5), Card("b", 4))


def test_two_keys_on_one_slice_do_not_confuse_one_another() -> None:
    session = Session()
    session[Card].register(Card, upsert_by(key_of))
    session[Card].register(Joker, upsert_by(worth_of))
    session.dispatch(Card("a", 1))
    session.dispatch(Card("b", 2))

    session.dispatch(Joker("c", 1))
    session.dispatch(Card("a", 3))
    session.dispatch(Card("c", 4))

    assert session[Card].all() == (Card("c", 4), Card("b", 2), Card("a", 3))


def test_a_key_that_no_dict_takes_fails_and_changes_nothing() -> None:
    session = Session()
    session[Card].register(Card, upsert_by(lambda card: [card.key]))  # type: ignore[arg-type, return-value]  # the point

    with pytest.raises(TypeError, match="unhashable"):
        session.dispatch(Card("a", 1))

    assert session[Card].all() == ()


def test_a_key_function_that_fails_is_named_and_changes_nothing() -> None:
    session = Session()
    session[Card].register(Card, upsert_by(picky))
    session.dispatch(Card("a", 1))

    with pytest.raises(Broken) as failure:
        session.dispatch(Card("", 2))
    session.dispatch(Card("a", 3))

    assert "upsert_by(picky)" in failure.value.__notes__[0]
    assert session[Card].all() == (Card("a", 3),)


@given(cards=CARDS)
def test_a_built_in_reducer_does_the_same_when_a_users_reducer_wraps_it(cards: list[Card]) -> None:
    for reducer in (append, replace_latest, upsert_by(key_of)):
        direct, wrapped = Session(), Session()
        direct[Card].register(Card, reducer)
        wrapped[Card].register(Card, wrapping(reducer))

        for card in cards:
            direct.dispatch(card)
            wrapped.dispatch(card)

            assert direct[Card].all() == wrapped[Card].all()


@pytest.mark.requirement("session.select.functions", "session.select.by-type")
def test_both_ways_of_asking_give_the_same_answers() -> None:
    session = Session()
    for worth in range(5):
        session.dispatch(Card("k", worth))

    assert select_latest(session, Card) == session[Card].latest() == Card("k", 4)
    assert select_all(session, Card) == session[Card].all() == tuple(Card("k", worth) for worth in range(5))
    assert select_where(session, Card, is_odd) == session[Card].where(is_odd) == (Card("k", 1), Card("k", 3))


@pytest.mark.requirement("session.select.functions", "session.select.by-type")
def test_an_empty_slice_has_no_latest_and_nothing_in_all() -> None:
    session = Session()

    assert select_latest(session, Card) is session[Card].latest() is None
    assert select_all(session, Card) == session[Card].all() == ()
    assert select_where(session, Card, is_odd) == session[Card].where(is_odd) == ()


def test_all_is_the_same_tuple_until_the_slice_changes() -> None:
    session = Session()
    session[Card].register(Card, upsert_by(key_of))
    session.dispatch(Card("a", 1))
    before = session[Card].all()

    assert session[Card].all() is before
    session.dispatch(Card("a", 2))

    assert before == (Card("a", 1),)
    assert session[Card].all() == (Card("a", 2),)


def test_a_slice_that_was_kept_shows_what_came_later() -> None:
    session = Session()
    notes = session[Note]

    session.dispatch(Note("later"))

    assert notes.latest() == Note("later")


def test_the_same_reducer_registered_again_runs_once() -> None:
    session = Session()
    for _ in range(2):
        session[Note].register(Note, append)
        session[Card].register(Card, upsert_by(key_of))
        session[Count].register(Increment, count)

    for event in (Note("a"), Card("a", 1), Increment()):
        session.dispatch(event)

    assert session[Note].all() == (Note("a"),)
    assert session[Card].all() == (Card("a", 1),)
    assert session[Count].all() == (Count(1),)
    assert upsert_by(key_of) == upsert_by(key_of)
    assert upsert_by(key_of) != upsert_by(worth_of)


def test_different_reducers_of_one_event_run_in_order_each_on_what_the_one_before_left() -> None:
    session = Session()
    session[Note].register(Note, append)
    session[Note].register(Note, doubled)
    session[Note].register(Note, capped)

    session.dispatch(Note("a"))
    session.dispatch(Note("b"))

    assert session[Note].all() == (Note("a"), Note("a"), Note("b"))


def test_an_event_feeds_every_slice_that_asked_for_it() -> None:
    session = Session()
    session[Count].register(Increment, count)
    session[Note].register(Increment, noted)

    session.dispatch(Increment(3))

    assert session[Count].latest() == Count(3)
    assert session[Note].latest() == Note("3")
    assert session[Increment].all() == ()


def test_a_reducer_registered_after_events_came_changes_what_comes() -> None:
    session = Session()
    session.dispatch(Note("before"))

    session[Note].register(Note, replace_latest)
    session.dispatch(Note("after"))

    assert session[Note].all() == (Note("after"),)


@pytest.mark.parametrize("reducer", [append, replace_latest, upsert_by(key_of)])
def test_a_built_in_reducer_refuses_events_that_are_no_values_of_the_slice(
    reducer: Reducer[object, object],
) -> None:
    session = Session()

    with pytest.raises(TypeError, match=r"into the slice of Note.*session\[Echo\]"):
        session[Note].register(Echo, reducer)  # type: ignore[arg-type]  # the point
    session.dispatch(Echo())

    assert session[Note].all() == ()
    assert session[Echo].all() == (Echo(),)


@pytest.mark.parametrize("answer", [None, [], Note("bare"), iter(())])
def test_a_reducer_that_gives_back_no_tuple_is_named_and_changes_nothing(answer: object) -> None:
    session = Session()
    session[Note].register(Note, append)
    session[Note].register(Echo, giving(answer))
    session.dispatch(Note("kept"))

    with pytest.raises(TypeError, match=r"wrong returned a \w+.*tuple"):
        session.dispatch(Echo())

    assert session[Note].all() == (Note("kept"),)


def test_a_named_tuple_is_a_value_and_no_state() -> None:
    class Pair(NamedTuple):
        one: int
        other: int

    session = Session()
    session[Pair].register(Pair, giving(Pair(1, 2)))

    with pytest.raises(TypeError, match=r"returned a .*Pair"):
        session.dispatch(Pair(1, 2))

    assert session[Pair].all() == ()


def test_what_is_no_class_or_no_callable_is_refused_with_the_way_to_write_it() -> None:
    session = Session()

    with pytest.raises(TypeError, match=r"session\[TodoList\]"):
        session["notes"]  # type: ignore[index]  # the point
    with pytest.raises(TypeError, match="class of the events"):
        session[Note].register(Note("a"), append)  # type: ignore[arg-type]  # the point
    with pytest.raises(TypeError, match="callable"):
        session[Note].register(Note, "append")  # type: ignore[arg-type]  # the point
    with pytest.raises(TypeError, match="instance"):
        session.dispatch(Note)
    with pytest.raises(TypeError, match="upsert_by"):
        upsert_by("key")  # type: ignore[arg-type]  # the point


def wrapping(reducer: Reducer[Card, Card]) -> Reducer[Card, Card]:
    """A user's reducer around another."""

    def around(state: tuple[Card, ...], event: Card, *, context: ReducerContext) -> tuple[Card, ...]:
        assert type(state) is tuple
        return reducer(state, event, context=context)

    return around


def giving(answer: object) -> Callable[..., tuple[Never, ...]]:
    """A reducer that gives back something."""

    def wrong(state: tuple[object, ...], event: object, *, context: ReducerContext) -> tuple[Never, ...]:
        return answer  # type: ignore[return-value]  # the point

    return wrong


def doubled(state: tuple[Note, ...], event: Note, *, context: ReducerContext) -> tuple[Note, ...]:
    """Everything so far again, in front."""
    return (*state, *state)


def capped(state: tuple[Note, ...], event: Note, *, context: ReducerContext) -> tuple[Note, ...]:
    """The last three."""
    return state[-3:]


def noted(state: tuple[Note, ...], event: Increment, *, context: ReducerContext) -> tuple[Note, ...]:
    """A note of each increment."""
    return (*state, Note(str(event.by)))


def picky(card: Card) -> str:
    """A key function that fails for a card without a key."""
    if not card.key:
        raise Broken("no key")
    return card.key


def worth_of(card: Card) -> int:
    """Another thing to know a card by."""
    return card.worth


def is_odd(card: Card) -> bool:
    """Whether a card's worth is odd."""
    return card.worth % 2 == 1
