"""The documents that make up the state, and their encoding."""

import msgspec

from gatepost.domain.digests import Digest
from gatepost.domain.focus import Focus
from gatepost.domain.journals import SessionJournal
from gatepost.domain.nodes import Node
from gatepost.domain.roots import Plan, Task
from gatepost.domain.rounds import Rounds
from gatepost.domain.steps import Step
from gatepost.domain.taskdocs import Section, Taskdoc
from gatepost.domain.todos import Todos

Member = Step | Node
Named = Focus | Todos | Digest | Taskdoc | Section | Rounds | SessionJournal
Document = Plan | Task | Step | Node | Named

_decode = msgspec.json.Decoder(Document).decode
_encode = msgspec.json.Encoder().encode


def to_text(document: Document) -> str:
    """A document as stored. Equal documents give equal texts."""
    return _encode(document).decode()


def from_text(text: str) -> Document:
    """A stored document."""
    document: Document = _decode(text)
    return document
