"""`GET /v1/events`: a workspace's log as server-sent events, from where the client stopped."""

import re
from collections.abc import AsyncGenerator, Iterator, Sequence
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from gatepost.domain.refusals import Refusal
from gatepost.engine.caller import Caller
from gatepost.engine.engine import Engine
from gatepost.operations.answer import Answer, answer
from gatepost.surfaces.http import problems
from gatepost.surfaces.http.feeds import Feed, Feeds, Frame
from gatepost.surfaces.http.metrics import Metrics
from gatepost.surfaces.http.notes import note_of
from gatepost.surfaces.http.problems import Problem, busy, problem
from gatepost.surfaces.http.streams import HEARTBEAT, MOST, STUCK, EventStream
from gatepost.surfaces.http.workers import Workers

PARAMETERS: Final = ("workspace", "after")
_HELLO: Final = b": the log, one event each\nretry: 1000\n\n"
_BEAT: Final = b": still here\n\n"
_CHUNK: Final = 64 * 1024
_number = re.compile(r"[0-9]{1,18}\Z")


class Events:
    """Streams of the log, for any number of clients."""

    def __init__(
        self,
        engine: Engine,
        workers: Workers,
        feeds: Feeds,
        metrics: Metrics,
        bound: str | None,
        *,
        heartbeat: float = HEARTBEAT,
        stuck: float = STUCK,
    ) -> None:
        self._engine = engine
        self._workers = workers
        self._feeds = feeds
        self._metrics = metrics
        self._bound = bound
        self._heartbeat = heartbeat
        self._stuck = stuck

    async def serve(self, request: Request) -> Response:
        """The log after a `seq`, and then each event as it comes. Refused before the stream begins, or never."""
        note = note_of(request.scope)
        note.operation = "events"
        workspace, after = _asked(request)
        note.workspace = workspace[:128]
        self._feeds.check_room(workspace)
        if self._metrics.open_streams >= MOST:
            raise busy(f"{MOST} streams are open already.")
        who = note.caller(self._bound)
        head = await self._workers.run(lambda: self._head(workspace, after, who))
        if request.method == "HEAD":
            return Response(media_type=EventStream.media_type)
        note.streamed = True
        return EventStream(lambda: self._frames(workspace, head, after), self._metrics, self._stuck)

    def _head(self, workspace: str, after: int, who: Caller) -> int:
        """Where the log is now. A client that knows more than the log has followed another one."""
        asked: Answer = answer(
            self._engine, "tasks_delta", {"workspace": workspace, "since": after, "limit": 1}, who
        )
        if asked.refusal is not None:
            raise problems.refused(asked.refusal, asked.text)
        with self._engine.store.reading(workspace) as snapshot:
            head = snapshot.head().seq
        if after > head:
            raise problem(
                409,
                "resume_window_exceeded",
                f"{workspace} is at seq {head}: there is no event {after} to go on from.",
                "Forget what was read, and follow again without Last-Event-ID or `after`.",
            )
        return head

    async def _frames(self, workspace: str, head: int, after: int) -> AsyncGenerator[bytes, None]:
        yield _HELLO
        with self._feeds.watching(workspace, head) as feed:
            while not feed.ended():
                found = feed.since(after)
                if found is None:
                    found = await self._read(feed, after)
                if found is None:
                    return
                for chunk in _chunks(found):
                    yield chunk
                    if feed.ended():
                        return
                if found:
                    after = found[-1].seq
                    continue
                if not await feed.wait(self._heartbeat):
                    yield _BEAT

    async def _read(self, feed: Feed, after: int) -> list[Frame] | None:
        try:
            return await self._workers.run(lambda: feed.read(after))
        except (Refusal, Problem):  # busy: the client comes back, and goes on where it stopped
            return None


def _chunks(frames: Sequence[Frame]) -> Iterator[bytes]:
    """The frames, joined to pieces of which a client can hold one."""
    piece: list[bytes] = []
    size = 0
    for frame in frames:
        piece.append(frame.data)
        size += len(frame.data)
        if size >= _CHUNK:
            yield b"".join(piece)
            piece, size = [], 0
    if piece:
        yield b"".join(piece)


def _asked(request: Request) -> tuple[str, int]:
    """The workspace, and the `seq` to go on from: a browser that comes back says it in a header."""
    given = request.query_params
    unknown = sorted(set(given) - set(PARAMETERS))
    if unknown:
        raise _invalid(f"`{unknown[0][:80]}` is not a parameter here; there are `workspace` and `after`.")
    if "workspace" not in given:
        raise _invalid("`workspace` is missing.")
    after = request.headers.get("last-event-id") or given.get("after") or "0"
    if _number.match(after) is None:
        raise _invalid("`after`, or Last-Event-ID, must be the `seq` of an event.")
    return given["workspace"], int(after)


def _invalid(message: str) -> Problem:
    return problem(400, "INVALID_INPUT", message, "Ask as in /v1/events?workspace=acme/repo&after=12.")
