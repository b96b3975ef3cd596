"""Plans and tasks as people type them: `TASK-001`, `task-1` or `1`."""

from __future__ import annotations

_WORDS = {"task": "TASK", "plan": "PLAN"}
_DIGITS = 3
_LONGEST = 12


def task_id(typed: str) -> str:
    """The id that is meant; a number alone is a task's. Other texts stay as they are, for the store to refuse."""
    return _meant(typed, "task")


def plan_id(typed: str) -> str:
    """The same, where a number alone is a plan's."""
    return _meant(typed, "plan")


def _meant(typed: str, usual: str) -> str:
    word, dash, number = typed.rpartition("-")
    kind = _WORDS.get(word.lower() if dash else usual)
    if kind is None or not (number.isascii() and number.isdecimal()) or len(number) > _LONGEST:
        return typed
    return f"{kind}-{int(number):0{_DIGITS}d}"
