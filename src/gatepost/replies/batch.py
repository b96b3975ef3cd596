"""The reply of a batch."""

from gatepost.replies.reply import JsonObject, WriteReply
from gatepost.replies.step_writes import NextStep, StepsLeft


class Batched(WriteReply, frozen=True, kw_only=True):
    """The reply or error of each call, in order, and the revisions of what they changed; then the step of the last
    task to continue with, and what is left of it."""

    results: tuple[JsonObject, ...]
    revisions: dict[str, int] | None = None
    now: NextStep | None = None
    left: StepsLeft | None = None
    warnings: tuple[str, ...] | None = None
