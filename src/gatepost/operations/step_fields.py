"""The fields that name a step."""

from typing import Annotated

from msgspec import Meta

from gatepost.domain.names import NODE_ID
from gatepost.domain.places import PATH
from gatepost.operations.fields import KNOWN

StepPath = Annotated[
    str, Meta(pattern=PATH, max_length=200, description="A step by its path, such as s:0.s:2.", extra=KNOWN)
]
StepId = Annotated[str, Meta(pattern=NODE_ID, description="A step by its id.", extra=KNOWN)]
StepRevision = Annotated[
    int,
    Meta(ge=1, le=2**53, description="The call is refused if the step has another revision.", extra=KNOWN),
]
