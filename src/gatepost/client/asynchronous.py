"""The client for asynchronous programs: the same calls, made in a thread of their own and awaited."""

from __future__ import annotations

import asyncio
import os
import threading
from concurrent.futures import Future
from itertools import islice
from queue import SimpleQueue
from typing import TypeVar

from gatepost.client.connect import Gatepost, connect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Generator, Iterator
    from types import TracebackType
    from typing import Any

    from gatepost.client.async_workspaces import AsyncWorkspace
    from gatepost.operations.registry import Command

R = TypeVar("R")

Job = tuple["Future[Any]", "Callable[[], Any]"]


class AsyncGatepost:
    """A connected store, awaited. Calls are made one after another in one thread that is kept.

    A call that is cancelled before its turn is never made. One that is cancelled later is completed or refused as
    a whole, and its reply is dropped.
    """

    def __init__(self, gp: Gatepost) -> None:
        self._gp = gp
        self._worker = _Worker("gatepost calls")

    async def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Call an operation by name. Returns the reply, or raises `gatepost.Refusal`."""
        return await self._worker.run(lambda: self._gp.call(tool, **arguments))

    async def do(self, command: Command[R]) -> R:
        """Send a typed command from `gatepost.commands`. Returns its typed reply, or raises a `Refusal`."""
        return await self._worker.run(lambda: self._gp.do(command))

    def follow(self, workspace: str, after: int = 0) -> AsyncGenerator[dict[str, Any], None]:
        """Every event after a `seq`, then each new one as it happens, until it is closed or cancelled."""
        return _pulled(lambda stop: self._gp.client.follow(workspace, after, stop=stop))

    def todos(self, workspace: str, scope: str | None = None) -> AsyncGenerator[dict[str, Any], None]:
        """Every todo list (or only that of `scope`) as a session event, then each change."""
        from gatepost.client.todo_events import todo_events

        return _pulled(lambda stop: todo_events(self._gp.client, workspace, scope, stop))

    def workspace(self, name: str) -> AsyncWorkspace:
        """A workspace with a typed method for every operation: `await shop.tasks.radar()`."""
        from gatepost.client.async_workspaces import AsyncWorkspace
        from gatepost.client.requests import async_request

        return AsyncWorkspace(name, async_request(self._gp.client, name, self._worker.run))

    async def tools(self, toolset: str = "core") -> list[dict[str, Any]]:
        """The operations of a tool set, as MCP lists them. File operations are left out."""
        return await self._worker.run(lambda: self._gp.tools(toolset))

    def for_session(self, session: str) -> AsyncGatepost:
        """The same store, used by a session: its calls carry the session's name."""
        return AsyncGatepost(self._gp.for_session(session))

    async def close(self) -> None:
        """Release files and connections, and end the thread. A later call opens them again."""
        await self._worker.run(self._gp.close)
        self._worker.stop()

    def __await__(self) -> Generator[Any, None, AsyncGatepost]:
        """There is nothing to wait for: the first call opens files and connections."""
        return self.__aenter__().__await__()

    async def __aenter__(self) -> AsyncGatepost:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


def connect_async(
    store: str | None = None,
    *,
    actor: str | None = None,
    workspace: str | None = None,
    synchronous: str | None = None,
    token: str | None = None,
) -> AsyncGatepost:
    """Connect to a store from asynchronous code, with the arguments of `connect`: `gp = await connect_async()`."""
    return AsyncGatepost(connect(store, actor=actor, workspace=workspace, synchronous=synchronous, token=token))


class _Worker:
    """One thread that makes calls in turn, started by the first. The end of the program does not wait for it."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._started = False
        self._process = os.getpid()

    async def run(self, work: Callable[[], R]) -> R:
        """What the work returns or raises, once it was its turn."""
        if self._process != os.getpid():  # a fork copies no threads
            self._process, self._started, self._jobs = os.getpid(), False, SimpleQueue()
        future: Future[R] = Future()
        if not self._started:
            self._started = True
            threading.Thread(target=_work, args=(self._jobs,), name=self._name, daemon=True).start()
        self._jobs.put((future, work))
        return await asyncio.wrap_future(future)

    def stop(self) -> None:
        """End the thread after the calls that wait."""
        if self._started:
            self._started = False
            self._jobs.put(None)
            self._jobs = SimpleQueue()


def _work(jobs: SimpleQueue[Job | None]) -> None:
    while (job := jobs.get()) is not None:
        future, work = job
        if not future.set_running_or_notify_cancel():
            continue
        try:
            result = work()
        except BaseException as error:  # noqa: BLE001 - handed over: it is raised where it is awaited
            future.set_exception(error)
        else:
            future.set_result(result)
        del job, future, work


async def _pulled(opened: Callable[[threading.Event], Iterator[R]]) -> AsyncGenerator[R, None]:
    """The values of an iterator that blocks, pulled in a thread of its own until nobody wants more."""
    stop = threading.Event()
    worker = _Worker("gatepost follow")
    try:
        iterator = await worker.run(lambda: opened(stop))
        while some := await worker.run(lambda: list(islice(iterator, 1))):
            yield some[0]
    finally:
        stop.set()
        worker.stop()
