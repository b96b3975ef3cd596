"""`POST /v1/operations/{name}`: the operations, each under its name."""

import re
from collections.abc import Mapping
from contextlib import nullcontext
from threading import Event
from typing import Any, Final

from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response

from gatepost.domain.names import REQUEST_ID, SESSION
from gatepost.domain.slow_calls import is_slow
from gatepost.engine.caller import Caller
from gatepost.engine.engine import Engine
from gatepost.operations.answer import CallResult, answer
from gatepost.operations.catalog import BY_NAME
from gatepost.surfaces.http import bodies, problems
from gatepost.surfaces.http.page_session import PageSession
from gatepost.surfaces.http.request_record import record_of
from gatepost.surfaces.http.stream_context import StreamContext
from gatepost.wire.texts import MEANINGS

KEY_HEADER: Final = "Idempotency-Key"

_request_id = re.compile(REQUEST_ID)


class OperationCalls:
    """Answers calls. A refusal is a problem; what is neither reply nor refusal is a fault."""

    def __init__(self, context: StreamContext, session: PageSession) -> None:
        self._context = context
        self._page_session = session

    async def serve(self, request: Request) -> Response:
        """One call: its arguments in, its reply out, to the letter."""
        name = request.path_params["name"]
        record = record_of(request.scope)
        record.operation = name if name in BY_NAME else "unknown"
        if not record.session_is_valid:
            recovery = "Correct the header, or leave it out to use the list of `main`."
            raise problems.invalid(f"`X-Gatepost-Session` {MEANINGS[SESSION]}.", recovery)
        if not record.holder_is_valid:
            recovery = "Correct the header, or leave it out."
            raise problems.invalid(f"`X-Gatepost-Holder` {MEANINGS[SESSION]}.", recovery)
        record.actor = self._page_session.person(request) or record.actor
        given = _with_key(request, name, await bodies.arguments(request))
        record.workspace = _named(given)
        context = self._context
        who = replace(record.caller(context.bound), default=context.default)
        engine = context.engine.rehearsing() if _is_rehearsal(request) else context.engine
        if is_slow(name, given):
            answered = await self._checked(request, engine, given, who)
        else:
            answered = await context.workers.run(lambda: answer(engine, name, given, who))
        if answered.refusal is not None:
            raise problems.refused(answered.refusal, answered.text)
        return Response(answered.text, media_type="application/json")

    async def _checked(self, request: Request, engine: Engine, given: dict[str, Any], who: Caller) -> CallResult:
        """A call that may run checks, until its client goes."""
        cancelled, name = Event(), request.path_params["name"]
        watched = engine.watched(lambda _: nullcontext(_unheard), cancelled)
        return await self._context.checks.run(request, cancelled, lambda: answer(watched, name, given, who))


def _with_key(request: Request, name: str, given: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call, with the header's key as its `request_id`. Calls that take none go without."""
    keys = request.headers.getlist(KEY_HEADER)
    if not keys or name not in BY_NAME or "request_id" not in BY_NAME[name].command.__struct_fields__:
        return given
    key = keys[0][1:-1] if len(keys[0]) > 1 and keys[0][0] == keys[0][-1] == '"' else keys[0]
    if len(keys) > 1 or not _request_id.match(key):
        recovery = "Correct the header, or leave it out. A random UUID is a good key."
        raise problems.invalid(f"`{KEY_HEADER}` {MEANINGS[REQUEST_ID]}.", recovery)
    if given.get("request_id", key) != key:
        raise problems.invalid(
            f"`request_id` and `{KEY_HEADER}` differ, and both name this call.", "Send only one of them."
        )
    return {**given, "request_id": key}


def _unheard(_output: bytes) -> None:
    """A reply has no place for output while it is not there yet."""


def _is_rehearsal(request: Request) -> bool:
    """Whether to answer and store nothing. A value that is not understood must not become a write."""
    asked = request.query_params.get("rehearse", "0")
    if asked not in ("0", "1"):
        recovery = "Add ?rehearse=1 to see the reply and store nothing."
        raise problems.invalid("`rehearse` must be 0 or 1.", recovery)
    return asked == "1"


def _named(given: Mapping[str, Any]) -> str | None:
    workspace = given.get("workspace")
    return workspace[:128] if isinstance(workspace, str) else None
