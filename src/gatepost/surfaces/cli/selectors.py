"""A step as people name it on the command line: by its path or by its id."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def selected(step: str | None) -> dict[str, Any]:
    """The arguments that name a step; none, if none is named."""
    if step is None:
        return {}
    return {"step_id" if step.startswith(("STEP-", "NODE-")) else "path": step}
