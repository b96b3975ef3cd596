"""Typed commands and replies, for `Gatepost.do`."""

from gatepost.operations.away import Away
from gatepost.operations.batch import Batch, BatchedCall
from gatepost.operations.blocks import Block
from gatepost.operations.checkmarks import Checkmark, Checkmarks
from gatepost.operations.checks import CheckStep
from gatepost.operations.claims import ClaimWork, ReleaseWork
from gatepost.operations.completion import Complete
from gatepost.operations.context import Context
from gatepost.operations.context_pack import ContextPack
from gatepost.operations.deletion import Delete
from gatepost.operations.delta import Delta
from gatepost.operations.diff import Diff
from gatepost.operations.digests import GetDigest, ScanDigest, SetDigest
from gatepost.operations.editable import NewStep
from gatepost.operations.evidence import Capture, EvidenceAttachment, EvidenceCheck, EvidenceItem
from gatepost.operations.focus import ClearFocus, GetFocus, SetFocus
from gatepost.operations.handoff import Handoff
from gatepost.operations.history import History
from gatepost.operations.inbox import Inbox
from gatepost.operations.journals import CloseSession, KeepEvents, OpenSession, ReadSession
from gatepost.operations.lint import Lint
from gatepost.operations.mirror import Mirror
from gatepost.operations.moves import Move
from gatepost.operations.new_note import TakeNote
from gatepost.operations.nodes import AddNode, DefineNode, DeleteNode
from gatepost.operations.overview import Overview
from gatepost.operations.patches import CloseTask, FieldOp, Patch, PatchTask
from gatepost.operations.plans import SetContract, UpdatePlan
from gatepost.operations.policies import Approve, SetPolicy
from gatepost.operations.radar import Radar
from gatepost.operations.recall import RecallMind
from gatepost.operations.resume import Resume
from gatepost.operations.roots import Create, Edit
from gatepost.operations.rounds import ClearMind
from gatepost.operations.steps import CloseStep, Decompose, Define, Finish, Progress, Verify
from gatepost.operations.storage import Storage
from gatepost.operations.taskdoc_list import ListTaskdocs
from gatepost.operations.taskdoc_names import ArchiveTaskdoc, RenameTaskdoc
from gatepost.operations.taskdoc_versions import AdoptTaskdoc, RestoreTaskdoc, TaskdocDiff, TaskdocHistory
from gatepost.operations.taskdocs import BindTaskdoc, ChangeMind, CreateTaskdoc
from gatepost.operations.templates import ListTemplates, Scaffold
from gatepost.operations.todos import ClearTodos, ReadTodos, WriteTodos
from gatepost.operations.tree import Tree
from gatepost.operations.undo import Redo, Undo
from gatepost.replies.away import AwayReply
from gatepost.replies.batch import Batched
from gatepost.replies.checks import Checked, StepClosed
from gatepost.replies.claims import WorkClaimed, WorkReleased
from gatepost.replies.context import ContextReply
from gatepost.replies.context_pack import ContextPackReply
from gatepost.replies.delta import DeltaReply
from gatepost.replies.digests import DigestChanged, DigestReply, DigestScanReply
from gatepost.replies.focus import FocusChanged, FocusReply
from gatepost.replies.handoff import HandoffReply
from gatepost.replies.history import DiffReply, HistoryReply, Reversed
from gatepost.replies.inbox import InboxReply
from gatepost.replies.journals import SessionChanged, SessionHistoryReply, SessionPart
from gatepost.replies.lint import LintReply
from gatepost.replies.mirror import MirrorReply
from gatepost.replies.overview import OverviewReply
from gatepost.replies.policies import Approved, PolicyReply
from gatepost.replies.radar import RadarReply
from gatepost.replies.resume import ResumeReply
from gatepost.replies.root_writes import (
    Completed,
    ContractChanged,
    Created,
    Deleted,
    Edited,
    Moved,
    Patched,
    PlanChanged,
    TaskClosed,
)
from gatepost.replies.step_writes import BlockChanged, Captured, NodeChanged, Noted, StepChanged, StepsCreated
from gatepost.replies.steps import StepName
from gatepost.replies.storage import StorageReply
from gatepost.replies.taskdocs import (
    Adopted,
    MindChanged,
    RecallReply,
    RoundBegun,
    TaskdocAdded,
    TaskdocArchiveChanged,
    TaskdocBindingChanged,
    TaskdocDiffReply,
    TaskdocHistoryReply,
    TaskdocNameChanged,
    TaskdocsReply,
)
from gatepost.replies.templates import Scaffolded, ScaffoldedTask, TemplatesReply
from gatepost.replies.todos import TodosReply, TodosWritten
from gatepost.replies.tree import TreeReply

__all__ = [
    "AddNode",
    "AdoptTaskdoc",
    "Adopted",
    "Approve",
    "Approved",
    "ArchiveTaskdoc",
    "Away",
    "AwayReply",
    "Batch",
    "Batched",
    "BatchedCall",
    "BindTaskdoc",
    "Block",
    "BlockChanged",
    "Capture",
    "Captured",
    "ChangeMind",
    "CheckStep",
    "Checked",
    "Checkmark",
    "Checkmarks",
    "ClaimWork",
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
    "ContextPackReply",
    "ContextReply",
    "ContractChanged",
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
    "DeltaReply",
    "Diff",
    "DiffReply",
    "DigestChanged",
    "DigestReply",
    "DigestScanReply",
    "Edit",
    "Edited",
    "EvidenceAttachment",
    "EvidenceCheck",
    "EvidenceItem",
    "FieldOp",
    "Finish",
    "FocusChanged",
    "FocusReply",
    "GetDigest",
    "GetFocus",
    "Handoff",
    "HandoffReply",
    "History",
    "HistoryReply",
    "Inbox",
    "InboxReply",
    "KeepEvents",
    "Lint",
    "LintReply",
    "ListTaskdocs",
    "ListTemplates",
    "MindChanged",
    "Mirror",
    "MirrorReply",
    "Move",
    "Moved",
    "NewStep",
    "NodeChanged",
    "Noted",
    "OpenSession",
    "Overview",
    "OverviewReply",
    "Patch",
    "PatchTask",
    "Patched",
    "PlanChanged",
    "PolicyReply",
    "Progress",
    "Radar",
    "RadarReply",
    "ReadSession",
    "ReadTodos",
    "RecallMind",
    "RecallReply",
    "Redo",
    "ReleaseWork",
    "RenameTaskdoc",
    "RestoreTaskdoc",
    "Resume",
    "ResumeReply",
    "Reversed",
    "RoundBegun",
    "Scaffold",
    "Scaffolded",
    "ScaffoldedTask",
    "ScanDigest",
    "SessionChanged",
    "SessionHistoryReply",
    "SessionPart",
    "SetContract",
    "SetDigest",
    "SetFocus",
    "SetPolicy",
    "StepChanged",
    "StepClosed",
    "StepName",
    "StepsCreated",
    "Storage",
    "StorageReply",
    "TakeNote",
    "TaskClosed",
    "TaskdocAdded",
    "TaskdocArchiveChanged",
    "TaskdocBindingChanged",
    "TaskdocDiff",
    "TaskdocDiffReply",
    "TaskdocHistory",
    "TaskdocHistoryReply",
    "TaskdocNameChanged",
    "TaskdocsReply",
    "TemplatesReply",
    "TodosReply",
    "TodosWritten",
    "Tree",
    "TreeReply",
    "Undo",
    "UpdatePlan",
    "Verify",
    "WorkClaimed",
    "WorkReleased",
    "WriteTodos",
]
