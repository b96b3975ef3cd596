"""Session events: what a call did, told as a `tool_call` and the `tool_result` that `payload.todo` rides on."""

from typing import Final, Literal, NamedTuple

from msgspec import UNSET, Struct, UnsetType

from gatepost.views.todo_contracts import PROTOCOL_VERSION
from gatepost.views.todo_payload import Envelope

SNAPSHOT: Final = "todo_snapshot"
"""What the call is named that a snapshot is the result of: nobody made it but the stream itself."""


class Voice(NamedTuple):
    """How a stream speaks: as which session, and whether with the second time stamp that older clients look for."""

    session_id: str
    timestamp: bool = False


class Call(NamedTuple):
    """What is told of: a call on one scope, and where to go on from `before` it was told and once it was.

    Who heard of the call, and not yet of its result, has to hear of both again.
    """

    before: int
    seq: int
    id: str
    tool: str
    at: int
    """Milliseconds since 1970."""


class Payload(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a call or its result says."""

    call_id: str
    tool: str
    is_error: bool | UnsetType = UNSET
    todo: Envelope | UnsetType = UNSET


class SessionEvent(Struct, frozen=True, kw_only=True):
    """One event of the stream. `seq` is where to go on from, and never falls; `id` begins with it and is unique."""

    id: str
    seq: int
    type: Literal["tool_call", "tool_result"]
    session_id: str
    turn: int | None
    timestamp_ms: int
    payload: Payload
    protocol_version: str = PROTOCOL_VERSION
    timestamp: int | UnsetType = UNSET


def told(voice: Voice, call: Call, todo: Envelope | UnsetType = UNSET) -> tuple[SessionEvent, SessionEvent]:
    """A call and its result, which carries the list or what changed in it."""
    result = Payload(call_id=call.id, tool=call.tool, is_error=False, todo=todo)
    return (
        _event(voice, call, call.before, "tool_call", Payload(call_id=call.id, tool=call.tool)),
        _event(voice, call, call.seq, "tool_result", result),
    )


def _event(
    voice: Voice, call: Call, seq: int, kind: Literal["tool_call", "tool_result"], payload: Payload
) -> SessionEvent:
    return SessionEvent(
        id=f"{seq}:{call.id}:{kind}",
        seq=seq,
        type=kind,
        session_id=voice.session_id,
        turn=None,  # agents' turns are not ours to count
        timestamp_ms=call.at,
        payload=payload,
        timestamp=call.at if voice.timestamp else UNSET,
    )
