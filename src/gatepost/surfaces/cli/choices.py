"""Tasks and steps to choose from, where a person at a terminal named none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from gatepost.operations.context import Context
from gatepost.operations.inbox import Inbox
from gatepost.operations.resume import Resume
from gatepost.surfaces.cli.errors import BadUsage, NothingFound
from gatepost.surfaces.cli.invocation import ROOM, Invocation
from gatepost.surfaces.cli.questions import chosen
from gatepost.surfaces.terminal import stdout

if TYPE_CHECKING:
    from gatepost.domain.roots import Status

_MOST: Final = 20
_PAGE: Final = 200


def choose_task(invocation: Invocation, statuses: tuple[Status, ...]) -> str:
    """The task that the person chooses among those with one of these statuses."""
    workspace = invocation.workspace()
    rows = [
        row
        for status in statuses
        for row in invocation.ask(Context(workspace=workspace, kind="task", status=status, limit=_MOST))[1].items
    ][:_MOST]
    if not rows:
        raise NothingFound(f"{workspace} has no task to choose", "See gatepost ls")
    return rows[chosen("Which task?", [f"{row.id}  {row.title}" for row in rows])].id


def choose_step(invocation: Invocation, task: str, *, done: bool) -> str:
    """The id of the step of a task that the person chooses: the one to work on now is offered first."""
    workspace = invocation.workspace()
    _, reply = invocation.ask(Resume(workspace=workspace, task=task, limit=_PAGE, max_chars=ROOM))
    rows = [row for row in reply.steps if row.done == done][:_MOST]
    if not rows:
        raise NothingFound(f"no step of {task} is {'done' if done else 'open'}", f"See gatepost show {task}")
    now = next((at for at, row in enumerate(rows) if row.step_id == reply.now), 0)
    return rows[chosen(f"Which step of {task}?", [f"{row.path}  {row.title}" for row in rows], now)].step_id


def choose_question(invocation: Invocation, task: str | None) -> tuple[str, str]:
    """The task and the step of the question that the person chooses."""
    workspace = invocation.workspace()
    _, reply = invocation.ask(Inbox(workspace=workspace, limit=_PAGE, max_chars=ROOM))
    items = [item for item in reply.items if item.kind == "question" and task in (None, item.task)][:_MOST]
    if not items:
        raise NothingFound("no question waits for you here", "See gatepost inbox")
    item = items[
        chosen("Which question?", [f"{item.task} {item.path}  {item.ask or item.title}" for item in items])
    ]
    return item.task or "", item.step_id or ""


def show_question(invocation: Invocation, where: dict[str, Any]) -> tuple[str, ...]:
    """Show the question of a step with its options, numbered from 1. The options."""
    terminal = stdout()
    _, reply = invocation.ask(Resume(**where, limit=1, max_chars=ROOM))
    question = None if reply.step is None else reply.step.question
    if question is None:
        raise BadUsage("this step has no open question", "See what waits with gatepost inbox.")
    for text in terminal.wrap(f"{question.actor}: {question.ask}", 0):
        terminal.say(text)
    for number, option in enumerate(question.options, 1):
        terminal.say(f"  {number}  {terminal.clean(option)}")
    return question.options
