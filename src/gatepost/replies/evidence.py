"""What evidence answer."""

from typing import Any

from msgspec import UNSET, UnsetType

from gatepost.replies.reply import Reply
from gatepost.replies.steps import StepName


class Captured(Reply, frozen=True, kw_only=True):
    """How much was kept, for what."""

    task: str
    revision: int
    captured: int
    step: StepName | UnsetType = UNSET
    events: list[dict[str, Any]]
    changed: bool
