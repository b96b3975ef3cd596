"""Task Master: `tasks.json`, with a list of tasks for each of its tags, or one list in older versions."""

from collections.abc import Iterator, Sequence
from typing import Any

from gatepost.domain.roots import Priority
from gatepost.interchange.items import Criterion, Item, Loss, PlanItem, Reading, State
from gatepost.interchange.json_input import Json, decoded, needs, objects, peeked, text, word, words
from gatepost.interchange.source_files import SourceFile

LABEL = "Task Master"
PLACES = (".taskmaster/tasks/tasks.json", "tasks/tasks.json", "tasks.json")

_STATES: dict[str, State] = {
    "in-progress": "started",
    "review": "started",
    "blocked": "blocked",
    "deferred": "blocked",
    "done": "done",
    "completed": "done",
}
_PRIORITIES: dict[str, Priority] = {"low": "LOW", "high": "HIGH", "critical": "CRITICAL"}
_DROPPED = "cancelled"


def is_mine(file: SourceFile) -> bool:
    """Whether it has tasks with Task Master's numbers and titles."""
    return any("title" in task and "subtasks" in task for _, part in _tags(peeked(file.text)) for task in part[:1])


def read(files: Sequence[SourceFile]) -> Reading:
    """A plan for each tag, a task for each task, a step for each subtask."""
    plans: list[PlanItem] = []
    items: list[Item] = []
    losses: list[Loss] = []
    for file in files:
        value = decoded(file)
        tags = list(_tags(value))
        needs(file, "no list of tasks", found=bool(tags))
        for tag, tasks in tags:
            plans.append(PlanItem(key=tag, title=f"Task Master: {tag}", description=_described(value, tag)))
            for task in tasks:
                found = _item(task, tag, losses)
                items += [found] if found is not None else []
    return Reading(plans=tuple(plans), items=tuple(items), losses=tuple(losses))


def _tags(value: Any) -> Iterator[tuple[str, list[Json]]]:
    if not isinstance(value, dict):
        return
    if isinstance(value.get("tasks"), list):
        yield "master", objects(value["tasks"])
        return
    for tag, held in value.items():
        if isinstance(held, dict) and isinstance(held.get("tasks"), list):
            yield tag, objects(held["tasks"])


def _described(value: Json, tag: str) -> str:
    held = value.get(tag)
    data = held.get("metadata") if isinstance(held, dict) else value.get("metadata")
    return text(data, "description") if isinstance(data, dict) else ""


def _item(task: Json, tag: str, losses: list[Loss], parent: str = "") -> Item | None:
    number = word(task.get("id"))
    key = f"{parent}.{number}" if parent else f"{tag}/{number}"
    said = word(task.get("status")).lower()
    title = text(task, "title") or text(task, "description") or f"Task {number}"
    if said == _DROPPED:
        losses.append(Loss("cancelled items", f"{key} {title}"))
        return None
    below = [_item(child, tag, losses, key.rpartition("/")[2]) for child in objects(task.get("subtasks"))]
    needed = [_full(name, tag, parent) for name in words(task.get("dependencies"))]
    strategy = text(task, "testStrategy")
    return Item(
        key=key,
        title=title,
        state=_STATES.get(said, "open"),
        said=said,
        reason=f"{said.capitalize()} in Task Master." if _STATES.get(said) == "blocked" else "",
        description=text(task, "description"),
        context=text(task, "details"),
        tests=(Criterion(strategy),) if strategy else (),
        depends_on=() if parent else tuple(needed),
        blockers=tuple(f"{name} is done" for name in needed) if parent else (),
        priority=_PRIORITIES.get(word(task.get("priority")).lower(), "MEDIUM"),
        plan=None if parent else tag,
        items=tuple(found for found in below if found is not None),
    )


def _full(name: str, tag: str, parent: str) -> str:
    """What a dependency names: a subtask may name its sibling by its own number alone."""
    if not parent:
        return f"{tag}/{name}"
    return name if "." in name else f"{parent}.{name}"
