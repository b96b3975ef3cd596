"""OpenAI's strict mode: what it can say of a tool, and that nothing is lost on the way back."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import msgspec
import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it comes without types
from msgspec import UNSET, Meta, Struct, UnsetType

import gatepost
from gatepost.runtime import Session
from gatepost.tools import FileToolsSection, InMemoryFilesystem, TaskToolsSection, Tool, ToolValidationError
from gatepost.tools.adapters.strict import strict


class Leaf(Struct, forbid_unknown_fields=True, frozen=True, tag_field="kind", tag="leaf"):
    size: Annotated[int, Meta(ge=1, description="How big.")] = 3


class Tree(Struct, forbid_unknown_fields=True, frozen=True, tag_field="kind", tag="tree"):
    name: Annotated[str, Meta(max_length=9)]
    mode: Literal["a", "b"] = "a"
    note: str | None = None
    leaves: tuple[Leaf, ...] = ()
    below: "Leaf | Tree | None" = None


class Patch(Struct, forbid_unknown_fields=True):
    title: str | UnsetType | None = UNSET


class Table(Struct, forbid_unknown_fields=True):
    values: dict[str, int]


class Pair(Struct, forbid_unknown_fields=True):
    both: tuple[int, str]


class Anything(Struct, forbid_unknown_fields=True):
    value: Any


def tool(params: type) -> Tool:
    return Tool(name="it", description="It.", params=params, handler=lambda given: given)


def objects(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, list):
        for item in schema:
            yield from objects(item)
    elif isinstance(schema, dict):
        if isinstance(schema.get("properties"), dict):
            yield schema
        for item in schema.values():
            yield from objects(item)


def test_all_properties_are_required_and_null_takes_the_place_of_leaving_one_out() -> None:
    made = strict(tool(Tree))

    assert made is not None
    assert all(
        found["required"] == list(found["properties"]) and found["additionalProperties"] is False
        for found in objects(made.schema)
    )
    assert made.schema["properties"]["mode"] == {
        "anyOf": [{"enum": ["a", "b"], "type": "string"}, {"type": "null"}],
        "description": 'Null for "a".',
    }
    leaf = made.schema["properties"]["leaves"]["anyOf"][0]["items"]
    assert leaf["properties"]["size"]["description"] == "How big. Null for 3."


def test_what_is_sent_in_strict_mode_means_the_same_as_what_is_left_out_without() -> None:
    made = strict(tool(Tree))
    sent = {
        "kind": "tree",
        "name": "top",
        "mode": None,
        "note": None,
        "leaves": [{"kind": "leaf", "size": None}, {"kind": "leaf", "size": 5}],
        "below": {
            "kind": "tree", "name": "low", "mode": "b", "note": "n", "leaves": None,
            "below": {"kind": "leaf", "size": None},
        },
    }  # fmt: skip

    assert made is not None
    Draft202012Validator(made.schema).validate(sent)
    assert made.call(sent).value == Tree(
        "top", leaves=(Leaf(), Leaf(5)), below=Tree("low", mode="b", note="n", below=Leaf())
    )


def test_null_is_still_refused_where_a_value_is_required_and_length_is_still_checked() -> None:
    made = strict(tool(Tree))
    rest = {"kind": "tree", "mode": None, "note": None, "leaves": None, "below": None}

    assert made is not None
    assert "maxLength" not in msgspec.json.encode(made.schema).decode()
    for name in (None, "far too long"):
        with pytest.raises(ToolValidationError, match="`name`"):
            made.call({"name": name, **rest})


@pytest.mark.parametrize("params", [Patch, Table, Pair, Anything])
def test_a_schema_that_would_lose_its_meaning_has_no_strict_form(params: type) -> None:
    assert strict(tool(params)) is None


def test_of_our_own_tools_those_with_null_for_clearing_and_open_tables_stay_as_they_are() -> None:
    session = Session()
    files = FileToolsSection(session=session, filesystem=InMemoryFilesystem())
    with gatepost.connect("memory:") as gp:
        tasks = TaskToolsSection(session=session, gp=gp, workspace="acme/repo", toolset="all")

    made = {tool.name: strict(tool) for tool in (*files.tools, *tasks.tools)}

    assert made["tasks_edit"] is None
    assert made["tasks_batch"] is None
    assert made["tasks_radar"] is not None
    assert all(found is not None for name, found in made.items() if name.startswith("file_"))
