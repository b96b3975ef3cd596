"""Where everything is kept."""

from typing import Final

from gatepost.engine.reader import Reader
from gatepost.operations.registry import Command, operation
from gatepost.replies.storage import Holdings, StorageReply, StoreInfo

_MOST_NAMED: Final = 100


class Storage(Command[StorageReply], frozen=True, kw_only=True):
    """Ask where the workspace is kept."""


@operation("tasks_storage", "tasks")
def storage(reader: Reader, command: Storage) -> StorageReply:
    """Show where the store is, which workspaces it has, and how much it holds of this one."""
    del command
    head = reader.head()
    holds = Holdings(seq=head.seq, plans=head.plans, tasks=head.tasks, steps=head.nodes)
    known = reader.workspaces()
    return StorageReply(
        store=StoreInfo(**reader.describe()),
        namespaces=tuple(known[:_MOST_NAMED]),
        namespaces_total=len(known),
        holds=holds,
    )
