"""Snapshots as JSON: what is written is read back as it was, and what cannot be is refused in clear words."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from gatepost.domain.refusals import ToolValidationError
from gatepost.runtime import Session, Snapshot
from gatepost.tools import TodoList, WorkspaceDigest
from tests.runtime.values import Card, Note


class Point(NamedTuple):
    """A named tuple."""

    x: int
    y: float


class Deal(msgspec.Struct, frozen=True):
    """A struct with much in it."""

    at: datetime
    cards: tuple[Card, ...] = ()
    names: dict[str, int | None] = {}


class Weather(BaseModel):
    """A Pydantic model, which others know by other names."""

    city: str = Field(alias="cityName")
    at: datetime = Field(validation_alias="readAt", serialization_alias="shownAt")


class Handle:
    """Nothing that JSON could hold."""


@dataclass(frozen=True)
class Loose:
    """A value that says nothing of what it holds."""

    held: Any


TYPES = (Note, Card, Point, Deal, Weather, TodoList, WorkspaceDigest)

texts = st.text(st.characters(codec="utf-8"), max_size=20)
whole = st.integers(-(2**53), 2**53)
times = st.datetimes(timezones=st.just(UTC))
values = st.one_of(
    st.builds(Note, texts),
    st.builds(Card, texts, whole),
    st.builds(Point, whole, st.floats(allow_nan=False, allow_infinity=False)),
    st.builds(Deal, at=times, cards=st.tuples(st.builds(Card, texts, whole)), names=st.dictionaries(texts, whole)),
    st.builds(Weather, cityName=texts, readAt=times),
    st.builds(TodoList, st.lists(texts.filter(lambda text: text.strip() and "\0" not in text), max_size=3)),
    st.builds(WorkspaceDigest, st.just("key"), st.just("short"), st.just("body\n")),
    *(texts, whole, st.booleans(), times, st.floats(allow_nan=False, allow_infinity=False)),
)


@given(st.lists(values, max_size=8))
def test_whatever_a_session_holds_comes_back_equal_and_is_written_the_same_again(events: list[object]) -> None:
    session = Session()
    for event in events:
        session.dispatch(event)
    text = session.snapshot().to_json()

    other = Session()
    other.restore(Snapshot.from_json(text, TYPES))

    for kind in {type(event) for event in events}:
        assert other[kind].all() == session[kind].all()
        assert [type(value) for value in other[kind].all()] == [type(value) for value in session[kind].all()]
    again, first = json.loads(other.snapshot().to_json()), json.loads(text)
    assert again["slices"] == first["slices"]


def test_a_snapshot_knows_its_session_and_its_time_and_a_slice_may_hold_other_types() -> None:
    session = Session(id="s-1")
    session[object].register(Note, with_seven)
    session.dispatch(Note("n"))
    snapshot = session.snapshot()

    read = Snapshot.from_json(snapshot.to_json(), [Note])
    other = Session()
    other.restore(read)

    assert (read.session_id, read.at) == ("s-1", snapshot.at)
    assert other[object].all() == (Note("n"), 7)


def with_seven(state: tuple[object, ...], event: Note, *, context: object) -> tuple[object, ...]:
    """Keep the note, and a number."""
    return (*state, event, 7)


def test_names_of_your_own_outlast_a_renamed_class() -> None:
    session = Session()
    session.dispatch(Note("n"))
    text = session.snapshot().to_json({"remark": Note})

    renamed = Session()
    renamed.restore(Snapshot.from_json(text, {"remark": Renamed}))

    assert renamed[Renamed].all() == (Renamed("n"),)


@dataclass(frozen=True)
class Renamed:
    """What `Note` is called later, with one field more."""

    text: str
    pinned: bool = False


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (Handle(), "A Handle cannot be encoded"),
        (float("nan"), "A float cannot be encoded"),
        (Loose((1, 2)), "A Loose cannot be encoded as JSON: decoding it gives a different value"),
        (Loose({1: 2}), "A Loose cannot be encoded"),
        ("\ud800", "A str cannot be encoded"),
    ],
    ids=["handle", "nan", "tuple in any", "numbers as keys", "surrogate"],
)
def test_what_would_not_come_back_as_it_is_is_refused_when_it_is_written(value: object, words: str) -> None:
    session = Session()
    session.dispatch(value)

    with pytest.raises(ToolValidationError, match=words) as refused:
        session.snapshot().to_json()

    assert "dataclass" in refused.value.recovery


def test_two_types_of_one_name_are_refused_until_they_are_named() -> None:
    other = type("Note", (), {"__module__": "elsewhere"})
    session = Session()
    session.dispatch(Note("n"))
    session.dispatch(other())

    with pytest.raises(ToolValidationError, match=r"Two types have the name Note.*elsewhere\.Note"):
        session.snapshot().to_json()
    with pytest.raises(ToolValidationError, match="A other cannot be encoded"):
        session.snapshot().to_json({"other": other})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda _: "", "not a session snapshot"),
        (lambda _: "[]", "not a session snapshot"),
        (lambda text: text[:-1], "not a session snapshot"),
        (lambda text: text.replace('"version":1', '"version":2'), "has version 2. This Gatepost reads version 1"),
        (lambda text: text.replace('"version":1', '"version":1,"more":0'), "unknown field `more`"),
        (lambda text: text.replace('"Note"', '"Zip"'), "The type 'Zip' is unknown"),
        (lambda text: text.replace('"text":', '"txt":'), "does not match the class"),
        (lambda text: text.replace('"text":', '"pinned":true,"text":'), r"that the class lacks: Note\.pinned"),
        (lambda text: text.replace('"n"', "7"), "Expected `str`, got `int`"),
    ],
    ids=[
        "empty",
        "list",
        "cut",
        "later",
        "unknown key",
        "unknown type",
        "lost field",
        "unknown field",
        "wrong type",
    ],
)
def test_a_text_that_does_not_fit_is_refused_with_what_is_wrong_and_what_to_do(change: Any, words: str) -> None:
    session = Session()
    session.dispatch(Note("n"))
    text = session.snapshot().to_json()

    with pytest.raises(ToolValidationError, match=words) as refused:
        Snapshot.from_json(change(text), [Note])

    assert refused.value.recovery


def test_a_type_is_a_class() -> None:
    with pytest.raises(TypeError, match="is not a class"):
        Snapshot.from_json("{}", ["Note"])  # type: ignore[list-item]  # what is being tested
