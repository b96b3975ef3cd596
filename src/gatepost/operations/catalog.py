"""The catalog: every operation, in the order in which it is shown."""

from typing import Final

from gatepost.operations import (
    batch,
    completion,
    deletion,
    digests,
    evidence,
    files,
    focus,
    handoff,
    history,
    lint,
    mirror,
    nodes,
    pack,
    patches,
    plans,
    radar,
    roots,
    steps,
    storage,
    templates,
    todos,
    views,
)
from gatepost.operations.registry import Operation

OPERATIONS: Final[tuple[Operation, ...]] = (
    radar.look,
    roots.create,
    steps.decompose,
    steps.close_step,
    views.context,
    steps.take_note,
    steps.block,
    handoff.hand_over,
    batch.batch,
    todos.read_todos,
    todos.write_todos,
    views.resume,
    views.delta,
    pack.pack,
    mirror.mirror,
    lint.lint,
    roots.edit,
    steps.define,
    steps.verify,
    steps.finish,
    steps.progress,
    completion.complete,
    patches.close_task,
    patches.patch,
    evidence.capture,
    deletion.delete,
    history.history,
    history.undo,
    history.redo,
    plans.update_plan,
    plans.set_contract,
    nodes.add_node,
    nodes.define_node,
    nodes.delete_node,
    focus.get_focus,
    focus.set_focus,
    focus.clear_focus,
    templates.list_templates,
    templates.scaffold,
    storage.storage,
    todos.clear_todos,
    digests.get_digest,
    digests.set_digest,
    digests.scan_digest,
    *files.OPERATIONS,
)

BY_NAME: Final = {operation.name: operation for operation in OPERATIONS}
BY_COMMAND: Final = {operation.command: operation for operation in OPERATIONS}


def in_toolset(toolset: str) -> tuple[Operation, ...]:
    """The operations of a tool set."""
    return tuple(found for found in OPERATIONS if toolset in found.toolsets)
