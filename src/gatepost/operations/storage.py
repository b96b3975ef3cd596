"""Where everything is kept."""

from typing import Any, Final

from gatepost.engine.reader import Reader
from gatepost.operations.registry import Command, Reply, operation

_MOST_NAMED: Final = 100


class Storage(Command, frozen=True, kw_only=True):
    """Ask where the workspace is kept."""


class Kept(Reply, frozen=True, kw_only=True):
    """The store, and what it holds of this workspace."""

    store: dict[str, Any]
    namespaces: list[str]
    namespaces_total: int
    holds: dict[str, int]


@operation("tasks_storage", "tasks")
def storage(reader: Reader, command: Storage) -> Kept:
    """Where the store is, which workspaces it has, and how much of this one."""
    del command
    head = reader.head()
    holds = {"seq": head.seq, "plans": head.plans, "tasks": head.tasks, "steps": head.nodes}
    known = reader.workspaces()
    return Kept(store=reader.describe(), namespaces=known[:_MOST_NAMED], namespaces_total=len(known), holds=holds)
