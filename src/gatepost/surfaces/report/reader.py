"""Reads what a report says from a store or a server: a few calls for a task, however many steps it has."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Final, NamedTuple

from gatepost.client.protocol import Client
from gatepost.operations.closings import closed_together
from gatepost.operations.delta import Delta
from gatepost.operations.handoff import Handoff
from gatepost.operations.resume import Resume
from gatepost.replies.events import LoggedEvent
from gatepost.replies.resume import ListedStep, ResumeReply
from gatepost.surfaces.report.model import Report, TaskReport, captured, step_report

_ROOM: Final = 1_000_000
_PAGE: Final = 200
_RISKS: Final = 100
_TYPES: Final = ("step_done", "task_node_defined", "evidence_captured")


class _Closing(NamedTuple):
    """That a step was closed, as bulk closings are found."""

    seq: int
    root: str
    actor: str
    at: str
    path: str


def read_report(client: Client, workspace: str, target: str | None) -> Report | None:
    """The report of a plan or task, or of the one that a handoff is about; none if there is nothing to report."""
    handoff = client.do(Handoff(workspace=workspace, task=target, limit=_RISKS, max_chars=_ROOM))
    if handoff.target is None:
        return None
    pages = list(_pages(client, workspace, handoff.target.id))
    root = pages[0].target
    if root is None:
        return None
    if root.kind == "task":
        tasks = [_task(client, workspace, pages)]
    else:
        names = [task.id for page in pages for task in page.tasks or ()]
        tasks = [_task(client, workspace, list(_pages(client, workspace, name))) for name in names]
    events = {event.seq: event for event in _events(client, workspace, root.id)} if root.kind == "plan" else {}
    later = client.do(Delta(workspace=workspace, since=handoff.log.seq, limit=1))
    return Report(
        workspace=workspace,
        root=root,
        handoff=handoff,
        tasks=tuple(task for task in tasks if task is not None),
        evidence=tuple(captured(piece, events) for piece in pages[0].evidence or () if root.kind == "plan"),
        holds=pages[0].holds,
        made_at=datetime.now(UTC).isoformat(),
        moved=bool(later.events),
    )


def _pages(client: Client, workspace: str, root: str) -> Iterator[ResumeReply]:
    cursor = None
    while True:
        command = Resume(workspace=workspace, task=root, proofs=True, limit=_PAGE, cursor=cursor, max_chars=_ROOM)
        page = client.do(command)
        yield page
        cursor = page.cursor
        if cursor is None:
            return


def _task(client: Client, workspace: str, pages: list[ResumeReply]) -> TaskReport | None:
    root = pages[0].target
    if root is None:
        return None
    events = {event.seq: event for event in _events(client, workspace, root.id)}
    steps = [step for page in pages for step in page.steps]
    closings = _closings(steps, events.values())
    bulk = _closed_in_bulk(root.id, steps, closings)
    return TaskReport(
        root,
        tuple(
            step_report(root.id, step, events, closings.get(step.step_id), together=step.path in bulk)
            for step in steps
        ),
        tuple(captured(piece, events) for piece in pages[0].evidence or ()),
    )


def _events(client: Client, workspace: str, root: str) -> Iterator[LoggedEvent]:
    since, more = 0, True
    while more:
        command = Delta(workspace=workspace, task=root, since=since, types=_TYPES, limit=_PAGE, max_chars=_ROOM)
        page = client.do(command)
        yield from page.events
        since, more = page.next, page.has_more


def _closings(steps: list[ListedStep], events: Iterable[LoggedEvent]) -> dict[str, LoggedEvent]:
    """The event that closed each step that is still done since then."""
    done_at = {step.step_id: step.done_at for step in steps if step.done}
    found: dict[str, LoggedEvent] = {}
    for event in events:
        name = event.step_id or ""
        of_step = event.type == "step_done" and done_at.get(name) == event.at
        of_node = event.type == "task_node_defined" and "status" in (event.fields or ()) and name in done_at
        if of_step or of_node:
            found[name] = event
    return found


def _closed_in_bulk(task: str, steps: list[ListedStep], closings: dict[str, LoggedEvent]) -> set[str]:
    """The paths of the steps that were closed together, by the rule that lint has; here for the whole log."""
    rows = [
        _Closing(event.seq, task, event.actor, event.at, step.path)
        for step in steps
        if (event := closings.get(step.step_id)) is not None and event.type == "step_done"
    ]
    found: set[str] = set()
    for group in closed_together(rows):
        paths = [row.path for row in group]
        apart = [path for path in paths if not any(other.startswith(f"{path}.") for other in paths)]
        found.update(apart if len(apart) > 1 else ())
    return found
