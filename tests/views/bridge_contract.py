"""What the contract's own schema files ask of an event, in our words: those files are the producer's, not ours.

An event has no field that the contract does not know, a call has itself (`call`), a result has its `status` and
whether it is an `error`; the rest of a payload is open.
"""

from typing import Any, Final

from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it comes without types

_TEXT: Final = {"type": "string"}
_MAYBE_TEXT: Final = {"type": ["string", "null"]}
_NUMBER: Final = {"type": "integer"}
_MAYBE_NUMBER: Final = {"type": ["integer", "null"]}
_ITEM: Final = {
    "type": "object",
    "properties": dict.fromkeys(
        ("id", "todo_id", "todoId", "title", "content", "text", "status", "state"), _MAYBE_TEXT
    ),
}
_ITEMS: Final = {"type": "array", "items": _ITEM}
_OPS: Final = ["replace", "snapshot", "clear", "reset", "patch", "update", "upsert", "add", "delete", "remove"]
_ENVELOPE: Final = {
    "type": "object",
    "properties": {
        "op": {"enum": _OPS},
        **dict.fromkeys(("revision", "rev", "seq", "version", "position"), _MAYBE_NUMBER),
        **dict.fromkeys(
            ("scopeKey", "scope_key", "scope", "scopeLabel", "scope_label", "label", "id"), _MAYBE_TEXT
        ),
        **dict.fromkeys(("items", "todos"), _ITEMS),
        **dict.fromkeys(("item", "todo"), _ITEM),
        "patches": {"type": "array", "items": {"type": "object"}},
        "patch": {"type": ["object", "null"]},
        "ids": {"type": "array", "items": _TEXT},
    },
}
_TODO: Final = {"oneOf": [_ITEMS, _ENVELOPE]}
_CALL: Final = {
    "type": "object",
    "properties": {"call": {"type": "object"}, "call_id": _MAYBE_TEXT, "tool": _MAYBE_TEXT, "todo": _TODO},
    "required": ["call", "call_id", "tool"],
}
_RESULT: Final = {
    "type": "object",
    "properties": {
        "call_id": _MAYBE_TEXT,
        "tool": _MAYBE_TEXT,
        "status": _MAYBE_TEXT,
        "error": {"type": "boolean"},
        "success": {"type": ["boolean", "null"]},
        "todo": _TODO,
    },
    "required": ["status", "error"],
}
_EVENT: Final = {
    "type": "object",
    "properties": {
        **dict.fromkeys(("id", "type", "session_id", "protocol_version"), _TEXT),
        **dict.fromkeys(("seq", "timestamp", "timestamp_ms"), _NUMBER),
        **dict.fromkeys(("run_id", "thread_id"), _MAYBE_TEXT),
        "turn": _MAYBE_NUMBER,
        "turn_id": {"type": ["string", "integer", "null"]},
        "payload": {"type": "object"},
    },
    "required": ["id", "type", "session_id", "payload", "timestamp", "timestamp_ms", "protocol_version"],
    "additionalProperties": False,
    "oneOf": [
        {"properties": {"type": {"const": kind}, "payload": payload}}
        for kind, payload in (("tool_call", _CALL), ("tool_result", _RESULT))
    ],
}
_VALIDATOR: Final = Draft202012Validator(_EVENT)


def complaints(event: dict[str, Any]) -> list[str]:
    """What the contract has against an event."""
    return [str(error) for error in _VALIDATOR.iter_errors(event)]
