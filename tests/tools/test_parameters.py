"""A tool's parameters: one schema for models, and a reading that coerces nothing and names what is wrong."""

import enum
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple, TypedDict

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta

from gatepost.tools import Tool, ToolValidationError


class Colour(enum.Enum):
    """Two will do."""

    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True)
class Place:
    """Where."""

    x: float
    y: float = 0.0


@dataclass(frozen=True)
class Drawing:
    """What to draw: a dataclass of many kinds of fields."""

    name: Annotated[str, Meta(min_length=1, description="What it is called.")]
    places: list[Place] = field(default_factory=list)
    size: int | str = 3
    colour: Colour = Colour.RED
    style: Literal["thin", "thick"] = "thin"
    centre: Place | None = None


class Branch(msgspec.Struct, forbid_unknown_fields=True):
    """A type that holds itself."""

    title: str
    branches: tuple["Branch", ...] = ()


class Loose(msgspec.Struct):
    """A struct that takes what it does not know."""

    a: int = 0


class Table(TypedDict):
    """A typed dict takes what it does not know, too."""

    a: int


class Pair(NamedTuple):
    """An array in JSON."""

    a: int
    b: Loose


@dataclass
class Chain:
    """A dataclass that holds itself."""

    next: "Chain | None" = None


@dataclass
class Even:
    """A type with a rule of its own."""

    number: int

    def __post_init__(self) -> None:
        if self.number % 2:
            raise ToolValidationError(f"{self.number} is odd.", "Give an even number.")


@dataclass
class Ordered:
    """A type with a rule in Python's own words."""

    low: int | str
    high: int

    def __post_init__(self) -> None:
        if isinstance(self.low, int) and self.low > self.high:
            raise ValueError("low must not be above high")


def echo(kind: type) -> Tool:
    """A tool that answers with what it was given."""
    return Tool(name="echo", description="Answer with the parameters.", params=kind, handler=lambda params: params)


def refused(kind: type, arguments: Any) -> list[tuple[str, str]]:
    """The problems for which a call is refused."""
    with pytest.raises(ToolValidationError) as caught:
        echo(kind).call(arguments)
    return [(problem["field"], problem["problem"]) for problem in caught.value.details["problems"]]


def test_a_dataclass_becomes_one_closed_object_without_references() -> None:
    place = {
        "type": "object",
        "properties": {"x": {"type": "number"}, "y": {"type": "number", "default": 0.0}},
        "required": ["x"],
        "additionalProperties": False,
    }

    assert echo(Drawing).schema == {
        "type": "object",
        "properties": {
            "name": {"type": "string", "minLength": 1, "description": "What it is called."},
            "places": {"type": "array", "items": place, "default": []},
            "size": {"anyOf": [{"type": "integer"}, {"type": "string"}], "default": 3},
            "colour": {"enum": ["blue", "red"], "default": "red", "description": "Two will do."},
            "style": {"enum": ["thick", "thin"], "default": "thin"},
            "centre": {"anyOf": [place, {"type": "null"}], "default": None},
        },
        "required": ["name"],
        "additionalProperties": False,
    }


def test_a_type_that_holds_itself_keeps_references_but_not_at_the_root() -> None:
    schema = echo(Branch).schema

    assert schema["type"] == "object"
    assert schema["properties"]["title"] == {"type": "string"}
    assert schema["properties"]["branches"]["items"] == {"$ref": "#/$defs/Branch"}
    assert schema["$defs"]["Branch"]["additionalProperties"] is False


def test_a_schema_is_the_caller_s_own_to_change() -> None:
    tool = echo(Drawing)

    tool.schema["properties"].clear()

    assert "name" in tool.schema["properties"]


def test_good_arguments_become_the_very_type_at_every_depth() -> None:
    arguments = {
        "name": "n",
        "places": [{"x": 1}, {"x": 2.5, "y": 3}],
        "size": "big",
        "colour": "blue",
        "centre": None,
    }

    assert echo(Drawing).call(arguments).value == Drawing(
        name="n", places=[Place(1.0), Place(2.5, 3.0)], size="big", colour=Colour.BLUE
    )
    assert echo(Branch).call({"title": "t", "branches": [{"title": "u"}]}).value == Branch("t", (Branch("u"),))


@pytest.mark.parametrize(
    ("arguments", "problems"),
    [
        ({}, [("name", "is required")]),
        ({"name": 3}, [("name", "must be a string, not a number (3)")]),
        ({"nam": "n"}, [("nam", "is unknown; did you mean `name`?"), ("name", "is required")]),
        ({"name": "n", "places": [{"x": 1}, {"y": 1}]}, [("places[1].x", "is required")]),
        ({"name": "n", "centre": {"x": 1, "z": 2}}, [("centre.z", "is unknown; the nearest is `y`")]),
        ({"name": "n", "places": [{"x": "1"}]}, [("places[0].x", "is wrong: expected `float`, got `str`")]),
        ({"name": "n", "size": 1.5}, [("size", "must be a whole number, not a number (1.5)")]),
        ({"name": "n", "colour": "pink"}, [("colour", "is wrong: invalid enum value 'pink'")]),
        ({"name": "n", "style": "wavy"}, [("style", 'must be one of thick, thin; got "wavy"')]),
        (
            {"name": 3, "style": True},
            [("name", "must be a string, not a number (3)"), ("style", "must be one of thick")],
        ),
        ({"name": "\ud800"}, [("name", "must not contain unpaired surrogates")]),
        ({"name": object()}, [("name", "must be plain JSON")]),
        ({"\ud800": 1}, [("\\ud800", "is unknown"), ("name", "is required")]),
        ({"\ud800": "\ud800"}, [("\\ud800", "must not contain unpaired surrogates")]),
        ({1: 2}, [("1", "is unknown"), ("name", "is required")]),
        ([], [("arguments", "must be an object, not list")]),
        ("{}", [("arguments", "must be an object, not str")]),
    ],
)
def test_bad_arguments_are_refused_with_every_problem_by_its_field(
    arguments: Any, problems: list[tuple[str, str]]
) -> None:
    found = refused(Drawing, arguments)

    assert [name for name, _ in found] == [name for name, _ in problems]
    assert all(words.startswith(start) for (_, words), (_, start) in zip(found, problems, strict=True)), found


def test_a_field_that_may_be_one_thing_or_another_is_not_blamed_for_its_neighbour() -> None:
    assert refused(Drawing, {"name": 3, "size": "big"}) == [("name", "must be a string, not a number (3)")]


def test_a_type_s_own_refusal_reaches_the_caller_as_it_is() -> None:
    with pytest.raises(ToolValidationError, match="3 is odd") as caught:
        echo(Even).call({"number": 3})

    assert caught.value.recovery == "Give an even number."


def test_a_type_s_own_complaint_becomes_a_refusal() -> None:
    assert refused(Ordered, {"low": 3, "high": 2}) == [("arguments", "low must not be above high")]
    assert echo(Ordered).call({"low": "none", "high": 2}).value == Ordered("none", 2)


def test_arguments_nested_without_end_are_refused() -> None:
    deep: dict[str, Any] = {"title": "t"}
    for _ in range(2_000):
        deep = {"title": "t", "branches": [deep]}

    assert refused(Branch, deep) == [("arguments", "are nested too deeply")]


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (Loose, "Loose would accept unknown fields"),
        (Table, "cannot be a tool's parameters"),
        (Chain, "Chain contains itself"),
        (int, "cannot be a tool's parameters"),
        (dict[str, int], "cannot be a tool's parameters"),
    ],
)
def test_a_type_that_could_not_be_read_strictly_is_refused_when_the_tool_is_made(kind: Any, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        echo(kind)


@pytest.mark.parametrize(
    "inner", [Loose, Table, list[Loose], dict[str, Table], Loose | None, tuple[int, Loose], Pair]
)
def test_a_loose_type_is_found_wherever_it_hides(inner: Any) -> None:
    holder = msgspec.defstruct("Holder", [("inside", inner)], forbid_unknown_fields=True)

    with pytest.raises(TypeError, match="would accept unknown fields"):
        echo(holder)


SIMPLE: dict[Any, Callable[[Any], bool]] = {
    str: lambda value: isinstance(value, str),
    int: lambda value: isinstance(value, int) and not isinstance(value, bool),
    bool: lambda value: isinstance(value, bool),
    list[str]: lambda value: isinstance(value, list) and all(isinstance(item, str) for item in value),
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(st.characters(codec="utf-8"), max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", max_size=2), inner, max_size=2),
    max_leaves=4,
)


@pytest.mark.parametrize("kind", SIMPLE, ids=str)
@given(value=JSON)
def test_a_value_is_taken_as_it_is_or_refused_and_never_coerced(kind: Any, value: Any) -> None:
    holder = msgspec.defstruct("Holder", [("it", kind)], forbid_unknown_fields=True)
    tool = echo(holder)

    if SIMPLE[kind](value):
        assert tool.call({"it": value}).value == holder(it=value)
    else:
        with pytest.raises(ToolValidationError, match=r"`it"):
            tool.call({"it": value})
