"""Evidence in replies."""

from gatepost.domain.checkpoints import Checkpoint
from gatepost.replies.reply import Part


class KeptEvidence(Part, frozen=True, kw_only=True):
    """One piece of evidence: an item, a check or an attachment (`form`), with the fields that it was given."""

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
    redacted: int | None = None
    checkpoints: tuple[Checkpoint, ...] | None = None
