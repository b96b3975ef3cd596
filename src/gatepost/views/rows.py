"""Rows of lists: a plan, a task or a step in one line."""

from gatepost.domain import places
from gatepost.domain.documents import Member
from gatepost.domain.nodes import Node
from gatepost.domain.roots import Plan, Root, Task, kind_of, shown_status
from gatepost.domain.tallies import Tally
from gatepost.views.budget import Body
from gatepost.views.checklists import with_checklist
from gatepost.views.radar import counts, root_counts


def root_row(root: Root, tally: Tally) -> Body:
    """A plan or task, and how far it is."""
    row: Body = {
        "id": root.id,
        "kind": kind_of(root),
        "title": root.title,
        "status": shown_status(root, tally.tasks_begun),
        "revision": tally.revision,
        "counts": root_counts(root, tally),
        "priority": root.priority,
    }
    if isinstance(root, Task) and root.plan is not None:
        row["plan"] = root.plan
    if root.domain is not None:
        row["domain"] = root.domain
    if root.tags:
        row["tags"] = list(root.tags)
    if tally.waiting:
        row["waiting_for"] = tally.waiting
    return row


def step_row(place: str, step: Member, tally: Tally) -> Body:
    """A step or task node: where it stands, how far it is, and what is missing."""
    row: Body = {"step_id": step.id, "path": places.path_of(place), "title": step.title, "done": step.done}
    if tally.total:
        row["counts"] = counts(tally)
    if isinstance(step, Node):
        row["status"] = step.status
        return row
    if step.blocked:
        row["blocked"] = step.reason or True
    if step.missing:
        row["unconfirmed"] = list(step.missing)
    return row


def step_detail(place: str, step: Member, tally: Tally) -> Body:
    """Everything a step or task node says."""
    detail = step_row(place, step, tally)
    if isinstance(step, Node):
        detail["priority"] = step.priority
        if step.description is not None:
            detail["description"] = step.description
        return detail
    detail.update(
        criteria=list(step.criteria),
        tests=list(step.tests),
        blockers=list(step.blockers),
        required=list(step.required),
        confirmed=[
            {name: value for name in ("checkpoint", "at", "actor", "note") if (value := getattr(mark, name))}
            for mark in step.confirmed
        ],
    )
    if step.done_at is not None:
        detail["done_at"] = step.done_at
    return detail


def root_detail(root: Root, tally: Tally) -> Body:
    """Everything a plan or task says of itself."""
    detail = root_row(root, tally)
    for name in ("description", "context", "contract", "contract_data", "created_at"):
        value = getattr(root, name, None)
        if value:
            detail[name] = value
    with_checklist(detail, root)
    if isinstance(root, Plan) and root.doc is not None:
        detail["doc"] = root.doc
    if root.depends_on:
        detail["depends_on"] = list(root.depends_on)
    return detail
