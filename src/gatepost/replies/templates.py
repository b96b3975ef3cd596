"""The replies about templates."""

from gatepost.domain.roots import Kind
from gatepost.replies.events import BriefEvent
from gatepost.replies.reply import Part, Reply, WriteReply
from gatepost.replies.steps import StepName


class FileProblem(Part, frozen=True, kw_only=True):
    """What is wrong with a field of a template file."""

    field: str
    problem: str


class TemplateForm(Part, frozen=True, kw_only=True):
    """What a template can create, and how large it is."""

    kind: Kind
    tasks: int | None = None
    steps: int


class TemplateField(Part, frozen=True, kw_only=True):
    """A value that a template asks for. It is required unless it has a default."""

    name: str
    about: str
    default: str | None = None


class TemplateRow(Part, frozen=True, kw_only=True):
    """A template: what it is for and what it asks for; or the problems of its file."""

    name: str
    source: str
    file: str | None = None
    overrides: str | None = None
    problems: tuple[FileProblem, ...] | None = None
    title: str | None = None
    about: str | None = None
    forms: tuple[TemplateForm, ...] | None = None
    values: tuple[TemplateField, ...] | None = None


class TemplatesReply(Reply, frozen=True, kw_only=True):
    """Templates by name. `problem` is what is wrong with the project's folder of templates."""

    items: tuple[TemplateRow, ...]
    has_more: bool
    problem: str | None = None
    cursor: str | None = None


class ScaffoldedTask(Part, frozen=True, kw_only=True):
    """A task of a new plan."""

    id: str
    steps: tuple[StepName, ...]


class Scaffolded(WriteReply, frozen=True, kw_only=True):
    """The new task with its steps, or the new plan with its tasks."""

    id: str
    kind: Kind
    revision: int
    steps: tuple[StepName, ...] | None = None
    tasks: tuple[ScaffoldedTask, ...] | None = None
    events: tuple[BriefEvent, ...]
