"""A step's state as people read it: its checkpoints, a word and a sign."""

from typing import Any, Final

from gatepost.surfaces.tui.texts import Glyphs

CHECKPOINTS: Final = ("criteria", "tests", "security", "perf", "docs")
_ALWAYS: Final = frozenset({"criteria", "tests"})


def checkpoints(step: dict[str, Any]) -> dict[str, dict[str, Any] | None]:
    """The checkpoints a step needs, each with its confirmation, if there is one."""
    marks = {mark["checkpoint"]: mark for mark in step.get("confirmed", ())}
    needed = {*_ALWAYS, *step.get("required", ()), *step.get("unconfirmed", ()), *marks}
    return {name: marks.get(name) for name in CHECKPOINTS if name in needed}


def state_word(row: dict[str, Any], *, now: bool) -> str:
    """The name of a step's state."""
    if row["done"]:
        return "done by force" if row.get("unconfirmed") else "done"
    if row.get("blocked"):
        return "blocked"
    return "now" if now else "open"


def state_sign(glyphs: Glyphs, row: dict[str, Any], *, now: bool) -> str:
    """The state as a sign."""
    if row["done"]:
        return glyphs.done
    if row.get("blocked"):
        return glyphs.blocked
    return glyphs.now if now else glyphs.open
