"""Claude Code: the todo lists, tasks, plan files and sessions in its own folder (`~/.claude`)."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from gatepost.interchange.items import Item, Loss, PlanItem, Reading, State, state_of
from gatepost.interchange.json_input import Json, decoded, lines, needs, objects, peeked, text, word, words
from gatepost.interchange.markdown_lists import Box, MarkdownSection, items_of, sections
from gatepost.interchange.source_files import SourceFile

LABEL = "Claude Code"
PLACES = ("*.json", "*.md", "*.jsonl")

_STATES: dict[str, State] = {"in_progress": "started", "completed": "done"}
_STEP: Final = re.compile(r"^(?:(?:step|phase|task|part)\b|\d+[.):]\s)", re.IGNORECASE)
_STEPS: Final = re.compile(r"\b(steps?|implementation|tasks?|changes|approach|plan|phases?)\b", re.IGNORECASE)
_SHORT: Final = 8


def is_mine(file: SourceFile) -> bool:
    """Whether it is a todo list, a task, or a file in a folder for plans."""
    if file.name.endswith(".md"):
        return Path(file.folder).name == "plans" and Path(file.folder).parent.name == ".claude"
    value = peeked(file.text)
    return _is_task(value) or _is_list(value) or (isinstance(value, dict) and "sessionId" in value)


def read(files: Sequence[SourceFile]) -> Reading:
    """A task for each todo list; a plan for each list of tasks, with its tasks; a plan for each plan file."""
    plans: dict[str, PlanItem] = {}
    items: list[Item] = []
    losses: list[Loss] = []
    for file in files:
        if file.name.endswith(".md"):
            _read_plan(file, plans, items, losses)
            continue
        value = _last_todos(file) if file.name.endswith(".jsonl") else decoded(file)
        needs(
            file,
            "neither a todo list nor a task of Claude Code",
            found=_is_task(value) or value == [] or _is_list(value),
        )
        if isinstance(value, list):
            items += [_todos(file, value)] if value else []
            continue
        home = Path(file.folder).name
        plans[home] = PlanItem(key=home, title=f"Claude Code tasks {home[:_SHORT]}")
        items.append(_task(value, home, losses))
    return Reading(plans=tuple(plans.values()), items=tuple(items), losses=tuple(losses))


def _last_todos(file: SourceFile) -> Any:
    """The last todo list that a session wrote: newer versions keep it nowhere else."""
    last: Any = None
    for line in lines(file):
        message = line.get("message")
        for part in objects(message.get("content")) if isinstance(message, dict) else ():
            if part.get("name") == "TodoWrite" and isinstance(part.get("input"), dict):
                last = part["input"].get("todos")
    return last


def _is_task(value: Any) -> bool:
    return isinstance(value, dict) and {"id", "subject", "status"} <= value.keys()


def _is_list(value: Any) -> bool:
    found = objects(value)
    return bool(found) and all({"content", "status"} <= item.keys() for item in found)


def _todos(file: SourceFile, value: Any) -> Item:
    below = tuple(
        Item(title=text(todo, "content") or "Todo", state=_state(todo), said=word(todo.get("status")))
        for todo in objects(value)
    )
    title = f"Claude Code todos {file.stem[:_SHORT]}"
    return Item(key=f"todos/{file.stem}", title=title, state=state_of(below), items=below)


def _task(task: Json, home: str, losses: list[Loss]) -> Item:
    number = word(task["id"])
    if word(task.get("owner")):
        losses.append(Loss("owners", f"{number}: {word(task['owner'])}"))
    return Item(
        key=f"{home}/{number}",
        title=text(task, "subject") or f"Task {number}",
        state=_state(task),
        said=word(task.get("status")),
        description=text(task, "description"),
        depends_on=tuple(f"{home}/{name}" for name in words(task.get("blockedBy"))),
        plan=home,
    )


def _state(item: Json) -> State:
    return _STATES.get(word(item.get("status")), "open")


def _read_plan(file: SourceFile, plans: dict[str, PlanItem], items: list[Item], losses: list[Loss]) -> None:
    parts = sections(file.text)
    title = next((part.title for part in parts if part.title), "") or file.stem
    key = f"plans/{file.stem}"
    plans[key] = PlanItem(key=key, title=title, contract=file.text)
    below = _steps(parts)
    if below:
        items.append(Item(key=f"{key}/steps", title=title, state=state_of(below), plan=key, items=below))
    else:
        losses.append(Loss("plans without steps that could be told apart (their text is the contract)", file.name))


def _steps(parts: Sequence[MarkdownSection]) -> tuple[Item, ...]:
    """The steps of a plan: its boxes; or the headings that are numbered; or the lists below telling headings."""
    boxes = [box for part in parts for box in part.checklist]
    if boxes:
        return items_of(boxes)
    headed = [part for part in parts if _STEP.match(part.title)]
    if headed:
        return tuple(Item(title=part.title, notes=_notes(part.prose), items=_listed(part.boxes)) for part in headed)
    return tuple(item for part in parts if _STEPS.search(part.title) for item in _listed(part.boxes))


def _listed(boxes: Sequence[Box]) -> tuple[Item, ...]:
    return tuple(
        Item(title=box.title, notes=_notes(box.prose), items=_listed(box.boxes)) for box in boxes if box.title
    )


def _notes(text: str) -> tuple[str, ...]:
    return (text,) if text else ()
