"""Templates: list them, and make plans and tasks from them."""

from collections.abc import Iterator
from typing import Annotated, Final, cast

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from gatepost.domain import templates
from gatepost.domain.refusals import InvalidInput, SecretFound, Suggestion, UnknownId
from gatepost.domain.roots import Kind
from gatepost.engine.draft import Draft
from gatepost.engine.reader import Reader
from gatepost.operations import cursors, template_files
from gatepost.operations.arguments import parse
from gatepost.operations.fields import Cursor, Limit, MaxChars, PlanId
from gatepost.operations.policies import set_at
from gatepost.operations.registry import Command, Write, operation
from gatepost.operations.roots import Create, create, make_root
from gatepost.operations.step_commands import outcome
from gatepost.operations.template_files import GapName, Name, PlanForm, RootForm, TaskForm, Template, TemplateEntry
from gatepost.replies.steps import StepName
from gatepost.replies.templates import (
    FileProblem,
    Scaffolded,
    ScaffoldedTask,
    TemplateField,
    TemplateRow,
    TemplatesReply,
)
from gatepost.replies.templates import TemplateForm as FormSize
from gatepost.views.budget import Body, Cut, View, clipped, only, rows, without
from gatepost.wire.lines import Line, Title

Values = Annotated[dict[GapName, Line], Meta(max_length=20)]


class ListTemplates(Command[TemplatesReply], frozen=True, kw_only=True):
    """Ask what templates there are."""

    kind: Kind | None = None
    limit: Limit = 50
    cursor: Cursor | None = None
    max_chars: MaxChars | None = None


class Scaffold(Write[Scaffolded], frozen=True, kw_only=True):
    """Make a plan or a task from a template."""

    template: Name
    title: Title
    kind: Kind | None = None
    plan: PlanId | None = None
    values: Values | None = None


@operation("tasks_templates_list", "tasks")
def list_templates(reader: Reader, command: ListTemplates) -> View[TemplatesReply]:
    """List the templates to make plans and tasks from: built-in ones and the project's own
    (.gatepost/templates/*.toml), with their forms and values."""
    after = cursors.after(command.cursor).rstrip("\0")
    page: list[TemplateEntry] = []
    for entry in template_files.entries(reader.home, after):
        if command.kind is None or entry.template is None or command.kind in entry.template.kinds:
            page.append(entry)
        if len(page) > command.limit:
            break
    more = len(page) > command.limit
    keys = [cursors.cursor(entry.key) for entry in page[: command.limit]]
    reply = TemplatesReply(
        items=tuple(_row(entry) for entry in page[: command.limit]),
        has_more=more,
        problem=template_files.own_names(reader.home)[1],
        cursor=keys[-1] if more else None,
    )

    def stop(cut: Body) -> None:
        cut["has_more"], cut["cursor"] = True, keys[len(cut["items"]) - 1]

    return View(reply, (*_CUTS, Cut("items", rows("items", least=1, after=stop)), *_LAST_CUTS), command.max_chars)


@operation("tasks_scaffold", "tasks")
def scaffold(draft: Draft, command: Scaffold) -> Scaffolded:
    """Create a task or plan from a template: bugfix, feature, refactor, migration, research, release or your
    own."""
    template = _template(draft, command.template)
    kind = command.kind or template.kinds[0]
    form = template.task if kind == "task" else template.plan
    if form is None:
        raise InvalidInput([("kind", f"is {kind}, but {command.template} is for a {template.kinds[0]} only")])
    if kind == "plan" and command.plan is not None:
        raise InvalidInput([("plan", "does not go with kind plan")])
    values = {templates.TITLE: command.title, **_values(template, command.values or {})}
    if isinstance(form, PlanForm):
        return _make_plan(draft, command, form, values)
    asked, redacted = _spelled(draft, command, "task", form, values)
    asked = replace(asked, plan=command.plan, expected_revision=command.expected_revision)
    place, root_id, made = _make(draft, asked, form)
    kept = outcome(draft, place)
    return Scaffolded(id=root_id, kind="task", steps=tuple(made) or None, redacted=redacted or None, **kept)


def _make_plan(draft: Draft, command: Scaffold, form: PlanForm, values: dict[str, str]) -> Scaffolded:
    asked, total = _spelled(draft, command, "plan", form, values)
    place, plan, _ = _make(draft, replace(asked, expected_revision=command.expected_revision), form)
    ids: dict[str, str] = {}
    tasks = []
    for task in form.tasks:
        asked, redacted = _spelled(draft, command, "task", task, values)
        total += redacted
        needed = tuple(ids[name] for name in task.depends_on)
        _, task_id, made = _make(draft, replace(asked, plan=plan, depends_on=needed), task)
        tasks.append(ScaffoldedTask(id=task_id, steps=tuple(made)))
        if task.name is not None:
            ids[task.name] = task_id
    return Scaffolded(id=plan, kind="plan", tasks=tuple(tasks), redacted=total or None, **outcome(draft, place))


def _make(draft: Draft, asked: Create, form: RootForm) -> tuple[str, str, list[StepName]]:
    """Make a plan or task, with the policy that its form names."""
    made = make_root(draft, asked)
    if form.policy is not None:
        set_at(draft, made[0], {name: getattr(form.policy, name) for name in form.policy.given})
    return made


def _spelled(
    draft: Draft, command: Scaffold, kind: Kind, form: RootForm, values: dict[str, str]
) -> tuple[Create, int]:
    """The creation that a form asks for, once its gaps are filled, and how many credentials were replaced in it."""
    given = {
        name: templates.filled(item, values)
        for name, item in msgspec.to_builtins(form).items()
        if item is not None and name not in ("tasks", "name", "depends_on", "policy")
    }
    try:
        call = parse(create, {"workspace": command.workspace, "kind": kind, **given}, draft.secrets)
    except SecretFound as refusal:
        raise SecretFound(
            [(f"template.{found['field']}", found["kind"]) for found in refusal.details["found"]]
        ) from None
    except InvalidInput as refusal:
        field = "values" if command.values else "title"
        problems = refusal.details["problems"]
        raise InvalidInput(
            [(field, f"would not fit: `{found['field']}` {found['problem']}") for found in problems]
        ) from None
    return cast("Create", call.command), call.redacted


def _template(reader: Reader, name: str) -> Template:
    entry = template_files.find(reader.home, name)
    look = Suggestion("tasks_templates_list", {})
    if entry is None:
        import difflib

        known = [*template_files.built_in(), *template_files.own_names(reader.home)[0]]
        close = difflib.get_close_matches(name, known, n=1)
        hint = f" (did you mean {close[0]}?)" if close else ""
        raise UnknownId("template", f"template {name}{hint}", reader.workspace, look)
    if entry.template is None:
        problems = [("template", f"{name}: {entry.file}: `{field}` {problem}") for field, problem in entry.problems]
        broken = InvalidInput(problems, f"Fix {entry.file} and send the call again, or choose another template.")
        broken.suggestion = look
        raise broken
    return entry.template


def _values(template: Template, given: dict[str, str]) -> dict[str, str]:
    """The given values and the defaults of the others. Refuses unknown and missing values, each by name."""
    problems = [
        (f"values.{name}", f"is required: {asked.about}")
        for name, asked in template.values.items()
        if asked.default is None and name not in given
    ]
    for name in sorted(given.keys() - template.values.keys()):
        from gatepost.wire.input_errors import nearest

        hint = nearest(name, list(template.values)) if template.values else ", which has none"
        problems.append((f"values.{name}", f"is not a value of this template{hint}"))
    if problems:
        raise InvalidInput(problems)
    defaults = {name: asked.default for name, asked in template.values.items() if asked.default is not None}
    return defaults | given


def _row(entry: TemplateEntry) -> TemplateRow:
    template = entry.template
    row = TemplateRow(
        name=entry.name,
        source="built-in" if entry.file is None else "file",
        file=entry.file,
        overrides="built-in" if entry.overrides else None,
    )
    if template is None:
        problems = tuple(FileProblem(field=field, problem=problem) for field, problem in entry.problems)
        return replace(row, problems=problems)
    values = tuple(
        TemplateField(name=name, about=asked.about, default=asked.default)
        for name, asked in template.values.items()
    )
    return replace(
        row, title=template.title, about=template.about, forms=tuple(_forms(template)), values=values or None
    )


def _forms(template: Template) -> Iterator[FormSize]:
    if template.task is not None:
        yield FormSize(kind="task", steps=_steps((template.task,)))
    if template.plan is not None:
        tasks = template.plan.tasks
        yield FormSize(kind="plan", tasks=len(tasks), steps=_steps(tasks))


def _steps(tasks: tuple[TaskForm, ...]) -> int:
    count, layer = 0, [step for task in tasks for step in task.steps]
    while layer:
        count += len(layer)
        layer = [below for step in layer for below in step.steps]
    return count


_CUTS: Final = (
    Cut("fields", without("items", "values")),
    Cut("texts", clipped("items", 100)),
)
_LAST_CUTS: Final = (
    Cut("fields", without("items", "problems", "about", "title", "file")),
    Cut("fields", only("items", "name", "source")),
)
