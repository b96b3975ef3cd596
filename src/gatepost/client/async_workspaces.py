"""A workspace with typed awaited methods for every operation.

Generated from the registry by `python -m docs.generate`. Do not edit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from msgspec import UNSET, UnsetType

from gatepost.client.requests import AsyncCallSender
from gatepost.client.workspaces import (
    BatchedCall,
    Checkmark,
    Checkmarks,
    EvidenceAttachment,
    EvidenceCheck,
    EvidenceItem,
    FieldOp,
    NewCheck,
    NewStep,
    Patch,
    Policy,
    Replacement,
)
from gatepost.replies.away import AwayReply
from gatepost.replies.batch import Batched
from gatepost.replies.checks import Checked, StepClosed
from gatepost.replies.claims import WorkClaimed, WorkReleased
from gatepost.replies.context import ContextReply
from gatepost.replies.context_pack import ContextPackReply
from gatepost.replies.delta import DeltaReply
from gatepost.replies.digests import DigestChanged, DigestReply, DigestScanReply
from gatepost.replies.files import (
    FileDeleted,
    FileEdited,
    FileIs,
    FileList,
    FileMatches,
    FilePaths,
    FileRead,
    FileWritten,
)
from gatepost.replies.focus import FocusChanged, FocusReply
from gatepost.replies.handoff import HandoffReply
from gatepost.replies.history import DiffReply, HistoryReply, Reversed
from gatepost.replies.inbox import InboxReply
from gatepost.replies.journals import SessionChanged, SessionHistoryReply
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
from gatepost.replies.templates import Scaffolded, TemplatesReply
from gatepost.replies.todos import TodosReply, TodosWritten
from gatepost.replies.tree import TreeReply


class AsyncTasks:
    """Plans, tasks and their steps."""

    def __init__(self, request: AsyncCallSender) -> None:
        self._request = request

    async def radar(
        self,
        *,
        task: str | None = None,
        plan: str | None = None,
        at: int | str | None = None,
        claim: bool = False,
        max_chars: int | None = None,
    ) -> RadarReply:
        """What to do now, why, how to verify it, the next call and what blocks. Start here."""
        return await self._request(
            "tasks_radar",
            RadarReply,
            {
                "task": task,
                "plan": plan,
                "at": at,
                "claim": claim,
                "max_chars": max_chars,
            },
        )

    async def create(
        self,
        title: str,
        *,
        kind: Literal["plan", "task"] = "task",
        plan: str | None = None,
        description: str | None = None,
        context: str | None = None,
        priority: Literal["LOW", "MEDIUM", "HIGH", "CRITICAL"] = "MEDIUM",
        domain: str | None = None,
        tags: Sequence[str] = (),
        depends_on: Sequence[str] = (),
        contract: str | None = None,
        contract_data: Mapping[str, Any] | None = None,
        steps: Sequence[NewStep] = (),
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> Created:
        """Create a plan, or a task with its steps and the `criteria` and `tests` that would prove them."""
        return await self._request(
            "tasks_create",
            Created,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
                "kind": kind,
                "title": title,
                "plan": plan,
                "description": description,
                "context": context,
                "priority": priority,
                "domain": domain,
                "tags": tags,
                "depends_on": depends_on,
                "contract": contract,
                "contract_data": contract_data,
                "steps": steps,
            },
        )

    async def decompose(
        self,
        *,
        task: str,
        steps: Sequence[NewStep],
        path: str | None = None,
        step_id: str | None = None,
        expected_step_revision: int | None = None,
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> StepsCreated:
        """Add steps to a task, or below one of its steps. They can nest."""
        return await self._request(
            "tasks_decompose",
            StepsCreated,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
                "task": task,
                "path": path,
                "step_id": step_id,
                "expected_step_revision": expected_step_revision,
                "steps": steps,
            },
        )

    async def define(
        self,
        task: str,
        *,
        path: str | None = None,
        step_id: str | None = None,
        expected_step_revision: int | None = None,
        title: str | UnsetType = UNSET,
        criteria: Sequence[str] | None | UnsetType = UNSET,
        tests: Sequence[str] | None | UnsetType = UNSET,
        blockers: Sequence[str] | None | UnsetType = UNSET,
        required: Sequence[Literal["security", "perf", "docs"]] | None | UnsetType = UNSET,
        checks: Sequence[NewCheck] | None | UnsetType = UNSET,
        policy: Policy | None | UnsetType = UNSET,
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> StepChanged:
        """Change what a step says; null clears. New criteria, tests or checks void their confirmation."""
        return await self._request(
            "tasks_define",
            StepChanged,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
                "task": task,
                "path": path,
                "step_id": step_id,
                "expected_step_revision": expected_step_revision,
            },
            {
                "title": title,
                "criteria": criteria,
                "tests": tests,
                "blockers": blockers,
                "required": required,
                "checks": checks,
                "policy": policy,
            },
        )

    async def note(
        self,
        *,
        task: str,
        note: str,
        path: str | None = None,
        step_id: str | None = None,
        expected_step_revision: int | None = None,
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> Noted:
        """Tell the next agent on a step, task or plan what it must know."""
        return await self._request(
            "tasks_note",
            Noted,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
                "task": task,
                "path": path,
                "step_id": step_id,
                "expected_step_revision": expected_step_revision,
                "note": note,
            },
        )

    async def close_step(
        self,
        task: str,
        *,
        path: str | None = None,
        step_id: str | None = None,
        expected_step_revision: int | None = None,
        checkpoints: Checkmarks | None = None,
        run_checks: bool = False,
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> StepClosed:
        """Close a step and confirm what you verified. `run_checks` runs its checks first."""
        return await self._request(
            "tasks_close_step",
            StepClosed,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
                "task": task,
                "path": path,
                "step_id": step_id,
                "expected_step_revision": expected_step_revision,
                "checkpoints": checkpoints,
                "run_checks": run_checks,
            },
        )

    async def claim(
        self,
        *,
        task: str | None = None,
        plan: str | None = None,
        path: str | None = None,
        step_id: str | None = None,
        whole: bool = False,
        ttl_s: int | None = None,
        take_over: str | None = None,
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> WorkClaimed:
        """Hold a step, so that others work elsewhere: the one you name, else the next ready one."""
        return await self._request(
            "tasks_claim",
            WorkClaimed,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
                "task": task,
                "plan": plan,
                "path": path,
                "step_id": step_id,
                "whole": whole,
                "ttl_s": ttl_s,
                "take_over": take_over,
            },
        )

    async def release(
        self,
        task: str,
        *,
        path: str | None = None,
        step_id: str | None = None,
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> WorkReleased:
        """Release a step that you claimed, or the whole task if you name no step."""
        return await self._request(
            "tasks_release",
            WorkReleased,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
                "task": task,
                "path": path,
                "step_id": step_id,
            },
        )

    async def check(
        self,
        task: str,
        *,
        path: str | None = None,
        step_id: str | None = None,
        expected_step_revision: int | None = None,
        checks: Sequence[int] = (),
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> Checked:
        """Run a step's checks, keep what they print, and confirm what passes."""
        return await self._request(
            "tasks_check",
            Checked,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
                "task": task,
                "path": path,
                "step_id": step_id,
                "expected_step_revision": expected_step_revision,
                "checks": checks,
            },
        )

    async def complete(
        self,
        task: str,
        *,
        status: Literal["TODO", "ACTIVE", "DONE"] = "DONE",
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> Completed:
        """Complete a plan or task once everything in it is done and confirmed, or set its `status`."""
        return await self._request(
            "tasks_complete",
            Completed,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
                "task": task,
                "status": status,
            },
        )

    async def block(
        self,
        task: str,
        *,
        path: str | None = None,
        step_id: str | None = None,
        expected_step_revision: int | None = None,
        blocked: bool = True,
        reason: str | None = None,
        ask: str | None = None,
        options: Sequence[str] = (),
        for_: str | None = None,
        answer: str | None = None,
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> BlockChanged:
        """Block a step with the `reason`, or `ask` what it waits for (`for`: human, or an actor); unblock it
        (blocked: false) with the `answer`.
        """
        return await self._request(
            "tasks_block",
            BlockChanged,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
                "task": task,
                "path": path,
                "step_id": step_id,
                "expected_step_revision": expected_step_revision,
                "blocked": blocked,
                "reason": reason,
                "ask": ask,
                "options": options,
                "for": for_,
                "answer": answer,
            },
        )

    async def resume(
        self,
        *,
        task: str | None = None,
        plan: str | None = None,
        path: str | None = None,
        step_id: str | None = None,
        events_limit: int = 0,
        proofs: bool = False,
        limit: int = 50,
        cursor: str | None = None,
        at: int | str | None = None,
        max_chars: int | None = None,
    ) -> ResumeReply:
        """Show one plan, task or step in full: notes, evidence, what is below it, latest events."""
        return await self._request(
            "tasks_resume",
            ResumeReply,
            {
                "task": task,
                "plan": plan,
                "path": path,
                "step_id": step_id,
                "events_limit": events_limit,
                "proofs": proofs,
                "limit": limit,
                "cursor": cursor,
                "at": at,
                "max_chars": max_chars,
            },
        )

    async def context(
        self,
        *,
        kind: Literal["plan", "task"] | None = None,
        status: Literal["TODO", "ACTIVE", "DONE"] | None = None,
        plan: str | None = None,
        tag: str | None = None,
        domain: str | None = None,
        priority: Literal["LOW", "MEDIUM", "HIGH", "CRITICAL"] | None = None,
        text: str | None = None,
        ready: bool | None = None,
        limit: int = 50,
        cursor: str | None = None,
        at: int | str | None = None,
        max_chars: int | None = None,
    ) -> ContextReply:
        """List plans and tasks, or search them, their steps, notes and evidence for words (`text`)."""
        return await self._request(
            "tasks_context",
            ContextReply,
            {
                "kind": kind,
                "status": status,
                "plan": plan,
                "tag": tag,
                "domain": domain,
                "priority": priority,
                "text": text,
                "ready": ready,
                "limit": limit,
                "cursor": cursor,
                "at": at,
                "max_chars": max_chars,
            },
        )

    async def undo(
        self,
        *,
        task: str | None = None,
        operation: int | None = None,
        apply: bool = True,
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> Reversed:
        """Undo your newest operation, a task's newest, or `operation`, if what it touched has not changed
        since. `apply` false only shows what would change.
        """
        return await self._request(
            "tasks_undo",
            Reversed,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
                "task": task,
                "operation": operation,
                "apply": apply,
            },
        )

    async def batch(
        self,
        operations: Sequence[BatchedCall],
        *,
        atomic: bool = True,
        request_id: str | None = None,
    ) -> Batched:
        """Make several calls at once: all or nothing (the default), or each on its own."""
        return await self._request(
            "tasks_batch",
            Batched,
            {
                "request_id": request_id,
                "operations": operations,
                "atomic": atomic,
            },
        )

    async def handoff(
        self,
        *,
        task: str | None = None,
        plan: str | None = None,
        path: str | None = None,
        step_id: str | None = None,
        limit: int = 10,
        at: int | str | None = None,
        max_chars: int | None = None,
    ) -> HandoffReply:
        """Shift report for a task, a plan, or the focus, or for a step with what is below it: what is done,
        by whom and on which proof; what remains and why; questions that wait, risks, notes, and the radar.
        """
        return await self._request(
            "tasks_handoff",
            HandoffReply,
            {
                "task": task,
                "plan": plan,
                "path": path,
                "step_id": step_id,
                "limit": limit,
                "at": at,
                "max_chars": max_chars,
            },
        )

    async def delta(
        self,
        *,
        since: int | str = 0,
        task: str | None = None,
        types: Sequence[str] | None = None,
        limit: int = 100,
        max_chars: int | None = None,
    ) -> DeltaReply:
        """List events after `since` (exclusive), oldest first; optionally of one task or plan, or of some
        types.
        """
        return await self._request(
            "tasks_delta",
            DeltaReply,
            {
                "since": since,
                "task": task,
                "types": types,
                "limit": limit,
                "max_chars": max_chars,
            },
        )

    async def context_pack(
        self,
        *,
        task: str | None = None,
        plan: str | None = None,
        delta_limit: int = 20,
        max_chars: int | None = None,
    ) -> ContextPackReply:
        """The radar with the latest events of a task, a plan and its tasks, or the focus. `delta.next` is the
        `since` with which the delta continues.
        """
        return await self._request(
            "tasks_context_pack",
            ContextPackReply,
            {
                "task": task,
                "plan": plan,
                "delta_limit": delta_limit,
                "max_chars": max_chars,
            },
        )

    async def mirror(
        self,
        *,
        task: str | None = None,
        plan: str | None = None,
        path: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
        at: int | str | None = None,
        max_chars: int | None = None,
    ) -> MirrorReply:
        """Export a compact slice in tree order: a task's steps (`path`: one step and what is below it), or a
        plan's tasks; each todo, in_progress, done or blocked.
        """
        return await self._request(
            "tasks_mirror",
            MirrorReply,
            {
                "task": task,
                "plan": plan,
                "path": path,
                "limit": limit,
                "cursor": cursor,
                "at": at,
                "max_chars": max_chars,
            },
        )

    async def lint(
        self,
        *,
        task: str | None = None,
        plan: str | None = None,
        limit: int = 20,
        max_chars: int | None = None,
    ) -> LintReply:
        """Check a plan or task for problems without changing it: steps without proof, criteria or tests,
        steps closed on a word alone or (lately) in bulk, stale proofs, stuck or empty tasks, unmet
        dependencies. Each finding has a code and, where there is one, the call that fixes it.
        """
        return await self._request(
            "tasks_lint",
            LintReply,
            {
                "task": task,
                "plan": plan,
                "limit": limit,
                "max_chars": max_chars,
            },
        )

    async def tree(
        self,
        *,
        task: str | None = None,
        path: str | None = None,
        step_id: str | None = None,
        first: int = 0,
        limit: int = 200,
    ) -> TreeReply:
        """List what is directly below a task or one of its steps (path or step_id): steps, then task nodes,
        each with its number (`at`), starting at number `first`. A step_id alone selects its task.
        """
        return await self._request(
            "tasks_tree",
            TreeReply,
            {
                "task": task,
                "path": path,
                "step_id": step_id,
                "first": first,
                "limit": limit,
            },
        )

    async def edit(
        self,
        task: str,
        *,
        title: str | UnsetType = UNSET,
        description: str | None | UnsetType = UNSET,
        context: str | None | UnsetType = UNSET,
        priority: Literal["LOW", "MEDIUM", "HIGH", "CRITICAL"] | None | UnsetType = UNSET,
        new_domain: str | None | UnsetType = UNSET,
        tags: Sequence[str] | None | UnsetType = UNSET,
        depends_on: Sequence[str] | None | UnsetType = UNSET,
        contract: str | None | UnsetType = UNSET,
        contract_data: Mapping[str, Any] | None | UnsetType = UNSET,
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> Edited:
        """Change the title, description, context, priority, domain (new_domain), tags or dependencies of a
        plan or task; a plan's contract too. Fields left out stay; null clears.
        """
        return await self._request(
            "tasks_edit",
            Edited,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
                "task": task,
            },
            {
                "title": title,
                "description": description,
                "context": context,
                "priority": priority,
                "new_domain": new_domain,
                "tags": tags,
                "depends_on": depends_on,
                "contract": contract,
                "contract_data": contract_data,
            },
        )

    async def verify(
        self,
        *,
        task: str,
        checkpoints: Checkmarks,
        path: str | None = None,
        step_id: str | None = None,
        expected_step_revision: int | None = None,
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> StepChanged:
        """Confirm checkpoints of a step, or withdraw confirmations (confirmed: false), without closing it."""
        return await self._request(
            "tasks_verify",
            StepChanged,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
                "task": task,
                "path": path,
                "step_id": step_id,
                "expected_step_revision": expected_step_revision,
                "checkpoints": checkpoints,
            },
        )

    async def done(
        self,
        task: str,
        *,
        path: str | None = None,
        step_id: str | None = None,
        expected_step_revision: int | None = None,
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> StepChanged:
        """Close a step whose checkpoints are confirmed."""
        return await self._request(
            "tasks_done",
            StepChanged,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
                "task": task,
                "path": path,
                "step_id": step_id,
                "expected_step_revision": expected_step_revision,
            },
        )

    async def progress(
        self,
        *,
        task: str,
        completed: bool,
        path: str | None = None,
        step_id: str | None = None,
        expected_step_revision: int | None = None,
        force: bool = False,
        reason: str | None = None,
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> StepChanged:
        """Close a step (completed: true, through the gate) or reopen it (false), which also reopens what
        depends on it being done. `force` with a `reason` skips unconfirmed checkpoints and is recorded.
        """
        return await self._request(
            "tasks_progress",
            StepChanged,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
                "task": task,
                "path": path,
                "step_id": step_id,
                "expected_step_revision": expected_step_revision,
                "completed": completed,
                "force": force,
                "reason": reason,
            },
        )

    async def close_task(
        self,
        task: str,
        *,
        apply: bool = False,
        patches: Sequence[Patch] = (),
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> TaskClosed:
        """Apply patches and complete a task or plan in one call. Without `apply` nothing changes: the reply
        shows every field before and after, and what is unmet.
        """
        return await self._request(
            "tasks_close_task",
            TaskClosed,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
                "task": task,
                "apply": apply,
                "patches": patches,
            },
        )

    async def patch(
        self,
        *,
        task: str,
        ops: Sequence[FieldOp],
        path: str | None = None,
        step_id: str | None = None,
        expected_step_revision: int | None = None,
        kind: Literal["task_detail", "step", "task"] = "task_detail",
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> Patched:
        """Change single fields of a task or plan (kind task_detail), a step, or a task node (kind task): set,
        unset, append to or remove from a list.
        """
        return await self._request(
            "tasks_patch",
            Patched,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
                "task": task,
                "path": path,
                "step_id": step_id,
                "expected_step_revision": expected_step_revision,
                "kind": kind,
                "ops": ops,
            },
        )

    async def evidence_capture(
        self,
        task: str,
        *,
        path: str | None = None,
        step_id: str | None = None,
        expected_step_revision: int | None = None,
        items: Sequence[EvidenceItem] = (),
        checks: Sequence[EvidenceCheck] = (),
        attachments: Sequence[EvidenceAttachment] = (),
        checkpoints: Sequence[Literal["criteria", "tests", "security", "perf", "docs"]] = (),
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> Captured:
        """Store evidence for a step, task or plan: items (cmd_output, diff, url, file, note), checks and
        attachments, at most 20 of each. `checkpoints` names what it supports. It completes nothing.
        Credentials in it are redacted.
        """
        return await self._request(
            "tasks_evidence_capture",
            Captured,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
                "task": task,
                "path": path,
                "step_id": step_id,
                "expected_step_revision": expected_step_revision,
                "items": items,
                "checks": checks,
                "attachments": attachments,
                "checkpoints": checkpoints,
            },
        )

    async def policy(
        self,
        *,
        task: str | None = None,
        plan: str | None = None,
        proof: Literal["word", "note", "evidence", "machine"] | None | UnsetType = UNSET,
        signoff: Mapping[Literal["criteria", "tests", "security", "perf", "docs"], Literal["anyone", "other", "human"]] | None | UnsetType = UNSET,
        approval: Literal["none", "human"] | None | UnsetType = UNSET,
        stale: Literal["tell", "reopen"] | None | UnsetType = UNSET,
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> PolicyReply:
        """Read or set what closing a step takes, for the workspace, a plan or a task; the nearest policy
        holds. `proof` is the least that a confirmation rests on, `signoff` who must confirm, `approval:
        human` makes a plan wait for a person. null clears a field. Only people loosen a policy.
        """
        return await self._request(
            "tasks_policy",
            PolicyReply,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
                "task": task,
                "plan": plan,
            },
            {
                "proof": proof,
                "signoff": signoff,
                "approval": approval,
                "stale": stale,
            },
        )

    async def approve(
        self,
        plan: str,
        *,
        note: str | None = None,
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> Approved:
        """Approve a plan that waits for a person, so that its tasks can be worked on. Only people can."""
        return await self._request(
            "tasks_approve",
            Approved,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
                "plan": plan,
                "note": note,
            },
        )

    async def inbox(
        self,
        *,
        limit: int = 50,
        cursor: str | None = None,
        max_chars: int | None = None,
    ) -> InboxReply:
        """What waits for a person: questions, sign-offs, plans to approve, taskdoc files edited directly,
        commands to trust. Each item says what to do.
        """
        return await self._request(
            "tasks_inbox",
            InboxReply,
            {
                "limit": limit,
                "cursor": cursor,
                "max_chars": max_chars,
            },
        )

    async def delete(
        self,
        task: str,
        *,
        path: str | None = None,
        step_id: str | None = None,
        expected_step_revision: int | None = None,
        force: bool = False,
        reason: str | None = None,
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> Deleted:
        """Delete a plan (with its tasks), a task, or a step, and everything below it. If others depend on it,
        `force` and a `reason` are required and the links are removed. It can be undone.
        """
        return await self._request(
            "tasks_delete",
            Deleted,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
                "task": task,
                "path": path,
                "step_id": step_id,
                "expected_step_revision": expected_step_revision,
                "force": force,
                "reason": reason,
            },
        )

    async def move(
        self,
        task: str,
        *,
        path: str | None = None,
        step_id: str | None = None,
        expected_step_revision: int | None = None,
        parent: str | None | UnsetType = UNSET,
        plan: str | None | UnsetType = UNSET,
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> Moved:
        """Move a task to another `plan` (null: to none), or a step, with everything below it, below another
        `parent` (none: the task). It becomes the last one there. Ids stay; a step has a new path.
        """
        return await self._request(
            "tasks_move",
            Moved,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
                "task": task,
                "path": path,
                "step_id": step_id,
                "expected_step_revision": expected_step_revision,
            },
            {
                "parent": parent,
                "plan": plan,
            },
        )

    async def history(
        self,
        *,
        task: str | None = None,
        path: str | None = None,
        step_id: str | None = None,
        field: str | None = None,
        operation: int | None = None,
        limit: int = 20,
        cursor: str | None = None,
        max_chars: int | None = None,
    ) -> HistoryReply:
        """List past operations, newest first, of the workspace or of one task, plan or step: tool, actor,
        events, whether it was undone, and earlier contracts. With `operation`: each field it changed,
        before and after. With `field`: who set it, and its earlier values.
        """
        return await self._request(
            "tasks_history",
            HistoryReply,
            {
                "task": task,
                "path": path,
                "step_id": step_id,
                "field": field,
                "operation": operation,
                "limit": limit,
                "cursor": cursor,
                "max_chars": max_chars,
            },
        )

    async def redo(
        self,
        *,
        task: str | None = None,
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> Reversed:
        """Redo what you undid last, or what was undone last in a task, as long as nothing new was written
        since: by you, or in the task.
        """
        return await self._request(
            "tasks_redo",
            Reversed,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
                "task": task,
            },
        )

    async def diff(
        self,
        since: int | str,
        *,
        to: int | str | None = None,
        task: str | None = None,
        plan: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
        max_chars: int | None = None,
    ) -> DiffReply:
        """What differs between two moments (`to`: now), net, by document and field: created, deleted, moved,
        closed, reopened, changed. Of the workspace, a task, or a plan with its tasks.
        """
        return await self._request(
            "tasks_diff",
            DiffReply,
            {
                "from": since,
                "to": to,
                "task": task,
                "plan": plan,
                "limit": limit,
                "cursor": cursor,
                "max_chars": max_chars,
            },
        )

    async def away(self, since: int | str, *, max_chars: int | None = None) -> AwayReply:
        """Digest of what happened since a moment: steps finished and how they were proven, plans and tasks
        completed, questions asked and answered, what is blocked now, and who worked.
        """
        return await self._request("tasks_away", AwayReply, {"since": since, "max_chars": max_chars})

    async def plan(
        self,
        plan: str,
        *,
        steps: Sequence[str] | None | UnsetType = UNSET,
        current: int | None = None,
        doc: str | None | UnsetType = UNSET,
        advance: bool = False,
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> PlanChanged:
        """Update a plan's checklist: `steps` replaces it, `current` is how many items are done, `advance`
        adds one, `doc` is free text. A plan can be completed only when its checklist is.
        """
        return await self._request(
            "tasks_plan",
            PlanChanged,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
                "plan": plan,
                "current": current,
                "advance": advance,
            },
            {
                "steps": steps,
                "doc": doc,
            },
        )

    async def contract(
        self,
        plan: str,
        *,
        current: str | None | UnsetType = UNSET,
        contract_data: Mapping[str, Any] | None | UnsetType = UNSET,
        clear: bool = False,
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> ContractChanged:
        """Set a plan's contract: `current` is its text, `contract_data` its data. Fields left out stay; null
        clears one, `clear` both. Earlier contracts stay in the history.
        """
        return await self._request(
            "tasks_contract",
            ContractChanged,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
                "plan": plan,
                "clear": clear,
            },
            {
                "current": current,
                "contract_data": contract_data,
            },
        )

    async def task_add(
        self,
        *,
        task: str,
        parent_step: str,
        title: str,
        status: Literal["TODO", "ACTIVE", "DONE"] = "TODO",
        priority: Literal["LOW", "MEDIUM", "HIGH", "CRITICAL"] = "MEDIUM",
        description: str | None = None,
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> NodeChanged:
        """Add a task node inside a step (s:0.t:0). It can have steps of its own."""
        return await self._request(
            "tasks_task_add",
            NodeChanged,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
                "task": task,
                "parent_step": parent_step,
                "title": title,
                "status": status,
                "priority": priority,
                "description": description,
            },
        )

    async def task_define(
        self,
        task: str,
        *,
        path: str | None = None,
        step_id: str | None = None,
        expected_step_revision: int | None = None,
        title: str | UnsetType = UNSET,
        status: Literal["TODO", "ACTIVE", "DONE"] | UnsetType = UNSET,
        priority: Literal["LOW", "MEDIUM", "HIGH", "CRITICAL"] | None | UnsetType = UNSET,
        description: str | None | UnsetType = UNSET,
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> NodeChanged:
        """Change a task node's title, status, priority or description. DONE requires that every step below it
        is done.
        """
        return await self._request(
            "tasks_task_define",
            NodeChanged,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
                "task": task,
                "path": path,
                "step_id": step_id,
                "expected_step_revision": expected_step_revision,
            },
            {
                "title": title,
                "status": status,
                "priority": priority,
                "description": description,
            },
        )

    async def task_delete(
        self,
        task: str,
        *,
        path: str | None = None,
        step_id: str | None = None,
        expected_step_revision: int | None = None,
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> NodeChanged:
        """Delete a task node and everything below it. Can be undone."""
        return await self._request(
            "tasks_task_delete",
            NodeChanged,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
                "task": task,
                "path": path,
                "step_id": step_id,
                "expected_step_revision": expected_step_revision,
            },
        )

    async def focus_get(self) -> FocusReply:
        """Show what is in focus in the workspace."""
        return await self._request("tasks_focus_get", FocusReply, {})

    async def focus_set(
        self,
        task: str,
        *,
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> FocusChanged:
        """Put a plan or task in focus: reads that name no target use it. Writes never do."""
        return await self._request(
            "tasks_focus_set",
            FocusChanged,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
                "task": task,
            },
        )

    async def focus_clear(
        self,
        *,
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> FocusChanged:
        """Clear the focus."""
        return await self._request(
            "tasks_focus_clear",
            FocusChanged,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
            },
        )

    async def templates_list(
        self,
        *,
        kind: Literal["plan", "task"] | None = None,
        limit: int = 50,
        cursor: str | None = None,
        max_chars: int | None = None,
    ) -> TemplatesReply:
        """List the templates to make plans and tasks from: built-in ones and the project's own
        (.gatepost/templates/*.toml), with their forms and values.
        """
        return await self._request(
            "tasks_templates_list",
            TemplatesReply,
            {
                "kind": kind,
                "limit": limit,
                "cursor": cursor,
                "max_chars": max_chars,
            },
        )

    async def scaffold(
        self,
        *,
        template: str,
        title: str,
        kind: Literal["plan", "task"] | None = None,
        plan: str | None = None,
        values: Mapping[str, str] | None = None,
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> Scaffolded:
        """Create a task or plan from a template: bugfix, feature, refactor, migration, research, release or
        your own.
        """
        return await self._request(
            "tasks_scaffold",
            Scaffolded,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
                "template": template,
                "title": title,
                "kind": kind,
                "plan": plan,
                "values": values,
            },
        )

    async def storage(self) -> StorageReply:
        """Show where the store is, which workspaces it has, and how much it holds of this one."""
        return await self._request("tasks_storage", StorageReply, {})


class AsyncTodo:
    """The todo lists of sessions."""

    def __init__(self, request: AsyncCallSender) -> None:
        self._request = request

    async def read(self, *, session: str | None = None) -> TodosReply:
        """Your session's todo list; empty if none is stored yet."""
        return await self._request("todo_read", TodosReply, {"session": session})

    async def write(
        self,
        items: Sequence[str],
        *,
        session: str | None = None,
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> TodosWritten:
        """Replace your session's todo list with these items, in order. Read it first."""
        return await self._request(
            "todo_write",
            TodosWritten,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
                "items": items,
                "session": session,
            },
        )

    async def clear(
        self,
        *,
        session: str | None = None,
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> TodosWritten:
        """End a session and clear its todo list. What it wrote stays in the log."""
        return await self._request(
            "todo_clear",
            TodosWritten,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
                "session": session,
            },
        )


class AsyncTaskdocs:
    """Taskdocs: goals, plans and what was decided, in sections."""

    def __init__(self, request: AsyncCallSender) -> None:
        self._request = request

    async def recall_mind(
        self,
        *,
        taskdoc: str | None = None,
        selector: Literal["goals", "constraints", "progress"] | None = None,
        max_chars: int | None = None,
    ) -> RecallReply:
        """Read the taskdoc, or one section exactly as stored. File tools cannot."""
        return await self._request(
            "recall_mind",
            RecallReply,
            {
                "taskdoc": taskdoc,
                "selector": selector,
                "max_chars": max_chars,
            },
        )

    async def change_mind(
        self,
        selector: Literal["goals", "constraints", "progress"],
        *,
        content: str | None = None,
        clear: bool = False,
        taskdoc: str | None = None,
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> MindChanged:
        """Replace one section: goals (stable), constraints (MUST, MUST NOT) or progress (state, decisions,
        what remains).
        """
        return await self._request(
            "change_mind",
            MindChanged,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
                "selector": selector,
                "content": content,
                "clear": clear,
                "taskdoc": taskdoc,
            },
        )

    async def clear_mind(
        self,
        reminder_content: str,
        *,
        task: str | None = None,
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> RoundBegun:
        """End your round. `reminder_content` is a short, scannable re-entry package: where you are, what is
        next, what not to forget. When you resume, it is shown first; with `task`, everyone who resumes
        that task sees it.
        """
        return await self._request(
            "clear_mind",
            RoundBegun,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
                "reminder_content": reminder_content,
                "task": task,
            },
        )

    async def create(
        self,
        name: str,
        *,
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> TaskdocAdded:
        """Create a taskdoc with empty goals, constraints and progress, and its package tasks/NAME.tsk."""
        return await self._request(
            "taskdoc_create",
            TaskdocAdded,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
                "name": name,
            },
        )

    async def bind(
        self,
        taskdoc: str,
        *,
        plan: str | None | UnsetType = UNSET,
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> TaskdocBindingChanged:
        """Bind a taskdoc to a plan, so that its tasks follow it; null unbinds."""
        return await self._request(
            "taskdoc_bind",
            TaskdocBindingChanged,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
                "taskdoc": taskdoc,
            },
            {
                "plan": plan,
            },
        )

    async def rename(
        self,
        *,
        taskdoc: str,
        name: str,
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> TaskdocNameChanged:
        """Rename a taskdoc and its package. Its plan and history stay, and earlier names still work."""
        return await self._request(
            "taskdoc_rename",
            TaskdocNameChanged,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
                "taskdoc": taskdoc,
                "name": name,
            },
        )

    async def archive(
        self,
        taskdoc: str,
        *,
        archived: bool = True,
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> TaskdocArchiveChanged:
        """Archive a finished taskdoc: unbind it, remove its package and leave it out of lists. It can still
        be read by name; `archived` false restores it.
        """
        return await self._request(
            "taskdoc_archive",
            TaskdocArchiveChanged,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
                "taskdoc": taskdoc,
                "archived": archived,
            },
        )

    async def list(
        self,
        *,
        archived: bool = False,
        limit: int = 50,
        cursor: str | None = None,
    ) -> TaskdocsReply:
        """List the taskdocs: the plan each is bound to, and for each section the revision, last change, size
        and whether its file was edited directly.
        """
        return await self._request(
            "taskdoc_list",
            TaskdocsReply,
            {
                "archived": archived,
                "limit": limit,
                "cursor": cursor,
            },
        )

    async def history(
        self,
        *,
        taskdoc: str | None = None,
        selector: Literal["goals", "constraints", "progress"] | None = None,
        limit: int = 20,
        cursor: str | None = None,
        max_chars: int | None = None,
    ) -> TaskdocHistoryReply:
        """List who changed which section and when, newest first."""
        return await self._request(
            "taskdoc_history",
            TaskdocHistoryReply,
            {
                "taskdoc": taskdoc,
                "selector": selector,
                "limit": limit,
                "cursor": cursor,
                "max_chars": max_chars,
            },
        )

    async def diff(
        self,
        *,
        selector: Literal["goals", "constraints", "progress"],
        since: int,
        to: int | None = None,
        taskdoc: str | None = None,
        max_chars: int | None = None,
    ) -> TaskdocDiffReply:
        """Show how a section changed between two revisions; `to` defaults to the current one."""
        return await self._request(
            "taskdoc_diff",
            TaskdocDiffReply,
            {
                "selector": selector,
                "from": since,
                "to": to,
                "taskdoc": taskdoc,
                "max_chars": max_chars,
            },
        )

    async def restore(
        self,
        *,
        selector: Literal["goals", "constraints", "progress"] | None = None,
        revision: int | None = None,
        taskdoc: str | None = None,
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> MindChanged:
        """Restore a section's text from an earlier revision. Without a revision, rewrite the section's file;
        without a selector, rewrite every file of the package.
        """
        return await self._request(
            "taskdoc_restore",
            MindChanged,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
                "selector": selector,
                "revision": revision,
                "taskdoc": taskdoc,
            },
        )

    async def adopt(
        self,
        *,
        taskdoc: str | None = None,
        selector: Literal["goals", "constraints", "progress"] | None = None,
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> Adopted:
        """Take over what someone wrote directly into a package: one section, or all edited ones. A package
        without a taskdoc becomes one. A text that the package's meta.json signs keeps its author and time.
        """
        return await self._request(
            "taskdoc_adopt",
            Adopted,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
                "taskdoc": taskdoc,
                "selector": selector,
            },
        )


class AsyncDigest:
    """The workspace digest: what the repository is like."""

    def __init__(self, request: AsyncCallSender) -> None:
        self._request = request

    async def get(
        self,
        *,
        section_key: str = "workspace-digest",
        max_chars: int | None = None,
    ) -> DigestReply:
        """Read the digest of the repository: layout, commands, caveats. Read it before you explore."""
        return await self._request(
            "workspace_digest_get",
            DigestReply,
            {
                "section_key": section_key,
                "max_chars": max_chars,
            },
        )

    async def set(
        self,
        *,
        body: str,
        summary: str,
        section_key: str = "workspace-digest",
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> DigestChanged:
        """Store a digest of the repository for everyone: `summary` in a sentence or two, `body` in Markdown."""
        return await self._request(
            "workspace_digest_set",
            DigestChanged,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
                "body": body,
                "summary": summary,
                "section_key": section_key,
            },
        )

    async def scan(self, *, max_chars: int | None = None) -> DigestScanReply:
        """Draft a digest from the repository's files. Nothing is stored: refine it, then store it."""
        return await self._request("workspace_digest_scan", DigestScanReply, {"max_chars": max_chars})


class AsyncSessions:
    """The history of durable sessions."""

    def __init__(self, request: AsyncCallSender) -> None:
        self._request = request

    async def open(
        self,
        *,
        session: str,
        holder: str,
        take_over: bool = False,
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> SessionChanged:
        """Open a durable session for writing. No one else can write to it until you close it or your process
        ends.
        """
        return await self._request(
            "session_open",
            SessionChanged,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
                "session": session,
                "holder": holder,
                "take_over": take_over,
            },
        )

    async def keep(
        self,
        *,
        session: str,
        holder: str,
        entries: Sequence[str] = (),
        state: Sequence[str] = (),
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> SessionChanged:
        """Store entries of a durable session that you opened, after everything stored before; `state` goes
        before them.
        """
        return await self._request(
            "session_keep",
            SessionChanged,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
                "session": session,
                "holder": holder,
                "entries": entries,
                "state": state,
            },
        )

    async def history(
        self,
        session: str,
        *,
        whole: bool = False,
        limit: int = 200,
        cursor: str | None = None,
    ) -> SessionHistoryReply:
        """Read what a durable session stored: its newest state and the entries after it, or everything from
        the beginning.
        """
        return await self._request(
            "session_history",
            SessionHistoryReply,
            {
                "session": session,
                "whole": whole,
                "limit": limit,
                "cursor": cursor,
            },
        )

    async def close(
        self,
        *,
        session: str,
        holder: str,
        expected_revision: int | None = None,
        request_id: str | None = None,
    ) -> SessionChanged:
        """Close a durable session that you opened. Its contents remain for the next writer."""
        return await self._request(
            "session_close",
            SessionChanged,
            {
                "request_id": request_id,
                "expected_revision": expected_revision,
                "session": session,
                "holder": holder,
            },
        )


class AsyncFiles:
    """Files below the project's root. Only on a store in this process."""

    def __init__(self, request: AsyncCallSender) -> None:
        self._request = request

    async def read(
        self,
        path: str,
        *,
        offset: int = 0,
        limit: int | None = None,
        column: int = 0,
        max_chars: int | None = None,
    ) -> FileRead:
        """Read a text file or a range of its lines; `next_offset` (and `next_column`) say where to continue.
        `*.tsk/` is closed: use recall_mind, change_mind.
        """
        return await self._request(
            "file_read",
            FileRead,
            {
                "path": path,
                "offset": offset,
                "limit": limit,
                "column": column,
                "max_chars": max_chars,
            },
        )

    async def write(
        self,
        *,
        path: str,
        content: str,
        mode: Literal["create", "overwrite", "append"] = "overwrite",
    ) -> FileWritten:
        """Write a text file. `create` refuses an existing file; `append` adds to its end. `*.tsk/` is closed:
        use recall_mind, change_mind.
        """
        return await self._request(
            "file_write",
            FileWritten,
            {
                "path": path,
                "content": content,
                "mode": mode,
            },
        )

    async def edit(self, *, path: str, edits: Sequence[Replacement], dry_run: bool = False) -> FileEdited:
        """Replace exact texts in a file. Each `old_string` must occur exactly once. Edits apply in order, all
        or none. `dry_run` returns the diff and changes nothing. `*.tsk/` is closed: use recall_mind,
        change_mind.
        """
        return await self._request(
            "file_edit",
            FileEdited,
            {
                "path": path,
                "edits": edits,
                "dry_run": dry_run,
            },
        )

    async def list(
        self,
        *,
        path: str = ".",
        limit: int = 200,
        cursor: str | None = None,
        max_chars: int | None = None,
    ) -> FileList:
        """List the entries of a directory. `*.tsk/` is closed: use recall_mind, change_mind."""
        return await self._request(
            "file_list",
            FileList,
            {
                "path": path,
                "limit": limit,
                "cursor": cursor,
                "max_chars": max_chars,
            },
        )

    async def glob(
        self,
        pattern: str,
        *,
        path: str = ".",
        ignored: bool = False,
        limit: int = 200,
        cursor: str | None = None,
        max_chars: int | None = None,
    ) -> FilePaths:
        """Find paths that match a pattern. `*.tsk/` is closed: use recall_mind, change_mind."""
        return await self._request(
            "file_glob",
            FilePaths,
            {
                "pattern": pattern,
                "path": path,
                "ignored": ignored,
                "limit": limit,
                "cursor": cursor,
                "max_chars": max_chars,
            },
        )

    async def grep(
        self,
        pattern: str,
        *,
        path: str = ".",
        glob: str | None = None,
        ignored: bool = False,
        limit: int = 100,
        cursor: str | None = None,
        max_chars: int | None = None,
    ) -> FileMatches:
        """Find lines that match a regular expression. `*.tsk/` is closed: use recall_mind, change_mind."""
        return await self._request(
            "file_grep",
            FileMatches,
            {
                "pattern": pattern,
                "path": path,
                "glob": glob,
                "ignored": ignored,
                "limit": limit,
                "cursor": cursor,
                "max_chars": max_chars,
            },
        )

    async def stat(self, path: str) -> FileIs:
        """Show kind, size and modification time of a path. `*.tsk/` is closed: use recall_mind, change_mind."""
        return await self._request("file_stat", FileIs, {"path": path})

    async def mkdir(self, path: str) -> FileIs:
        """Create a directory and its missing parents. `*.tsk/` is closed: use recall_mind, change_mind."""
        return await self._request("file_mkdir", FileIs, {"path": path})

    async def move(self, *, source: str, target: str) -> FileIs:
        """Move or rename a file or directory. Refuses an existing target. `*.tsk/` is closed: use
        recall_mind, change_mind.
        """
        return await self._request("file_move", FileIs, {"source": source, "target": target})

    async def copy(self, *, source: str, target: str) -> FileIs:
        """Copy a file or directory. Refuses an existing target. `*.tsk/` is closed: use recall_mind,
        change_mind.
        """
        return await self._request("file_copy", FileIs, {"source": source, "target": target})

    async def delete(self, path: str, *, recursive: bool = False) -> FileDeleted:
        """Delete a file or an empty directory; with `recursive`, a directory and everything in it. `*.tsk/`
        is closed: use recall_mind, change_mind.
        """
        return await self._request("file_delete", FileDeleted, {"path": path, "recursive": recursive})


class AsyncWorkspace:
    """One workspace. Every operation is a method of one of its parts."""

    def __init__(self, name: str, request: AsyncCallSender) -> None:
        self.name = name
        self._request = request
        self.tasks = AsyncTasks(request)
        self.todo = AsyncTodo(request)
        self.taskdocs = AsyncTaskdocs(request)
        self.digest = AsyncDigest(request)
        self.sessions = AsyncSessions(request)
        self.files = AsyncFiles(request)

    async def overview(self, *, limit: int = 50) -> OverviewReply:
        """A workspace at a glance, at one point in time: radar, plans, tasks, who is active, the latest
        events, taskdocs and todo lists.
        """
        return await self._request("workspace_overview", OverviewReply, {"limit": limit})
