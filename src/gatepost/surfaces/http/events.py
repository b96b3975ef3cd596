"""`GET /v1/events`: a workspace's log as server-sent events, resumable."""

from collections.abc import AsyncGenerator
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from gatepost.surfaces.http.feeds import Feed
from gatepost.surfaces.http.frames import BEAT, chunks
from gatepost.surfaces.http.query import Query
from gatepost.surfaces.http.request_record import record_of
from gatepost.surfaces.http.stream_context import StreamContext

PARAMETERS: Final = ("workspace", "after")
_EXAMPLE: Final = "/v1/events?workspace=acme/repo&after=12"
_HELLO: Final = b": the log, one event each\nretry: 1000\n\n"


class Events:
    """Streams of the log, for any number of clients."""

    def __init__(self, context: StreamContext) -> None:
        self._context = context

    async def serve(self, request: Request) -> Response:
        """The log after a `seq`, then each new event. Refused before the stream starts, or never."""
        record_of(request.scope).operation = "events"
        query = Query(request, PARAMETERS, _EXAMPLE)
        workspace = query.workspace()
        after = query.last_event_id()
        if after is None:
            after = query.number("after", 0) if query.values.get("after") else 0
        head = await self._context.head(workspace, self._context.begin(request, workspace, "log"), after)
        watch = self._context.feeds.watching(workspace, head)
        return self._context.watched(request, watch, lambda feed: self._frames(feed, after))

    async def _frames(self, feed: Feed, after: int) -> AsyncGenerator[bytes, None]:
        yield _HELLO
        while not feed.ended():
            found, here = feed.since(after), after
            if found is None:
                found = await self._context.unless_busy(lambda: feed.read(here))  # noqa: B023 - awaited at once
            if found is None:
                return
            for chunk in chunks(found):
                yield chunk
                if feed.ended():
                    return
            if found:
                after = found[-1].seq
            elif not await feed.wait(self._context.heartbeat):
                yield BEAT
