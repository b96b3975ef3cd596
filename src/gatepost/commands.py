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
from gatepost.operations.journals import (
    CloseSession,
    KeepEvents,
    OpenSession,
    ReadSession,
    SessionChanged,
    SessionPart,
    SessionRead,
)
from gatepost.operations.lint import Findings, Lint
from gatepost.operations.mirror import Mirror, Mirrored
from gatepost.operations.nodes import AddNode, DefineNode, DeleteNode, NodeChanged
from gatepost.operations.overview import Overview, Surveyed
from gatepost.operations.pack import ContextPack, Packed
from gatepost.operations.patches import CloseTask, FieldOp, Patch, Patched, PatchTask, TaskClosed
from gatepost.operations.plans import ContractIs, PlanIs, SetContract, UpdatePlan
from gatepost.operations.radar import OneScreen, Radar
from gatepost.operations.recall import Recalled, RecallMind
from gatepost.operations.roots import Create, Created, Edit, Edited
from gatepost.operations.rounds import ClearMind, MindIsClear
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
from gatepost.operations.taskdoc_list import ListTaskdocs, TaskdocsListed
from gatepost.operations.taskdoc_names import ArchiveTaskdoc, RenameTaskdoc, TaskdocIsKept, TaskdocIsNamed
from gatepost.operations.taskdoc_versions import (
    Adopted,
    AdoptTaskdoc,
    RestoreTaskdoc,
    TaskdocDiff,
    TaskdocDiffers,
    TaskdocHistory,
    TaskdocVersions,
)
from gatepost.operations.taskdocs import (
    BindTaskdoc,
    ChangeMind,
    CreateTaskdoc,
    MindChanged,
    TaskdocIsBound,
    TaskdocMade,
)
from gatepost.operations.templates import (
    ListTemplates,
    Scaffold,
    Scaffolded,
    TaskMade,
    TemplatesListed,
)
from gatepost.operations.todos import ClearTodos, ReadTodos, TodosAre, TodosWritten, WriteTodos
from gatepost.operations.tree import Branch, Tree
from gatepost.operations.views import Context, Delta, Happened, InFull, Listed, Resume

__all__ = [
    "AddNode",
    "AdoptTaskdoc",
    "Adopted",
    "ArchiveTaskdoc",
    "Attachment",
    "Batch",
    "Batched",
    "BindTaskdoc",
    "Block",
    "Branch",
    "Call",
    "Capture",
    "Captured",
    "ChangeMind",
    "Check",
    "Checkmark",
    "Checkmarks",
    "ClearFocus",
    "ClearMind",
    "ClearTodos",
    "CloseSession",
    "CloseStep",
    "CloseTask",
    "Complete",
    "Completed",
    "Context",
    "ContextPack",
    "ContractIs",
    "Create",
    "CreateTaskdoc",
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
    "KeepEvents",
    "Kept",
    "Lint",
    "ListTaskdocs",
    "ListTemplates",
    "Listed",
    "MindChanged",
    "MindIsClear",
    "Mirror",
    "Mirrored",
    "NewStep",
    "NodeChanged",
    "Noted",
    "OneScreen",
    "OpenSession",
    "Overview",
    "Packed",
    "Patch",
    "PatchTask",
    "Patched",
    "PlanIs",
    "Progress",
    "Radar",
    "ReadSession",
    "ReadTodos",
    "RecallMind",
    "Recalled",
    "Redo",
    "RenameTaskdoc",
    "RestoreTaskdoc",
    "Resume",
    "Reversed",
    "Scaffold",
    "Scaffolded",
    "ScanDigest",
    "Scanned",
    "SessionChanged",
    "SessionPart",
    "SessionRead",
    "SetContract",
    "SetDigest",
    "SetFocus",
    "ShiftReport",
    "StepChanged",
    "StepName",
    "StepsMade",
    "Storage",
    "Surveyed",
    "TakeNote",
    "TaskClosed",
    "TaskMade",
    "TaskdocDiff",
    "TaskdocDiffers",
    "TaskdocHistory",
    "TaskdocIsBound",
    "TaskdocIsKept",
    "TaskdocIsNamed",
    "TaskdocMade",
    "TaskdocVersions",
    "TaskdocsListed",
    "TemplatesListed",
    "TodosAre",
    "TodosWritten",
    "Tree",
    "Undo",
    "UpdatePlan",
    "Verify",
    "WriteTodos",
]
