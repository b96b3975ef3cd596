"""Plans and tasks: create, edit."""

import math
import re
from collections.abc import Iterable
from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from gatepost.domain import places, roots, terms
from gatepost.domain.events import PlanCreated, StepsAdded, TaskCreated
from gatepost.domain.policies import Policy
from gatepost.domain.refusals import DependencyCycle, InvalidInput, Suggestion
from gatepost.domain.roots import Kind, Plan, Priority, Root, Task
from gatepost.engine.draft import Draft
from gatepost.engine.policies import effective
from gatepost.engine.reader import MOST_NAMED
from gatepost.operations.editable import NewStep
from gatepost.operations.fields import KNOWN, Depends, PlanId, RootId
from gatepost.operations.list_fields import Tags
from gatepost.operations.registry import Write, operation
from gatepost.operations.step_commands import outcome
from gatepost.operations.steps import add_steps, check_new_steps, reopen_roots
from gatepost.replies.root_writes import Created, Edited
from gatepost.replies.steps import StepName
from gatepost.wire.lines import Title
from gatepost.wire.prose import Prose
from gatepost.wire.tags import Tag

_MOST_DATA: Final = 65_536
_DEEPEST_DATA: Final = 32
_WIDEST_NUMBER: Final = 64

_BEGUN: Final = "begun"
_DONE: Final = "done"
_Moment = tuple[str, str]
"""A plan or task, and whether it begins or is done."""

ContractData = Annotated[dict[str, Any], msgspec.Meta(description="The contract as free JSON.", extra=KNOWN)]


class Create(Write[Created], frozen=True, kw_only=True):
    """Make a plan or a task."""

    kind: Kind
    title: Title
    plan: PlanId | None = None
    description: Prose | None = None
    context: Prose | None = None
    priority: Priority = "MEDIUM"
    domain: Tag | None = None
    tags: Tags = ()
    depends_on: Depends = ()
    contract: Prose | None = None
    contract_data: ContractData | None = None
    steps: tuple[NewStep, ...] = ()


class Edit(Write[Edited], frozen=True, kw_only=True):
    """Change what a plan or task says of itself."""

    task: RootId
    title: Title | UnsetType = UNSET
    description: Prose | UnsetType | None = UNSET
    context: Prose | UnsetType | None = UNSET
    priority: Priority | UnsetType | None = UNSET
    new_domain: Tag | UnsetType | None = UNSET
    tags: Tags | UnsetType | None = UNSET
    depends_on: Depends | UnsetType | None = UNSET
    contract: Prose | UnsetType | None = UNSET
    contract_data: ContractData | UnsetType | None = UNSET


@operation("tasks_create", "core", "tasks")
def create(draft: Draft, command: Create) -> Created:
    """Create a plan, or a task with its steps and the `criteria` and `tests` that would prove them."""
    place, root_id, made = make_root(draft, command)
    return Created(id=root_id, kind=command.kind, steps=tuple(made) or None, **outcome(draft, place))


@operation("tasks_edit", "tasks")
def edit(draft: Draft, command: Edit) -> Edited:
    """Change the title, description, context, priority, domain (new_domain), tags or dependencies of a plan or
    task; a plan's contract too. Fields left out stay; null clears."""
    _check_edit(command)
    root = draft.root_at(command.task, command.expected_revision)
    changes = _edits(command)
    if "depends_on" in changes:
        plan = root.value.plan if isinstance(root.value, Task) else None
        changes["depends_on"] = _depends(draft, root.value.id, plan, changes["depends_on"])
    value, events = roots.edit(root.value, changes)
    for event in events:
        draft.put(root.place, value)
        draft.log(root.place, event)
    return Edited(task=command.task, **outcome(draft, root.place))


def make_root(draft: Draft, command: Create) -> tuple[str, str, list[StepName]]:
    """Make a plan, or a task with its steps: its place, its id, and the steps' names."""
    _check_create(command)
    if command.plan is not None:
        draft.root_at(command.plan, command.expected_revision, field="plan")
    kind = places.PLAN if command.kind == "plan" else places.TASK
    place, root_id = draft.new_root(kind)
    fields: dict[str, Any] = {
        "id": root_id,
        "title": command.title,
        "description": command.description,
        "context": command.context,
        "priority": command.priority,
        "domain": command.domain,
        "tags": _distinct(command.tags),
        "depends_on": _depends(draft, root_id, command.plan, command.depends_on),
        "created_at": draft.stamp.at,
    }
    if command.kind == "plan":
        policy = _policy_of_new_plan(draft)
        draft.put(
            place, Plan(contract=command.contract, contract_data=command.contract_data, policy=policy, **fields)
        )
        draft.log(place, PlanCreated(title=command.title))
        return place, root_id, []
    draft.put(place, Task(plan=command.plan, **fields))
    draft.log(place, TaskCreated(title=command.title, plan=command.plan))
    made = _first_steps(draft, place, command.steps)
    if command.plan is not None:
        reopen_roots(draft, places.at_id(command.plan), root_id)
    return place, root_id, made


def _policy_of_new_plan(draft: Draft) -> Policy | None:
    """A plan that is made where plans wait for a person waits for one itself, even if that is changed later."""
    held = effective(draft, places.POLICY)
    return Policy(approval="human") if held.approval == "human" else None


def _check_create(command: Create) -> None:
    misplaced = ["plan", "steps"] if command.kind == "plan" else ["contract", "contract_data"]
    problems = [
        (name, f"does not go with kind {command.kind}")
        for name in misplaced
        if getattr(command, name) not in (None, ())
    ]
    if command.expected_revision is not None and command.plan is None:
        problems.append(("expected_revision", "needs a `plan` whose revision it is"))
    if problems:
        raise InvalidInput(problems)
    check_new_steps(command.steps)
    check_data(command.contract_data)


def _check_edit(command: Edit) -> None:
    if not command.task.startswith("PLAN"):
        given = [name for name in ("contract", "contract_data") if getattr(command, name) is not UNSET]
        if given:
            raise InvalidInput([(name, "belongs to plans, not tasks") for name in given])
    check_data(command.contract_data)


def check_data(data: Any) -> None:
    """Data from outside must survive being stored and shown: plain JSON, valid text, within bounds."""
    if data is None or data is UNSET:
        return
    if not _storable(data, _DEEPEST_DATA):
        what = f"must be plain JSON, at most {_DEEPEST_DATA} levels deep, without NUL or unpaired surrogates"
        raise InvalidInput([("contract_data", what)])
    size = len(msgspec.json.encode(data).decode())
    if size > _MOST_DATA:
        raise InvalidInput([("contract_data", f"may have {_MOST_DATA:,} characters as JSON; got {size:,}")])


def _storable(data: Any, depth: int) -> bool:
    if depth == 0:
        return False
    if isinstance(data, dict):
        return all(isinstance(name, str) and _storable(name, depth) for name in data) and all(
            _storable(item, depth - 1) for item in data.values()
        )
    if isinstance(data, list | tuple):
        return all(_storable(item, depth - 1) for item in data)
    if isinstance(data, str):
        return re.search("[\0\ud800-\udfff]", data) is None
    if isinstance(data, float):
        return math.isfinite(data)
    return data is None or (isinstance(data, int) and data.bit_length() < _WIDEST_NUMBER)


def _edits(command: Edit) -> dict[str, Any]:
    empty: dict[str, Any] = {"priority": "MEDIUM", "tags": (), "depends_on": ()}
    names = ("title", "description", "context", "priority", "tags", "depends_on", "contract", "contract_data")
    given = {name: getattr(command, name) for name in names} | {"domain": command.new_domain}
    changes = {
        name: empty.get(name) if value is None else value for name, value in given.items() if value is not UNSET
    }
    if "tags" in changes:
        changes["tags"] = _distinct(changes["tags"] or ())
    return changes


def _first_steps(draft: Draft, place: str, steps: tuple[NewStep, ...]) -> list[StepName]:
    if not steps:
        return []
    made = add_steps(draft, place, steps)
    draft.log(place, StepsAdded(count=len(made), first="s:0", last=f"s:{len(steps) - 1}"))
    return made


def check_dependencies(draft: Draft, root: Root) -> None:
    """Refuse dependencies that do not exist or that wait for this one, also those of its plan."""
    plan = root.plan if isinstance(root, Task) else None
    inherited = () if plan is None else _root(draft, places.at_id(plan)).depends_on
    _depends(draft, root.id, plan, (*root.depends_on, *inherited))


def _depends(draft: Draft, root_id: str, plan: str | None, needed: tuple[str, ...]) -> tuple[str, ...]:
    """The dependencies, if all of them exist and none of them waits for this one."""
    for name in needed:
        draft.root(name, field="depends_on")
    waiting = _waiting_for(draft, root_id, plan) if needed else {}
    for name in needed:
        if (name, _DONE) in waiting:
            chain = " → ".join(_ends([*_chain(waiting, name)]))
            raise DependencyCycle(
                f"`depends_on`: {root_id} cannot wait for {name}, which already waits for it: {chain}.",
                "Leave out that dependency, or remove the one that leads back.",
                Suggestion("tasks_radar", {"task": name} if name != root_id else {}),
                field="depends_on",
            )
    return _distinct(needed)


def _ends(chain: list[str]) -> list[str]:
    """A chain that can be read: of a long one both ends, and how many are between them."""
    between = len(chain) - MOST_NAMED
    half = MOST_NAMED // 2
    return chain if between <= 0 else [*chain[:half], f"{between} more", *chain[-half:]]


def _waiting_for(draft: Draft, root_id: str, plan: str | None) -> dict[_Moment, _Moment | None]:
    """Everything that cannot start or be done before `root_id` starts, each with what it waits for directly."""
    first: _Moment = (root_id, _BEGUN)
    found: dict[_Moment, _Moment | None] = {first: None}
    ahead: list[tuple[_Moment, str | None]] = [(first, plan)]
    while ahead:
        moment, holder = ahead.pop()
        for waiter, its_plan in _held_up(draft, moment, holder):
            if waiter not in found:
                found[waiter] = moment
                ahead.append((waiter, its_plan))
    return found


def _held_up(draft: Draft, moment: _Moment, plan: str | None) -> Iterable[tuple[_Moment, str | None]]:
    """What waits directly for a plan or task to begin, or to be done; each with its plan.

    The tasks of a plan cannot start before it does, and it is not done before they are.
    """
    name, what = moment
    if what == _BEGUN:
        yield (name, _DONE), plan
        if not places.is_task(places.at_id(name)):
            for place in draft.every(((terms.plan(name),),)):
                yield (places.root_id(place), _BEGUN), name
        return
    for place in draft.every(((terms.needs(name),),)):
        root = _root(draft, place)
        yield (root.id, _BEGUN), root.plan if isinstance(root, Task) else None
    if plan is not None:
        yield (plan, _DONE), None


def _root(draft: Draft, place: str) -> Root:
    return draft.root(places.root_id(place)).value


def _chain(waiting: dict[_Moment, _Moment | None], name: str) -> Iterable[str]:
    """What waits for what, each named once."""
    step: _Moment | None = (name, _DONE)
    while step is not None:
        before = waiting[step]
        if before is None or before[0] != step[0]:
            yield step[0]
        step = before


def _distinct(values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))
