"""The fields that commands share, each worded and bounded once.

A field marked `KNOWN` is explained in the server's instructions, so `tools/list` need not repeat it.
Every call imports this module and compiles its patterns, so fields of fewer commands are declared elsewhere.
"""

from typing import Annotated, Final

from msgspec import Meta

from gatepost.domain.names import REQUEST_ID, WORKSPACE
from gatepost.domain.places import PLAN_ID, ROOT_ID
from gatepost.domain.refusals import InvalidInput
from gatepost.wire.texts import CURSOR

KNOWN: Final = {"known": True}

Workspace = Annotated[str, Meta(pattern=WORKSPACE, description="The workspace, such as acme/repo.", extra=KNOWN)]
RootId = Annotated[str, Meta(pattern=ROOT_ID, description="A task's or plan's id.", extra=KNOWN)]
PlanId = Annotated[str, Meta(pattern=PLAN_ID, description="A plan's id.", extra=KNOWN)]
Revision = Annotated[
    int,
    Meta(ge=0, le=2**53, description="The call is refused if the target has another revision.", extra=KNOWN),
]
RequestId = Annotated[
    str,
    Meta(
        pattern=REQUEST_ID,
        description="A retry with the same id is applied once and gets the same reply.",
    ),
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
Depends = Annotated[tuple[RootId, ...], Meta(max_length=100)]


def one_target(task: str | None, plan: str | None) -> str | None:
    """The target of a read; `task` and `plan` are two ways to name one."""
    if task is not None and plan is not None:
        raise InvalidInput([("plan", "cannot be given together with `task`")])
    return task if task is not None else plan
