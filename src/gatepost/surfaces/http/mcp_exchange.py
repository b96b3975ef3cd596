"""A request that may be talked about before it is answered: as JSON if it is answered at once, else as a stream.

A call is run in a thread. When it says something, or takes long, the response becomes a stream of server-sent
events. When it asks a legacy client something, the question goes out on that stream, the answer comes in with
another request, and the call is run again: nothing waits but the stream.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from typing import Final

from gatepost.surfaces.http.frames import BEAT
from gatepost.surfaces.http.mcp_sessions import McpSession
from gatepost.surfaces.http.problems import Problem
from gatepost.surfaces.mcp.answers import PendingQuestions
from gatepost.surfaces.mcp.exchange import Answer
from gatepost.surfaces.mcp.messages import INTERNAL_ERROR, INVALID_REQUEST, RpcError, RpcReply, refusal
from gatepost.surfaces.mcp.subscriptions import SubscriptionStream

PATIENCE: Final = 300.0
"""So long may a person take to answer."""
KEPT: Final = 1024
"""Of what is said faster than a client takes it, so much is kept, the newest."""

Outcome = RpcReply | PendingQuestions | SubscriptionStream | None
Say = Callable[[bytes], None]
Work = Callable[[dict[str, Answer], Say], Awaitable[Outcome]]
"""Runs the call with what has been answered, and a way to say something meanwhile, from any thread."""


class McpExchange:
    """One request. Belongs to the event loop's thread, but for what is said."""

    def __init__(self, work: Work, request_id: str | int | None, heartbeat: float) -> None:
        self._work = work
        self._id = request_id
        self._heartbeat = heartbeat
        self._loop = asyncio.get_running_loop()
        self._said: deque[bytes] = deque(maxlen=KEPT)
        self._stirred = asyncio.Event()
        self._running = self._run({})

    async def at_once(self) -> bool:
        """Whether the call is over before anything was said or much time went by."""
        await self._wait()
        return self._running.done() and not self._said

    async def outcome(self) -> Outcome:
        """How the call came out, however long it takes."""
        return await self._running

    async def frames(self, session: McpSession | None) -> AsyncGenerator[bytes, None]:
        """All that is said, and in the end the reply. Only a session can be asked."""
        try:
            while True:
                while self._said:
                    yield event(self._said.popleft())
                if not self._running.done():
                    if not await self._wait():
                        yield BEAT
                    continue
                outcome = self._ended()
                if not isinstance(outcome, PendingQuestions):
                    break
                async for frame in self._asking(outcome, session):
                    yield frame
            if isinstance(outcome, RpcReply):
                yield event(outcome.body)
        finally:
            self._running.cancel()

    def _run(self, answers: dict[str, Answer]) -> "asyncio.Future[Outcome]":
        self._stirred.clear()
        running = asyncio.ensure_future(self._work(answers, self._say))
        running.add_done_callback(lambda _: self._stirred.set())
        return running

    def _say(self, line: bytes) -> None:
        def heard() -> None:
            self._said.append(line)
            self._stirred.set()

        with suppress(RuntimeError):  # the loop has ended meanwhile, and whoever would have listened
            self._loop.call_soon_threadsafe(heard)

    async def _wait(self) -> bool:
        """Wait until something is said or the call is over, but not for ever; whether it came."""
        try:
            async with asyncio.timeout(self._heartbeat):
                await self._stirred.wait()
        except TimeoutError:
            return False
        if not self._running.done():
            self._stirred.clear()
        return True

    def _ended(self) -> Outcome:
        """The outcome, where it is too late for a status."""
        try:
            return self._running.result()
        except Problem as no:
            error = RpcError(INTERNAL_ERROR, str(no), dict(no.error), request_id=self._id)
            return refusal(error)

    async def _asking(self, asked: PendingQuestions, session: McpSession | None) -> AsyncGenerator[bytes, None]:
        if session is None:
            self._fail("a client without a session cannot be asked")
            return
        asking = session.ask(asked.questions)
        try:
            for question in asking.questions():
                yield event(question)
            until = self._loop.time() + PATIENCE
            while not await asking.answered(self._heartbeat):
                if self._loop.time() > until:
                    self._fail(f"nobody answered within {PATIENCE:.0f} s: send the request again")
                    return
                yield BEAT
            self._running = self._run(asked.known | asking.answers())
        except RpcError as error:
            self._fail(error.message)
        finally:
            asking.forget()

    def _fail(self, words: str) -> None:
        failed: asyncio.Future[Outcome] = self._loop.create_future()
        failed.set_result(refusal(RpcError(INVALID_REQUEST, words, request_id=self._id)))
        self._running = failed


def event(line: bytes) -> bytes:
    """One message as a server-sent event."""
    return b"data: " + line + b"\n\n"
