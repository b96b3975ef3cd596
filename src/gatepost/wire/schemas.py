"""JSON Schemas of commands, in the plain form every client understands: no references, no unions."""

from typing import Any, Final

from msgspec import inspect

Schema = dict[str, Any]

_DEEPEST: Final = 2


def input_schema(kind: type, *, terse: bool) -> Schema:
    """The schema of a command. `terse` leaves out what the server's instructions say once for all tools."""
    return _object(inspect.type_info(kind), terse=terse, depth=0)


def _schema(kind: inspect.Type, *, terse: bool, depth: int) -> Schema:
    if isinstance(kind, inspect.Metadata):
        if terse and kind.extra is not None and "spelled" in kind.extra:
            return _spelled(kind.type, str(kind.extra["spelled"]))
        return _schema(kind.type, terse=terse, depth=depth) | _described(kind, terse=terse)
    if isinstance(kind, inspect.UnionType):
        real = [member for member in kind.types if not isinstance(member, inspect.NoneType)]
        if {type(member) for member in real} == {inspect.IntType, inspect.StrType}:
            # Not every client knows unions, so a tool list leaves the type to the description.
            return {} if terse else {"anyOf": [scalar(member, terse=False) for member in real]}
        return _schema(real[0], terse=terse, depth=depth)
    if isinstance(kind, inspect.StructType):
        return _object(kind, terse=terse, depth=depth)
    if isinstance(kind, inspect.VarTupleType | inspect.ListType):
        items = _schema(kind.item_type, terse=terse, depth=depth + 1)
        return {"type": "array", "items": items} | _bounds(kind, terse=terse)
    return scalar(kind, terse=terse)


def _spelled(kind: inspect.Type, words: str) -> Schema:
    """An object, or a list of objects, in words."""
    told: Schema = {"type": "object", "description": words} if words else {"type": "object"}
    return told if isinstance(kind, inspect.StructType) else {"type": "array", "items": told}


def _object(kind: inspect.Type, *, terse: bool, depth: int) -> Schema:
    if not isinstance(kind, inspect.StructType):
        raise TypeError(f"{kind} is not an object")
    if depth > _DEEPEST:
        return {"type": "object", "description": "as above"}
    properties = {field.encode_name: _schema(field.type, terse=terse, depth=depth + 1) for field in kind.fields}
    if terse and depth:
        properties = _spelled_once(properties)
    required = [field.encode_name for field in kind.fields if field.required]
    schema: Schema = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    if not (terse and depth):
        schema["additionalProperties"] = False
    return schema


def _spelled_once(properties: dict[str, Schema]) -> dict[str, Schema]:
    """Objects that are all alike (the five checkpoints): the first tells the shape of the others."""
    first, *others = properties.values()
    if not others or first["type"] != "object" or any(other != first for other in others):
        return properties
    return {name: {"type": "object"} if at else first for at, name in enumerate(properties)}


def scalar(kind: inspect.Type, *, terse: bool) -> Schema:
    """The schema of a value without parts."""
    if isinstance(kind, inspect.StrType):
        return {"type": "string"} | _bounds(kind, terse=terse)
    if isinstance(kind, inspect.IntType):
        return {"type": "integer"} | _bounds(kind, terse=terse)
    if isinstance(kind, inspect.FloatType):
        return {"type": "number"}
    if isinstance(kind, inspect.BoolType):
        return {"type": "boolean"}
    if isinstance(kind, inspect.LiteralType):
        return {"type": "string", "enum": list(kind.values)}
    if isinstance(kind, inspect.DictType):
        return {"type": "object"}
    if isinstance(kind, inspect.AnyType):
        return {}
    raise TypeError(f"no schema for {kind}")


def _bounds(kind: inspect.Type, *, terse: bool) -> Schema:
    """Bounds are checked here whatever a client makes of them, so a terse schema does without."""
    if terse:
        return {}
    names = {
        "min_length": "minItems" if not isinstance(kind, inspect.StrType) else "minLength",
        "max_length": "maxItems" if not isinstance(kind, inspect.StrType) else "maxLength",
        "ge": "minimum",
        "le": "maximum",
        "pattern": "pattern",
    }
    found = {word: getattr(kind, name, None) for name, word in names.items()}
    return {word: value for word, value in found.items() if value is not None}


def _described(kind: inspect.Metadata, *, terse: bool) -> Schema:
    if terse and kind.extra is not None and kind.extra.get("known"):
        return {}
    described = kind.extra_json_schema or {}
    shown = {"description": described["description"]} if "description" in described else {}
    if terse and kind.extra is not None and kind.extra.get("always_shown"):
        shown |= _bounds(kind.type, terse=False)
        shown.pop("pattern", None)
    return shown
