"""Template files: what they may hold, and the two folders they are read from."""

import errno
import os
import re
from collections.abc import Callable, Iterator
from typing import Annotated, Any, Final, NamedTuple

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from gatepost.domain import templates
from gatepost.domain.policies import Policy
from gatepost.domain.refusals import InvalidInput, Refusal
from gatepost.domain.roots import Kind, Priority
from gatepost.files import no_follow
from gatepost.operations.editable import NewStep
from gatepost.operations.list_fields import Tags
from gatepost.operations.roots import ContractData, check_data
from gatepost.operations.steps import check_new_steps
from gatepost.wire import json_input
from gatepost.wire.lines import Line, Title
from gatepost.wire.prose import Prose
from gatepost.wire.tags import Tag
from gatepost.wire.texts import MEANINGS

MOST_FILES: Final = 500
FOLDER: Final = ".gatepost/templates"

_LARGEST: Final = 65_536
_ENDING: Final = ".toml"
_BUILT_IN: Final = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "templates")
_AFTER_NAMES: Final = "z" * 42
"""Later than any good name, which has 41 letters at most."""

Name = Annotated[str, Meta(pattern=templates.NAME)]
GapName = Annotated[str, Meta(pattern=templates.GAP_NAME)]
Problem = tuple[str, str]


class RootForm(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What plans and tasks both say of themselves."""

    title: Title = "{title}"
    description: Prose | None = None
    context: Prose | None = None
    priority: Priority = "MEDIUM"
    domain: Tag | None = None
    tags: Tags = ()
    policy: Policy | None = None


class TaskForm(RootForm, frozen=True, kw_only=True):
    """A task to create."""

    steps: tuple[NewStep, ...] = ()


class TaskInPlan(TaskForm, frozen=True, kw_only=True):
    """A task to create in a plan. It may wait for tasks before it, which it names."""

    title: Title
    name: Name | None = None
    depends_on: Annotated[tuple[Name, ...], Meta(max_length=50)] = ()


class PlanForm(RootForm, frozen=True, kw_only=True):
    """A plan to create, with its tasks."""

    contract: Prose | None = None
    contract_data: ContractData | None = None
    tasks: Annotated[tuple[TaskInPlan, ...], Meta(min_length=1, max_length=50)]


class TemplateValue(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A value that fills gaps. One without a default must be given."""

    about: Line
    default: Line | None = None


class Template(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A template file."""

    title: Title
    about: Line
    values: Annotated[dict[GapName, TemplateValue], Meta(max_length=20)] = msgspec.field(default_factory=dict)
    task: TaskForm | None = None
    plan: PlanForm | None = None

    @property
    def kinds(self) -> list[Kind]:
        """The forms it has; the first is the one it takes if nobody says."""
        held: list[tuple[Kind, RootForm | None]] = [("task", self.task), ("plan", self.plan)]
        return [kind for kind, form in held if form is not None]


class TemplateEntry(NamedTuple):
    """A template by its name: what it holds, or what is wrong with its file."""

    name: str
    key: str
    file: str | None
    overrides: bool
    template: Template | None
    problems: list[Problem]


def find(home: str | None, name: str) -> TemplateEntry | None:
    """A template by a name of the right form; the project's own comes first."""
    if home is not None and os.path.lexists(os.path.join(home, "templates", name + _ENDING)):
        return _entry(home, name)
    return _entry(None, name) if name in built_in() else None


def entries(home: str | None, after: str) -> Iterator[TemplateEntry]:
    """The templates whose key comes after one, in order; each is read when it is asked for."""
    own = set(own_names(home)[0])
    for name in sorted({*built_in(), *own}, key=_key):
        if _key(name) > after:
            yield _entry(home if name in own else None, name)


def built_in() -> list[str]:
    """The names of the built-in templates."""
    return _names(_BUILT_IN)


def own_names(home: str | None) -> tuple[list[str], str | None]:
    """The names of the project's own files, good or bad, and what is wrong with their folder."""
    if home is None:
        return [], None
    try:
        found = _names(os.path.join(home, "templates"))
    except FileNotFoundError:
        return [], None
    except OSError as error:
        return [], f"{FOLDER} cannot be read: {error.strerror}"
    if len(found) > MOST_FILES:
        return found[:MOST_FILES], f"{FOLDER} holds {len(found):,} files; the first {MOST_FILES} are listed"
    return found, None


def _names(folder: str) -> list[str]:
    files = (file for file in os.listdir(folder) if file.endswith(_ENDING) and not file.startswith("."))
    return sorted((file.removesuffix(_ENDING) for file in files), key=_key)


def _key(name: str) -> str:
    """A name as cursors can hold it, in the same order: good ones first, then the beginnings of bad ones."""
    if re.match(templates.NAME, name):
        return name.replace("-", ".")
    return _AFTER_NAMES + os.fsencode(name)[:40].hex()


def _entry(home: str | None, name: str) -> TemplateEntry:
    """Read a template: from the project's folder, or if there is none, from ours."""
    if home is None:
        made = _load(os.path.join(_BUILT_IN, name + _ENDING))
        return TemplateEntry(name, _key(name), None, overrides=False, template=made, problems=[])
    label = "".join(letter if letter.isprintable() else "?" for letter in name[:41])
    entry = TemplateEntry(label, _key(name), f"{FOLDER}/{label}{_ENDING}", name in built_in(), None, [])
    if not re.match(templates.NAME, name):
        return entry._replace(problems=[("file", f"has an invalid name: it {MEANINGS[templates.NAME]}")])
    try:
        return entry._replace(template=_load(os.path.join(home, "templates", name + _ENDING)))
    except InvalidInput as refusal:
        return entry._replace(
            problems=[(found["field"], found["problem"]) for found in refusal.details["problems"]]
        )


def _load(path: str) -> Template:
    """A template file's content, with everything that is wrong with it as the refusal of an input."""
    made = json_input.command(Template, _parsed(_text(path)), frozenset())
    problems = list(_misfits(made))
    if problems:
        raise InvalidInput(problems)
    return made


def _text(path: str) -> str:
    """The text of a plain file, up to the size limit. Links are not followed: they lead out of the folder."""
    try:
        data = no_follow.read(None, path, _LARGEST + 1)
    except no_follow.NotRegular as error:
        what = "is a link, not a plain file" if error.errno == errno.ELOOP else "is not a plain file"
        raise InvalidInput([("file", what)]) from None
    except OSError as error:
        raise InvalidInput([("file", f"cannot be read: {error.strerror}")]) from None
    if len(data) > _LARGEST:
        raise InvalidInput([("file", f"may have at most {_LARGEST:,} bytes")])
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise InvalidInput([("file", f"is not UTF-8: byte {error.start:,} is not")]) from None


def _parsed(text: str) -> dict[str, Any]:
    from gatepost.wire import toml_input  # loads a parser that only templates need

    try:
        return toml_input.parsed(text)
    except ValueError as error:
        raise InvalidInput([("file", f"is not TOML: {error}")]) from None


def _misfits(made: Template) -> Iterator[Problem]:
    """What is wrong with a template whose parts are all of the right form."""
    yield from _misfits_of_values(made.values)
    if not made.kinds:
        yield "task", "or `plan` is required: a template has at least one form"
    plan = made.plan
    if plan is not None:
        yield from _misfits_of_tasks(plan.tasks)
        problem = _refused(check_data, plan.contract_data)
        if problem is not None:
            yield "plan.contract_data", problem
            plan = replace(plan, contract_data=None)  # it may be too deep to be walked
    known = sorted({templates.TITLE, *made.values})
    for kind, form in (("task", made.task), ("plan", plan)):
        for where, gap in templates.gaps(msgspec.to_builtins(form), kind):
            if gap not in known:
                yield where, f"has the gap {{{gap}}}, which is not a value here; known: {', '.join(known)}"
    for tasks in ((made.task,) if made.task else (), plan.tasks if plan else ()):
        problem = _refused(check_new_steps, tuple(step for task in tasks for step in task.steps))
        if problem is not None:
            yield "steps", problem


def _refused(check: Callable[[Any], None], value: Any) -> str | None:
    """What a check says against a value."""
    try:
        check(value)
    except InvalidInput as refusal:
        return str(refusal.details["problems"][0]["problem"])
    except Refusal as refusal:
        return refusal.message
    return None


def _misfits_of_values(values: dict[str, TemplateValue]) -> Iterator[Problem]:
    if templates.TITLE in values:
        yield "values.title", "is given by every call, so it cannot be declared"
    for name, asked in values.items():
        if asked.default is not None and list(templates.gaps(asked.default, "")):
            yield f"values.{name}.default", "is inserted as it is, so it cannot contain gaps"


def _misfits_of_tasks(tasks: tuple[TaskInPlan, ...]) -> Iterator[Problem]:
    before: set[str] = set()
    for number, task in enumerate(tasks):
        at = f"plan.tasks[{number}]"
        for needed in sorted(set(task.depends_on) - before):
            yield f"{at}.depends_on", f"names {needed}, which is not the `name` of an earlier task"
        if task.name in before:
            yield f"{at}.name", f"is {task.name}, which an earlier task already has"
        if task.name is not None:
            before.add(task.name)
