"""A store with every kind of document and every kind of row in its log."""

from pathlib import Path

import apsw

from tests.givens import World

FILE = "gatepost.db"


def tell(world: World) -> None:
    """Give a world some history: notes, evidence, undo and redo, a batch, deletions, texts, a list, a digest."""
    plan = world.plan(title="The plan", contract="What must hold.")
    task = world.task("first", "second", plan=plan)
    world.ok("tasks_note", task=task, path="s:0", note="seen by the author")
    item = {"kind": "cmd_output", "title": "the run", "content": "12 passed"}
    world.ok("tasks_evidence_capture", task=task, path="s:0", items=[item])
    world.close(task, "s:0")
    world.ok("tasks_undo")
    world.ok("tasks_redo")
    edit = {"tool": "tasks_edit", "arguments": {"task": task, "title": "Another title"}}
    note = {"tool": "tasks_note", "arguments": {"task": task, "path": "s:1", "note": "in a batch"}}
    world.ok("tasks_batch", operations=[edit, note])
    world.ok("tasks_task_add", task=task, parent_step="s:1", title="a task node")
    world.ok("tasks_decompose", task=task, path="s:1.t:0", steps=[{"title": "third"}])
    world.ok("tasks_move", task=task, path="s:0", parent="s:1")
    world.ok("tasks_undo")
    world.ok("tasks_move", task=task, path="s:1.t:0.s:0")
    world.ok("tasks_move", task=task, plan=None)
    world.ok("taskdoc_create", name="auth")
    world.ok("change_mind", selector="constraints", content="MUST")
    world.ok("change_mind", selector="goals", content="Other goals")
    world.ok("tasks_delete", task=world.task("gone"))
    world.ok("tasks_undo")
    world.ok("tasks_delete", task=task, path="s:0", force=True, reason="not needed")
    world.ok("todo_write", session="main", items=["one", "two"])
    world.ok("workspace_digest_set", section_key="layout", body="Three folders.", summary="Small")
    world.ok("tasks_focus_set", task=task)


def by_hand(folder: Path, *statements: str) -> None:
    """Alter the store behind everybody's back; each statement changes something."""
    connection = apsw.Connection(str(folder / FILE))
    try:
        for statement in statements:
            connection.execute(statement)
            assert connection.changes() > 0, f"{statement} changed nothing"
    finally:
        connection.close()
