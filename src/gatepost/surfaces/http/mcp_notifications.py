"""Change notifications over HTTP: a modern client's stream, and the stream of a legacy session.

Both use the feeds of the log. A client that was away gets one notification for what changed meanwhile.
"""

import asyncio
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from functools import partial
from typing import Final

from gatepost.surfaces.http.feeds import Feed
from gatepost.surfaces.http.frames import BEAT
from gatepost.surfaces.http.mcp_exchange import event
from gatepost.surfaces.http.mcp_sessions import McpSession
from gatepost.surfaces.http.mcp_subscriptions import McpSubscriptions
from gatepost.surfaces.http.problems import Problem
from gatepost.surfaces.http.stream_context import StreamContext
from gatepost.surfaces.mcp.resources import Resources
from gatepost.surfaces.mcp.subscriptions import SubscriptionStream, updates

_HELLO: Final = b": changes of what was subscribed to\nretry: 1000\n\n"
_PAUSE: Final = 0.25


class McpNotifications:
    """All open notification streams."""

    def __init__(self, context: StreamContext) -> None:
        self._context = context
        self._watches: list[McpSubscriptions] = []

    async def modern(self, listening: SubscriptionStream, resources: Resources) -> AsyncGenerator[bytes, None]:
        """A modern client's stream, from the acknowledgement to the server's end."""
        yield event(listening.acknowledged())
        watch = McpSubscriptions(listening.watched)
        async with aclosing(self._changes(watch, resources)) as changes:
            async for uris in changes:
                yield _frames(uris, listening.mark())
        yield event(listening.ended())

    async def legacy(self, session: McpSession, resources: Resources) -> AsyncGenerator[bytes, None]:
        """A session's stream, until it ends or opens another one. The session is in use meanwhile."""
        watch = session.watch
        turn = watch.take_over()
        yield _HELLO
        async with aclosing(self._changes(watch, resources)) as changes:
            async for uris in changes:
                if watch.turn != turn:
                    watch.keep(uris)
                    return
                session.in_use()
                yield _frames(uris, {})

    def stop(self) -> None:
        """End all streams."""
        for watch in self._watches:
            watch.end()

    async def _changes(self, watch: McpSubscriptions, resources: Resources) -> AsyncGenerator[list[str], None]:
        """The changed URIs, some at a time; an empty list now and then while nothing changes."""
        followers: dict[str, asyncio.Task[bool]] = {}
        self._watches.append(watch)
        try:
            while not watch.ended and all(one.result() for one in followers.values() if one.done()):
                for workspace in watch.workspaces():
                    if workspace not in followers or followers[workspace].done():
                        followers[workspace] = asyncio.create_task(self._follow(watch, workspace, resources))
                await watch.wait(self._context.heartbeat)
                yield watch.news()
        finally:
            self._watches.remove(watch)
            for follower in followers.values():
                follower.cancel()

    async def _follow(self, watch: McpSubscriptions, workspace: str, resources: Resources) -> bool:
        """Collect changes whenever a log grows, while the client watches it. False if the log's feed has ended."""
        try:
            self._context.feeds.check_room(workspace)
            with self._context.feeds.watching(workspace, watch.seq(workspace)) as feed:
                while not feed.ended() and (uris := watch.uris(workspace)):
                    await self._look(watch, feed, uris, resources)
                return not feed.ended()
        except Problem:  # too many feeds: the client reconnects, or reads by itself
            return False
        finally:
            watch.wake()

    async def _look(self, watch: McpSubscriptions, feed: Feed, uris: list[str], resources: Resources) -> None:
        after, added = watch.seq(feed.workspace), watch.added
        if feed.since(after) == []:
            await feed.wait(self._context.heartbeat)
            return
        looked = await self._context.unless_busy(partial(resources.changed, feed.workspace, after, uris))
        if looked is None:
            await feed.wait(_PAUSE)
        elif added == watch.added:  # otherwise look again, to cover what was added meanwhile
            watch.tell(feed.workspace, *looked)


def _frames(uris: Iterable[str], mark: dict[str, object]) -> bytes:
    return b"".join(map(event, updates(uris, mark))) or BEAT
