"""A plan's checklist as every view of the plan shows it, and how it shrinks where there is little room."""

from typing import Final

from gatepost.domain.roots import Plan, Root
from gatepost.replies.roots import Checklist
from gatepost.views.budget import ELLIPSIS, Body, Cut, without

_SHORT: Final = 100


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
