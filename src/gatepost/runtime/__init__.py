"""The session: typed slices of immutable values, changed only by reducers, in memory and without a server.

    session = Session()
    session[TodoList].register(TodoList, append)
    session.dispatch(TodoList(["write", "test"]))
    session[TodoList].latest()

An event type without a reducer is appended to the slice of its own type.
"""

from gatepost.runtime.dispatcher import Dispatcher
from gatepost.runtime.event_processor import SessionEnded
from gatepost.runtime.reducers import append, replace_latest, upsert_by
from gatepost.runtime.selectors import select_all, select_latest, select_where
from gatepost.runtime.session import Reducer, ReducerContext, Session, Slice
from gatepost.runtime.snapshots import Snapshot
from gatepost.runtime.telemetry import SessionFinished, SessionRestored, SubscriberFailed

__all__ = [
    "Dispatcher",
    "Reducer",
    "ReducerContext",
    "Session",
    "SessionEnded",
    "SessionFinished",
    "SessionRestored",
    "Slice",
    "Snapshot",
    "SubscriberFailed",
    "append",
    "replace_latest",
    "select_all",
    "select_latest",
    "select_where",
    "upsert_by",
]
