"""Todo lists as the plan updates of the Agent Client Protocol: always the whole list, scope by scope."""

from typing import Any, Final

from msgspec import UNSET

from gatepost.views.todo_payload import Envelope, Status

_STATUS: Final[dict[Status, str]] = {
    "todo": "pending",
    "in_progress": "in_progress",
    "done": "completed",
    "blocked": "pending",
    "canceled": "cancelled",
}
_PRIORITY: Final = {"LOW": "low", "MEDIUM": "medium", "HIGH": "high", "CRITICAL": "high"}


def plan_update(whole: Envelope, priority: str) -> dict[str, Any]:
    """The notification for a whole list. What ACP has no field for is in `_meta`."""
    items = () if whole.items is UNSET else whole.items
    entries = [
        {"content": item.title, "priority": _PRIORITY[priority], "status": _STATUS[item.status]} for item in items
    ]
    meta = {"scopeKey": whole.scope_key, "scopeLabel": whole.scope_label, "revision": whole.revision}
    update = {"sessionUpdate": "plan", "planId": whole.scope_key, "entries": entries, "_meta": meta}
    return {
        "jsonrpc": "2.0",
        "method": "session/update",
        "params": {"sessionId": whole.scope_key, "update": update},
    }
