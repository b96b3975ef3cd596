"""Work that people are told of."""

from typing import Any

from gatepost.client.connect import Gatepost

W = "acme/shop"
BOTH = {"criteria": {"confirmed": True}, "tests": {"confirmed": True}}


def finish_plan(gp: Gatepost, title: str = "Shop") -> str:
    """A plan that is done."""
    plan: str = gp.call("tasks_create", workspace=W, kind="plan", title=title)["id"]
    gp.call("tasks_complete", workspace=W, task=plan)
    return plan


def task(gp: Gatepost, **more: Any) -> str:
    """A task with one step."""
    made: str = gp.call(
        "tasks_create", workspace=W, kind="task", title="Keys", steps=[{"title": "Rotate"}], **more
    )["id"]
    return made
