"""Everything in a workspace, as a document has it: each plan with its tasks, then the tasks without a plan."""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from msgspec.structs import replace

from gatepost.client.protocol import Client
from gatepost.operations.context import Context
from gatepost.operations.resume import Resume
from gatepost.operations.storage import Storage
from gatepost.replies.resume import ListedStep
from gatepost.replies.roots import RootDetail, RootRow

_ROOTS: Final = 100
_STEPS: Final = 50
_ROOM: Final = 1_000_000


class WorkPart(NamedTuple):
    """A plan, or a task with the first of its steps; or more steps of the same task."""

    root: RootDetail
    steps: tuple[ListedStep, ...] = ()
    is_more: bool = False


def read_work(client: Client, workspace: str, tell: Callable[[int], object]) -> Iterator[WorkPart]:
    """Read all plans and tasks. `tell` hears how many have been read."""
    for done, root in enumerate(_in_order(client, workspace), 1):
        yield from _whole(client, workspace, root.id)
        tell(done)


def count_work(client: Client, workspace: str) -> int:
    """How many plans and tasks there are."""
    holds = client.do(Storage(workspace=workspace)).holds
    return holds.plans + holds.tasks


def step_status(step: ListedStep) -> str:
    """A step's status in one word."""
    if step.done:
        return "forced" if step.unconfirmed else "done"
    return "blocked" if step.blocked else "open"


def _in_order(client: Client, workspace: str) -> Iterator[RootRow]:
    for plan in _rows(client, Context(workspace=workspace, kind="plan", limit=_ROOTS, max_chars=_ROOM)):
        yield plan
        yield from _rows(client, Context(workspace=workspace, plan=plan.id, limit=_ROOTS, max_chars=_ROOM))
    for task in _rows(client, Context(workspace=workspace, kind="task", limit=_ROOTS, max_chars=_ROOM)):
        if task.plan is None:
            yield task


def _rows(client: Client, command: Context) -> Iterator[RootRow]:
    while True:
        page = client.do(command)
        yield from page.items
        if not page.has_more:
            return
        command = replace(command, cursor=page.cursor)


def _whole(client: Client, workspace: str, root: str) -> Iterator[WorkPart]:
    cursor: str | None = None
    limit = 1 if root.startswith("PLAN") else _STEPS  # a plan's tasks come by themselves
    while True:
        page = client.do(
            Resume(workspace=workspace, task=root, proofs=True, limit=limit, cursor=cursor, max_chars=_ROOM)
        )
        if page.target is None:
            return
        yield WorkPart(page.target, page.steps, is_more=cursor is not None)
        if not page.has_more or page.target.kind == "plan":
            return
        cursor = page.cursor
