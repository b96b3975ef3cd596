"""A workspace as a table of comma-separated values: a row for each plan, task and step."""

import csv
from collections.abc import Iterator
from io import StringIO
from typing import Final

from gatepost.replies.resume import ListedStep
from gatepost.replies.roots import RootDetail
from gatepost.surfaces.export.work_reader import WorkPart, step_status

_COLUMNS: Final = (
    *(
        "workspace",
        "kind",
        "id",
        "path",
        "step_id",
        "plan",
        "title",
        "status",
        "priority",
        "domain",
        "tags",
        "depends_on",
    ),
    *("steps", "done", "blocked", "criteria", "tests", "proofs", "description"),
)


def csv_table(workspace: str, work: Iterator[WorkPart]) -> Iterator[str]:
    """The table, row by row. Texts are as they were written."""
    text = StringIO()
    writer = csv.DictWriter(text, _COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    for root, steps, is_more in work:
        if not is_more:
            writer.writerow({"workspace": workspace, **_root(root)})
        writer.writerows({"workspace": workspace, **_step(root, step)} for step in steps)
        yield text.getvalue()
        text.seek(0)
        text.truncate()
    yield text.getvalue()


def _root(root: RootDetail) -> dict[str, str | int]:
    return {
        "kind": root.kind,
        "id": root.id,
        "plan": root.plan or "",
        "title": root.title,
        "status": root.status,
        "priority": root.priority,
        "domain": root.domain or "",
        "tags": "\n".join(root.tags or ()),
        "depends_on": " ".join(root.depends_on or ()),
        "steps": root.counts.total,
        "done": root.counts.done,
        "blocked": root.counts.blocked,
        "description": root.description or "",
    }


def _step(root: RootDetail, step: ListedStep) -> dict[str, str | int]:
    return {
        "kind": "step",
        "id": root.id,
        "path": step.path,
        "step_id": step.step_id,
        "plan": root.plan or "",
        "title": step.title,
        "status": step_status(step),
        "blocked": step.blocked if isinstance(step.blocked, str) else "",
        "criteria": "\n".join(step.criteria or ()),
        "tests": "\n".join(step.tests or ()),
        "proofs": " ".join(f"{proof.checkpoint}:{proof.provenance}" for proof in step.confirmed or ()),
    }
