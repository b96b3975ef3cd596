"""Shrimp: the `tasks.json` in its data folder."""

from collections.abc import Sequence
from typing import Any

from gatepost.interchange.items import Criterion, Item, Loss, Reading, State
from gatepost.interchange.json_input import Json, decoded, needs, objects, peeked, text, word
from gatepost.interchange.source_files import SourceFile

LABEL = "Shrimp"
PLACES = ("tasks.json", "data/tasks.json", "shrimp_data/tasks.json", "*/tasks.json")

_STATES: dict[str, State] = {"in_progress": "started", "blocked": "blocked", "completed": "done"}


def is_mine(file: SourceFile) -> bool:
    """Whether it has tasks with names, and dependencies in Shrimp's way."""
    found = _tasks(peeked(file.text))
    return bool(found) and "name" in found[0] and "status" in found[0] and "dependencies" in found[0]


def read(files: Sequence[SourceFile]) -> Reading:
    """A task for each task, with a step that says what proves it."""
    items: list[Item] = []
    losses: list[Loss] = []
    for file in files:
        tasks = _tasks(decoded(file))
        needs(file, "no list of tasks", found=bool(tasks))
        items += [_item(task, losses) for task in tasks]
    return Reading(items=tuple(items), losses=tuple(losses))


def _tasks(value: Any) -> list[Json]:
    return objects(value.get("tasks")) if isinstance(value, dict) else []


def _item(task: Json, losses: list[Loss]) -> Item:
    said = word(task.get("status")).lower()
    title, criteria = text(task, "name") or "Task", text(task, "verificationCriteria")
    analysis, guide = text(task, "analysisResult"), text(task, "implementationGuide")
    files = [_related(file) for file in objects(task.get("relatedFiles"))]
    context = [part for part in (guide, analysis and f"Analysis: {analysis}", "\n".join(files)) if part]
    summary = text(task, "summary")
    if word(task.get("agent")):
        losses.append(Loss("assigned agents", f"{title}: {word(task['agent'])}"))
    return Item(
        key=word(task.get("id")),
        title=title,
        state=_STATES.get(said, "open"),
        said=said,
        reason="Blocked in Shrimp." if said == "blocked" else "",
        description=text(task, "description"),
        context="\n\n".join(context),
        notes=tuple(part for part in (text(task, "notes"), summary and f"Summary: {summary}") if part),
        criteria=(Criterion(criteria),) if criteria else (),
        depends_on=tuple(_needed(task.get("dependencies"))),
    )


def _needed(value: Any) -> list[str]:
    """The ids of dependencies: objects in newer files, plain ids in older ones."""
    held = value if isinstance(value, list) else []
    return [found for each in held if (found := word(each.get("taskId") if isinstance(each, dict) else each))]


def _related(file: Json) -> str:
    start, end = word(file.get("lineStart")), word(file.get("lineEnd"))
    at = f":{start}-{end}" if start else ""
    about = text(file, "description")
    return f"{word(file.get('type')) or 'FILE'} {word(file.get('path'))}{at}{': ' if about else ''}{about}"
