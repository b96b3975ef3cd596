"""Which calls may take minutes: those that run checks. Imports nothing, so that a surface can ask before a call."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def is_slow(tool: str, arguments: Mapping[str, object]) -> bool:
    """Whether a call may run checks, by its arguments as they were given. May say so once too often."""
    if tool == "tasks_check" or arguments.get("run_checks"):
        return True
    calls = arguments.get("operations") if tool == "tasks_batch" else None
    return isinstance(calls, list) and any(map(_is_slow_part, calls))


def _is_slow_part(call: object) -> bool:
    if not isinstance(call, dict) or not isinstance(tool := call.get("tool"), str):
        return False
    arguments = call.get("arguments")
    return is_slow(tool, arguments if isinstance(arguments, dict) else {})
