"""`GET /v1/sessions` and `GET /v1/sessions/{id}`: the sessions that a client can follow."""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from gatepost import __version__
from gatepost.domain.refusals import InvalidInput
from gatepost.engine.caller import Caller
from gatepost.operations import session_list, todo_stream
from gatepost.operations.session_list import Summary
from gatepost.surfaces.http.problems import Problem, invalid, problem, quoted
from gatepost.surfaces.http.query import Query
from gatepost.surfaces.http.request_record import record_of
from gatepost.surfaces.http.stream_context import StreamContext
from gatepost.views.session_events import PROTOCOL_VERSION
from gatepost.wire import json_output

MOST: Final = 1000
USUAL: Final = 100

_LIST: Final = ("workspace", "limit")
_LIST_EXAMPLE: Final = "/v1/sessions?workspace=acme/repo&limit=50"
_ONE: Final = ("workspace",)
_ONE_EXAMPLE: Final = "/v1/sessions/main?workspace=acme/repo"
_FOLLOW_EXAMPLE: Final = "/v1/sessions/main/events?workspace=acme/repo&replay=true"
_JSON: Final = "application/json"


class SessionDirectory:
    """The sessions of a server: each workspace, and in a workspace its tasks and its sessions' lists."""

    def __init__(self, context: StreamContext) -> None:
        self._context = context

    async def health(self, request: Request) -> Response:
        """Whether the server runs, and which protocols it supports."""
        record_of(request.scope).operation = "health"
        health = {"status": "ok", "protocol_version": PROTOCOL_VERSION, "version": __version__}
        return Response(json_output.text(health), media_type=_JSON)

    async def serve(self, request: Request) -> Response:
        """The sessions of a workspace; without one, each workspace as a session."""
        record_of(request.scope).operation = "sessions"
        query = Query(request, _LIST, _LIST_EXAMPLE)
        limit = min(query.number("limit", USUAL), MOST)
        who = record_of(request.scope).caller(self._context.bound)
        workspace = query.values.get("workspace") or self._context.bound
        if workspace is None:
            found = await self._context.workers.run(lambda: self._workspaces(who, limit))
        else:
            await self._context.head(workspace, who, 0)
            found = await self._context.workers.run(
                lambda: self._context.engine.read(workspace, who, lambda reader: session_list.listed(reader, limit))
            )
        return Response(json_output.text(found), media_type=_JSON)

    async def serve_one(self, request: Request) -> Response:
        """One session: a workspace, a task or a session's list."""
        record_of(request.scope).operation = "session"
        query = Query(request, _ONE, _ONE_EXAMPLE)
        session = request.path_params["id"]
        workspace = await self.home_of(session, query.values.get("workspace"))
        who = record_of(request.scope).caller(self._context.bound)
        await self._context.head(workspace, who, 0)
        found = await self._context.workers.run(lambda: self._one(workspace, session, who))
        if found is None:
            raise _unknown(session)
        return Response(json_output.text(found), media_type=_JSON)

    async def home_of(self, session: str, workspace: str | None) -> str:
        """The workspace of a session: the given one, the server's own, or the only one with such a list."""
        known = workspace or self._context.bound
        return await self._context.workers.run(lambda: self._home_of(session)) if known is None else known

    def _home_of(self, session: str) -> str:
        known = self._context.engine.store.workspaces()
        if session in known:
            return session
        try:
            place = todo_stream.place_of(session)
        except InvalidInput:  # then it can only be a new workspace
            return session
        found = []
        for workspace in known:
            with self._context.engine.store.reading(workspace) as snapshot:
                if snapshot.load((place,)):
                    found.append(workspace)
        if len(found) == 1:
            return found[0]
        if found:
            message = f"{session} is in several workspaces ({', '.join(found[:5])}): choose one."
            raise invalid(message, f"Example: {_FOLLOW_EXAMPLE}")
        raise _unknown(session)

    def _workspaces(self, who: Caller, limit: int) -> list[Summary]:
        names = self._context.engine.store.workspaces()[:limit]
        found = self._context.engine.read_each(names, who, session_list.whole)
        return [summary for summary in found if summary is not None]

    def _one(self, workspace: str, session: str, who: Caller) -> Summary | None:
        if session == workspace:
            return self._context.engine.read(workspace, who, session_list.whole)
        try:
            return self._context.engine.read(workspace, who, lambda reader: session_list.one(reader, session))
        except InvalidInput:
            return None


def _unknown(session: str) -> Problem:
    return problem(
        404,
        "UNKNOWN_ID",
        f"Unknown session {quoted(session)}.",
        f"GET /v1/sessions lists all sessions. To wait for a new one, name its workspace: {_FOLLOW_EXAMPLE}.",
    )
