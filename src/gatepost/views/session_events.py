"""Session events: what a call did, told as a `tool_call` and the `tool_result` that `payload.todo` rides on."""

from typing import Final, Literal, NamedTuple

from msgspec import UNSET, Raw, Struct, UnsetType

from gatepost.views.todo_contracts import PROTOCOL_VERSION
from gatepost.views.todo_payload import Envelope

SNAPSHOT: Final = "todo_snapshot"
"""What the call is named that a snapshot is the result of: nobody made it but the stream itself."""


class StreamedCall(NamedTuple):
    """What is told of: a call on one scope, and where to go on from `before` it was told and once it was.

    Who heard of the call, and not yet of its result, has to hear of both again.
    """

    before: int
    seq: int
    id: str
    tool: str
    at: int
    """Milliseconds since 1970."""


class CallName(Struct, frozen=True):
    """A call as its caller sees it. Its arguments are in nobody's log."""

    id: str
    name: str


class ToolCallPayload(Struct, frozen=True, kw_only=True):
    """What a `tool_call` says."""

    call_id: str
    tool: str
    call: CallName


class ToolResultPayload(Struct, frozen=True, kw_only=True):
    """What a `tool_result` says. A call that was refused left nothing in the log, so each of these went well."""

    call_id: str
    tool: str
    status: str = "ok"
    error: bool = False
    todo: Envelope | Raw | UnsetType = UNSET
    """Or what it is as JSON, where somebody has made that before."""


class SessionEvent(Struct, frozen=True, kw_only=True):
    """One event of the stream. `seq` is where to go on from, and never falls; `id` begins with it and is unique."""

    id: str
    seq: int
    type: Literal["tool_call", "tool_result"]
    session_id: str
    turn: int | None
    timestamp_ms: int
    timestamp: int
    """The same once more, by the name that older clients look for."""
    payload: ToolCallPayload | ToolResultPayload
    protocol_version: str = PROTOCOL_VERSION


def told(
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
