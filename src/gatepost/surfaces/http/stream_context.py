"""What all streams share: their parameters, where to resume, and how frames reach a client."""

import re
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Final, NamedTuple, TypeVar

from starlette.requests import Request
from starlette.responses import Response

from gatepost.domain.refusals import Refusal
from gatepost.engine.caller import Caller
from gatepost.engine.engine import Engine
from gatepost.operations.answer import Answer, answer
from gatepost.surfaces.http import problems
from gatepost.surfaces.http.feeds import Feed, FeedLease, Feeds
from gatepost.surfaces.http.metrics import Metrics
from gatepost.surfaces.http.problems import Problem, busy, problem
from gatepost.surfaces.http.request_record import record_of
from gatepost.surfaces.http.streams import MOST, EventStreamResponse
from gatepost.surfaces.http.workers import Workers

WINDOW: Final = 10_000
"""How many events a client of the todo stream may have missed. One further behind must start again."""
GONE: Final = "resume_window_exceeded"

R = TypeVar("R")

_number = re.compile(r"[0-9]{1,18}\Z")


class StreamContext(NamedTuple):
    """What all streams need."""

    engine: Engine
    workers: Workers
    feeds: Feeds
    metrics: Metrics
    bound: str | None
    heartbeat: float
    stuck: float

    def begin(self, request: Request, workspace: str, kind: str) -> Caller:
        """The caller, if there is room for another stream."""
        note = record_of(request.scope)
        note.workspace = workspace[:128]
        self.feeds.check_room(workspace, kind)
        if self.metrics.open_streams >= MOST:
            raise busy(f"{MOST} streams are already open.")
        return note.caller(self.bound)

    async def head(self, workspace: str, who: Caller, after: int, window: int | None = None) -> int:
        """The end of the log. Refuses callers that may not see it, and positions that it cannot resume from."""
        head = await self.workers.run(lambda: _head(self.engine, workspace, who))
        if after > head:
            raise problem(
                409,
                GONE,
                f"{workspace} is at seq {head}, so there is no event {after} to resume from.",
                "Discard local state and reconnect without Last-Event-ID.",
            )
        if window is not None and head - after > window:
            raise problem(
                409,
                GONE,
                f"{workspace} is at seq {head}, more than {window} events after event {after}.",
                "Discard local state and reconnect without Last-Event-ID. The stream then starts with snapshots.",
            )
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

    async def patiently(self, work: Callable[[], R]) -> R | None:
        """The result of the work; none if the store is busy, in which case the client reconnects and goes on."""
        try:
            return await self.workers.run(work)
        except (Refusal, Problem):
            return None


def query_parameters(request: Request, known: Sequence[str], example: str) -> dict[str, str]:
    """The query parameters of a request: each known, and given once."""
    given = request.query_params
    names = [name for name, _ in given.multi_items()]
    for name in names:
        if name not in known:
            said = ", ".join(f"`{one}`" for one in known)
            raise invalid(f"Unknown parameter `{name[:80]}`; the parameters are {said}.", example)
        if names.count(name) > 1:
            raise invalid(f"`{name}` is given more than once.", example)
    return dict(given)


def workspace_of(given: dict[str, str], example: str) -> str:
    """The requested workspace."""
    if "workspace" not in given:
        raise invalid("`workspace` is missing.", example)
    return given["workspace"]


def number(text: str, name: str, example: str) -> int:
    """A number that is not negative."""
    if _number.match(text) is None:
        raise invalid(f"`{name}` must be a number, such as the `seq` of an event.", example)
    return int(text)


def last_event_id(request: Request, example: str) -> int | None:
    """The position of a browser that reconnects."""
    given = request.headers.get("last-event-id")
    return number(given, "Last-Event-ID", example) if given else None


def invalid(message: str, example: str) -> Problem:
    """A refusal of invalid parameters, with an example."""
    return problem(400, "INVALID_INPUT", message, f"Example: {example}")


def _head(engine: Engine, workspace: str, who: Caller) -> int:
    seen: Answer = answer(engine, "tasks_delta", {"workspace": workspace, "since": 0, "limit": 1}, who)
    if seen.refusal is not None:
        raise problems.refused(seen.refusal, seen.text)
    with engine.store.reading(workspace) as snapshot:
        return snapshot.head().seq
