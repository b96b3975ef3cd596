"""OpenAI's strict mode, in which a model can send only what the schema allows.

The mode has no optional properties: each is required, and null takes the place of leaving one out. So a tool's
schema is rewritten that way, and the nulls are removed again before the tool reads its arguments. A schema that
would lose its meaning (a table of any names, a null that is not the default) is sent as it is, without the mode.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from gatepost.tools.parameters import parameters
from gatepost.tools.schemas import Parameters, Schema
from gatepost.tools.tool import Tool
from gatepost.wire import json_output

_BOUNDS: Final = frozenset(
    {"exclusiveMaximum", "exclusiveMinimum", "maxItems", "maximum", "minItems", "minimum", "multipleOf"}
)
_KEPT: Final = _BOUNDS | {"const", "description", "enum", "format", "pattern", "type"}
# The tool itself still checks the first two.
_DROPPED: Final = frozenset(
    {"maxLength", "minLength", "default", "deprecated", "discriminator", "examples", "required"}
)
_REWRITTEN: Final = frozenset({"additionalProperties", "anyOf", "items", "oneOf", "properties", "$defs"})
_NULL: Final = {"type": "null"}
_TYPES: Final = {str: "string", int: "integer", bool: "boolean", float: "number"}


class _Inexpressible(Exception):
    """The schema cannot be expressed in strict mode."""


def strict(tool: Tool) -> Tool | None:
    """The same tool in strict mode; `None` if its schema cannot be expressed there."""
    loose = parameters(tool.params)
    try:
        rewritten = _rewritten(loose.schema)
    except _Inexpressible:
        return None
    parts = loose.schema.get("$defs", {})
    made = Parameters(rewritten, lambda given: loose.make(_without_nulls(loose.schema, given, parts)))
    # Without parameters the handler takes nothing, in either mode.
    return tool if tool.params is None else replace(tool, params=made)


def _without_nulls(schema: Schema, value: Any, parts: Mapping[str, Schema]) -> Any:
    """Convert a value that was sent in strict mode to the original schema."""
    if isinstance(value, list):
        return [_without_nulls(_variant(schema, value, parts).get("items") or {}, item, parts) for item in value]
    if not isinstance(value, dict):
        return value
    mine = _variant(schema, value, parts)
    properties, required = mine.get("properties", {}), mine.get("required", ())
    return {
        name: _without_nulls(properties.get(name, {}), item, parts)
        for name, item in value.items()
        if item is not None or name not in properties or name in required or _nullable(properties[name])
    }


def _variant(schema: Schema, value: Any, parts: Mapping[str, Schema]) -> Schema:
    """The schema of a list or an object itself, or the member of a union that describes it."""
    if "$ref" in schema:
        return _variant(parts[schema["$ref"].rpartition("/")[2]], value, parts)
    members = schema.get("anyOf") or schema.get("oneOf")
    if not members:
        return schema
    found = [_variant(member, value, parts) for member in members]
    if isinstance(value, list):
        return next((member for member in found if member.get("type") == "array"), {})
    return next((member for member in found if value.keys() <= member.get("properties", {}).keys()), {})


def _rewritten(node: Schema) -> Schema:
    if "$ref" in node:
        return {"$ref": node["$ref"]}
    if node.keys() - _KEPT - _DROPPED - _REWRITTEN or isinstance(node.get("type"), list):
        raise _Inexpressible
    rewritten: Schema = {word: item for word, item in node.items() if word in _KEPT}
    members = node.get("anyOf") or node.get("oneOf")
    if members:
        rewritten["anyOf"] = [_rewritten(member) for member in members]
    elif "enum" in node or "const" in node:
        rewritten.setdefault("type", _type(node))
    elif node.get("type") == "array":
        rewritten["items"] = _rewritten(node.get("items") or {})
    elif node.get("type") == "object":
        rewritten |= _object(node)
    elif "type" not in node:
        raise _Inexpressible
    if "$defs" in node:
        rewritten["$defs"] = {name: _rewritten(part) for name, part in node["$defs"].items()}
    return rewritten


def _object(node: Schema) -> Schema:
    if node.get("additionalProperties") is not False:
        raise _Inexpressible
    required = node.get("required", ())
    properties = {
        name: _rewritten(item) if name in required else _optional(item)
        for name, item in node.get("properties", {}).items()
    }
    return {"properties": properties, "required": list(properties), "additionalProperties": False}


def _optional(node: Schema) -> Schema:
    """A property that may be null instead of being left out."""
    if _nullable(node):
        if node.get("default", ...) is not None:
            raise _Inexpressible
        return _rewritten(node)
    rewritten = _rewritten(node)
    words = [
        rewritten.pop("description", ""),
        f"Null for {json_output.text(node['default'])}." if "default" in node else "",
    ]
    members = rewritten.pop("anyOf", None) or [rewritten]
    return {"anyOf": [*members, _NULL], "description": " ".join(filter(None, words)) or "Null to leave it out."}


def _nullable(node: Schema) -> bool:
    members = node.get("anyOf") or node.get("oneOf") or ()
    return node.get("type") == "null" or None in node.get("enum", ()) or any(map(_nullable, members))


def _type(node: Schema) -> str:
    kinds = {type(value) for value in node.get("enum", [node.get("const")])}
    found = _TYPES.get(kinds.pop()) if len(kinds) == 1 else None
    if found is None:
        raise _Inexpressible
    return found
