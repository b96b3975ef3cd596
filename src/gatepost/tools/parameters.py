"""Tool parameters from a type: the schema, and strict decoding.

Dataclasses are read by way of a twin, a struct that knows the same fields and refuses others: msgspec passes over
unknown fields of a dataclass, and a model that misspells an argument should learn of it.
"""

import dataclasses
import re
import types
import typing
from collections.abc import Iterator
from functools import lru_cache, partial
from typing import Any, Final

import msgspec
from msgspec import inspect

from gatepost.domain.refusals import InvalidInput, Refusal
from gatepost.domain.value import prepared
from gatepost.tools.schemas import MOST_PROBLEMS, Parameters, described, shown_schema
from gatepost.wire import input_errors

_PYDANTIC: Final = ("pydantic.", "annotated_types")
_HOOKS: Final = ("__pydantic_core_schema__", "__get_pydantic_core_schema__")
_words = re.compile(r"(?s)(.*?)(?: - at `\$(.*)`)?")


def parameters(kind: type | Parameters | None) -> Parameters:
    """The parameters of a type, or of a tool without parameters."""
    return kind if isinstance(kind, Parameters) else _parameters(kind)


@lru_cache(maxsize=512)
def _parameters(kind: type | None) -> Parameters:
    if kind is not None and _of_pydantic(kind):
        from gatepost.tools import pydantic_models

        return pydantic_models.parameters(kind)
    strict = msgspec.defstruct("Nothing", (), forbid_unknown_fields=True) if kind is None else _strict(kind)
    if not (isinstance(strict, type) and issubclass(strict, msgspec.Struct)):
        raise TypeError(
            f"{kind!r} cannot be a tool's parameters: give a dataclass, a msgspec.Struct or a Pydantic model."
        )
    for loose in _loose(inspect.type_info(strict), set()):
        raise TypeError(
            f"{loose.__name__} would accept unknown fields: make it a dataclass, or a msgspec.Struct with"
            " forbid_unknown_fields=True."
        )
    (root,), parts = msgspec.json.schema_components([strict], ref_template="#/$defs/{name}")
    return Parameters(shown_schema(root, parts), partial(_made, kind or strict, strict))


def _made(kind: type, strict: type[msgspec.Struct], given: dict[str, Any]) -> Any:
    try:
        made = msgspec.convert(given, prepared(strict))
        return made if kind is strict else msgspec.convert(made, prepared(kind), from_attributes=True)
    except (msgspec.ValidationError, UnicodeEncodeError) as error:
        # What a type's own `__post_init__` refuses arrives wrapped.
        if isinstance(error.__cause__, Refusal):
            raise error.__cause__ from None
        raise InvalidInput(_problems(strict, given, str(error))) from None


def needs_pydantic(hint: Any) -> bool:
    """Whether only Pydantic can decode a type: a model, a Pydantic type, or one with Pydantic constraints."""
    said = (hint, *getattr(hint, "__metadata__", ()))
    return any(map(_of_pydantic, said)) or any(map(needs_pydantic, typing.get_args(hint)))


def _of_pydantic(said: Any) -> bool:
    kind = said if isinstance(said, type) else type(said)
    return kind.__module__.startswith(_PYDANTIC) or any(hasattr(said, name) for name in _HOOKS)


def _strict(kind: Any) -> Any:
    """The same type with structs instead of dataclasses, at any depth."""
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        return _struct_of(kind)
    inner = typing.get_args(kind)
    origin = typing.get_origin(kind)
    if not inner or origin is typing.Literal:
        return kind
    if origin is typing.Annotated:
        return typing.Annotated[(_strict(inner[0]), *kind.__metadata__)]
    if origin in (typing.Union, types.UnionType):
        return typing.Union[tuple(_strict(member) for member in inner)]  # noqa: UP007 - made of a tuple
    return origin[tuple(_strict(member) for member in inner)]


@lru_cache(maxsize=512)
def _struct_of(kind: Any) -> type[msgspec.Struct]:
    """A struct with the fields of a dataclass, which refuses unknown fields."""
    hints = typing.get_type_hints(kind, include_extras=True)
    if any(_mentions(hint, kind) for hint in hints.values()):
        raise TypeError(f"{kind.__name__} contains itself: use a msgspec.Struct with forbid_unknown_fields=True.")
    members: list[tuple[str, Any] | tuple[str, Any, Any]] = []
    for field in dataclasses.fields(kind):
        name, hint = field.name, _strict(hints[field.name])
        if not field.init:
            continue
        if field.default_factory is not dataclasses.MISSING:
            members.append((name, hint, msgspec.field(default_factory=field.default_factory)))
        elif field.default is not dataclasses.MISSING:
            members.append((name, hint, field.default))
        else:
            members.append((name, hint))
    return msgspec.defstruct(
        kind.__name__, members, module=kind.__module__, kw_only=True, frozen=True, forbid_unknown_fields=True
    )


def _mentions(hint: Any, kind: type) -> bool:
    return hint is kind or any(_mentions(member, kind) for member in typing.get_args(hint))


def _loose(kind: inspect.Type, seen: set[type]) -> Iterator[type]:
    """The objects in a type that accept unknown fields."""
    if isinstance(
        kind, inspect.StructType | inspect.DataclassType | inspect.TypedDictType | inspect.NamedTupleType
    ):
        if kind.cls in seen:
            return
        seen.add(kind.cls)
        # A named tuple is an array in JSON, which has no names to be unknown.
        closed = isinstance(kind, inspect.NamedTupleType) or getattr(kind, "forbid_unknown_fields", False)
        if not closed:
            yield kind.cls
        for field in kind.fields:
            yield from _loose(field.type, seen)
    for name in ("type", "types", "item_type", "item_types", "key_type", "value_type"):
        within = getattr(kind, name, ())
        for member in (within,) if isinstance(within, inspect.Type) else within:
            yield from _loose(member, seen)


def _problems(strict: type[msgspec.Struct], given: dict[str, Any], first: str) -> list[tuple[str, str]]:
    """Every problem, in our own words where possible, otherwise in msgspec's."""
    known = {field.encode_name: field.type for field in msgspec.structs.fields(strict)}
    failing = {
        name: words for name, kind in known.items() if name in given and (words := _misfit(given[name], kind))
    }
    found = [
        (field, problem)
        for field, problem in input_errors.problems(strict, given, first)
        if (name := re.split(r"[.\[]", field, maxsplit=1)[0]) not in known or name in failing or name not in given
    ]
    silent = failing.keys() - {re.split(r"[.\[]", field, maxsplit=1)[0] for field, _ in found}
    if silent:
        found = [problem for problem in found if problem != ("arguments", first)]
    found += [_worded(name, failing[name]) for name in known if name in silent]
    return found[:MOST_PROBLEMS] or [("arguments", first)]


def _misfit(value: Any, kind: Any) -> str | None:
    try:
        msgspec.convert(value, prepared(kind))
    except msgspec.ValidationError as error:
        return str(error)
    return None


def _worded(name: str, words: str) -> tuple[str, str]:
    found = _words.fullmatch(words)
    message, place = (found[1], found[2] or "") if found is not None else (words, "")
    return f"{name}{place}", described(message)
