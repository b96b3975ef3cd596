"""Histories of sessions: whatever is done to them, they hold what plain tuples would hold."""

from typing import NamedTuple

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from gatepost.runtime import ReducerContext, Session, Snapshot, append, replace_latest, upsert_by
from tests.runtime.values import Broken, Card, Count, Increment, Joker, Note, key_of

KINDS = (Note, Card, Count, Increment, float)
State = dict[type, tuple[object, ...]]


class Both(NamedTuple):
    """Feeds the notes and the cards, unless it fails in between."""

    text: str
    fails: bool
    nested: bool


class Sessions(RuleBasedStateMachine):
    """Several sessions that come from one another, each beside a model of plain tuples."""

    def __init__(self) -> None:
        super().__init__()
        self.sessions: list[tuple[Session, State]] = [(registered(), dict.fromkeys(KINDS, ()))]
        self.snapshots: list[tuple[Snapshot, State]] = []

    @rule(at=st.integers(0), texts=st.lists(st.sampled_from("xyz"), max_size=4))
    def append_notes(self, at: int, texts: list[str]) -> None:
        session, model = self.pick(at)
        for text in texts:
            session.dispatch(Note(text))
            model[Note] += (Note(text),)

    @rule(at=st.integers(0), key=st.sampled_from("abcde"), worth=st.integers(0, 9))
    def upsert_a_card(self, at: int, key: str, worth: int) -> None:
        session, model = self.pick(at)
        session.dispatch(Card(key, worth))
        model[Card] = upserted(model[Card], Card(key, worth))

    @rule(at=st.integers(0), key=st.sampled_from("abcde"))
    def append_a_joker_to_the_cards(self, at: int, key: str) -> None:
        session, model = self.pick(at)
        session.dispatch(Joker(key, 0))
        model[Card] += (Joker(key, 0),)

    @rule(at=st.integers(0), number=st.integers(0, 9))
    def replace_the_count(self, at: int, number: int) -> None:
        session, model = self.pick(at)
        session.dispatch(Count(number))
        model[Count] = (Count(number),)

    @rule(at=st.integers(0), number=st.floats(allow_nan=False))
    def dispatch_what_nobody_registered_for(self, at: int, number: float) -> None:
        session, model = self.pick(at)
        session.dispatch(number)
        model[float] += (number,)

    @rule(at=st.integers(0), text=st.sampled_from("abc"), fails=st.booleans(), nested=st.booleans())
    def feed_two_slices_or_fail(self, at: int, text: str, fails: bool, nested: bool) -> None:
        session, model = self.pick(at)
        event = Both(text, fails, nested)
        if fails:
            with pytest.raises(Broken):
                session.dispatch(event)
            return
        session.dispatch(event)
        model[Note] = (*model[Note][-3:], Note(text))
        model[Card] = upserted(model[Card], Card(text, 100))
        if nested:
            model[Increment] += (Increment(),)

    @rule(at=st.integers(0))
    def take_a_snapshot(self, at: int) -> None:
        session, model = self.pick(at)
        self.snapshots = [*self.snapshots[-4:], (session.snapshot(), dict(model))]

    @rule(at=st.integers(0), which=st.integers(0))
    def restore_a_snapshot_of_any_session(self, at: int, which: int) -> None:
        if self.snapshots:
            session, model = self.pick(at)
            snapshot, held = self.snapshots[which % len(self.snapshots)]
            session.restore(snapshot)
            model.update(held)

    @rule(at=st.integers(0))
    def clone_a_session(self, at: int) -> None:
        session, model = self.pick(at)
        self.sessions = [*self.sessions[-3:], (session.clone(), dict(model))]

    @invariant()
    def every_session_holds_what_its_model_holds(self) -> None:
        for session, model in self.sessions:
            latest = {kind: session[kind].latest() for kind in KINDS}
            assert latest == {kind: values[-1] if values else None for kind, values in model.items()}
            assert {kind: session[kind].all() for kind in KINDS} == model

    @invariant()
    def every_snapshot_is_as_it_was_taken(self) -> None:
        for snapshot, held in self.snapshots:
            witness = Session()
            witness.restore(snapshot)
            assert {kind: witness[kind].all() for kind in KINDS} == held

    def pick(self, at: int) -> tuple[Session, State]:
        """One of the sessions."""
        return self.sessions[at % len(self.sessions)]


@pytest.mark.requirement(
    "session.snapshot.restores", "session.clone.independent", "session.dispatch.failure-changes-nothing"
)
def test_any_history_leaves_every_session_and_snapshot_as_plain_tuples_would_be() -> None:
    run_state_machine_as_test(Sessions, settings=settings(max_examples=60, stateful_step_count=30, deadline=None))


def registered() -> Session:
    """A session with reducers of every kind."""
    session = Session()
    session[Note].register(Note, append)
    session[Card].register(Card, upsert_by(key_of))
    session[Card].register(Joker, append)
    session[Count].register(Count, replace_latest)
    session[Note].register(Both, noted)
    session[Card].register(Both, carded)
    return session


def noted(state: tuple[Note, ...], event: Both, *, context: ReducerContext) -> tuple[Note, ...]:
    """The last three notes and a new one."""
    if event.nested:
        context.session.dispatch(Increment())
    return (*state[-3:], Note(event.text))


def carded(state: tuple[Card, ...], event: Both, *, context: ReducerContext) -> tuple[Card, ...]:
    """A card among the others, by a built-in reducer in a user's."""
    if event.fails:
        raise Broken
    return upsert_by(key_of)(state, Card(event.text, 100), context=context)


def upserted(cards: tuple[object, ...], new: Card) -> tuple[object, ...]:
    """What the seed of all upserts would do: the first of the key is replaced, further ones go."""
    kept: list[object] = []
    placed = False
    for card in cards:
        assert isinstance(card, Card)
        if card.key != new.key:
            kept.append(card)
        elif not placed:
            kept.append(new)
            placed = True
    return tuple(kept) if placed else (*kept, new)
