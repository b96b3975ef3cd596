"""Typed commands and replies, for `Gatepost.do`, with the objects inside them.

Generated from the registry by `python -m docs.generate`. Do not edit.
"""

from gatepost.domain.checkpoints import CheckpointMark, Signature
from gatepost.domain.checks import Check
from gatepost.domain.policies import Policy
from gatepost.domain.questions import Answer, Question
from gatepost.domain.roots import Approval
from gatepost.operations.away import Away
from gatepost.operations.batch import Batch, BatchedCall
from gatepost.operations.blocks import Block
from gatepost.operations.check_fields import NewCheck
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
from gatepost.replies.away import (
    AskedQuestion,
    AskedQuestions,
    AwayReply,
    FinishedRoot,
    FinishedRoots,
    FinishedStep,
    FinishedSteps,
    NewRoots,
    StuckStep,
    StuckSteps,
    Worker,
)
from gatepost.replies.batch import Batched
from gatepost.replies.checks import Checked, CheckOutcome, StepClosed
from gatepost.replies.claims import WorkClaimed, WorkReleased
from gatepost.replies.context import ContextReply, ContextRow, Hit, TaskdocHits
from gatepost.replies.context_pack import ContextPackReply, LatestEvents
from gatepost.replies.delta import DeltaReply
from gatepost.replies.digests import DigestChanged, DigestReply, DigestScanReply
from gatepost.replies.events import BriefEvent, LoggedEvent
from gatepost.replies.evidence import KeptEvidence
from gatepost.replies.focus import FocusChanged, FocusReply, InFocus
from gatepost.replies.handoff import HandoffReply, LogEnd, OpenQuestion, Proof, Work, WorkItem
from gatepost.replies.history import (
    ChangedField,
    DiffReply,
    DocumentChange,
    DoneBy,
    HistoryReply,
    MomentInLog,
    PastOperation,
    PastValue,
    Reversed,
)
from gatepost.replies.inbox import InboxCounts, InboxItem, InboxReply
from gatepost.replies.journals import SessionChanged, SessionHistoryReply, SessionPart
from gatepost.replies.lint import LintFinding, LintReply, Risk, Risks
from gatepost.replies.mirror import MirrorReply, MirrorRow
from gatepost.replies.overview import MoreRows, OpenWork, OverviewReply, OverviewRow, TodoListRow
from gatepost.replies.policies import Approved, PolicyFields, PolicyReply
from gatepost.replies.radar import Blocker, RadarReply, Reason, Verification
from gatepost.replies.reply import Budget, PastMoment, SuggestedCall
from gatepost.replies.resume import ListedStep, ReEntry, ResumeReply
from gatepost.replies.root_writes import (
    Completed,
    ContractChanged,
    Created,
    Deleted,
    Edited,
    FieldChange,
    Moved,
    Patched,
    PlanChanged,
    TaskClosed,
    Unmet,
    UnmetItem,
)
from gatepost.replies.roots import Checklist, Counts, PartCounts, RootDetail, RootHeading, RootRow
from gatepost.replies.step_details import CheckResult, Need, StepCounts, StepDetail, StepProof, StepRow
from gatepost.replies.step_writes import (
    BlockChanged,
    Captured,
    Elicited,
    NextStep,
    NodeChanged,
    Noted,
    StepChanged,
    StepsCreated,
    StepsLeft,
)
from gatepost.replies.steps import CurrentStep, DoneStep, HeldStep, StepClaim, StepName, StepNote, WrittenNote
from gatepost.replies.storage import Holdings, StorageReply, StoreInfo
from gatepost.replies.taskdocs import (
    Adopted,
    MindChanged,
    PackageProblem,
    RecallReply,
    RoundBegun,
    SectionEdit,
    SectionRevision,
    SectionStamp,
    TaskdocAdded,
    TaskdocArchiveChanged,
    TaskdocBindingChanged,
    TaskdocDiffReply,
    TaskdocHistoryReply,
    TaskdocNameChanged,
    TaskdocRow,
    TaskdocsReply,
)
from gatepost.replies.templates import (
    FileProblem,
    Scaffolded,
    ScaffoldedTask,
    TemplateField,
    TemplateForm,
    TemplateRow,
    TemplatesReply,
)
from gatepost.replies.todos import TodosReply, TodosWritten
from gatepost.replies.tree import TreeReply, TreeRow

__all__ = [
    "AddNode",
    "AdoptTaskdoc",
    "Adopted",
    "Answer",
    "Approval",
    "Approve",
    "Approved",
    "ArchiveTaskdoc",
    "AskedQuestion",
    "AskedQuestions",
    "Away",
    "AwayReply",
    "Batch",
    "Batched",
    "BatchedCall",
    "BindTaskdoc",
    "Block",
    "BlockChanged",
    "Blocker",
    "BriefEvent",
    "Budget",
    "Capture",
    "Captured",
    "ChangeMind",
    "ChangedField",
    "Check",
    "CheckOutcome",
    "CheckResult",
    "CheckStep",
    "Checked",
    "Checklist",
    "Checkmark",
    "Checkmarks",
    "CheckpointMark",
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
    "ContextRow",
    "ContractChanged",
    "Counts",
    "Create",
    "CreateTaskdoc",
    "Created",
    "CurrentStep",
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
    "DocumentChange",
    "DoneBy",
    "DoneStep",
    "Edit",
    "Edited",
    "Elicited",
    "EvidenceAttachment",
    "EvidenceCheck",
    "EvidenceItem",
    "FieldChange",
    "FieldOp",
    "FileProblem",
    "Finish",
    "FinishedRoot",
    "FinishedRoots",
    "FinishedStep",
    "FinishedSteps",
    "FocusChanged",
    "FocusReply",
    "GetDigest",
    "GetFocus",
    "Handoff",
    "HandoffReply",
    "HeldStep",
    "History",
    "HistoryReply",
    "Hit",
    "Holdings",
    "InFocus",
    "Inbox",
    "InboxCounts",
    "InboxItem",
    "InboxReply",
    "KeepEvents",
    "KeptEvidence",
    "LatestEvents",
    "Lint",
    "LintFinding",
    "LintReply",
    "ListTaskdocs",
    "ListTemplates",
    "ListedStep",
    "LogEnd",
    "LoggedEvent",
    "MindChanged",
    "Mirror",
    "MirrorReply",
    "MirrorRow",
    "MomentInLog",
    "MoreRows",
    "Move",
    "Moved",
    "Need",
    "NewCheck",
    "NewRoots",
    "NewStep",
    "NextStep",
    "NodeChanged",
    "Noted",
    "OpenQuestion",
    "OpenSession",
    "OpenWork",
    "Overview",
    "OverviewReply",
    "OverviewRow",
    "PackageProblem",
    "PartCounts",
    "PastMoment",
    "PastOperation",
    "PastValue",
    "Patch",
    "PatchTask",
    "Patched",
    "PlanChanged",
    "Policy",
    "PolicyFields",
    "PolicyReply",
    "Progress",
    "Proof",
    "Question",
    "Radar",
    "RadarReply",
    "ReEntry",
    "ReadSession",
    "ReadTodos",
    "Reason",
    "RecallMind",
    "RecallReply",
    "Redo",
    "ReleaseWork",
    "RenameTaskdoc",
    "RestoreTaskdoc",
    "Resume",
    "ResumeReply",
    "Reversed",
    "Risk",
    "Risks",
    "RootDetail",
    "RootHeading",
    "RootRow",
    "RoundBegun",
    "Scaffold",
    "Scaffolded",
    "ScaffoldedTask",
    "ScanDigest",
    "SectionEdit",
    "SectionRevision",
    "SectionStamp",
    "SessionChanged",
    "SessionHistoryReply",
    "SessionPart",
    "SetContract",
    "SetDigest",
    "SetFocus",
    "SetPolicy",
    "Signature",
    "StepChanged",
    "StepClaim",
    "StepClosed",
    "StepCounts",
    "StepDetail",
    "StepName",
    "StepNote",
    "StepProof",
    "StepRow",
    "StepsCreated",
    "StepsLeft",
    "Storage",
    "StorageReply",
    "StoreInfo",
    "StuckStep",
    "StuckSteps",
    "SuggestedCall",
    "TakeNote",
    "TaskClosed",
    "TaskdocAdded",
    "TaskdocArchiveChanged",
    "TaskdocBindingChanged",
    "TaskdocDiff",
    "TaskdocDiffReply",
    "TaskdocHistory",
    "TaskdocHistoryReply",
    "TaskdocHits",
    "TaskdocNameChanged",
    "TaskdocRow",
    "TaskdocsReply",
    "TemplateField",
    "TemplateForm",
    "TemplateRow",
    "TemplatesReply",
    "TodoListRow",
    "TodosReply",
    "TodosWritten",
    "Tree",
    "TreeReply",
    "TreeRow",
    "Undo",
    "Unmet",
    "UnmetItem",
    "UpdatePlan",
    "Verification",
    "Verify",
    "Work",
    "WorkClaimed",
    "WorkItem",
    "WorkReleased",
    "Worker",
    "WriteTodos",
    "WrittenNote",
]
