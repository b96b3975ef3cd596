"""Typed commands and replies, for `Gatepost.do`."""

from gatepost.operations.batch import Batch, Batched, Call
from gatepost.operations.completion import Complete, Completed
from gatepost.operations.deletion import Delete, Deleted
from gatepost.operations.digests import DigestIs, DigestKept, GetDigest, ScanDigest, Scanned, SetDigest
from gatepost.operations.evidence import Attachment, Capture, Captured, Check, Item
from gatepost.operations.fields import Checkmark, Checkmarks, NewStep
from gatepost.operations.focus import ClearFocus, FocusChanged, FocusIs, GetFocus, SetFocus
from gatepost.operations.handoff import Handoff, ShiftReport
from gatepost.operations.history import Done, History, Redo, Reversed, Undo
from gatepost.operations.lint import Findings, Lint
from gatepost.operations.mirror import Mirror, Mirrored
from gatepost.operations.nodes import AddNode, DefineNode, DeleteNode, NodeChanged
from gatepost.operations.pack import ContextPack, Packed
from gatepost.operations.patches import CloseTask, FieldOp, Patch, Patched, PatchTask, TaskClosed
from gatepost.operations.plans import ContractIs, PlanIs, SetContract, UpdatePlan
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
from gatepost.operations.templates import (
    ListTemplates,
    Scaffold,
    Scaffolded,
    TaskMade,
    TemplatesListed,
)
from gatepost.operations.todos import ClearTodos, ReadTodos, TodosAre, TodosWritten, WriteTodos
from gatepost.operations.views import Context, Delta, Happened, InFull, Listed, Resume

__all__ = [
    "AddNode",
    "Attachment",
    "Batch",
    "Batched",
    "Block",
    "Call",
    "Capture",
    "Captured",
    "Check",
    "Checkmark",
    "Checkmarks",
    "ClearFocus",
    "ClearTodos",
    "CloseStep",
    "CloseTask",
    "Complete",
    "Completed",
    "Context",
    "ContextPack",
    "ContractIs",
    "Create",
    "Created",
    "Decompose",
    "Define",
    "DefineNode",
    "Delete",
    "DeleteNode",
    "Deleted",
    "Delta",
    "DigestIs",
    "DigestKept",
    "Done",
    "Edit",
    "Edited",
    "FieldOp",
    "Findings",
    "Finish",
    "FocusChanged",
    "FocusIs",
    "GetDigest",
    "GetFocus",
    "Handoff",
    "Happened",
    "History",
    "InFull",
    "Item",
    "Kept",
    "Lint",
    "ListTemplates",
    "Listed",
    "Mirror",
    "Mirrored",
    "NewStep",
    "NodeChanged",
    "Noted",
    "OneScreen",
    "Packed",
    "Patch",
    "PatchTask",
    "Patched",
    "PlanIs",
    "Progress",
    "Radar",
    "ReadTodos",
    "Redo",
    "Resume",
    "Reversed",
    "Scaffold",
    "Scaffolded",
    "ScanDigest",
    "Scanned",
    "SetContract",
    "SetDigest",
    "SetFocus",
    "ShiftReport",
    "StepChanged",
    "StepName",
    "StepsMade",
    "Storage",
    "TakeNote",
    "TaskClosed",
    "TaskMade",
    "TemplatesListed",
    "TodosAre",
    "TodosWritten",
    "Undo",
    "UpdatePlan",
    "Verify",
    "WriteTodos",
]
