"""Session events: each call is sent as a `tool_call` and a `tool_result`, which carries `payload.todo`."""

from typing import Final, Literal, NamedTuple

from msgspec import UNSET, Raw, Struct, UnsetType

from gatepost.views.todo_payload import Envelope

PROTOCOL_VERSION: Final = "1.0"
SNAPSHOT: Final = "todo_snapshot"
"""The tool name of the call that carries a snapshot. The stream itself makes this call."""


class StreamedCall(NamedTuple):
    """A call on one scope, and the log positions `before` and after it.

    A reader that received the call but not its result receives both again.
    """

    before: int
    seq: int
    id: str
    tool: str
    at: int
    """Milliseconds since 1970."""


class CallName(Struct, frozen=True):
    """A call by its id and name. Arguments are not logged."""

    id: str
    name: str


class ToolCallPayload(Struct, frozen=True, kw_only=True):
    """The payload of a `tool_call`."""

    call_id: str
    tool: str
    call: CallName


class ToolResultPayload(Struct, frozen=True, kw_only=True):
    """The payload of a `tool_result`. Refused calls are not in the log, so each of these succeeded."""

    call_id: str
    tool: str
    status: str = "ok"
    error: bool = False
    todo: Envelope | Raw | UnsetType = UNSET
    """`Raw` if the JSON was already encoded."""


class SessionEvent(Struct, frozen=True, kw_only=True):
    """One event of the stream. Resume from `seq`, which never decreases; `id` begins with it and is unique."""

    id: str
    seq: int
    type: Literal["tool_call", "tool_result"]
    session_id: str
    turn: int | None
    timestamp_ms: int
    timestamp: int
    """The same under the name that older clients use."""
    payload: ToolCallPayload | ToolResultPayload
    protocol_version: str = PROTOCOL_VERSION


def event_pair(
    session: str, call: StreamedCall, todo: Envelope | Raw | UnsetType = UNSET
) -> tuple[SessionEvent, SessionEvent]:
    """A call and its result, which carries the list or what changed in it."""
    begun = ToolCallPayload(call_id=call.id, tool=call.tool, call=CallName(call.id, call.tool))
    ended = ToolResultPayload(call_id=call.id, tool=call.tool, todo=todo)
    return (
        _event(session, call, call.before, "tool_call", begun),
        _event(session, call, call.seq, "tool_result", ended),
    )


def _event(
    session: str,
    call: StreamedCall,
    seq: int,
    kind: Literal["tool_call", "tool_result"],
    payload: ToolCallPayload | ToolResultPayload,
) -> SessionEvent:
    return SessionEvent(
        id=f"{seq}:{call.id}:{kind}",
        seq=seq,
        type=kind,
        session_id=session,
        turn=None,  # agents' turns are not ours to count
        timestamp_ms=call.at,
        timestamp=call.at,
        payload=payload,
    )
