"""A call of every operation, and a world in which they mean something."""

from typing import Any

from tests.givens import CONFIRMED, World

HOLDER = "holder-1"
STEP = {"task": "TASK-001", "path": "s:0"}
GOOD: dict[str, dict[str, Any]] = {
    "tasks_create": {"kind": "task", "title": "Another"},
    "tasks_decompose": {"task": "TASK-001", "steps": [{"title": "more"}]},
    "tasks_close_step": {**STEP, "checkpoints": CONFIRMED},
    "tasks_claim": STEP,
    "tasks_release": {"task": "TASK-001", "path": "s:1"},
    "tasks_check": {"task": "TASK-003", "path": "s:0"},
    "tasks_note": {**STEP, "note": "On it."},
    "tasks_block": {**STEP, "reason": "No key to the shed."},
    "tasks_edit": {"task": "TASK-001", "title": "Better"},
    "tasks_define": {**STEP, "criteria": ["It stands."]},
    "tasks_verify": {**STEP, "checkpoints": {"criteria": {"confirmed": True}}},
    "tasks_done": {"task": "TASK-001", "path": "s:1"},
    "tasks_progress": {**STEP, "completed": True, "force": True, "reason": "Seen by eye."},
    "tasks_complete": {"task": "TASK-002"},
    "tasks_scaffold": {"template": "bugfix", "title": "Another"},
    "tasks_focus_set": {"task": "TASK-001"},
    "tasks_focus_clear": {},
    "tasks_batch": {"operations": [{"tool": "tasks_note", "arguments": {**STEP, "note": "On it."}}]},
    "tasks_close_task": {"task": "TASK-002", "apply": True},
    "tasks_patch": {"task": "TASK-001", "ops": [{"op": "set", "field": "title", "value": "Better"}]},
    "tasks_evidence_capture": {**STEP, "items": [{"kind": "note", "content": "Seen."}]},
    "tasks_delete": {"task": "TASK-001"},
    "tasks_move": {"task": "TASK-001", "plan": "PLAN-001"},
    "tasks_undo": {"task": "TASK-001"},
    "tasks_redo": {"task": "TASK-003"},
    "tasks_plan": {"plan": "PLAN-001", "steps": ["Pack", "Go"]},
    "tasks_policy": {"plan": "PLAN-001", "proof": "note"},
    "tasks_contract": {"plan": "PLAN-001", "current": "It stands."},
    "tasks_task_add": {"task": "TASK-001", "parent_step": "s:0", "title": "A node"},
    "tasks_task_define": {"task": "TASK-003", "path": "s:0.t:0", "title": "Better"},
    "tasks_task_delete": {"task": "TASK-003", "path": "s:0.t:0"},
    "todo_write": {"items": ["Sow", "Reap"]},
    "todo_clear": {},
    "session_open": {"session": "shed", "holder": HOLDER},
    "session_keep": {"session": "garden", "holder": HOLDER, "entries": ["{}"], "state": ["{}"]},
    "session_close": {"session": "garden", "holder": HOLDER},
    "workspace_digest_set": {"summary": "A garden.", "body": "Beds to the left."},
    "change_mind": {"taskdoc": "garden", "selector": "goals", "content": "Roses by June."},
    "clear_mind": {"reminder_content": "Water them."},
    "taskdoc_create": {"name": "orchard"},
    "taskdoc_bind": {"taskdoc": "garden", "plan": "PLAN-001"},
    "taskdoc_rename": {"taskdoc": "garden", "name": "park"},
    "taskdoc_archive": {"taskdoc": "garden"},
    "taskdoc_restore": {"taskdoc": "garden", "selector": "progress", "revision": 0},
}
"""A call of each writing operation that changes something."""

ASKED: dict[str, dict[str, Any]] = {
    "file_read": {"path": "a.txt"},
    "file_write": {"path": "a.txt", "content": "One line.\n"},
    "file_edit": {"path": "a.txt", "edits": [{"old_string": "One", "new_string": "1"}]},
    "file_list": {},
    "file_glob": {"pattern": "*"},
    "file_grep": {"pattern": "line"},
    "file_stat": {"path": "a.txt"},
    "file_mkdir": {"path": "b"},
    "file_move": {"source": "a.txt", "target": "b.txt"},
    "file_copy": {"source": "a.txt", "target": "b.txt"},
    "file_delete": {"path": "a.txt"},
    "session_history": {"session": "garden"},
    "taskdoc_diff": {"selector": "goals", "from": 0},
    "taskdoc_adopt": {"taskdoc": "garden"},
    "tasks_diff": {"from": 0},
    "tasks_away": {"since": 0},
    "tasks_approve": {"plan": "PLAN-001"},
}
"""A call of each of the others that needs arguments."""

OTHERS = {
    "tasks_focus_set": "focus",
    "tasks_focus_clear": "focus",
    "todo_write": "session main",
    "todo_clear": "session main",
    "session_keep": "durable session garden",
    "session_close": "durable session garden",
    "workspace_digest_set": "digest workspace-digest",
    "change_mind": "goals of garden",
    "clear_mind": "round of tester",
    "taskdoc_bind": "taskdoc garden",
    "taskdoc_rename": "taskdoc garden",
    "taskdoc_archive": "taskdoc garden",
    "taskdoc_restore": "progress of garden",
}
"""What has a revision of its own and is no task or plan; each is at 1."""

KEEP_THE_REVISION = ("tasks_claim", "tasks_release")
"""Who works on something is no change of it."""

WITHOUT_A_TARGET = ("session_open", "taskdoc_create", "tasks_create", "tasks_scaffold", "tasks_batch")


def ready(world: World) -> World:
    """A task whose second step is proven and claimed, an empty one in focus, one with a check, a node and an undone
    edit."""
    world.task("first", "second")
    world.task(title="Nothing to it")
    world.ok("tasks_verify", task="TASK-001", path="s:1", checkpoints=CONFIRMED)
    world.ok("tasks_claim", task="TASK-001", path="s:1")
    world.ok("tasks_focus_set", task="TASK-002")
    world.task(steps=[{"title": "holds a node", "checks": [{"run": "true"}]}])
    world.ok("tasks_task_add", task="TASK-003", parent_step="s:0", title="A node")
    world.ok("tasks_edit", task="TASK-003", title="Undone")
    world.ok("tasks_undo", task="TASK-003")
    world.plan()
    world.ok("todo_write", items=["Dig"])
    world.ok("session_open", session="garden", holder=HOLDER)
    world.ok("workspace_digest_set", summary="A field.", body="Nothing yet.")
    world.ok("taskdoc_create", name="garden")
    for selector in ("goals", "progress"):
        world.ok("change_mind", taskdoc="garden", selector=selector, content="Dug over.")
    world.ok("clear_mind", reminder_content="Begin with the roses.")
    return world
