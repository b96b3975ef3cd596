"""The JSON Schemas of what the stream carries: session events, their payloads, and `payload.todo`.

They describe what a reader must accept, so every object is open: unknown fields are allowed. What Gatepost itself
sends is narrower: `#/$defs/emitted`.
"""

from typing import Any, Final, get_args

from gatepost.domain.names import SESSION
from gatepost.views.session_events import PROTOCOL_VERSION
from gatepost.views.todo_payload import Status

Schema = dict[str, Any]

EVENT: Final = "session_event.schema.json"
TOOL_CALL: Final = "session_event_payload_tool_call.schema.json"
TOOL_RESULT: Final = "session_event_payload_tool_result.schema.json"
TODO: Final = "session_event_payload_todo_update.schema.json"

OPS: Final = {
    "replace": "snapshot",
    "clear": "reset",
    "patch": "update",
    "upsert": "add",
    "delete": "remove",
}
"""Every op and its alias."""

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_TEXT: Final[Schema] = {"type": "string", "minLength": 1}
_COUNT: Final[Schema] = {"type": "integer", "minimum": 0}


def contracts() -> dict[str, Schema]:
    """Every schema by the name of its file. They refer to one another by these names."""
    schemas = {
        EVENT: _event(),
        TOOL_CALL: _payload("A tool was called.", {"call": _called()}),
        TOOL_RESULT: _payload("A call ended.", _outcome()),
        TODO: _todo(),
    }
    return {name: {"$schema": _DIALECT, "$id": name, **schema} for name, schema in schemas.items()}


def _event() -> Schema:
    properties: Schema = {
        "id": {**_TEXT, "description": "Unique for each event."},
        "seq": {
            **_COUNT,
            "description": "Position in the log, also the event's id on SSE. Never decreases.",
        },
        "type": _TEXT,
        "session_id": _TEXT,
        "turn": {"type": ["integer", "null"], "minimum": 0},
        "timestamp_ms": {**_COUNT, "description": "Milliseconds since 1970 in UTC."},
        "timestamp": {**_COUNT, "description": "The same under its older name."},
        "payload": {"type": "object"},
        "protocol_version": {"const": PROTOCOL_VERSION},
    }
    return _object("One event of a session's stream.", properties, *properties) | {
        "allOf": [_when("tool_call", TOOL_CALL), _when("tool_result", TOOL_RESULT)]
    }


def _when(kind: str, schema: str) -> Schema:
    return {
        "if": {"properties": {"type": {"const": kind}}},
        "then": {"properties": {"payload": {"$ref": schema}}},
    }


def _called() -> Schema:
    return _object("The call itself: its name, its id, and whatever else the producer sends.", {"name": _TEXT})


def _outcome() -> Schema:
    return {
        "status": {"type": ["string", "null"], "description": "How it ended, in a word: `ok`."},
        "error": {"type": "boolean", "description": "Whether it failed."},
    }


def _payload(says: str, more: Schema) -> Schema:
    """`todo` is optional."""
    properties = {
        "call_id": {**_TEXT, "description": "The same on a call and on its result."},
        "tool": _TEXT,
        **more,
        "todo": {"$ref": TODO},
    }
    return _object(says, properties, "call_id", "tool", *more)


def _todo() -> Schema:
    return {
        "description": "A todo list or a change to it: an envelope, or a bare array with the whole list.",
        "anyOf": [{"$ref": "#/$defs/items"}, {"$ref": "#/$defs/envelope"}],
        "$defs": {
            "item": _item(),
            "items": {"type": "array", "items": {"$ref": "#/$defs/item"}},
            "envelope": _envelope(),
            "status": {"enum": list(get_args(Status))},
            "emitted_item": _emitted_item(),
            "emitted": {
                "description": "What Gatepost sends.",
                "oneOf": [_emitted(op, **needed) for op, needed in _EMITTED],
            },
        },
    }


def _item() -> Schema:
    """As accepted: any alias of a field, any spelling of a status."""
    text: Schema = {"type": "string"}
    names = ("id", "todo_id", "todoId", "title", "content", "text", "status", "state")
    return _object("An item. Each field has aliases.", dict.fromkeys(names, text))


def _envelope() -> Schema:
    number: Schema = {"type": "integer"}
    text: Schema = {"type": "string"}
    several: Schema = {"$ref": "#/$defs/items"}
    one: Schema = {"$ref": "#/$defs/item"}
    properties: Schema = {
        "op": {"enum": [name for pair in OPS.items() for name in pair]},
        **dict.fromkeys(("revision", "rev", "seq", "version"), number),
        **dict.fromkeys(("scopeKey", "scope_key", "scope", "scopeLabel", "scope_label", "id"), text),
        **dict.fromkeys(("items", "todos", "patches"), several),
        **dict.fromkeys(("item", "todo"), one),
        "patch": {"anyOf": [one, several]},
        "ids": {"type": "array", "items": text},
        "position": _COUNT,
    }
    return _object("An op on one list. Each field has aliases.", properties, "op")


def _emitted_item() -> Schema:
    name: Schema = {**_TEXT, "not": {"pattern": "^todo-[0-9]+$"}}
    properties = {"id": name, "title": _TEXT, "status": {"$ref": "#/$defs/status"}}
    return _object("An item as Gatepost sends it.", properties, *properties)


def _emitted(op: str, **needed: Schema) -> Schema:
    head: Schema = {
        "op": {"const": op},
        "revision": _COUNT,
        "scopeKey": {"type": "string", "pattern": _SCOPE},
        "scopeLabel": _TEXT,
    }
    return _object(f"As `{op}`.", head | {"position": _COUNT} | needed, *head, *needed)


def _object(says: str, properties: Schema, *required: str) -> Schema:
    schema: Schema = {"description": says, "type": "object", "properties": properties}
    return schema | {"required": list(required)} if required else schema


_SCOPE: Final = rf"^TASK-[0-9]{{3,12}}$|{SESSION}".replace(r"\Z", "$")
_ITEM: Final[Schema] = {"$ref": "#/$defs/emitted_item"}
_PATCH: Final[Schema] = {
    "type": "object",
    "properties": {"id": _TEXT, "title": _TEXT, "status": {"$ref": "#/$defs/status"}},
    "required": ["id"],
    "minProperties": 2,
}
_SEVERAL: Final[Schema] = {"type": "array", "items": _ITEM, "minItems": 1}
_EMITTED: Final[tuple[tuple[str, dict[str, Schema]], ...]] = (
    ("replace", {"items": _SEVERAL}),
    ("clear", {}),
    ("patch", {"patches": {"type": "array", "items": _PATCH, "minItems": 1}}),
    ("upsert", {"item": _ITEM}),
    ("upsert", {"items": {**_SEVERAL, "minItems": 2}}),
    ("delete", {"ids": {"type": "array", "items": _TEXT, "minItems": 1, "uniqueItems": True}}),
)
