"""Taskdocs: a task's goals, constraints and progress, changed by one explicit call and read by everyone alike."""

from typing import Annotated, Final

from msgspec import UNSET, Meta, UnsetType
from msgspec.structs import replace

from gatepost.domain import places, taskdocs
from gatepost.domain.events import SectionReplaced, TaskdocBound, TaskdocCreated
from gatepost.domain.refusals import (
    AlreadyExists,
    InvalidInput,
    Suggestion,
)
from gatepost.domain.taskdoc_refusals import PackageIsTampered, TaskdocIsArchived
from gatepost.domain.taskdocs import NAME, SELECTORS, SectionText, Selector, Taskdoc, fingerprint
from gatepost.domain.value import Stamp
from gatepost.engine import section_versions
from gatepost.engine.draft import Draft
from gatepost.engine.package_findings import blocked, findings
from gatepost.engine.reader import Found, Reader
from gatepost.operations.fields import KNOWN, PlanId
from gatepost.operations.registry import Write, operation
from gatepost.operations.step_commands import outcome
from gatepost.operations.taskdoc_lookup import bound_to, section, taskdoc
from gatepost.replies.taskdocs import MindChanged, PackageProblem, SectionStamp, TaskdocAdded, TaskdocBindingChanged

_MOST_PROBLEMS: Final = 12

Name = Annotated[str, Meta(pattern=NAME, description="Which taskdoc; needed if there are several.", extra=KNOWN)]
Content = Annotated[str, Meta(pattern=r"^[^\x00\ud800-\udfff]*\Z")]


class CreateTaskdoc(Write[TaskdocAdded], frozen=True, kw_only=True):
    """Make a taskdoc."""

    name: Annotated[str, Meta(pattern=NAME)]


class BindTaskdoc(Write[TaskdocBindingChanged], frozen=True, kw_only=True):
    """Bind a taskdoc to a plan, or to none."""

    taskdoc: Name
    plan: PlanId | UnsetType | None = UNSET


class ChangeMind(Write[MindChanged], frozen=True, kw_only=True):
    """Replace one section."""

    selector: Selector
    content: Content | None = None
    clear: bool = False
    taskdoc: Name | None = None


@operation("taskdoc_create", "taskdoc")
def create_taskdoc(draft: Draft, command: CreateTaskdoc) -> TaskdocAdded:
    """Create a taskdoc with empty goals, constraints and progress, and its package tasks/NAME.tsk."""
    name = command.name
    place = places.named(places.TASKDOC, name)
    draft.check_revision(f"taskdoc {name}", place, draft.tally(place).revision, command.expected_revision)
    check_free(draft, name)
    make(draft, name)
    return TaskdocAdded(taskdoc=name, path=path_of(draft, name), **outcome(draft, place))


@operation("taskdoc_bind", "taskdoc")
def bind_taskdoc(draft: Draft, command: BindTaskdoc) -> TaskdocBindingChanged:
    """Bind a taskdoc to a plan, so that its tasks follow it; null unbinds."""
    if command.plan is UNSET:
        raise InvalidInput([("plan", "is required; null unbinds")])
    found = changeable(draft, command.taskdoc)
    name = draft.called(places.name_of(found.place))
    draft.check_revision(f"taskdoc {name}", found.place, found.tally.revision, command.expected_revision)
    plan, before = command.plan, found.value.plan
    if plan is not None:
        draft.root(plan, field="plan")
        others = [other for it in bound_to(draft, plan) if (other := draft.called(it)) != name]
        if others:
            raise AlreadyExists(
                f"`plan`: {plan} already has the taskdoc {others[0]}.",
                "Unbind that one first with plan null.",
                Suggestion("recall_mind", {"taskdoc": others[0]}),
            )
    if plan != before:
        bind(draft, found, plan)
    return TaskdocBindingChanged(taskdoc=name, plan=plan, **outcome(draft, found.place))


@operation("change_mind", "core", "taskdoc", "files", "files-read", destructive=True)
def change_mind(draft: Draft, command: ChangeMind) -> MindChanged:
    """Replace one section: goals (stable), constraints (MUST, MUST NOT) or progress (state, decisions, what
    remains)."""
    content = taskdocs.body(command.content, clear=command.clear)
    name = places.name_of(changeable(draft, command.taskdoc).place)
    place = places.section(name, command.selector)
    _check_section(draft, name, command.selector, command.expected_revision)
    check_untouched(draft, name, command.selector)
    replace_section(draft, name, command.selector, content)
    return MindChanged(taskdoc=draft.called(name), selector=command.selector, **outcome(draft, place))


def changeable(draft: Draft, name: str | None) -> Found[Taskdoc]:
    """A taskdoc that may be changed: one that is not archived."""
    found = taskdoc(draft, name)
    if found.value.archived:
        raise TaskdocIsArchived(draft.called(places.name_of(found.place)))
    return found


def check_free(draft: Draft, name: str, known_as: str | None = None) -> None:
    """Refuse a name that a taskdoc has or had, or that a package on disk has, unless it is the one with this id."""
    key = draft.taskdoc_key(name)
    if key is not None:
        archived, called = taskdoc(draft, key).value.archived, draft.called(key)
        whose = "." if called == name else f": it is an earlier name of {called}."
        raise AlreadyExists(
            f"`name`: there is {'an archived' if archived else 'a'} taskdoc {name} already{whose}",
            ("Take it out of the archive" if archived else "Use it") + ", or choose another name.",
            Suggestion("recall_mind", {"taskdoc": called}),
        )
    package = draft.look(name)
    if package is not None and not package.empty and (known_as is None or package.id != known_as):
        raise AlreadyExists(
            f"`name`: there is a package {path_of(draft, name)} already.",
            "Adopt it, or choose another name.",
            Suggestion("tasks_radar", {}),
        )


def path_of(reader: Reader, key: str) -> str | None:
    """The path of a taskdoc's package below the project's folder, if there is one."""
    return None if reader.packages is None else reader.packages.path(reader.called(key))


def bind(draft: Draft, found: Found[Taskdoc], plan: str | None) -> None:
    """Let a taskdoc be a plan's, or nobody's."""
    draft.put(found.place, replace(found.value, plan=plan))
    draft.log(found.place, TaskdocBound(bound_to=plan, before=found.value.plan))


def make(draft: Draft, name: str, because: str | None = None, known_as: str | None = None) -> None:
    """Let there be a taskdoc, with its three sections from the start. An adopted one keeps its package's id."""
    stamp = draft.stamp
    place = places.named(places.TASKDOC, name)
    known = known_as or fingerprint(f"{draft.workspace}/{name}/{stamp.at}/{draft.number}")[:32]
    draft.put(place, Taskdoc(id=known, at=stamp.at, actor=stamp.actor))
    for selector in SELECTORS:
        draft.put(places.section(name, selector), SectionText())
    draft.log(place, TaskdocCreated(because=because))


def replace_section(
    draft: Draft,
    name: str,
    selector: Selector,
    content: str,
    because: str | None = None,
    stamp: Stamp | None = None,
) -> None:
    """Let a section have another text. The one that it has is no news, unless there is a reason to say it again.

    An adopted text keeps the stamp of who wrote it.
    """
    place = places.section(name, selector)
    before = section(draft, name, selector)
    if content == before.value.content and because is None:
        return
    if content != before.value.content or stamp is not None:
        draft.put(place, SectionText(content=content, stamp=stamp))
    # In a batch the section may have its new revision already: it rises once a call.
    revision = before.tally.revision + (place not in draft.touched)
    event = SectionReplaced(
        revision=revision,
        sha256=fingerprint(content),
        bytes=len(content.encode()),
        because=because,
        author=None if stamp is None else stamp.actor,
        written_at=None if stamp is None else stamp.at,
    )
    draft.log(place, event)


def check_untouched(reader: Reader, name: str, selector: Selector) -> None:
    """Refuse to write over what somebody put into the package from outside."""
    finding = blocked(reader, name).get(selector)
    if finding is not None:
        raise PackageIsTampered(reader.called(name), selector, finding.kind, finding.sentence)


def _check_section(draft: Draft, name: str, selector: Selector, expected: int | None) -> None:
    place = places.section(name, selector)
    draft.check_revision(f"{selector} of {draft.called(name)}", place, draft.tally(place).revision, expected)


def package_problems(reader: Reader, name: str, selector: Selector | None = None) -> tuple[PackageProblem, ...]:
    """What is wrong with a taskdoc's package; of one section, if named."""
    found = [
        PackageProblem(kind=it.kind, path=it.path, says=it.sentence, selector=it.selector or None)
        for it in findings(reader, name)
        if selector is None or it.selector == selector or not it.file
    ]
    return tuple(found[:_MOST_PROBLEMS])


def stamped(reader: Reader, found: Found[SectionText], *, edited: bool) -> SectionStamp:
    """A section's revision and last change, and whether someone edited its file directly."""
    stamp = section_versions.stamped(reader, found.place)
    return SectionStamp(revision=found.tally.revision, updated_at=stamp.at, actor=stamp.actor, edited=edited)
