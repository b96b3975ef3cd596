"""Typed commands and replies, for `Gatepost.do`."""

from gatepost.operations.completion import Complete, Completed
from gatepost.operations.fields import Checkmark, Checkmarks, NewStep
from gatepost.operations.focus import ClearFocus, FocusChanged, FocusIs, GetFocus, SetFocus
from gatepost.operations.radar import OneScreen, Radar
from gatepost.operations.roots import Create, Created, Edit, Edited
from gatepost.operations.steps import (
    Block,
    CloseStep,
    Decompose,
    Define,
    Finish,
    Noted,
    Progress,
    StepChanged,
    StepName,
    StepsMade,
    TakeNote,
    Verify,
)
from gatepost.operations.storage import Kept, Storage
from gatepost.operations.views import Context, Delta, Happened, InFull, Listed, Resume

__all__ = [
    "Block",
    "Checkmark",
    "Checkmarks",
    "ClearFocus",
    "CloseStep",
    "Complete",
    "Completed",
    "Context",
    "Create",
    "Created",
    "Decompose",
    "Define",
    "Delta",
    "Edit",
    "Edited",
    "Finish",
    "FocusChanged",
    "FocusIs",
    "GetFocus",
    "Happened",
    "InFull",
    "Kept",
    "Listed",
    "NewStep",
    "Noted",
    "OneScreen",
    "Progress",
    "Radar",
    "Resume",
    "SetFocus",
    "StepChanged",
    "StepName",
    "StepsMade",
    "Storage",
    "TakeNote",
    "Verify",
]
