"""The lines of an export: JSON Lines, one object each.

    export              which format this is, who wrote it and when
      workspace         its name; then its log, one operation after the other
        operation       a call that changed something, with its hash
          event         its rows, in the order in which the hash covers them
          image
          touch
          artifact
        name            the ids of steps, and where they are
        masked_text
      workspace_end     what the lines of the workspace add up to
    export_end          nothing is missing

Stored texts are strings, not JSON within JSON: a program that reads lines and writes them again changes no text.
"""

from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from gatepost.domain import names
from gatepost.domain.value import decoder
from gatepost.engine.rows import LOG, Table

FORMAT: Final = "gatepost"
VERSION: Final = 1
LONGEST: Final = 64 * 2**20
"""The bytes of the longest line that is read. No call can store as much in one document."""

Number = Annotated[int, Meta(ge=0, le=2**63 - 1)]
"""A number that every store can keep."""


class ExportBegin(Struct, frozen=True, tag_field="line", tag="export"):
    """The first line. Versions to come may add to it."""

    format: str
    version: int
    gatepost: str
    at: str


class _Line(Struct, frozen=True, tag_field="line", forbid_unknown_fields=True):
    """A line after the first."""


class WorkspaceBegin(_Line, frozen=True, tag="workspace"):
    """The beginning of a workspace. `seq` is that of its last event, to say how far one is."""

    name: Annotated[str, Meta(pattern=names.WORKSPACE)]
    seq: Number


class OperationLine(_Line, frozen=True, tag="operation"):
    """An operation. Whether it is undone follows from the operations after it."""

    operation: Number
    last_seq: Number
    tool: str
    at: str
    actor: str
    kind: str
    of: Number | None
    hash: str


class EventLine(_Line, frozen=True, tag="event"):
    """A row of `events`."""

    seq: Number
    operation: Number
    at: str
    actor: str
    root: str | None
    step_id: str | None
    path: str | None
    body: str


class ImageLine(_Line, frozen=True, tag="image"):
    """A row of `images`."""

    place: str
    operation: Number
    before: str | None
    after: str | None


class TouchLine(_Line, frozen=True, tag="touch"):
    """A row of `touches`."""

    place: str
    operation: Number
    revision: Number


class ArtifactLine(_Line, frozen=True, tag="artifact"):
    """A row of `artifacts`."""

    place: str
    seq: Number
    number: Number
    body: str


class NameLine(_Line, frozen=True, tag="name"):
    """A row of `names`."""

    name: str
    place: str


class MaskedTextLine(_Line, frozen=True, tag="masked_text"):
    """A row of `masked_texts`."""

    source: str
    place: str
    seq: Number


class RowCounts(Struct, frozen=True, forbid_unknown_fields=True):
    """How many rows of each table a workspace has."""

    operations: int = 0
    events: int = 0
    images: int = 0
    touches: int = 0
    artifacts: int = 0
    names: int = 0
    masked_texts: int = 0
    documents: int = 0


COUNTED: Final[tuple[Table, ...]] = (*LOG, "names", "masked_texts", "documents")
"""The tables whose rows are counted."""


class EndHead(Struct, frozen=True, forbid_unknown_fields=True):
    """A workspace's counters, as its head has them."""

    seq: Number
    plans: Number
    tasks: Number
    nodes: Number
    hash: str


class WorkspaceEnd(_Line, frozen=True, tag="workspace_end"):
    """The end of a workspace: its rows, its counters with the last hash, and a digest of its documents."""

    name: str
    counts: RowCounts
    head: EndHead
    documents: str


class ExportEnd(_Line, frozen=True, tag="export_end"):
    """The last line."""

    workspaces: int


RowLine = EventLine | ImageLine | TouchLine | ArtifactLine
"""A row of an operation."""
Line = WorkspaceBegin | OperationLine | RowLine | NameLine | MaskedTextLine | WorkspaceEnd | ExportEnd

begin_decoder: Final = decoder(ExportBegin)
line_decoder: Final = decoder(Line)
_encode: Final = msgspec.json.Encoder().encode


def encoded(line: ExportBegin | Line) -> bytes:
    """A line as bytes, with its end."""
    return _encode(line) + b"\n"
