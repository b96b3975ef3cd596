"""The answer to one MCP request: JSON if it is quick, otherwise a stream.

A call runs in a thread. When it sends a message, or takes long, the response becomes a stream of server-sent
events. A question to a legacy client goes out on that stream, the answer arrives with another request, and the call
runs again: only the stream waits.
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
from gatepost.surfaces.mcp.exchange import ClientAnswers
from gatepost.surfaces.mcp.messages import INTERNAL_ERROR, RpcError, RpcReply, refusal
from gatepost.surfaces.mcp.subscriptions import SubscriptionStream

PATIENCE: Final = 300.0
"""Seconds for a person to answer."""
GLANCE: Final = 1.0
"""Seconds between two checks whether an answer is still needed."""
KEPT: Final = 1024
"""How many messages are kept for a slow client: the newest ones."""

Outcome = RpcReply | PendingQuestions | SubscriptionStream | None
Say = Callable[[bytes], None]
Work = Callable[[ClientAnswers | None, Say], Awaitable[Outcome]]
"""Runs the call with the answers so far, and a function to send messages from any thread."""


class McpExchange:
    """One request. Belongs to the event loop's thread, except for sending messages."""

    def __init__(self, work: Work, request_id: str | int | None, heartbeat: float) -> None:
        self._work = work
        self._id = request_id
        self._heartbeat = heartbeat
        self._loop = asyncio.get_running_loop()
        self._messages: deque[bytes] = deque(maxlen=KEPT)
        self._woken = asyncio.Event()
        self._running = self._run(None)

    async def at_once(self) -> bool:
        """Whether the call ended before it sent a message or took long."""
        await self._wait()
        return self._running.done() and not self._messages

    async def outcome(self) -> Outcome:
        """The result of the call, however long it takes."""
        return await self._running

    async def frames(self, session: McpSession | None) -> AsyncGenerator[bytes, None]:
        """All messages, then the reply. Only the client of a session is asked questions."""
        try:
            while True:
                while self._messages:
                    yield event(self._messages.popleft())
                if not self._running.done():
                    if not await self._wait():
                        yield BEAT
                    continue
                outcome = self._ended()
                if not isinstance(outcome, PendingQuestions) or session is None:
                    break
                async for frame in self._asking(outcome, session):
                    yield frame
            if isinstance(outcome, RpcReply):
                yield event(outcome.body)
        finally:
            self._running.cancel()

    def _run(self, answers: ClientAnswers | None) -> "asyncio.Future[Outcome]":
        self._woken.clear()
        running = asyncio.ensure_future(self._work(answers, self._say))
        running.add_done_callback(lambda _: self._woken.set())
        return running

    def _say(self, line: bytes) -> None:
        def heard() -> None:
            self._messages.append(line)
            self._woken.set()

        with suppress(RuntimeError):  # the loop has ended meanwhile
            self._loop.call_soon_threadsafe(heard)

    async def _wait(self) -> bool:
        """Wait for a message or the end of the call, up to a limit. Returns whether one came."""
        try:
            async with asyncio.timeout(self._heartbeat):
                await self._woken.wait()
        except TimeoutError:
            return False
        if not self._running.done():
            self._woken.clear()
        return True

    def _ended(self) -> Outcome:
        """The result, when it is too late for an HTTP status."""
        try:
            return self._running.result()
        except Problem as no:
            error = RpcError(INTERNAL_ERROR, str(no), dict(no.error), request_id=self._id)
            return refusal(error)

    async def _asking(self, asked: PendingQuestions, session: McpSession) -> AsyncGenerator[bytes, None]:
        """Ask the client, then run the call again with the answers, or without them if none is needed."""
        asking = session.questions.ask(asked.questions)
        try:
            for question in asking.questions():
                yield event(question)
            until = self._loop.time() + PATIENCE
            beat = self._loop.time() + self._heartbeat
            while not await asking.answered(min(GLANCE, self._heartbeat)):
                if self._loop.time() > until or await asyncio.to_thread(asked.settled):
                    break
                while self._messages:
                    yield event(self._messages.popleft())
                if self._loop.time() > beat:
                    beat = self._loop.time() + self._heartbeat
                    yield BEAT
            for message in asking.withdrawals():
                yield event(message)
            self._running = self._run(asked.with_answers(asking.answers()))
        finally:
            asking.forget()


def event(line: bytes) -> bytes:
    """One message as a server-sent event."""
    return b"data: " + line + b"\n\n"
