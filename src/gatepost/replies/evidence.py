"""Evidence in replies."""

from gatepost.domain.checkpoints import Checkpoint
from gatepost.replies.reply import Part


class KeptEvidence(Part, frozen=True, kw_only=True):
    """One piece of evidence: an item, a check or an attachment (`form`), with the fields that it was given.

    `seq` is the event that captured it. Of a check that Gatepost ran: what it printed, how it ended, and the commit
    that it ran on, `dirty` if there were changes on top. `cut` counts the bytes that are left out of the middle of
    the output. `worktree` is the linked worktree of git that it came from, if it was one.
    """

    seq: int | None = None
    form: str
    kind: str | None = None
    title: str | None = None
    content: str | None = None
    url: str | None = None
    path: str | None = None
    command: str | None = None
    exit_code: int | None = None
    passed: bool | None = None
    detail: str | None = None
    seconds: float | None = None
    cut: int | None = None
    commit: str | None = None
    dirty: bool | None = None
    worktree: str | None = None
    covers: tuple[str, ...] | None = None
    redacted: int | None = None
    checkpoints: tuple[Checkpoint, ...] | None = None
