"""The catalog: every operation by name, in the order in which they are listed.

Each line says where an operation is defined: a module of this package and a name in it. The module is imported when
the operation is first looked up, so a program that makes one call loads one operation.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from gatepost.operations.registry import Command, Operation

_DEFINED_AS: Final = {
    "tasks_radar": "radar.look",
    "tasks_create": "roots.create",
    "tasks_decompose": "steps.decompose",
    "tasks_define": "steps.define",
    "tasks_note": "new_note.take_note",
    "tasks_close_step": "steps.close_step",
    "tasks_claim": "claims.claim",
    "tasks_release": "claims.release",
    "tasks_check": "checks.check_step",
    "tasks_complete": "completion.complete",
    "tasks_block": "blocks.block",
    "tasks_resume": "resume.resume",
    "tasks_context": "context.context",
    "tasks_undo": "undo.undo",
    "tasks_batch": "batch.batch",
    "recall_mind": "recall.recall_mind",
    "change_mind": "taskdocs.change_mind",
    "tasks_handoff": "handoff.hand_over",
    "todo_read": "todos.read_todos",
    "todo_write": "todos.write_todos",
    "tasks_delta": "delta.delta",
    "tasks_context_pack": "context_pack.pack",
    "tasks_mirror": "mirror.mirror",
    "tasks_lint": "lint.lint",
    "tasks_tree": "tree.tree",
    "tasks_edit": "roots.edit",
    "tasks_verify": "steps.verify",
    "tasks_done": "steps.finish",
    "tasks_progress": "steps.progress",
    "tasks_close_task": "patches.close_task",
    "tasks_patch": "patches.patch",
    "tasks_evidence_capture": "evidence.capture",
    "tasks_policy": "policies.set_policy",
    "tasks_approve": "policies.approve",
    "tasks_inbox": "inbox.inbox",
    "tasks_delete": "deletion.delete",
    "tasks_move": "moves.move",
    "tasks_history": "history.history",
    "tasks_redo": "undo.redo",
    "tasks_diff": "diff.diff",
    "tasks_away": "away.away",
    "tasks_plan": "plans.update_plan",
    "tasks_contract": "plans.set_contract",
    "tasks_task_add": "nodes.add_node",
    "tasks_task_define": "nodes.define_node",
    "tasks_task_delete": "nodes.delete_node",
    "tasks_focus_get": "focus.get_focus",
    "tasks_focus_set": "focus.set_focus",
    "tasks_focus_clear": "focus.clear_focus",
    "tasks_templates_list": "templates.list_templates",
    "tasks_scaffold": "templates.scaffold",
    "tasks_storage": "storage.storage",
    "workspace_overview": "overview.overview",
    "todo_clear": "todos.clear_todos",
    "workspace_digest_get": "digests.get_digest",
    "workspace_digest_set": "digests.set_digest",
    "workspace_digest_scan": "digests.scan_digest",
    "clear_mind": "rounds.clear_mind",
    "taskdoc_create": "taskdocs.create_taskdoc",
    "taskdoc_bind": "taskdocs.bind_taskdoc",
    "taskdoc_rename": "taskdoc_names.rename_taskdoc",
    "taskdoc_archive": "taskdoc_names.archive_taskdoc",
    "taskdoc_list": "taskdoc_list.list_taskdocs",
    "taskdoc_history": "taskdoc_versions.taskdoc_history",
    "taskdoc_diff": "taskdoc_versions.taskdoc_diff",
    "taskdoc_restore": "taskdoc_versions.restore_taskdoc",
    "taskdoc_adopt": "taskdoc_versions.adopt_taskdoc",
    "session_open": "journals.open_session",
    "session_keep": "journals.keep",
    "session_history": "journals.read_session",
    "session_close": "journals.close_session",
    "file_read": "files.file_read",
    "file_write": "files.file_write",
    "file_edit": "files.file_edit",
    "file_list": "files.file_list",
    "file_glob": "files.file_glob",
    "file_grep": "files.file_grep",
    "file_stat": "files.file_stat",
    "file_mkdir": "files.file_mkdir",
    "file_move": "files.file_move",
    "file_copy": "files.file_copy",
    "file_delete": "files.file_delete",
}


class _ByName(Mapping[str, "Operation"]):
    """Operations by name. Looking at the names imports nothing."""

    def __getitem__(self, name: str) -> "Operation":
        return _defined(_DEFINED_AS[name])

    def __contains__(self, name: object) -> bool:
        return name in _DEFINED_AS

    def __iter__(self) -> Iterator[str]:
        return iter(_DEFINED_AS)

    def __len__(self) -> int:
        return len(_DEFINED_AS)


@cache
def _defined(place: str) -> "Operation":
    module, _, attribute = place.partition(".")
    found: Operation = getattr(import_module(f"gatepost.operations.{module}"), attribute)
    return found


class _ByCommand:
    """Operations by the type of their command, which is defined in the same module."""

    def __getitem__(self, command: type["Command[Any]"]) -> "Operation":
        module = command.__module__.rpartition(".")[2]
        for name, place in _DEFINED_AS.items():
            if place.startswith(f"{module}.") and BY_NAME[name].command is command:
                return BY_NAME[name]
        raise KeyError(command)


BY_NAME: Final = _ByName()
BY_COMMAND: Final = _ByCommand()
OPERATIONS: Final = BY_NAME.values()
"""Every operation. Going through them imports them all."""


def in_toolset(toolset: str) -> tuple["Operation", ...]:
    """The operations of a tool set."""
    return tuple(found for found in OPERATIONS if toolset in found.toolsets)
