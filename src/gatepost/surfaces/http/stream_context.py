"""What all streams share: their parameters, where to resume, and how frames reach a client."""

from collections.abc import AsyncGenerator, Callable
from typing import Final, NamedTuple, TypeVar

from starlette.requests import Request
from starlette.responses import Response

from gatepost.domain.refusals import Refusal
from gatepost.engine.caller import Caller
from gatepost.engine.engine import Engine
from gatepost.operations.answer import CallResult, answer
from gatepost.surfaces.http import problems
from gatepost.surfaces.http.check_calls import CheckCalls
from gatepost.surfaces.http.feeds import Feed, FeedLease, Feeds
from gatepost.surfaces.http.metrics import Metrics
from gatepost.surfaces.http.problems import Problem, busy, problem
from gatepost.surfaces.http.request_record import record_of
from gatepost.surfaces.http.streams import MOST, EventStreamResponse
from gatepost.surfaces.http.workers import Workers

WINDOW: Final = 10_000
"""How many events a client of the todo stream may have missed. One further behind must start again."""
GONE: Final = "resume_window_exceeded"
_START_AGAIN: Final = "Discard local state and reconnect without Last-Event-ID."

R = TypeVar("R")


class StreamContext(NamedTuple):
    """What all streams need."""

    engine: Engine
    workers: Workers
    checks: CheckCalls
    feeds: Feeds
    metrics: Metrics
    bound: str | None
    heartbeat: float
    stuck: float
    default: str | None = None

    def begin(self, request: Request, workspace: str, kind: str) -> Caller:
        """The caller, if there is room for another stream."""
        record = record_of(request.scope)
        record.workspace = workspace[:128]
        self.feeds.check_room(workspace, kind)
        if self.metrics.open_streams >= MOST:
            raise busy(f"{MOST} streams are already open.")
        return record.caller(self.bound)

    async def head(self, workspace: str, who: Caller, after: int, window: int | None = None) -> int:
        """The end of the log. Refuses callers that may not see it, and positions that it cannot resume from."""
        head = await self.workers.run(lambda: _head(self.engine, workspace, who))
        if after > head:
            message = f"{workspace} is at seq {head}, so there is no event {after} to resume from."
            raise problem(409, GONE, message, _START_AGAIN)
        if window is not None and head - after > window:
            message = f"{workspace} is at seq {head}, more than {window} events after event {after}."
            raise problem(409, GONE, message, f"{_START_AGAIN} The stream then starts with snapshots.")
        return head

    def watched(
        self, request: Request, watch: FeedLease, source: Callable[[Feed], AsyncGenerator[bytes, None]]
    ) -> Response:
        """The frames of a feed as a response. The feed is watched until it ends."""
        if request.method == "HEAD":
            watch.release()
            return Response(media_type=EventStreamResponse.media_type)
        return self.stream(request, lambda: source(watch.feed), watch.release)

    def stream(
        self,
        request: Request,
        source: Callable[[], AsyncGenerator[bytes, None]],
        ended: Callable[[], None] = lambda: None,
    ) -> Response:
        """The source as a response."""
        record_of(request.scope).streamed = True
        return EventStreamResponse(source, self.metrics, self.stuck, ended)

    async def unless_busy(self, work: Callable[[], R]) -> R | None:
        """The result of the work; none if the store is busy, in which case the client reconnects and goes on."""
        try:
            return await self.workers.run(work)
        except (Refusal, Problem):
            return None


def _head(engine: Engine, workspace: str, who: Caller) -> int:
    seen: CallResult = answer(engine, "tasks_delta", {"workspace": workspace, "since": 0, "limit": 1}, who)
    if seen.refusal is not None:
        raise problems.refused(seen.refusal, seen.text)
    with engine.store.reading(workspace) as snapshot:
        return snapshot.head().seq
