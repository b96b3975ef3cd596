"""`GET /v1/todo` and `GET /v1/sessions/{id}/events`: every todo list, live.

A connection starts with one snapshot for each scope, followed by changes. A client that falls too far behind gets
snapshots again, on the same connection.
"""

import re
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from contextlib import aclosing
from time import monotonic
from typing import Final, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from gatepost.domain.refusals import InvalidInput
from gatepost.engine.caller import Caller
from gatepost.engine.reader import Reader
from gatepost.operations import todo_stream
from gatepost.operations.session_stream import AcpFormat, LogPosition, SessionEventFormat, log_position
from gatepost.surfaces.http import problems
from gatepost.surfaces.http.feeds import Feed
from gatepost.surfaces.http.frames import BEAT, Frame, Point, TodoFormat, chunks, frame, snapshot, todo_pages
from gatepost.surfaces.http.query import Query
from gatepost.surfaces.http.request_record import record_of
from gatepost.surfaces.http.session_directory import SessionDirectory
from gatepost.surfaces.http.snapshot_cache import CachedList, SnapshotCache, WantedList
from gatepost.surfaces.http.stream_context import WINDOW, StreamContext
from gatepost.wire import json_output

PARAMETERS: Final = ("workspace", "scope", "snapshot", "format")
SESSION_PARAMETERS: Final = ("workspace", "schema", "v", "replay", "from_id", "limit", "include_legacy")
FORMATS: Final = ("events", "acp")
SCHEMAS: Final = ("1", "2")
MOST_REPLAYED: Final = 1000

_EXAMPLE: Final = "/v1/todo?workspace=acme/repo&scope=TASK-001"
_SESSION_EXAMPLE: Final = "/v1/sessions/main/events?workspace=acme/repo&replay=true"
_HELLO: Final = b": todo lists: a snapshot of each, then what changes\nretry: 1000\n\n"
_BATCH: Final = 256 * 1024
_seq_of_id = re.compile(r"([0-9]{1,18})(?::|\Z)")


class Wanted(NamedTuple):
    """What a client asked for: a workspace's lists or one of them, the format, the position, and how much to
    replay.
    """

    workspace: str
    scope: str | None
    todo_format: TodoFormat
    after: int | None
    session: str | None = None
    replay: int = 0


class TodoStreams:
    """Streams of todo lists, for any number of clients."""

    def __init__(self, context: StreamContext, directory: SessionDirectory) -> None:
        self._context = context
        self._directory = directory

    async def serve(self, request: Request) -> Response:
        """Lists and changes as session events or ACP plan updates; or all lists once, as JSON."""
        record_of(request.scope).operation = "todo"
        query = Query(request, PARAMETERS, _EXAMPLE)
        workspace = query.workspace()
        is_acp = query.choice("format", FORMATS) == "acp"
        todo_format: TodoFormat = AcpFormat() if is_acp else SessionEventFormat(workspace)
        once = query.flag("snapshot")
        after = None if once else query.last_event_id()
        wanted = Wanted(workspace, _scope(query.values.get("scope")), todo_format, after)
        who = self._context.begin(request, workspace, todo_format.name)
        head = await self._context.head(workspace, who, after or 0, None if after is None else WINDOW)
        if once:
            text = await self._context.workers.run(lambda: self._once(wanted, who))
            return Response(text, media_type="application/json")
        return self._streamed(request, wanted, head, who)

    async def serve_session(self, request: Request) -> Response:
        """The same for one session, task or workspace, in the format of Breadboard's clients."""
        record_of(request.scope).operation = "session_events"
        query = Query(request, SESSION_PARAMETERS, _SESSION_EXAMPLE)
        for name in ("schema", "v"):
            query.choice(name, SCHEMAS)
        query.flag("include_legacy")  # there is no legacy to include
        session = request.path_params["id"]
        workspace = await self._directory.home_of(session, query.values.get("workspace"))
        todo_format = SessionEventFormat(workspace)
        after = _from_id(request, query)
        limit = query.number("limit", MOST_REPLAYED)
        replays = query.flag("replay") or after is not None
        scope = None if session == workspace else _scope(session)
        wanted = Wanted(workspace, scope, todo_format, after, session, min(limit, MOST_REPLAYED) if replays else 0)
        who = self._context.begin(request, workspace, todo_format.name)
        head = await self._context.head(workspace, who, after or 0, None if after is None else WINDOW)
        return self._streamed(request, wanted, head, who)

    def _streamed(self, request: Request, wanted: Wanted, head: int, who: Caller) -> Response:
        pages = todo_pages(wanted.todo_format)
        watch = self._context.feeds.watching(wanted.workspace, head, pages, wanted.todo_format.name)
        return self._context.watched(request, watch, lambda feed: self._frames(feed, wanted, who))

    def _once(self, wanted: Wanted, who: Caller) -> str:
        def read(reader: Reader) -> str:
            seq = reader.head().seq
            keys = todo_stream.scopes(reader) if wanted.scope is None else [wanted.scope]
            if isinstance(wanted.todo_format, AcpFormat):
                lists = [wanted.todo_format.listed(reader, key) for key in keys]
                return json_output.text({"workspace": wanted.workspace, "seq": seq, "updates": lists})
            todos = [todo_stream.snapshot(reader, key) for key in keys]
            return json_output.text({"workspace": wanted.workspace, "seq": seq, "todos": todos})

        return self._context.engine.read(wanted.workspace, who, read)

    async def _frames(self, feed: Feed, wanted: Wanted, who: Caller) -> AsyncGenerator[bytes, None]:
        yield _HELLO
        seen = _TodoClient(self._context, wanted, who)
        past = await self._context.unless_busy(seen.past)
        for chunk in chunks(seen.renamed(past or ())):
            yield chunk
        while not (feed.ended() or seen.lost):
            for part in (seen.snapshots, seen.changes):
                async with aclosing(part(feed)) as pieces:
                    async for chunk in pieces:
                        yield chunk


class _TodoClient:
    """One client: its lists, and how far it has read them."""

    def __init__(self, context: StreamContext, wanted: Wanted, who: Caller) -> None:
        self._context = context
        self._wanted = wanted
        self._who = who
        self._after = wanted.after
        self.lost = False

    async def snapshots(self, feed: Feed) -> AsyncGenerator[bytes, None]:
        """Every list. The client's position advances only with the last one, so that an interrupted client starts
        again.
        """
        plan = await self._context.unless_busy(self._plan)
        if plan is None:
            self.lost = True
            return
        before = plan.now.seq if self._after is None else self._after
        done = 0
        while done < len(plan.lists) and not feed.ended():
            found = feed.cache.find(plan.lists, done, _BATCH) or await self._made(feed.cache, plan, done)
            if not found:
                self.lost = True
                return
            frames = [self._framed(plan, done + at, before, body) for at, body in enumerate(found)]
            done += len(found)
            for chunk in chunks(self.renamed(frames)):
                yield chunk
        self._after = plan.now.seq

    async def _made(self, cache: SnapshotCache, plan: "_Plan", done: int) -> list[CachedList]:
        """The next few lists, rendered for all waiting clients; none if the store is busy."""
        async with cache.turn:
            found = cache.find(plan.lists, done, _BATCH)
            if found:
                return found
            missing = cache.missing(plan.lists, done)
            made = await self._context.unless_busy(lambda: self._batch(missing)) or []
            for scope, body in zip(missing, made, strict=False):
                cache.hold(scope, body)
            self._context.metrics.made_snapshots += len(made)
            return made

    def _framed(self, plan: "_Plan", at: int, before: int, body: CachedList) -> Frame:
        seq = plan.now.seq if at + 1 == len(plan.lists) else before
        return snapshot(self._wanted.todo_format, plan.lists[at].scope, Point(before, seq, plan.now), body.data)

    async def changes(self, feed: Feed) -> AsyncGenerator[bytes, None]:
        """The changes after the snapshots, until the client is too far behind."""
        after, sent = self._after or 0, monotonic()
        while not (feed.ended() or self.lost):
            found = feed.since(after)
            if found is None:
                break
            for chunk in chunks(self.renamed(one for one in found if self._wanted.scope in (None, one.scope))):
                yield chunk
                sent = monotonic()
                if feed.ended():
                    return
            if found:
                after = self._after = found[-1].seq
            silent = monotonic() - sent
            if silent >= self._context.heartbeat or (
                not found and not await feed.wait(self._context.heartbeat - silent)
            ):
                yield (
                    f"id: {after}\n".encode() + BEAT
                )  # other lists may have changed: the client need not read those events again
                sent = monotonic()

    def renamed(self, frames: Iterable[Frame]) -> Iterator[Frame]:
        """Shared frames with this client's session id. Quotes in texts are escaped, so only keys can match."""
        if self._wanted.session in (None, self._wanted.workspace):
            return iter(frames)
        names = (self._wanted.workspace, self._wanted.session)
        old, new = (f'"session_id":{json_output.text(name)}'.encode() for name in names)
        return (one._replace(data=one.data.replace(old, new)) for one in frames)

    def past(self) -> list[Frame]:
        """The earlier calls that a client asked to replay."""
        wanted, todo_format = self._wanted, self._wanted.todo_format
        if not wanted.replay or not isinstance(todo_format, SessionEventFormat):
            return []

        def read(reader: Reader) -> list[Frame]:
            groups = todo_format.past(reader, wanted.scope, wanted.after, wanted.replay)
            return [frame(group) for group in groups]

        return self._context.engine.read(wanted.workspace, self._who, read)

    def _plan(self) -> "_Plan":
        def read(reader: Reader) -> _Plan:
            one = self._wanted.scope
            keys = todo_stream.scopes(reader, self._after) if one is None else [one]
            return _Plan([WantedList(key, todo_stream.revision(reader, key)) for key in keys], log_position(reader))

        return self._context.engine.read(self._wanted.workspace, self._who, read)

    def _batch(self, scopes: Sequence[str]) -> list[CachedList]:
        """The first few lists: as many as make a reasonable chunk."""

        def read(reader: Reader) -> list[CachedList]:
            made: list[CachedList] = []
            size = 0
            for scope in scopes:
                data = json_output.text(self._wanted.todo_format.listed(reader, scope)).encode()
                made.append(CachedList(todo_stream.revision(reader, scope), data))
                size += len(data)
                if size > _BATCH:
                    break
            return made

        return self._context.engine.read(self._wanted.workspace, self._who, read)


class _Plan(NamedTuple):
    """The lists to send to a new client, and the end of the log at that time."""

    lists: list[WantedList]
    now: LogPosition


def _scope(given: str | None) -> str | None:
    """A valid scope, or a refusal."""
    if given is not None:
        try:
            todo_stream.place_of(given)
        except InvalidInput as no:
            raise problems.refused(no, json_output.refusal(no)) from None
    return given


def _from_id(request: Request, query: Query) -> int | None:
    """Where to resume: a `seq`, or the whole id of an event."""
    given = request.headers.get("last-event-id") or query.values.get("from_id")
    if not given:
        return None
    found = _seq_of_id.match(given)
    if found is None:
        raise query.refusal("`from_id`, or Last-Event-ID, must be the `seq` or the `id` of an event.")
    return int(found[1])
