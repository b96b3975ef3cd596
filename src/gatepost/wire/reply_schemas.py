"""JSON Schemas of replies: every field typed, every object inside a reply a definition with a name.

Replies may gain fields, so their objects are open. What a budget may cut is not required.
"""

from inspect import cleandoc
from typing import Final

from msgspec import inspect

from gatepost.replies.reply import Part, Reply, WriteReply
from gatepost.wire.schemas import Schema, scalar

Definitions = dict[str, Schema]

IN_SCHEMA: Final = "#/$defs/"


def output_schema(kind: type) -> Schema:
    """The schema of a reply, with its definitions."""
    definitions: Definitions = {}
    schema = _object(inspect.type_info(kind), IN_SCHEMA, definitions)
    return {**schema, "$defs": definitions} if definitions else schema


def reference(kind: type, place: str, definitions: Definitions) -> Schema:
    """A reference to the schema of a reply, which is added to the definitions that are kept at `place`."""
    return _schema(inspect.type_info(kind), place, definitions)


def _schema(kind: inspect.Type, place: str, definitions: Definitions) -> Schema:
    if isinstance(kind, inspect.Metadata):
        return _schema(kind.type, place, definitions) | (kind.extra_json_schema or {})
    if isinstance(kind, inspect.UnionType):
        return _union([_schema(member, place, definitions) for member in kind.types])
    if isinstance(kind, inspect.StructType):
        return _named(kind, place, definitions)
    if isinstance(kind, inspect.VarTupleType | inspect.ListType):
        return {"type": "array", "items": _schema(kind.item_type, place, definitions)}
    if isinstance(kind, inspect.DictType):
        values = _schema(kind.value_type, place, definitions)
        return {"type": "object", "additionalProperties": values} if values else {"type": "object"}
    return {"type": "null"} if isinstance(kind, inspect.NoneType) else scalar(kind, terse=True)


def _union(members: list[Schema]) -> Schema:
    if all(member.keys() == {"type"} for member in members):
        kinds = [member["type"] for member in members]
        return {"type": kinds[0] if len(kinds) == 1 else kinds}
    return members[0] if len(members) == 1 else {"anyOf": members}


def _named(kind: inspect.StructType, place: str, definitions: Definitions) -> Schema:
    name = kind.cls.__name__
    if name not in definitions:
        definitions[name] = {}
        definitions[name] = _object(kind, place, definitions)
    return {"$ref": place + name}


def _object(kind: inspect.Type, place: str, definitions: Definitions) -> Schema:
    if not isinstance(kind, inspect.StructType):
        raise TypeError(f"{kind} is not an object")
    fields = sorted(kind.fields, key=lambda field: field.encode_name in _shared(kind.cls))
    schema: Schema = {
        "type": "object",
        "description": cleandoc(kind.cls.__doc__ or "").replace("\n\n", "\n").replace("\n", " "),
        "properties": {field.encode_name: _schema(_sent(field), place, definitions) for field in fields},
    }
    required = [field.encode_name for field in fields if field.required]
    return {**schema, "required": required} if required else schema


def _shared(kind: type) -> tuple[str, ...]:
    """The fields that all replies of a kind have: they are shown last."""
    return next((base.__struct_fields__ for base in (WriteReply, Reply, Part) if issubclass(kind, base)), ())


def _sent(field: inspect.Field) -> inspect.Type:
    """A field's type as it is sent. One whose default is null is left out instead of sent as null."""
    kind = field.type
    if field.default is None and isinstance(kind, inspect.UnionType):
        return inspect.UnionType(tuple(it for it in kind.types if not isinstance(it, inspect.NoneType)))
    return kind
