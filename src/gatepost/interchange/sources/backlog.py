"""Backlog.md: one Markdown file for each task."""

import re
from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from gatepost.domain.roots import Priority
from gatepost.interchange.front_matter import Fields, listed, single, split
from gatepost.interchange.items import Criterion, Item, Loss, PlanItem, Reading, State
from gatepost.interchange.source_files import SourceFile, SourceUnreadable

LABEL = "Backlog.md"
PLACES = ("backlog/tasks/*.md", "backlog/completed/*.md", "tasks/*.md", "completed/*.md", "*.md")

_STATES: dict[str, State] = {"to do": "open", "todo": "open", "draft": "open", "blocked": "blocked", "done": "done"}
_PRIORITIES: dict[str, Priority] = {"low": "LOW", "high": "HIGH", "critical": "CRITICAL"}
_NOT_KEPT = ("assignee", "reporter", "due_date", "type", "project")
_CHECK: Final = re.compile(r"^\s*- \[([ xX])\] (?:#\d+ )?(.*)$")
_MARK: Final = re.compile(
    r"<!-- [A-Z_]+(?::[A-Z_]+)?:?(?:BEGIN|END) -->|<!-- (?:AC|DOD|COMMENTS):(?:BEGIN|END) -->"
)
_HEADING: Final = re.compile(r"^## (.*\S)\s*$", re.MULTILINE)


def is_mine(file: SourceFile) -> bool:
    """Whether it has front matter with an id, a title and a status."""
    if not file.text.startswith("---") or not file.name.endswith(".md"):
        return False
    return {"id", "title", "status"} <= split(file.text)[0].keys()


def read(files: Sequence[SourceFile]) -> Reading:
    """A task for each file, a plan for each milestone. A parent waits for its subtasks."""
    items: dict[str, Item] = {}
    losses: list[Loss] = []
    parents: dict[str, list[str]] = {}
    for file in files:
        fields, body = split(file.text)
        if not (single(fields.get("id")) and single(fields.get("title"))):
            raise SourceUnreadable(
                f"{file.name} has no id and title at its top.", "Name a task's file of Backlog.md, or its folder."
            )
        item = _item(fields, body, losses)
        losses += (
            [Loss("ids that occur twice (the last one counts)", f"{item.key} {file.name}")]
            if item.key in items
            else []
        )
        items[item.key] = item
        if fields.get("parent_task_id"):
            parents.setdefault(single(fields["parent_task_id"]).upper(), []).append(item.key)
    found = [
        replace(item, depends_on=tuple(dict.fromkeys((*item.depends_on, *parents.get(key, ())))))
        for key, item in items.items()
    ]
    for parent, children in parents.items():
        if parent not in items:
            losses += [Loss("parents that were not imported", f"{child} of {parent}") for child in children]
    names = dict.fromkeys(item.plan for item in found if item.plan is not None)
    plans = [PlanItem(key=name, title=name.removeprefix("milestone/")) for name in names]
    return Reading(plans=tuple(plans), items=tuple(found), losses=tuple(losses))


def _item(fields: Fields, body: str, losses: list[Loss]) -> Item:
    key, said = single(fields["id"]).upper(), single(fields.get("status"))
    parts = _sections(body)
    losses += [Loss(f"field {name}", f"{key}: {single(fields[name])}") for name in _NOT_KEPT if fields.get(name)]
    milestone = single(fields.get("milestone"))
    plan, references = parts.pop("Implementation Plan", ""), _references(fields)
    context = [part for part in (plan and f"Implementation plan:\n{plan}", references) if part]
    criteria = _checks(parts.pop("Acceptance Criteria", ""))
    tests = _checks(parts.pop("Definition of Done", ""))
    state = _STATES.get(said.lower(), "started")
    return Item(
        key=key,
        title=single(fields["title"]),
        state=state,
        said=said,
        reason="Blocked in Backlog.md." if state == "blocked" else "",
        description=parts.pop("Description", ""),
        context="\n\n".join(context),
        criteria=criteria,
        tests=tests,
        notes=tuple(f"{name}:\n{text}" for name, text in parts.items() if text),
        depends_on=tuple(name.upper() for name in listed(fields.get("dependencies"))),
        priority=_PRIORITIES.get(single(fields.get("priority")).lower(), "MEDIUM"),
        tags=tuple(listed(fields.get("labels"))),
        plan=f"milestone/{milestone}" if milestone else None,
    )


def _sections(body: str) -> dict[str, str]:
    """The parts of a task below their headings, without the tool's own marks."""
    found: dict[str, str] = {}
    starts = list(_HEADING.finditer(body))
    top = _MARK.sub("", body[: starts[0].start()] if starts else body).strip()
    if top:
        found["Description"] = top
    for start, following in zip(starts, [*starts, None][1:], strict=True):
        text = body[start.end() : following.start() if following is not None else len(body)]
        found[start[1]] = "\n\n".join(filter(None, (found.get(start[1], ""), _MARK.sub("", text).strip())))
    return found


def _checks(text: str) -> tuple[Criterion, ...]:
    found = [_CHECK.match(line) for line in text.splitlines()]
    return tuple(Criterion(line[2], line[1] in "xX") for line in found if line is not None and line[2].strip())


def _references(fields: Fields) -> str:
    held = [
        *listed(fields.get("references")),
        *listed(fields.get("documentation")),
        *listed(fields.get("modified_files")),
    ]
    return "\n".join(["References:", *held]) if held else ""
