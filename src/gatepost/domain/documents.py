"""The documents that make up the state, and their encoding."""

from typing import Any, Final, get_args

import msgspec

from gatepost.domain.claims import Claim
from gatepost.domain.journals import SessionJournal
from gatepost.domain.nodes import Node
from gatepost.domain.policies import Policy
from gatepost.domain.roots import Plan, Task
from gatepost.domain.steps import Step
from gatepost.domain.taskdocs import SectionText, Taskdoc
from gatepost.domain.todos import Todos
from gatepost.domain.value import Value, decoder


class Focus(Value, frozen=True, kw_only=True, tag="focus", tag_field="kind"):
    """The default target of reads: the plan or task in focus, if any."""

    target: str | None = None


class Rounds(Value, frozen=True, kw_only=True, tag="rounds", tag_field="kind"):
    """The plan or task that an agent's newest round named, so that the agent finds it without naming it again."""

    task: str | None = None


class Digest(Value, frozen=True, kw_only=True, tag="digest", tag_field="kind"):
    """The workspace digest: a summary and a body that save others the exploration, by `actor` at `at`."""

    summary: str
    body: str
    at: str
    actor: str


class WorkspacePolicy(Value, frozen=True, kw_only=True, tag="policy", tag_field="kind"):
    """What holds in the whole workspace where nothing nearer says otherwise."""

    policy: Policy


Member = Step | Node
Named = Focus | Todos | Digest | Taskdoc | SectionText | Rounds | SessionJournal | WorkspacePolicy
Document = Plan | Task | Step | Node | Named

_TAG: Final = '{"kind":"'
"""How every stored document begins: a struct's tag is its first field."""

_kinds: Final = {str(kind.__struct_config__.tag): kind for kind in get_args(Document)}
_decoders: Final[dict[str, msgspec.json.Decoder[Any]]] = {}
_encode = msgspec.json.Encoder().encode


def to_text(document: Document) -> str:
    """A document as stored. Equal documents give equal texts."""
    return _encode(document).decode()


def claim_of(document: Document | None) -> Claim | None:
    """The claim on a step, a task node or a whole task, if there is one."""
    return document.claim if isinstance(document, Step | Node | Task) else None


def from_text(text: str) -> Document:
    """A stored document."""
    kind = text[len(_TAG) : text.find('"', len(_TAG))] if text.startswith(_TAG) else ""
    found = _decoders.get(kind)
    if found is None:  # to prepare all kinds costs more than most processes do with the few they read
        kind = kind if kind in _kinds else ""
        found = _decoders.setdefault(kind, decoder(_kinds.get(kind, Document)))
    document: Document = found.decode(text)
    return document
