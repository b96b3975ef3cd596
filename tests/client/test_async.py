"""The asynchronous client: the same replies, awaited; what is cancelled leaves nothing behind."""

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import aclosing
from typing import assert_type

import pytest

import gatepost
from gatepost import commands
from gatepost.replies.radar import RadarReply
from tests.client.givens import PATIENCE
from tests.givens import WORKSPACE, World
from tests.http.givens import site


@pytest.fixture(params=["local", "remote"])
def place(request: pytest.FixtureRequest, world: World) -> Iterator[str]:
    """Where the world is: its file, or a server on it."""
    if request.param == "local":
        yield str(world.store.describe()["path"])
    else:
        with site(world) as here:
            yield here.url


def run(place: str, body: Callable[[gatepost.AsyncGatepost], Awaitable[None]]) -> None:
    """Run something with an asynchronous client, but not for ever."""

    async def connected() -> None:
        async with asyncio.timeout(PATIENCE), gatepost.connect_async(place) as gp:
            await body(gp)

    asyncio.run(connected())


def test_calls_commands_and_methods_are_awaited(place: str) -> None:
    async def body(gp: gatepost.AsyncGatepost) -> None:
        shop = gp.workspace(WORKSPACE)
        made = await shop.tasks.create("Refunds")
        radar = assert_type(await gp.do(commands.Radar(workspace=WORKSPACE)), RadarReply)
        noted = await gp.call("tasks_note", workspace=WORKSPACE, task=made.id, note="seen")
        with pytest.raises(gatepost.Refusal, match="at revision 2"):
            await shop.tasks.note(task=made.id, note="late", expected_revision=1)
        assert (made.id, radar.counts is not None, noted["revision"]) == ("TASK-001", True, 2)

    run(place, body)


def test_following_yields_the_past_then_each_event_and_ends_when_cancelled(place: str, world: World) -> None:
    async def body(gp: gatepost.AsyncGatepost) -> None:
        world.task("One")
        seen: list[int] = []
        arrived = asyncio.Condition()

        async def follow() -> None:
            async for event in gp.follow(WORKSPACE):
                async with arrived:
                    seen.append(event["seq"])
                    arrived.notify()

        async def until(seq: int) -> None:
            async with arrived:
                await arrived.wait_for(lambda: seq in seen)

        task = asyncio.create_task(follow())
        await until(1)
        made = await gp.call("tasks_create", workspace=WORKSPACE, kind="task", title="Two")
        head = made["events"][-1]["seq"]
        await until(head)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert seen == list(range(1, head + 1))

    run(place, body)


def test_todo_lists_are_followed(place: str, world: World) -> None:
    async def body(gp: gatepost.AsyncGatepost) -> None:
        world.ok("todo_write", items=["milk"])
        async with aclosing(gp.todos(WORKSPACE, "main")) as events:
            first = await anext(events)
        assert "milk" in repr(first)

    run(place, body)


def test_a_call_cancelled_before_its_turn_is_never_made(world: World) -> None:
    async def body(gp: gatepost.AsyncGatepost) -> None:
        holding, release = threading.Event(), threading.Event()

        def hold() -> None:
            holding.set()
            release.wait(PATIENCE)

        held = asyncio.create_task(gp._worker.run(hold))
        await asyncio.to_thread(holding.wait, PATIENCE)
        waiting = asyncio.create_task(gp.call("tasks_create", workspace=WORKSPACE, kind="task", title="Never"))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait([waiting])
        release.set()
        await held
        assert (await gp.call("tasks_context", workspace=WORKSPACE))["items"] == []

    run(str(world.store.describe()["path"]), body)


def test_closing_ends_the_thread() -> None:
    before = set(threading.enumerate())

    async def body(gp: gatepost.AsyncGatepost) -> None:
        await gp.call("tasks_create", workspace=WORKSPACE, kind="task", title="One")

    run("memory:", body)

    for thread in set(threading.enumerate()) - before:
        thread.join(PATIENCE)
        assert not thread.is_alive()


def test_a_fork_makes_calls_in_a_thread_of_its_own(world: World) -> None:
    async def call(gp: gatepost.AsyncGatepost) -> None:
        async with asyncio.timeout(PATIENCE):
            await gp.call("tasks_radar", workspace=WORKSPACE)

    async def connected() -> gatepost.AsyncGatepost:
        gp = await gatepost.connect_async(str(world.store.describe()["path"]))
        await call(gp)
        return gp

    gp = asyncio.run(connected())
    child = os.fork()
    if not child:
        try:
            asyncio.run(call(gp))
        except BaseException:  # noqa: BLE001 - the child must end here, whatever happens
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    asyncio.run(gp.close())

    assert os.waitstatus_to_exitcode(status) == 0
