"""The radar: what to do now, in a plan, a task, or wherever the focus is."""

from typing import Any

from gatepost.domain import places, terms
from gatepost.domain.roots import Plan, Root, Task
from gatepost.engine.port import LAST_PLACE
from gatepost.engine.reader import Found, Reader, address
from gatepost.operations.fields import MaxChars, PlanId, RootId, one_target
from gatepost.operations.registry import Command, Reply, operation
from gatepost.views import radar as views
from gatepost.views.budget import View
from gatepost.views.radar import Facts

_BLOCKED_SHOWN = 10
_TASKS_TRIED = 20


class Radar(Command, frozen=True, kw_only=True):
    """Ask for one screen."""

    task: RootId | None = None
    plan: PlanId | None = None
    max_chars: MaxChars | None = None


class OneScreen(Reply, frozen=True, kw_only=True):
    """Now, why, verify, next, blockers."""

    target: dict[str, Any] | None
    now: dict[str, Any] | None
    why: dict[str, Any] | None
    verify: dict[str, Any] | None
    next: dict[str, Any]
    blockers: list[dict[str, Any]]
    counts: dict[str, Any]
    budget: dict[str, Any]


@operation("tasks_radar", "core", "tasks")
def look(reader: Reader, command: Radar) -> OneScreen | View:
    """One screen: now, why, verify, next (a call ready to send) and blockers, of a task, a plan, or what is in
    focus. Look here first."""
    target = find_target(reader, command.task, command.plan)
    if target is None:
        return views.empty(command.workspace, command.max_chars)
    facts = _of_task(reader, target, target) if isinstance(target.value, Task) else _of_plan(reader, target)
    return views.radar(command.workspace, facts, command.max_chars)


def find_target(reader: Reader, task: str | None, plan: str | None) -> Found[Root] | None:
    """What a read speaks of: what it names, or the focus, or the first task that can be worked on."""
    named = one_target(task, plan)
    if named is not None:
        return reader.root(named, field="task" if task is not None else "plan")
    focus, _ = reader.focus()
    if focus is not None:
        return reader.root(focus)
    for clauses in (
        (("status:ACTIVE",), (terms.kind("task"),), (terms.READY,)),
        ((terms.kind("task"),), (terms.READY,)),
        (("status:ACTIVE", "status:TODO"),),
    ):
        found = reader.postings(clauses, "", LAST_PLACE, 1)
        if found:
            return reader.root(places.root_id(found[0]))
    return None


def _of_task(reader: Reader, target: Found[Root], task: Found[Root]) -> Facts:
    first = reader.among(((terms.NOW,),), task.place, 1)
    blocked = reader.among(((terms.BLOCKED,),), task.place, _BLOCKED_SHOWN) if task.tally.blocked else []
    step = reader.steps(first)[0] if first else None
    return Facts(
        target=target.value,
        tally=target.tally,
        task=task.value,
        revision=task.tally.revision,
        plan=_plan_of(reader, task.value),
        step=None if step is None else step.value,
        where=None if step is None else address(step),
        steps=task.tally,
        blocked=[(found.value, address(found)) for found in reader.steps(blocked)],
        unmet=_unmet(reader, task),
    )


def _of_plan(reader: Reader, plan: Found[Root]) -> Facts:
    """The plan's first task that can be worked on; else what its waiting tasks wait for."""
    mine = (terms.plan(plan.value.id),)
    ready = reader.postings((mine, (terms.READY,)), "", LAST_PLACE, _TASKS_TRIED)
    candidates = [_of_task(reader, plan, reader.root(places.root_id(place))) for place in ready]
    for facts in candidates:
        if facts.step is not None or not facts.blocked:
            return facts
    if candidates:
        return candidates[0]
    waiting = reader.postings((mine, ("status:TODO", "status:ACTIVE")), "", LAST_PLACE, 1)
    unmet = list(_unmet(reader, plan))
    for place in waiting:
        unmet.extend(_unmet(reader, reader.root(places.root_id(place))))
    return Facts(target=plan.value, tally=plan.tally, revision=plan.tally.revision, unmet=unmet)


def _unmet(reader: Reader, root: Found[Root]) -> list[tuple[str, Root]]:
    if not root.tally.waiting:
        return []
    needed = (reader.root(name).value for name in root.value.depends_on)
    return [(root.value.id, value) for value in needed if not value.done]


def _plan_of(reader: Reader, root: Root) -> Plan | None:
    if not isinstance(root, Task) or root.plan is None:
        return None
    value = reader.root(root.plan).value
    return value if isinstance(value, Plan) else None
