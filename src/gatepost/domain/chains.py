"""A chain of hashes over a taskdoc's changes: each link covers the one before, so none can be altered or go."""

from typing import Final

import msgspec

from gatepost.domain.value import Value

START: Final = "0" * 64


class Link(Value, frozen=True, kw_only=True, tag="link", tag_field="kind"):
    """One section's change: by which operation, who, when, and what the text hashes to from then on."""

    before: str
    selector: str
    operation: int
    at: str
    actor: str
    content: str | None
    """The text's SHA-256; none if the section is no more."""


def hashed(body: str) -> str:
    """What the link after this one stands on."""
    from hashlib import sha256

    return sha256(body.encode()).hexdigest()


def read(body: str) -> Link | None:
    """A link as it is stored; none if somebody made something else of it."""
    try:
        return msgspec.json.decode(body, type=Link)
    except msgspec.DecodeError:
        return None


def text(link: Link) -> str:
    """A link, to be stored."""
    return msgspec.json.encode(link).decode()
