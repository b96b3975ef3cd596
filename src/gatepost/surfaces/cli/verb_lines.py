"""Calls in the words of the command line, for people: `gatepost show TASK-001 s:0` for a `tasks_resume`."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_VERBS = {
    "tasks_resume": "show",
    "tasks_radar": "radar",
    "tasks_context": "ls",
    "tasks_inbox": "inbox",
    "tasks_lint": "lint",
    "tasks_check": "check",
    "tasks_claim": "claim",
    "tasks_close_step": "close",
    "tasks_done": "done",
    "tasks_complete": "done",
    "tasks_progress": "reopen",
    "tasks_create": "add",
    "tasks_decompose": "step",
}
_IMPLIED = {"tasks_progress": ("completed", False), "tasks_complete": ("status", "DONE")}
"""What a command says by its name alone."""
_FILTERS = ("kind", "status", "text")


def verb_words(tool: str, arguments: Mapping[str, Any]) -> list[str] | None:
    """The command that does the same, without its workspace; none if no command does exactly this.

    The revision of a whole task is left out: people read the task before they type a command.
    """
    verb, left = _VERBS.get(tool), dict(arguments)
    for name in ("workspace", "expected_revision"):
        left.pop(name, None)
    name, value = _IMPLIED.get(tool, ("", None))
    if verb is None or left.pop(name, value) != value:
        return None
    words = _created(left) if tool == "tasks_create" else _named(left)
    if tool == "tasks_close_step":
        words += _confirmed(left)
    elif tool == "tasks_progress":
        words += [left.pop("reason")] if "reason" in left else []
    elif tool == "tasks_context":
        words += _filters(left)
    return None if left else [verb, *words]


def _created(left: dict[str, Any]) -> list[str]:
    title = [left.pop("title")] if "title" in left else []
    plan = ["--plan", left.pop("plan")] if "plan" in left else []
    only = ["--plan-only"] if left.pop("kind", "task") == "plan" else []
    return [*title, *only, *plan]


def _named(left: dict[str, Any]) -> list[str]:
    """The target and the step. A step by both of its names is named by its path."""
    task, plan, path, step_id = (left.pop(name, None) for name in ("task", "plan", "path", "step_id"))
    return [name for name in (task or plan, path or step_id) if name is not None]


def _filters(left: dict[str, Any]) -> list[str]:
    words = ["--ready"] if left.pop("ready", False) else []
    return words + [word for name in _FILTERS if name in left for word in (f"--{name}", left.pop(name))]


def _confirmed(left: dict[str, Any]) -> list[str]:
    marks = left.get("checkpoints", {})
    if all(mark == {"confirmed": True} for mark in marks.values()):
        left.pop("checkpoints", None)  # notes and withdrawals stay, and then a call says it better
    words = [f"--{name}" for name in marks]
    if left.pop("run_checks", False):
        words.append("--run")
    revision = left.pop("expected_step_revision", None)
    return words if revision is None else [*words, "--revision", str(revision)]
