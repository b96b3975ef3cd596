"""A session that outlives its process, and a transaction that takes back a failed step with its files.

The first process is killed in the middle of its work; the second one continues where it was.
"""

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass

import gatepost
from gatepost.runtime import ReducerContext, Session, SubscriberFailed
from gatepost.tools import HostFilesystem, TodoToolsSection, todo_read, todo_write

WORKSPACE = "acme/shop"


@dataclass(frozen=True)
class Spent:
    """An event: tokens were spent."""

    tokens: int


@dataclass(frozen=True)
class Budget:
    """A value: what is left."""

    left: int = 1_000


def spend(state: tuple[Budget, ...], event: Spent, *, context: ReducerContext) -> tuple[Budget, ...]:  # noqa: ARG001
    """How an event changes the value."""
    left = (state[-1] if state else Budget()).left - event.tokens
    if left < 0:
        raise ValueError("The budget is spent.")
    return (Budget(left),)


def prepare(session: Session) -> None:
    """What every process does before the kept events come back: reducers, and sections that register theirs."""
    session[Budget].register(Spent, spend)
    TodoToolsSection(session=session)


def first(store: str) -> None:
    """Work, and be killed."""
    with gatepost.connect(store) as gp:
        session = Session.open(gp, "agent-1", workspace=WORKSPACE, prepare=prepare)
        todo_write(session, ["Read the code", "Mend it"])
        session.dispatch(Spent(300))
        os.kill(os.getpid(), signal.SIGKILL)


async def second(store: str, folder: str) -> None:
    """Go on."""
    files = HostFilesystem(folder)
    with gatepost.connect(store) as gp:
        async with Session.open(gp, "agent-1", workspace=WORKSPACE, prepare=prepare) as session:
            print(f"Resumed: {list(todo_read(session).items)}, {session[Budget].latest()}")
            session.dispatcher.subscribe(Spent, tell)
            session.dispatcher.subscribe(SubscriberFailed, lambda failed: print(f"Reported: {failed.error!r}"))
            await session.adispatch(Spent(100))
            try:
                async with session.transaction(files):
                    files.write("cart.py", "half done")
                    await session.adispatch(Spent(500))
                    await session.adispatch(Spent(500))
            except ValueError as refused:
                print(f"Taken back: {refused}")
            print(f"Still there: {session[Budget].latest()}, files: {list(files.glob('**'))}")


async def tell(spent: Spent) -> None:
    """An async subscriber: awaited, and unable to fail the dispatch."""
    await asyncio.sleep(0)
    print(f"Told of {spent.tokens} tokens")
    if spent.tokens == 100:
        raise ConnectionError("nobody listens")


def main() -> None:
    """Play both processes."""
    with tempfile.TemporaryDirectory() as folder:
        store = os.path.join(folder, "gatepost.db")
        work = os.path.join(folder, "work")
        os.mkdir(work)
        killed = subprocess.run([sys.executable, __file__, store], check=False)  # noqa: S603 - this very program
        print(f"The first process was killed: {killed.returncode == -signal.SIGKILL}")
        asyncio.run(second(store, work))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        first(sys.argv[1])
    else:
        main()
