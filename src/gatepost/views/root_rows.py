"""Rows and details of plans and tasks: in one line or in full."""

from __future__ import annotations

from typing import Any, TypeVar

from gatepost.domain.documents import claim_of
from gatepost.domain.roots import Plan, Root, Task, kind_of, shown_status
from gatepost.domain.tallies import Tally
from gatepost.replies.roots import RootDetail, RootRow
from gatepost.views.progress import checklist, root_counts

Row = TypeVar("Row", bound=RootRow)


def root_row(root: Root, tally: Tally) -> RootRow:
    """A plan or task, and how far it is."""
    return root_row_as(RootRow, root, tally)


def root_row_as(kind: type[Row], root: Root, tally: Tally, **more: Any) -> Row:
    """A plan or task as a row that says something more."""
    return kind(
        id=root.id,
        kind=kind_of(root),
        title=root.title,
        status=shown_status(root, tally.tasks_begun),
        revision=tally.revision,
        counts=root_counts(root, tally),
        priority=root.priority,
        plan=root.plan if isinstance(root, Task) else None,
        domain=root.domain,
        tags=root.tags or None,
        waiting_for=tally.waiting or None,
        claimed=tally.claimed + (claim_of(root) is not None) or None,
        **more,
    )


def root_detail(root: Root, tally: Tally) -> RootDetail:
    """Everything a plan or task says of itself."""
    plan = root if isinstance(root, Plan) else None
    return root_row_as(
        RootDetail,
        root,
        tally,
        description=root.description or None,
        context=root.context or None,
        contract=None if plan is None else plan.contract or None,
        contract_data=None if plan is None else plan.contract_data or None,
        created_at=root.created_at or None,
        checklist=checklist(root),
        doc=None if plan is None else plan.doc,
        depends_on=root.depends_on or None,
        policy=root.policy,
        approved=None if plan is None else plan.approved,
    )
