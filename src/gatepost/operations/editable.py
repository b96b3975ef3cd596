"""What can be said of a step: declared here, for creating steps and for changing them.

`tasks_create`, `tasks_decompose` and templates take a `NewStep`; `tasks_define` and `tasks_patch` take the fields
of `StepChanges`. Everything between these and the stored step follows from the two declarations. To add a field,
add it to both, to the stored `Step`, and to `StepDetail` so that it is shown; a test compares all four.
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import fields

from gatepost.domain.checkpoints import Optional, in_order
from gatepost.domain.policies import Policy
from gatepost.domain.steps import Step
from gatepost.operations import check_fields
from gatepost.operations.check_fields import NewChecks, OtherChecks
from gatepost.operations.list_fields import Items
from gatepost.operations.registry import R
from gatepost.operations.step_commands import StepCommand
from gatepost.wire.lines import Title

MOST_STEPS: Final = 2_000

Required = Annotated[tuple[Optional, ...], Meta(max_length=3)]


class NewStep(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A step to create, with the steps below it."""

    title: Title
    criteria: Items = ()
    tests: Items = ()
    blockers: Items = ()
    required: Required = ()
    checks: NewChecks = ()
    steps: tuple["NewStep", ...] = ()


StepPolicy = Annotated[Policy, Meta(extra={"spelled": "{proof?, signoff?}"})]

NewSteps = Annotated[
    tuple[NewStep, ...],
    Meta(
        min_length=1,
        max_length=MOST_STEPS,
        extra={"spelled": "{title, criteria?, tests?, blockers?, required?, checks?, steps?}, as for a new task"},
    ),
]
"""Steps to add. The shape of a step is listed once, with the call that creates a task."""


class StepChanges(StepCommand[R], frozen=True, kw_only=True):
    """New values for what a step says; null clears a field."""

    title: Title | UnsetType = UNSET
    criteria: Items | UnsetType | None = UNSET
    tests: Items | UnsetType | None = UNSET
    blockers: Items | UnsetType | None = UNSET
    required: Required | UnsetType | None = UNSET
    checks: OtherChecks | UnsetType | None = UNSET
    policy: StepPolicy | UnsetType | None = UNSET


EDITABLE: Final[tuple[str, ...]] = tuple(field for field in NewStep.__struct_fields__ if field != "steps")
"""The fields of a step that callers write, in the order in which they are shown."""

DEFINABLE: Final = (*EDITABLE, "policy")
"""The fields that can be changed. A policy is set once a step is there."""

EMPTY: Final[Mapping[str, Any]] = {field.name: field.default for field in fields(NewStep) if not field.required}
"""What a field holds when it is cleared."""

StepPatch: Final[Any] = msgspec.defstruct(
    "StepPatch",
    [(field.name, field.type, UNSET) for field in fields(StepChanges) if field.name in EDITABLE],
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
)
"""The same fields without the call, for a patch to check its values."""

_NORMAL: Final[Mapping[str, Callable[[Any], Any]]] = {"required": in_order, "checks": check_fields.stored}


def new_step(step_id: str, given: NewStep) -> Step:
    """The step that is stored for a step to create."""
    return Step(id=step_id, **normal({name: getattr(given, name) for name in EDITABLE}))


def changes(command: StepChanges[Any]) -> dict[str, Any]:
    """The fields that a command names, with the values to store."""
    given = {name: getattr(command, name) for name in DEFINABLE}
    return normal({name: value for name, value in given.items() if value is not UNSET})


def normal(given: Mapping[str, Any]) -> dict[str, Any]:
    """Values as they are stored: what is cleared is empty, and equal demands are equal values."""
    filled = {name: EMPTY.get(name) if value is None else value for name, value in given.items()}
    return {name: _NORMAL[name](value) if name in _NORMAL else value for name, value in filled.items()}
