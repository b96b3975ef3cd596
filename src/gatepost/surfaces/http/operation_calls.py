"""`POST /v1/operations/{name}`: the operations, each under its name."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response

from gatepost.domain.names import SESSION
from gatepost.engine.engine import Engine
from gatepost.operations.answer import answer
from gatepost.operations.catalog import BY_NAME
from gatepost.surfaces.http import bodies, problems
from gatepost.surfaces.http.page_session import PageSession
from gatepost.surfaces.http.request_record import record_of
from gatepost.surfaces.http.workers import Workers
from gatepost.wire.texts import MEANINGS


class OperationCalls:
    """Answers calls. A refusal is a problem; what is neither reply nor refusal is a fault."""

    def __init__(
        self, engine: Engine, workers: Workers, bound: str | None, default: str | None, session: PageSession
    ) -> None:
        self._engine = engine
        self._page_session = session
        self._workers = workers
        self._bound = bound
        self._default = default

    async def serve(self, request: Request) -> Response:
        """One call: its arguments in, its reply out, to the letter."""
        name = request.path_params["name"]
        record = record_of(request.scope)
        record.operation = name if name in BY_NAME else "unknown"
        if not record.session_is_valid:
            recovery = "Correct the header, or leave it out to use the list of `main`."
            raise problems.invalid(f"`X-Gatepost-Session` {MEANINGS[SESSION]}.", recovery)
        record.actor = self._page_session.person(request) or record.actor
        given = await bodies.arguments(request)
        record.workspace = _named(given)
        who = replace(record.caller(self._bound), default=self._default)
        engine = self._engine.rehearsing() if _is_rehearsal(request) else self._engine
        answered = await self._workers.run(lambda: answer(engine, name, given, who))
        if answered.refusal is not None:
            raise problems.refused(answered.refusal, answered.text)
        return Response(answered.text, media_type="application/json")


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
