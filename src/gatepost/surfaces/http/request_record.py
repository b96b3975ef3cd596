"""What is known about a request in progress, for its log line and the metrics."""

import os
import re
from typing import Final

from msgspec.structs import replace
from starlette.types import Scope

from gatepost.domain.claims import Holder
from gatepost.domain.names import SESSION
from gatepost.engine.caller import DEFAULT_SESSION, Caller
from gatepost.operations.answer import caller

ACTOR: Final = "http"
"""The actor of a request that names none, and the kind of all who are no people."""
ACTOR_HEADER: Final = b"x-gatepost-actor"
SESSION_HEADER: Final = b"x-gatepost-session"
HOLDER_HEADER: Final = b"x-gatepost-holder"
"""A client that makes many calls can choose the name that holds its claims."""
REQUEST_ID_HEADER: Final = b"x-request-id"

_KEY: Final = "gatepost.record"
_session = re.compile(SESSION)
_request_id = re.compile(rb"[A-Za-z0-9._:-]{1,64}\Z")


class RequestRecord:
    """One request: filled in on the way, and read at the end."""

    def __init__(self, scope: Scope) -> None:
        given = header(scope, REQUEST_ID_HEADER)
        known = given is not None and _request_id.match(given)
        self.request_id = given.decode("ascii") if given is not None and known else os.urandom(8).hex()
        self.actor = caller(named_actor(scope) or ACTOR, kind=ACTOR).actor
        named = [value.decode("latin-1") for key, value in scope["headers"] if key == SESSION_HEADER]
        self.session = ",".join(named) if named else DEFAULT_SESSION
        holder = header(scope, HOLDER_HEADER)
        held = None if holder is None else holder.decode("latin-1")
        self.holder = Holder(held) if held is not None and _session.match(held) else None
        self.holder_is_valid = held is None or self.holder is not None
        self.operation: str | None = None
        self.workspace: str | None = None
        self.outcome = "ok"
        self.status = 0
        self.streamed = False
        self.fault: str | None = None
        scope[_KEY] = self

    @property
    def session_is_valid(self) -> bool:
        """Whether the header, if it was sent, is one session's name."""
        return _session.match(self.session) is not None

    def caller(self, bound: str | None) -> Caller:
        """The caller, as far as HTTP knows it. No file operations over the network."""
        known = caller(self.actor, bound, session=self.session, files=frozenset())
        return replace(known, connection=self.holder)


def record_of(scope: Scope) -> RequestRecord:
    """The record of the current request."""
    record: RequestRecord = scope[_KEY]
    return record


def named_actor(scope: Scope) -> str:
    """The name that a request gives itself; empty if none. Only the page is believed to be a person."""
    return _text(header(scope, ACTOR_HEADER) or b"").strip()


def _text(value: bytes) -> str:
    """A header as text: UTF-8, as our clients send it, or Latin-1, as HTTP used to define."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


def header(scope: Scope, name: bytes) -> bytes | None:
    """A header's value; none if it is absent or repeated."""
    found = [value for key, value in scope["headers"] if key == name]
    return found[0] if len(found) == 1 else None
