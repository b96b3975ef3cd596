"""The fields that commands share, each worded and bounded once.

A field marked `KNOWN` is explained in the server's instructions, so `tools/list` need not repeat it.
"""

from typing import Annotated, Final

from msgspec import UNSET, Meta, Struct, UnsetType

from gatepost.domain.checkpoints import Optional
from gatepost.domain.names import NODE_ID, SECTION_KEY, SESSION, WORKSPACE
from gatepost.domain.places import PATH, PLAN_ID, ROOT_ID
from gatepost.domain.refusals import InvalidInput
from gatepost.wire.texts import CURSOR, Item, Note, Tag

KNOWN: Final = {"known": True}

Workspace = Annotated[str, Meta(pattern=WORKSPACE, description="The workspace, such as acme/repo.", extra=KNOWN)]
RootId = Annotated[str, Meta(pattern=ROOT_ID, description="A task's or plan's id.", extra=KNOWN)]
PlanId = Annotated[str, Meta(pattern=PLAN_ID, description="A plan's id.", extra=KNOWN)]
StepPath = Annotated[
    str, Meta(pattern=PATH, max_length=200, description="A step by its path, such as s:0.s:2.", extra=KNOWN)
]
StepId = Annotated[str, Meta(pattern=NODE_ID, description="A step by its id.", extra=KNOWN)]
Revision = Annotated[
    int,
    Meta(ge=0, le=2**53, description="The call is refused if the target has another revision.", extra=KNOWN),
]
StepRevision = Annotated[
    int,
    Meta(ge=1, le=2**53, description="The call is refused if the step has another revision.", extra=KNOWN),
]
Limit = Annotated[int, Meta(ge=1, le=200, description="The maximum number of rows.", extra=KNOWN)]
Cursor = Annotated[str, Meta(pattern=CURSOR, description="The cursor of the previous page.", extra=KNOWN)]
MaxChars = Annotated[
    int,
    Meta(
        ge=512,
        le=1_000_000,
        description="The maximum length of the reply in characters, at least 512.",
        extra=KNOWN,
    ),
]
Count = Annotated[int, Meta(ge=0, le=10_000)]
Since = Annotated[int, Meta(ge=0, le=2**53, description="Only events after this seq.")]
Items = Annotated[tuple[Item, ...], Meta(max_length=50)]
Tags = Annotated[tuple[Tag, ...], Meta(max_length=50)]
Depends = Annotated[tuple[RootId, ...], Meta(max_length=100)]
Required = Annotated[tuple[Optional, ...], Meta(max_length=3)]

Session = Annotated[str, Meta(pattern=SESSION, description="Whose list; yours by default.", extra=KNOWN)]
SectionKey = Annotated[str, Meta(pattern=SECTION_KEY, description="Which digest.", extra=KNOWN)]


class Checkmark(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the caller says of one checkpoint."""

    confirmed: bool
    note: Note | UnsetType = UNSET


class Checkmarks(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the caller says of the checkpoints it names."""

    criteria: Checkmark | UnsetType = UNSET
    tests: Checkmark | UnsetType = UNSET
    security: Checkmark | UnsetType = UNSET
    perf: Checkmark | UnsetType = UNSET
    docs: Checkmark | UnsetType = UNSET


def one_target(task: str | None, plan: str | None) -> str | None:
    """The target of a read; `task` and `plan` are two ways to name one."""
    if task is not None and plan is not None:
        raise InvalidInput([("plan", "cannot be given together with `task`")])
    return task if task is not None else plan
