"""Plans: their checklist and their contract."""

from typing import Any

from msgspec import UNSET, UnsetType

from gatepost.domain import roots
from gatepost.domain.refusals import InvalidInput
from gatepost.domain.roots import Plan
from gatepost.engine.draft import Draft
from gatepost.engine.reader import Found
from gatepost.operations.fields import Count, PlanId
from gatepost.operations.list_fields import Items
from gatepost.operations.registry import Write, operation
from gatepost.operations.roots import ContractData, check_data
from gatepost.operations.step_commands import outcome
from gatepost.operations.steps import reopen_roots
from gatepost.replies.root_writes import ContractChanged, PlanChanged
from gatepost.wire.prose import Prose


class UpdatePlan(Write[PlanChanged], frozen=True, kw_only=True):
    """Change a plan's checklist."""

    plan: PlanId
    steps: Items | UnsetType | None = UNSET
    current: Count | None = None
    doc: Prose | UnsetType | None = UNSET
    advance: bool = False


class SetContract(Write[ContractChanged], frozen=True, kw_only=True):
    """Set or clear a plan's contract."""

    plan: PlanId
    current: Prose | UnsetType | None = UNSET
    contract_data: ContractData | UnsetType | None = UNSET
    clear: bool = False


@operation("tasks_plan", "tasks")
def update_plan(draft: Draft, command: UpdatePlan) -> PlanChanged:
    """Update a plan's checklist: `steps` replaces it, `current` is how many items are done, `advance` adds one,
    `doc` is free text. A plan can be completed only when its checklist is."""
    if command.advance and command.current is not None:
        raise InvalidInput([("advance", "cannot be given together with `current`")])
    found = _plan(draft, command)
    plan = found.value
    changes: dict[str, Any] = {}
    if command.steps is not UNSET:
        changes["steps"] = command.steps or ()
    if command.doc is not UNSET:
        changes["doc"] = command.doc
    end = len(changes.get("steps", plan.steps))
    if command.current is not None:
        changes["current"] = command.current
    elif command.advance:
        changes["current"] = (0 if changes.get("steps", plan.steps) != plan.steps else plan.current) + 1
    if changes.get("current", 0) > end:
        field = "advance" if command.advance else "current"
        raise InvalidInput([(field, f"would be at {changes['current']} of {end} in the checklist of {plan.id}")])
    _record(draft, found, roots.checklist(plan, changes))
    value = _plan(draft, command, again=True).value
    if value.current < len(value.steps):
        reopen_roots(draft, found.place, plan.id)
    return PlanChanged(plan=plan.id, steps=tuple(value.steps), current=value.current, **outcome(draft, found.place))


@operation("tasks_contract", "tasks")
def set_contract(draft: Draft, command: SetContract) -> ContractChanged:
    """Set a plan's contract: `current` is its text, `contract_data` its data. Fields left out stay; null clears
    one, `clear` both. Earlier contracts stay in the history."""
    if command.clear and (command.current is not UNSET or command.contract_data is not UNSET):
        raise InvalidInput([("clear", "cannot be given together with `current` or `contract_data`")])
    check_data(command.contract_data)
    found = _plan(draft, command)
    changes: dict[str, Any] = {"contract": None, "contract_data": None} if command.clear else {}
    if command.current is not UNSET:
        changes["contract"] = command.current
    if command.contract_data is not UNSET:
        changes["contract_data"] = command.contract_data
    _record(draft, found, roots.contract(found.value, changes))
    value = _plan(draft, command, again=True).value
    return ContractChanged(
        plan=value.id,
        current=value.contract,
        contract_data=value.contract_data,
        **outcome(draft, found.place),
    )


def _plan(draft: Draft, command: UpdatePlan | SetContract, *, again: bool = False) -> Found[Plan]:
    expected = None if again else command.expected_revision
    found = draft.root_at(command.plan, expected, field="plan")
    if not isinstance(found.value, Plan):
        raise InvalidInput([("plan", f"{command.plan} is not a plan")])
    return Found(found.place, found.value, found.tally)


def _record(draft: Draft, found: Found[Plan], change: tuple[Plan, tuple[Any, ...]]) -> None:
    value, events = change
    for event in events:
        draft.put(found.place, value)
        draft.log(found.place, event)
