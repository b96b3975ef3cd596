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
}
_IMPLIED = {"tasks_progress": ("completed", False), "tasks_complete": ("status", "DONE")}
"""What a command says by its name alone."""
_FILTERS = ("kind", "status", "text")


def verb_words(tool: str, arguments: Mapping[str, Any]) -> list[str] | None:
    """The command that does the same, without its workspace; none if no command does exactly this."""
    verb, left = _VERBS.get(tool), dict(arguments)
    left.pop("workspace", None)
    name, value = _IMPLIED.get(tool, ("", None))
    if verb is None or left.pop(name, value) != value:
        return None
    words = _created(left) if tool == "tasks_create" else _named(left)
    if tool == "tasks_close_step":
        words += _confirmed(left)
    if tool == "tasks_context":
        words += [word for name in _FILTERS if name in left for word in (f"--{name}", left.pop(name))]
    return None if left else [verb, *words]


def _created(left: dict[str, Any]) -> list[str]:
    plan = [] if left.get("plan") is None else ["--plan", left["plan"]]
    left.pop("plan", None)
    only = ["--plan-only"] if left.pop("kind", "task") == "plan" else []
    return [left.pop("title", ""), *only, *plan]


def _named(left: dict[str, Any]) -> list[str]:
    """The target and the step. A step by both of its names is named by its path."""
    target, step = left.pop("task", None), left.pop("step_id", None)
    target = target or left.pop("plan", None)
    step = left.pop("path", None) or step
    return [name for name in (target, step) if name is not None]


def _confirmed(left: dict[str, Any]) -> list[str]:
    words = []
    for name, mark in left.pop("checkpoints", {}).items():
        if mark != {"confirmed": True}:
            left["checkpoints"] = mark  # a note, or a withdrawal: a call says it better
        words.append(f"--{name}")
    if left.pop("run_checks", False):
        words.append("--run")
    revision = left.pop("expected_step_revision", None)
    return words if revision is None else [*words, "--revision", str(revision)]
