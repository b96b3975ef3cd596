"""The fallback for streams without `todo` payloads: the list in a todo tool's result or arguments."""

import re
from collections.abc import Sequence
from typing import Final

from gatepost.todo.json_values import Record, filled, record, row

_TOOL: Final = ("tool", "tool_name", "toolName", "name")
_CARRIERS: Final = ("result", "output", "structuredContent", "arguments", "args", "input")
_LISTS: Final = ("todos", "items")
_FAILURES: Final = ("error", "is_error", "isError")

# The tools that write a whole list, whatever prefix and spelling: `todo_write`, `TodoWrite`, `write_todos`.
_WRITERS: Final = frozenset({"todowrite", "writetodo", "writetodos", "todoswrite"})
_LONGEST_NAME: Final = 200


def todo_list(event: Record, payload: Record) -> Sequence[object] | None:
    """The items of a successful todo tool result. Only structured values are read, never text.

    A `tool_call` may still fail, so it is not read.
    """
    kind = filled(event.get("type"))
    if kind != "tool_result" or not _writes(tool(payload)) or _failed(payload):
        return None
    return next((found for key in _CARRIERS if (found := _listed(payload.get(key))) is not None), None)


def tool(payload: Record) -> str | None:
    """The name of the tool in a payload."""
    return next((found for key in _TOOL if (found := filled(payload.get(key))) is not None), None)


def _writes(tool_name: str | None) -> bool:
    if tool_name is None or len(tool_name) > _LONGEST_NAME:
        return False
    last = re.split(r"__|[./:]", tool_name)[-1]
    return re.sub(r"[^a-z]", "", last.casefold()) in _WRITERS


def _failed(payload: Record) -> bool:
    if filled(payload.get("status")) in ("error", "failed"):
        return True
    return any(payload.get(key) is not None and payload.get(key) is not False for key in _FAILURES)


def _listed(carrier: object) -> Sequence[object] | None:
    whole = row(carrier)
    if whole is not None:
        return whole
    fields = record(carrier) or {}
    return next((found for key in _LISTS if (found := row(fields.get(key))) is not None), None)
