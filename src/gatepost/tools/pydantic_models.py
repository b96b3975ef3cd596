"""Pydantic models as a tool's parameters, decoded as strictly as other types. Imported only when used."""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import field, make_dataclass
from functools import partial
from typing import Any, Final

import msgspec
from pydantic import VERSION, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from gatepost.domain.refusals import InvalidInput, Refusal
from gatepost.tools.schemas import MOST_PROBLEMS, Parameters, Schema, described, shown_schema
from gatepost.wire.input_errors import nearest

if tuple(map(int, VERSION.split(".")[:2])) < (2, 12):  # the first that can forbid unknown fields for a call
    raise ImportError(f"Tools need Pydantic 2.12 or later; this is {VERSION}: pip install -U pydantic")

_VALUES: Final = frozenset({"const", "default", "enum", "examples"})
_UNKNOWN: Final = frozenset({"extra_forbidden", "unexpected_keyword_argument"})


def parameters(kind: Any) -> Parameters:
    """The parameters of a Pydantic model or dataclass."""
    adapter = TypeAdapter(kind)
    root: Schema = _closed(adapter.json_schema(), kind)
    schema = shown_schema(root, root.pop("$defs", {}))
    if "properties" not in schema:
        raise TypeError(f"{kind.__name__} cannot be a tool's parameters: it must be an object with named fields.")
    return Parameters(schema, partial(_made, adapter, sorted(schema["properties"])))


def model(name: str, members: Mapping[str, tuple[Any, ...]]) -> type:
    """A Pydantic dataclass with a field for each name: its type, and its default if it has one."""
    for member, (kind, *_) in members.items():
        if any(isinstance(said, msgspec.Meta) for said in getattr(kind, "__metadata__", ())):
            raise TypeError(
                f"{name}: `{member}` is bounded by msgspec.Meta, which Pydantic does not read: use pydantic.Field."
            )
    fields = [(member, kind, *map(_default, default)) for member, (kind, *default) in members.items()]
    return dataclass(make_dataclass(name, fields, kw_only=True))


def _default(value: Any) -> Any:
    """A fresh copy of the default for every call."""
    return value if type(value).__hash__ is not None else field(default_factory=partial(copy, value))


def _made(adapter: TypeAdapter[Any], known: list[str], given: dict[str, Any]) -> Any:
    try:
        # By way of JSON, where a date is a text and a tuple an array, and yet "3" is not 3.
        return adapter.validate_json(msgspec.json.encode(given), strict=True, extra="forbid")
    except ValidationError as error:
        problems = error.errors(include_url=False, include_input=False)
        for problem in problems:
            if isinstance(refusal := problem.get("ctx", {}).get("error"), Refusal):
                raise refusal from None
        raise InvalidInput([_described_problem(problem, known) for problem in problems[:MOST_PROBLEMS]]) from None


def _described_problem(problem: Mapping[str, Any], known: list[str]) -> tuple[str, str]:
    at: Sequence[str | int] = problem["loc"]
    place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in at)[:80].removeprefix(".")
    if problem["type"] == "missing":
        return place, "is required"
    if problem["type"] in _UNKNOWN:
        return place, f"is unknown{nearest(str(at[0]), known) if len(at) == 1 else ''}"
    return place or "arguments", described(problem["msg"])


def _closed(node: Any, kind: Any) -> Any:
    """A schema without titles, whose objects refuse additional fields."""
    if isinstance(node, list):
        return [_closed(item, kind) for item in node]
    if not isinstance(node, dict):
        return node
    closed = {
        word: item if word in _VALUES else _closed(item, kind)
        for word, item in node.items()
        # A property may be called title: then it is a schema, and no text.
        if not (word == "title" and isinstance(item, str))
    }
    if node.get("type") == "object" and "properties" in node:
        if node.get("additionalProperties"):
            raise TypeError(f"{kind.__name__} would accept unknown fields: drop extra='allow' from its models.")
        closed["additionalProperties"] = False
    return closed
