"""The replies about digests."""

from gatepost.replies.events import BriefEvent
from gatepost.replies.reply import Reply, WriteReply


class DigestReply(Reply, frozen=True, kw_only=True):
    """A digest; or nulls, and how to create one."""

    section_key: str
    summary: str | None
    body: str | None
    revision: int
    updated_at: str | None = None
    actor: str | None = None
    hint: str | None = None


class DigestChanged(WriteReply, frozen=True, kw_only=True):
    """The digest that was set. `revision` is its own."""

    section_key: str
    revision: int
    events: tuple[BriefEvent, ...]


class DigestScanReply(Reply, frozen=True, kw_only=True):
    """A digest made from the files, to refine and store."""

    summary: str
    body: str
    files: int
    truncated: bool
