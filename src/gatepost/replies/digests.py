"""What digests answer."""

from typing import Any

from msgspec import UNSET, UnsetType

from gatepost.replies.reply import Reply


class DigestReply(Reply, frozen=True, kw_only=True):
    """A digest, or nulls and how to make one."""

    section_key: str
    summary: str | None
    body: str | None
    revision: int
    updated_at: str | UnsetType = UNSET
    actor: str | UnsetType = UNSET
    hint: str | UnsetType = UNSET
    budget: dict[str, Any] | UnsetType = UNSET


class DigestChanged(Reply, frozen=True, kw_only=True):
    """Which digest was set; `revision` is its own."""

    section_key: str
    revision: int
    events: list[dict[str, Any]]
    changed: bool


class DigestScanReply(Reply, frozen=True, kw_only=True):
    """A digest as the files declare it, to be refined and kept with workspace_digest_set."""

    summary: str
    body: str
    files: int
    truncated: bool
    budget: dict[str, Any] | UnsetType = UNSET
