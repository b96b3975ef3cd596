"""How far a plan or task is: its counts, and a plan's checklist, which shrinks where there is little room."""

from typing import Final

from gatepost.domain.roots import Plan, Root
from gatepost.domain.tallies import Tally
from gatepost.replies.roots import Checklist, Counts, PartCounts
from gatepost.views.budget import ELLIPSIS, Body, Cut, without

_SHORT: Final = 100


def root_counts(root: Root, tally: Tally) -> Counts:
    """How many steps are below a plan or task; of a plan also how many tasks and checklist items."""
    tasks = items = None
    if isinstance(root, Plan):
        tasks = PartCounts(total=tally.tasks, done=tally.tasks_done, open=tally.tasks_open)
        if root.steps:
            size = len(root.steps)
            items = PartCounts(total=size, done=root.current, open=size - root.current)
    return Counts(
        total=tally.total, done=tally.done, open=tally.open, blocked=tally.blocked, tasks=tasks, checklist=items
    )


def checklist(root: Root) -> Checklist | None:
    """The checklist of a plan that has one."""
    return Checklist(steps=root.steps, current=root.current) if isinstance(root, Plan) and root.steps else None


def _clip(body: Body, _over: int) -> int:
    steps = _held(body)["steps"]
    gone = 0
    for at, text in enumerate(steps):
        if len(text) > _SHORT:
            steps[at] = text[: _SHORT - 1] + ELLIPSIS
            gone += 1
    return gone


def _drop(body: Body, over: int) -> int:
    """Drop items from the end, but never the one to do next."""
    held = _held(body)
    steps = held["steps"]
    gone = 0
    while over > 0 and len(steps) > held["current"] + 1:
        over -= len(steps.pop()) + 3
        gone += 1
    return gone


def _held(body: Body) -> Body:
    none: Body = {"steps": [], "current": 0}
    found: Body = (body["target"] or {}).get("checklist", none)
    return found


CUTS: Final = (
    Cut("texts", _clip),
    Cut("checklist", _drop),
    Cut("checklist", without("target", "checklist")),
)
