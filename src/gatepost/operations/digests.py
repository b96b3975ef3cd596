"""Digests: what a workspace is like, kept for everyone who works in it."""

import os
from typing import Annotated, Final

from msgspec import Meta

from gatepost.domain import places
from gatepost.domain.documents import Digest
from gatepost.domain.events import DigestSet
from gatepost.domain.names import SECTION_KEY
from gatepost.domain.refusals import InvalidInput
from gatepost.engine.draft import Draft
from gatepost.engine.reader import Found, Reader
from gatepost.operations.fields import KNOWN, MaxChars
from gatepost.operations.registry import Command, Write, operation
from gatepost.operations.step_commands import outcome
from gatepost.replies.digests import DigestChanged, DigestReply, DigestScanReply
from gatepost.views.budget import Cut, View, shortened
from gatepost.wire.texts import PROSE

DEFAULT_KEY: Final = "workspace-digest"
_HINT: Final = "There is no digest yet. Scan the repository for a draft, refine it and store it."

SectionKey = Annotated[str, Meta(pattern=SECTION_KEY, description="Which digest.", extra=KNOWN)]
Summary = Annotated[str, Meta(pattern=PROSE, max_length=2_000)]
Text = Annotated[str, Meta(pattern=PROSE, max_length=48_000)]


class GetDigest(Command[DigestReply], frozen=True, kw_only=True):
    """Ask for a digest."""

    section_key: SectionKey = DEFAULT_KEY
    max_chars: MaxChars | None = None


class SetDigest(Write[DigestChanged], frozen=True, kw_only=True):
    """Keep a digest."""

    body: Text
    summary: Summary
    section_key: SectionKey = DEFAULT_KEY


class ScanDigest(Command[DigestScanReply], frozen=True, kw_only=True):
    """Make a digest of what is on disk."""

    max_chars: MaxChars | None = None


@operation("workspace_digest_get", "workspace")
def get_digest(reader: Reader, command: GetDigest) -> View[DigestReply]:
    """Read the digest of the repository: layout, commands, caveats. Read it before you explore."""
    found = _digest(reader, command.section_key)
    key = command.section_key
    if found is None:
        revision = reader.tally(places.named(places.DIGEST, key)).revision
        reply = DigestReply(section_key=key, summary=None, body=None, revision=revision, hint=_HINT)
    else:
        kept = found.value
        reply = DigestReply(
            section_key=key,
            summary=kept.summary,
            body=kept.body,
            revision=found.tally.revision,
            updated_at=kept.at,
            actor=kept.actor,
        )
    return View(reply, _CUTS, command.max_chars)


@operation("workspace_digest_set", "workspace")
def set_digest(draft: Draft, command: SetDigest) -> DigestChanged:
    """Store a digest of the repository for everyone: `summary` in a sentence or two, `body` in Markdown."""
    place = places.named(places.DIGEST, command.section_key)
    revision = draft.tally(place).revision
    draft.check_revision(f"digest {command.section_key}", place, revision, command.expected_revision)
    found = _digest(draft, command.section_key)
    if found is None or (found.value.summary, found.value.body) != (command.summary, command.body):
        stamp = draft.stamp
        draft.put(place, Digest(summary=command.summary, body=command.body, at=stamp.at, actor=stamp.actor))
        draft.log(place, DigestSet(summary=command.summary))
    return DigestChanged(section_key=command.section_key, **outcome(draft, place))


@operation("workspace_digest_scan", "workspace")
def scan_digest(reader: Reader, command: ScanDigest) -> View[DigestScanReply]:
    """Draft a digest from the repository's files. Nothing is stored: refine it, then store it."""
    if reader.home is None:
        raise InvalidInput([("workspace", "needs a project folder; start the server with --root")])
    from gatepost.digest.scan import scan

    made = scan(os.path.dirname(reader.home))
    reply = DigestScanReply(summary=made.summary, body=made.body, files=made.files, truncated=made.truncated)
    return View(reply, _CUTS, command.max_chars)


def _digest(reader: Reader, key: str) -> Found[Digest] | None:
    found = reader.at(places.named(places.DIGEST, key))
    if found is None or not isinstance(found.value, Digest):
        return None
    return Found(found.place, found.value, found.tally)


_CUTS: Final = (Cut("characters", shortened("body")), Cut("characters", shortened("summary")))
