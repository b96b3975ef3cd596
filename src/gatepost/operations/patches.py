"""Patches: changes to single fields of a task, a plan, a step or a task node; and closing a task with them."""

from typing import Annotated, Any, Final, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, to_builtins
from msgspec.structs import replace

from gatepost.domain import nodes, places, roots, step_rules, terms
from gatepost.domain.documents import Document, Member
from gatepost.domain.events import TaskPatched
from gatepost.domain.gate import NOTHING_OPEN
from gatepost.domain.nodes import Node
from gatepost.domain.refusals import InvalidInput, Refusal
from gatepost.domain.roots import DONE, Root
from gatepost.domain.steps import Step
from gatepost.domain.value import Event
from gatepost.engine.draft import Draft
from gatepost.engine.reader import MOST_NAMED, Found, address
from gatepost.operations import check_fields, editable
from gatepost.operations.completion import check_completable
from gatepost.operations.editable import StepPatch
from gatepost.operations.field_changes import field_changes
from gatepost.operations.fields import Depends, RootId
from gatepost.operations.list_fields import Tags
from gatepost.operations.nodes import record_node
from gatepost.operations.registry import Write, operation
from gatepost.operations.roots import ContractData, check_data, check_dependencies
from gatepost.operations.step_commands import StepCommand, check_selected, name_of, outcome, select_member
from gatepost.operations.step_fields import StepId, StepPath
from gatepost.operations.steps import reopen_from
from gatepost.replies.root_writes import Patched, TaskClosed, Unmet
from gatepost.replies.step_details import StepRow
from gatepost.replies.steps import StepName
from gatepost.views.step_rows import step_row
from gatepost.wire.json_input import command as read
from gatepost.wire.lines import Title
from gatepost.wire.prose import Prose
from gatepost.wire.tags import Tag

PatchKind = Literal["task_detail", "step", "task"]


class FieldOp(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One change to one field."""

    op: Literal["set", "unset", "append", "remove"]
    field: Annotated[str, Meta(max_length=40)]
    value: Any = UNSET


Ops = Annotated[tuple[FieldOp, ...], Meta(min_length=1, max_length=50)]


class Patch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Changes to one target inside a task."""

    kind: PatchKind = "task_detail"
    path: StepPath | UnsetType = UNSET
    step_id: StepId | UnsetType = UNSET
    ops: Ops


class PatchTask(StepCommand[Patched], frozen=True, kw_only=True):
    """Change single fields."""

    kind: PatchKind = "task_detail"
    ops: Ops


class CloseTask(Write[TaskClosed], frozen=True, kw_only=True):
    """Patch and complete a task in one go, or see what that would do."""

    task: RootId
    apply: bool = False
    patches: Annotated[tuple[Patch, ...], Meta(max_length=50)] = ()


class _Fields(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the fields of a patch may hold. One that can be cleared is null then."""


class _RootFields(_Fields, frozen=True, kw_only=True):
    title: Title | UnsetType = UNSET
    description: Prose | UnsetType | None = UNSET
    context: Prose | UnsetType | None = UNSET
    priority: roots.Priority | UnsetType | None = UNSET
    domain: Tag | UnsetType | None = UNSET
    tags: Tags | UnsetType | None = UNSET
    depends_on: Depends | UnsetType | None = UNSET


class _PlanFields(_RootFields, frozen=True, kw_only=True):
    contract: Prose | UnsetType | None = UNSET
    contract_data: ContractData | UnsetType | None = UNSET


class _NodeFields(_Fields, frozen=True, kw_only=True):
    title: Title | UnsetType = UNSET
    status: roots.Status | UnsetType = UNSET
    priority: roots.Priority | UnsetType | None = UNSET
    description: Prose | UnsetType | None = UNSET


_EMPTY: Final[dict[str, Any]] = {"priority": "MEDIUM", "tags": (), "depends_on": (), **editable.EMPTY}


@operation("tasks_patch", "tasks")
def patch(draft: Draft, command: PatchTask) -> Patched:
    """Change single fields of a task or plan (kind task_detail), a step, or a task node (kind task): set, unset,
    append to or remove from a list."""
    given = Patch(kind=command.kind, path=command.path or UNSET, step_id=command.step_id or UNSET, ops=command.ops)
    _check_selector(given, "path")
    check_selected(command)
    root = draft.root_at(command.task, command.expected_revision)
    if command.expected_step_revision is not None:
        select_member(draft, root, command)
    step = _apply(draft, root, given, "ops")
    return Patched(task=command.task, step=step, **outcome(draft, root.place))


@operation("tasks_close_task", "tasks")
def close_task(draft: Draft, command: CloseTask) -> TaskClosed:
    """Apply patches and complete a task or plan in one call. Without `apply` nothing changes: the reply shows every
    field before and after, and what is unmet."""
    for number, given in enumerate(command.patches):
        _check_selector(given, f"patches[{number}].path")
    root = draft.root_at(command.task, command.expected_revision)
    start = draft.mark()
    for number, given in enumerate(command.patches):
        _apply(draft, draft.root(command.task), given, f"patches[{number}].ops")
    unmet = _complete(draft, draft.root(command.task), apply=command.apply)
    diff = field_changes(draft, start)
    if not command.apply:
        draft.back_to(start)
        return TaskClosed(task=command.task, applied=False, diff=diff, unmet=unmet, **outcome(draft, root.place))
    return TaskClosed(task=command.task, applied=True, diff=diff, unmet=None, **outcome(draft, root.place))


def _complete(draft: Draft, root: Found[Root], *, apply: bool) -> Unmet | None:
    """Complete it if possible. A dry run returns what is unmet instead of raising a refusal."""
    try:
        if not root.value.done:
            check_completable(draft, root)
    except Refusal as refusal:
        if apply:
            raise
        steps = _unmet_steps(draft, root)
        return Unmet(code=refusal.code, message=refusal.message, **refusal.details, steps=steps)
    value, events = roots.set_status(root.value, "DONE")
    for event in events:
        draft.put(root.place, value)
        draft.log(root.place, event)
    return None


def _unmet_steps(draft: Draft, root: Found[Root]) -> tuple[StepRow, ...]:
    """What the open steps still need, starting with those that can be closed, and the steps closed by force."""
    found = draft.among(((terms.NOW, terms.BLOCKED, terms.UNPROVEN),), root.place, MOST_NAMED)
    over = {above for place in found for above in places.above(place)[:-1]}
    listed = draft.members(sorted({*found, *over})[:MOST_NAMED])
    return tuple(
        step_row(step.place, step.value, step.tally, draft.is_stale) for step in listed if _is_unmet(step.value)
    )


def _is_unmet(member: Member) -> bool:
    """Whether a step or task node is open, or was closed by force and still lacks a confirmation."""
    return not member.done or (isinstance(member, Step) and bool(member.missing))


def _check_selector(given: Patch, field: str) -> None:
    named = given.path is not UNSET or given.step_id is not UNSET
    if given.kind == "task_detail" and named:
        raise InvalidInput([(field, "does not go with kind task_detail")])
    if given.kind != "task_detail" and not named:
        raise InvalidInput([(field, f"or `step_id` is required with kind {given.kind}")])


def _apply(draft: Draft, root: Found[Root], given: Patch, field: str) -> StepName | None:
    if given.kind == "task_detail":
        _patch_root(draft, root, given.ops, field)
        return None
    path = None if given.path is UNSET else given.path
    step_id = None if given.step_id is UNSET else given.step_id
    if given.kind == "step":
        step = draft.step(root, path, step_id)
        changes = _changes(step.value, given.ops, StepPatch, field)
        _record(draft, root, step, step_rules.define(step.value, address(step), changes))
        return name_of(step)
    found = draft.member(root, path, step_id)
    if not isinstance(found.value, Node):
        raise InvalidInput([("kind", f"{address(found)} is a step: patch it with kind step")])
    node = Found(found.place, found.value, found.tally)
    changes = _changes(node.value, given.ops, _NodeFields, field)
    below = draft.open_below(node) if changes.get("status") == DONE else NOTHING_OPEN
    record_node(draft, root, node, *nodes.define(node.value, address(node), below, changes))
    if node.value.done and changes.get("status", DONE) != DONE:
        reopen_from(draft, places.above(node.place)[0], node.value.id)
    return name_of(node)


def _patch_root(draft: Draft, root: Found[Root], ops: tuple[FieldOp, ...], field: str) -> None:
    kind = _PlanFields if isinstance(root.value, roots.Plan) else _RootFields
    changes = _changes(root.value, ops, kind, field)
    check_data(changes.get("contract_data"))
    value, events = roots.edit(root.value, changes)
    if events:
        if "depends_on" in changes:
            check_dependencies(draft, value)
        fields = tuple(name for name in changes if getattr(root.value, name) != changes[name])
        draft.put(root.place, value)
        draft.log(root.place, TaskPatched(fields=fields))


def _record(draft: Draft, root: Found[Root], found: Found[Any], change: tuple[Any, tuple[Event, ...]]) -> None:
    value, events = change
    for event in events:
        draft.put(found.place, value)
        draft.log(root.place, event, found)


def _changes(document: Document, ops: tuple[FieldOp, ...], kind: type[Struct], field: str) -> dict[str, Any]:
    """The fields as the ops leave them, each checked as if it had been given whole."""
    changes: dict[str, Any] = {}
    for number, item in enumerate(ops):
        at = f"{field}[{number}]"
        if item.field not in kind.__struct_fields__:
            known = ", ".join(kind.__struct_fields__)
            raise InvalidInput([(f"{at}.field", f"is {item.field}, which cannot be patched here; known: {known}")])
        if (item.op == "unset") != (item.value is UNSET):
            problem = "does not go with unset" if item.op == "unset" else f"is required with {item.op}"
            raise InvalidInput([(f"{at}.value", problem)])
        is_list = isinstance(getattr(document, item.field), tuple)
        now = changes.get(item.field, to_builtins(getattr(document, item.field)))
        changes[item.field] = _changed_list(_comparable(item), now) if is_list else _changed(item, at)
    clearable = frozenset(name for name in changes if name not in ("title", "status"))
    checked = read(kind, changes, clearable)
    given = {name: getattr(checked, name) for name in changes}
    return editable.normal({name: _EMPTY.get(name) if value is None else value for name, value in given.items()})


def _changed(item: FieldOp, at: str) -> Any:
    if item.op in ("append", "remove"):
        raise InvalidInput([(f"{at}.op", f"{item.op} works only on lists; {item.field} is not a list")])
    return item.value if item.op == "set" else None


def _comparable(item: FieldOp) -> FieldOp:
    """An op whose checks are as stored ones, so that equal ones are found."""
    if item.field != "checks" or item.value is UNSET:
        return item
    values = item.value if isinstance(item.value, list | tuple) else [item.value]
    return replace(item, value=[check_fields.plain(value) for value in values])


def _changed_list(item: FieldOp, now: Any) -> Any:
    """The list as an op leaves it, each value once; what is no list is left for the check to refuse."""
    if item.op == "unset":
        return []
    if not isinstance(now, list | tuple):
        return now
    if item.op == "set" and not isinstance(item.value, list | tuple):
        return item.value
    values = list(item.value) if isinstance(item.value, list | tuple) else [item.value]
    if item.op == "remove":
        return [value for value in now if value not in values]
    kept = [] if item.op == "set" else list(now)
    for value in values:
        if value not in kept:
            kept.append(value)
    return kept
