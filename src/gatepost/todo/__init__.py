"""The reference client for `payload.todo`: give it everything that a stream sends, and read correct lists.

    store = TodoStore()
    for event in follow("http://127.0.0.1:4870", "acme/repo", store=store):
        show(store.scopes, store.items("TASK-001"))

It needs only the standard library, and no other part of Gatepost.
"""

from gatepost.todo.items import Status, TodoItem
from gatepost.todo.scopes import ListCounts, Scope
from gatepost.todo.store import Outcome, TodoStore
from gatepost.todo.stream import StreamRefused, follow

__all__ = ["ListCounts", "Outcome", "Scope", "Status", "StreamRefused", "TodoItem", "TodoStore", "follow"]
