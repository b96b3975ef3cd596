"""What all streams have in common: what may be asked, from where one goes on, and how frames reach a client."""

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
"""So many events may a client of the todo stream have missed. One that was away for longer begins anew."""
GONE: Final = "resume_window_exceeded"

R = TypeVar("R")

_number = re.compile(r"[0-9]{1,18}\Z")


class StreamContext(NamedTuple):
    """What streams stand on."""

    engine: Engine
    workers: Workers
    feeds: Feeds
    metrics: Metrics
    bound: str | None
    heartbeat: float
    stuck: float

    def begin(self, request: Request, workspace: str, kind: str) -> Caller:
        """Whoever asks, if there is room for one more."""
        note = record_of(request.scope)
        note.workspace = workspace[:128]
        self.feeds.check_room(workspace, kind)
        if self.metrics.open_streams >= MOST:
            raise busy(f"{MOST} streams are open already.")
        return note.caller(self.bound)

    async def head(self, workspace: str, who: Caller, after: int, window: int | None = None) -> int:
        """Where the log is now. Refuses who may not see it, and who cannot go on from where they stopped."""
        head = await self.workers.run(lambda: _head(self.engine, workspace, who))
        if after > head:
            raise problem(
                409,
                GONE,
                f"{workspace} is at seq {head}: there is no event {after} to go on from.",
                "Forget what was read, and follow again without Last-Event-ID or a place to go on from.",
            )
        if window is not None and head - after > window:
            raise problem(
                409,
                GONE,
                f"{workspace} is at seq {head}: event {after} is more than {window} events ago.",
                "Forget what was read, and follow again without Last-Event-ID: the stream begins with snapshots.",
            )
        return head

    def watched(
        self, request: Request, watch: FeedLease, source: Callable[[Feed], AsyncGenerator[bytes, None]]
    ) -> Response:
        """What a source makes of a feed, as a response; the feed is watched until that ends."""
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
        """What the work gives; nothing where the store is busy: the client comes back, and goes on."""
        try:
            return await self.workers.run(work)
        except (Refusal, Problem):
            return None


def query_parameters(request: Request, known: Sequence[str], example: str) -> dict[str, str]:
    """The parameters of a request: each known, and given once."""
    given = request.query_params
    names = [name for name, _ in given.multi_items()]
    for name in names:
        if name not in known:
            said = ", ".join(f"`{one}`" for one in known)
            raise invalid(f"`{name[:80]}` is not a parameter here; there are {said}.", example)
        if names.count(name) > 1:
            raise invalid(f"`{name}` is given twice.", example)
    return dict(given)


def workspace_of(given: dict[str, str], example: str) -> str:
    """The workspace that was asked for."""
    if "workspace" not in given:
        raise invalid("`workspace` is missing.", example)
    return given["workspace"]


def number(text: str, name: str, example: str) -> int:
    """A number that is not negative."""
    if _number.match(text) is None:
        raise invalid(f"`{name}` must be a number, such as the `seq` of an event.", example)
    return int(text)


def last_event_id(request: Request, example: str) -> int | None:
    """Where a browser that comes back says that it stopped."""
    given = request.headers.get("last-event-id")
    return number(given, "Last-Event-ID", example) if given else None


def invalid(message: str, example: str) -> Problem:
    """A request that does not say what is meant."""
    return problem(400, "INVALID_INPUT", message, f"Ask as in {example}.")


def _head(engine: Engine, workspace: str, who: Caller) -> int:
    seen: Answer = answer(engine, "tasks_delta", {"workspace": workspace, "since": 0, "limit": 1}, who)
    if seen.refusal is not None:
        raise problems.refused(seen.refusal, seen.text)
    with engine.store.reading(workspace) as snapshot:
        return snapshot.head().seq
