"""Pydantic models as the parameters of our tools: shown and read like all others."""

import importlib
from datetime import date
from typing import Annotated, Any, Literal

import msgspec
import pydantic
import pytest
from pydantic import BaseModel, ConfigDict, Field, RootModel, SecretStr, field_validator
from pydantic.dataclasses import dataclass

from gatepost.tools import Tool, ToolValidationError, pydantic_models


class Address(BaseModel):
    """Where to."""

    city: str
    title: Annotated[str, Field(max_length=5)] = "Dr"


class Order(BaseModel):
    """What a model may send."""

    to: Address
    due: date | None = None
    way: Literal["air", "sea"] = "sea"
    count: int = Field(default=1, ge=1, description="How many.")
    parts: tuple["Order", ...] = ()

    @field_validator("count")
    @classmethod
    def even(cls, value: int) -> int:
        if value > 1 and value % 2:
            raise ValueError("must be even")
        return value


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")

    name: str


class Air(BaseModel):
    way: Literal["air"]


class Sea(BaseModel):
    way: Literal["sea"]


class Many(RootModel[list[int]]):
    pass


@dataclass
class Point:
    x: Annotated[int, Field(ge=0)]


order = Tool(name="order", description="Order.", params=Order, handler=lambda given: given)


def ship(to: Address, copy: Annotated[int, Field(ge=1)] = 1, tags: list[str] = []) -> str:  # noqa: B006 - as people write
    """Ship it."""
    tags.append("seen")
    return f"{to.city} {copy} {tags}"


def test_a_model_is_shown_closed_in_its_place_and_without_titles_but_for_fields_of_that_name() -> None:
    schema = order.schema

    assert schema["properties"]["to"] == {
        "description": "Where to.",
        "type": "object",
        "properties": {"city": {"type": "string"}, "title": {"type": "string", "maxLength": 5, "default": "Dr"}},
        "required": ["city"],
        "additionalProperties": False,
    }
    assert schema["required"] == ["to"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["count"] == {
        "type": "integer",
        "minimum": 1,
        "default": 1,
        "description": "How many.",
    }
    assert schema["properties"]["parts"]["items"] == {"$ref": "#/$defs/Order"}
    assert schema["$defs"]["Order"]["additionalProperties"] is False


def test_a_tagged_union_is_shown_without_pointers_to_parts_that_have_moved() -> None:
    def go(by: Annotated[Air | Sea, Field(discriminator="way")]) -> str:
        """Go."""
        return repr(by)

    tool = Tool.of(go)

    assert "$defs" not in str(tool.schema)
    assert [way["properties"]["way"]["const"] for way in tool.schema["properties"]["by"]["oneOf"]] == ["air", "sea"]
    assert tool.call({"by": {"way": "sea"}}).render() == "Sea(way='sea')"
    with pytest.raises(ToolValidationError, match="`by` is wrong: input tag 'rail'"):
        tool.call({"by": {"way": "rail"}})


def test_the_handler_is_given_the_model_with_what_json_can_spell() -> None:
    made = order.call({"to": {"city": "Oslo"}, "due": "2027-01-02", "parts": [{"to": {"city": "Rome"}}]}).value

    assert made == Order(to=Address(city="Oslo"), due=date(2027, 1, 2), parts=(Order(to=Address(city="Rome")),))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "`to` is required"),
        ({"to": {"city": 3}}, "`to.city` is wrong: input should be a valid string"),
        ({"to": {"city": "x"}, "count": "2"}, "`count` is wrong: input should be a valid integer"),
        ({"to": {"city": "x"}, "count": True}, "`count` is wrong"),
        ({"to": {"city": "x"}, "count": 3}, "`count` is wrong: value error, must be even"),
        ({"to": {"city": "x"}, "cuont": 2}, "`cuont` is unknown; did you mean `count`?"),
        ({"to": {"city": "x", "zip": 1}}, "`to.zip` is unknown"),
        ({"to": {"city": "x"}, "parts": [{}]}, "`parts[0].to` is required"),
        ({"to": {"city": "\ud800"}}, "`to` must not contain unpaired surrogates"),
        ([], "`arguments` must be an object"),
    ],
)
def test_bad_arguments_are_refused_by_the_field_they_are_in_before_the_handler_is_reached(
    given: Any, words: str
) -> None:
    with pytest.raises(ToolValidationError) as no:
        order.call(given)

    assert words in no.value.message
    assert no.value.recovery


def test_a_function_may_take_models_and_bounds_of_pydantic_s() -> None:
    tool = Tool.of(ship)

    answers = [tool.call({"to": {"city": "Oslo"}}).value for _ in range(2)]

    assert answers == ["Oslo 1 ['seen']"] * 2
    assert tool.schema["properties"]["copy"] == {"type": "integer", "minimum": 1, "default": 1}
    with pytest.raises(ToolValidationError, match="`copy` is wrong: input should be greater than or equal to 1"):
        tool.call({"to": {"city": "Oslo"}, "copy": 0})
    with pytest.raises(ToolValidationError, match="did you mean `copy`"):
        tool.call({"to": {"city": "Oslo"}, "coppy": 2})


def test_a_type_of_pydantic_s_alone_is_enough_to_have_it_read_the_arguments() -> None:
    def log_in(word: SecretStr) -> str:
        """Log in."""
        return str(word)

    assert Tool.of(log_in).call({"word": "x"}).render() == "**********"


def test_a_pydantic_that_cannot_forbid_unknown_fields_is_named_with_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pydantic, "VERSION", "2.11.10")

    with pytest.raises(ImportError, match=r"Pydantic 2\.12 or later; this is 2\.11\.10"):
        importlib.reload(pydantic_models)


def test_a_dataclass_of_pydantic_s_keeps_its_bounds() -> None:
    tool = Tool(name="go", description="Go.", params=Point, handler=lambda point: point.x)

    assert tool.call({"x": 1}).value == 1
    with pytest.raises(ToolValidationError, match="`x` is wrong"):
        tool.call({"x": -1})


def test_what_could_not_be_read_strictly_is_refused_when_the_tool_is_made() -> None:
    def both(place: Address, count: Annotated[int, msgspec.Meta(ge=1)]) -> None:
        """Take both."""

    with pytest.raises(TypeError, match="Many cannot be a tool's parameters"):
        Tool(name="many", description="Many.", params=Many, handler=lambda given: given)
    with pytest.raises(TypeError, match="Open would accept unknown fields"):
        Tool(name="open", description="Open.", params=Open, handler=lambda given: given)
    with pytest.raises(TypeError, match=r"`count` is bounded by msgspec\.Meta"):
        Tool.of(both)


def test_a_result_that_is_or_holds_a_model_is_shown_as_json() -> None:
    one = Tool(name="one", description="One.", handler=lambda: Address(city="Oslo"))
    many = Tool(name="many", description="Many.", handler=lambda: {"found": [Address(city="Oslo"), Point(1)]})

    assert one.call().render() == '{"city":"Oslo","title":"Dr"}'
    assert many.call().render() == '{"found":[{"city":"Oslo","title":"Dr"},{"x":1}]}'
