"""The calls that make one item a task: first those that create it, then those that give it its state.

Nothing here proves anything. An item that its source calls done is closed on that word alone, without a note or
evidence for its checkpoints, so its proofs are `asserted` and a policy that asks for more leaves it open.
"""

from collections.abc import Iterator
from typing import Any, Final

from gatepost.interchange.items import Item, PlanItem, has_own_step, is_done, unmet
from gatepost.interchange.texts import Fitting, is_cut, line, tag, title

Call = dict[str, Any]

UNFINISHED: Final = "import:unfinished"
"""The tag of what has been created, and does not have its state yet: the next import goes on there."""
_CONFIRMED: Final = {"criteria": {"confirmed": True}, "tests": {"confirmed": True}}


def call(tool: str, **arguments: Any) -> Call:
    """One call of a batch, without the arguments that say nothing."""
    return {
        "tool": tool,
        "arguments": {name: value for name, value in arguments.items() if value not in (None, [])},
    }


def source_tag(source: str) -> str:
    """The tag of everything that came from a source."""
    return f"import:{source}"


def item_tag(source: str, key: str) -> str:
    """The tag by which an item of a source is found again."""
    return tag(f"{source}:{key}")


def tags_of(source: str, item: Item | PlanItem) -> list[str]:
    """All tags of a plan or task: those that say where it came from, and its own."""
    ours = ("import:", f"{source}:")  # a label that looks like an id of ours would be taken for one
    own = [tag(f"label {each}") if each.startswith(ours) else each for each in map(tag, item.tags) if each]
    return list(dict.fromkeys([source_tag(source), item_tag(source, item.key), *own]))[:49]


def creation(source: str, item: Item | PlanItem, plan: str | None, fitting: Fitting) -> Call:
    """The call that creates a plan, or a task with its steps."""
    where = item.key
    shared = {
        "title": line(item.title),
        "description": fitting.prose(_whole(item), where),
        "context": fitting.prose(item.context, where),
        "priority": item.priority,
        "tags": [*tags_of(source, item), UNFINISHED],
    }
    if isinstance(item, PlanItem):
        return call("tasks_create", kind="plan", **shared, contract=fitting.prose(item.contract, where))
    return call("tasks_create", kind="task", **shared, plan=plan, steps=_steps(item, fitting))


def walked(item: Item) -> Iterator[tuple[Item, str]]:
    """The steps that an item is created with, each with its path, before those below it."""
    above = ""
    if has_own_step(item):
        yield item, "s:0"
        above = "s:0."
    yield from _below(item, above)


def step_title(step: Item, item: Item) -> str:
    """The title of a step of an item's task. The step that stands for the item itself has its title."""
    return line(item.title) if step is item else title(step)


def states(item: Item, task: str, label: str, fitting: Fitting, *, refusal: str | None = None) -> list[Call]:
    """The calls that give a created task its notes, blocks and state. `refusal` says why nothing is closed."""
    steps = list(walked(item))
    calls = [call("tasks_note", task=task, note=fitting.note(note, item.key)) for note in item.notes]
    for step, path in steps:
        calls += _noted(step, item, task, path, label, fitting, refusal)
    if refusal is None:
        done = [path for step, path in reversed(steps) if is_done(step)]
        calls += [call("tasks_close_step", task=task, path=path, checkpoints=_CONFIRMED) for path in done]
    if refusal is None and is_done(item):
        calls.append(call("tasks_complete", task=task, status="DONE"))
    elif item.state in ("started", "done"):
        calls.append(call("tasks_complete", task=task, status="ACTIVE"))
    elif calls:  # a note alone would count as the first work
        calls.append(call("tasks_complete", task=task, status="TODO"))
    return calls


def plan_state(plan: PlanItem, task: str, label: str, refusal: str | None) -> list[Call]:
    """The calls that give a created plan its state."""
    if not plan.done:
        return []
    if refusal is None:
        return [call("tasks_complete", task=task, status="DONE")]
    said = f"{label} says that this is done. It was imported open, because {refusal}"
    return [call("tasks_note", task=task, note=said)]


def open_although_done(step: Item, label: str, refusal: str | None) -> str | None:
    """Why a step that its source calls done stays open here, if it does."""
    if step.state != "done" or (refusal is None and is_done(step)):
        return None
    missing = unmet(step)
    if missing:
        why = f"{missing} of its criteria {'is' if missing == 1 else 'are'} not checked there."
    else:
        why = refusal or "not everything in it is done there."
    return f"{label} says that this is done ({step.said or 'done'}). It was imported open, because {why}"


def _noted(
    step: Item, item: Item, task: str, path: str, label: str, fitting: Fitting, refusal: str | None
) -> Iterator[Call]:
    """The notes and the block of one step."""
    where = f"{item.key} {step.key or step.title[:40]}"
    texts: list[str] = []
    if step is not item:
        texts = [_whole(step), step.context, *step.notes]
    why = open_although_done(step, label, refusal)
    for text in (*texts, *([why] if why else ())):
        if text.strip():
            yield call("tasks_note", task=task, path=path, note=fitting.note(text, where))
    if step.state == "blocked":
        reason = step.reason or f"Blocked in {label}."
        yield call("tasks_block", task=task, path=path, reason=fitting.note(reason, where))


def _steps(item: Item, fitting: Fitting) -> list[dict[str, Any]]:
    below = [new_step(step, fitting, item.key) for step in item.items]
    return [{**_texts(item, line(item.title), fitting, item.key), "steps": below}] if has_own_step(item) else below


def new_step(step: Item, fitting: Fitting, where: str) -> dict[str, Any]:
    """A step to create, with those below it."""
    below = [new_step(each, fitting, where) for each in step.items]
    return {**_texts(step, title(step), fitting, f"{where} {step.key}".strip()), "steps": below}


def _texts(step: Item, words: str, fitting: Fitting, where: str) -> dict[str, Any]:
    return {
        "title": words,
        "criteria": fitting.list_items(step.criteria, where),
        "tests": fitting.list_items(step.tests, where),
        "blockers": fitting.list_items(step.blockers, where),
    }


def _below(item: Item, above: str) -> Iterator[tuple[Item, str]]:
    for number, step in enumerate(item.items):
        path = f"{above}s:{number}"
        yield step, path
        yield from _below(step, f"{path}.")


def _whole(item: Item | PlanItem) -> str:
    """The description, after the whole title if that is too long for one."""
    return "\n\n".join(filter(None, (item.title if is_cut(item.title) else "", item.description)))
