"""Taskdocs: a task's goals, constraints and progress, changed by one explicit call and read by everyone alike."""

from typing import Annotated, Any, Final

from msgspec import UNSET, Meta, UnsetType
from msgspec.structs import replace

from gatepost.domain import places, taskdocs, terms
from gatepost.domain.events import SectionReplaced, TaskdocBound, TaskdocCreated
from gatepost.domain.refusals import AlreadyExists, InvalidInput, PackageTampered, Suggestion, TooLarge, UnknownId
from gatepost.domain.taskdocs import NAME, SELECTORS, Section, Selector, Taskdoc, fingerprint
from gatepost.domain.value import Stamp
from gatepost.engine import faces
from gatepost.engine.draft import Draft
from gatepost.engine.package_findings import blocked, findings
from gatepost.engine.reader import Found, Reader
from gatepost.operations.fields import KNOWN, MaxChars, PlanId
from gatepost.operations.registry import Command, Reply, Write, operation
from gatepost.operations.steps import outcome
from gatepost.views.budget import DEFAULT, ELLIPSIS, Body, View
from gatepost.views.taskdoc import effective
from gatepost.wire import rendering

_SEVERAL: Final = 20
_LONGEST_DIFF: Final = 8_000
_TRIES: Final = 8
_BUDGET: Final = {"max_chars": 1_000_000, "used_chars": 1_000_000, "truncated": False}

Name = Annotated[str, Meta(pattern=NAME, description="Which taskdoc; needed if there are several.", extra=KNOWN)]
Content = Annotated[str, Meta(pattern=r"^[^\x00\ud800-\udfff]*\Z")]


class CreateTaskdoc(Write, frozen=True, kw_only=True):
    """Make a taskdoc."""

    name: Annotated[str, Meta(pattern=NAME)]


class BindTaskdoc(Write, frozen=True, kw_only=True):
    """Bind a taskdoc to a plan, or to none."""

    taskdoc: Name
    plan: PlanId | UnsetType | None = UNSET


class ChangeMind(Write, frozen=True, kw_only=True):
    """Replace one section."""

    selector: Selector
    content: Content | None = None
    clear: bool = False
    taskdoc: Name | None = None


class RecallMind(Command, frozen=True, kw_only=True):
    """Ask for a section, or for all of it."""

    taskdoc: Name | None = None
    selector: Selector | None = None
    max_chars: MaxChars | None = None


class TaskdocMade(Reply, frozen=True, kw_only=True):
    """The new taskdoc, and where its package stands below the project's folder."""

    taskdoc: str
    path: str | None
    revision: int
    events: list[dict[str, Any]]
    changed: bool
    warnings: list[str] | UnsetType = UNSET


class TaskdocIsBound(Reply, frozen=True, kw_only=True):
    """The plan that a taskdoc is bound to now; `revision` is the taskdoc's own."""

    taskdoc: str
    plan: str | None
    revision: int
    events: list[dict[str, Any]]
    changed: bool
    warnings: list[str] | UnsetType = UNSET


class MindChanged(Reply, frozen=True, kw_only=True):
    """`revision` is the section's own; the taskdoc's, if its whole package was restored."""

    taskdoc: str
    selector: str | UnsetType = UNSET
    revision: int
    events: list[dict[str, Any]]
    changed: bool
    warnings: list[str] | UnsetType = UNSET


class Recalled(Reply, frozen=True, kw_only=True):
    """A section to the letter, or the effective taskdoc with when and by whom each section was last changed.

    `revision` is the section's, or the taskdoc's own, which binding and adopting raise. `edited` shows what somebody
    did to the section's file and must be settled; `findings` are all that is amiss with the package on disk.
    """

    taskdoc: str | None
    content: str
    hint: str | UnsetType = UNSET
    selector: str | UnsetType = UNSET
    revision: int | UnsetType = UNSET
    updated_at: str | UnsetType = UNSET
    actor: str | UnsetType = UNSET
    sections: dict[str, Any] | UnsetType = UNSET
    plan: str | UnsetType = UNSET
    edited: dict[str, Any] | UnsetType = UNSET
    findings: list[dict[str, Any]] | UnsetType = UNSET
    budget: dict[str, Any] | UnsetType = UNSET


@operation("taskdoc_create", "taskdoc")
def create_taskdoc(draft: Draft, command: CreateTaskdoc) -> TaskdocMade:
    """Make a taskdoc: goals, constraints and progress, all empty, and its package tasks/NAME.tsk."""
    name = command.name
    place = places.named(places.TASKDOC, name)
    draft.check_revision(f"taskdoc {name}", place, draft.tally(place).revision, command.expected_revision)
    path = None if draft.packages is None else draft.packages.path(name)
    package = draft.look(name)
    if draft.at(place) is not None or (package is not None and not package.empty):
        raise AlreadyExists(
            f"`name`: there is a taskdoc {name} already" + ("." if path is None else f", or a package {path}."),
            "Use it, take the package with taskdoc_adopt, or choose another name.",
            Suggestion("tasks_radar", {}),
        )
    make(draft, name)
    return TaskdocMade(taskdoc=name, path=path, **outcome(draft, place))


@operation("taskdoc_bind", "taskdoc")
def bind_taskdoc(draft: Draft, command: BindTaskdoc) -> TaskdocIsBound:
    """Bind a taskdoc to a plan, whose tasks then work by it; null unbinds."""
    if command.plan is UNSET:
        raise InvalidInput([("plan", "is required; null unbinds")])
    found = taskdoc(draft, command.taskdoc)
    revision = draft.tally(found.place).revision
    draft.check_revision(f"taskdoc {command.taskdoc}", found.place, revision, command.expected_revision)
    plan, before = command.plan, found.value.plan
    if plan is not None:
        draft.root(plan, field="plan")
        others = [other for other in bound_to(draft, plan) if other != command.taskdoc]
        if others:
            raise AlreadyExists(
                f"`plan`: {plan} has the taskdoc {others[0]} already.",
                "Unbind that one first, with plan null.",
                Suggestion("recall_mind", {"taskdoc": others[0]}),
            )
    if plan != before:
        bind(draft, found, plan)
    return TaskdocIsBound(taskdoc=command.taskdoc, plan=plan, **outcome(draft, found.place))


@operation("change_mind", "taskdoc", destructive=True)
def change_mind(draft: Draft, command: ChangeMind) -> MindChanged:
    """Replace all of one section: goals (outcomes, stable), constraints (every rule, as MUST or MUST NOT) or
    progress (distilled state, decisions, what remains). `clear` empties it."""
    content = taskdocs.body(command.content, clear=command.clear)
    name = places.name_of(taskdoc(draft, command.taskdoc).place)
    place = places.section(name, command.selector)
    _check_section(draft, name, command.selector, command.expected_revision)
    check_untouched(draft, name, command.selector)
    replace_section(draft, name, command.selector, content)
    return MindChanged(taskdoc=name, selector=command.selector, **outcome(draft, place))


@operation("recall_mind", "taskdoc")
def recall_mind(reader: Reader, command: RecallMind) -> Recalled | View:
    """Read the taskdoc: all of it as everyone sees it, or one section to the letter. File tools cannot."""
    if command.taskdoc is None and not named(reader):
        return Recalled(taskdoc=None, content="", hint="There is no taskdoc yet; taskdoc_create makes one.")
    found = taskdoc(reader, command.taskdoc)
    name = places.name_of(found.place)
    if command.selector is not None:
        return _within(_section_recalled(reader, name, command.selector), command)
    edited = blocked(reader, name)
    sections = {selector: section(reader, name, selector) for selector in SELECTORS}
    texts = [sections[selector].value.content for selector in SELECTORS]
    body: Body = {
        "taskdoc": name,
        "content": "",
        "revision": found.tally.revision,
        "sections": {name: stamped(reader, item, edited=name in edited) for name, item in sections.items()},
    }
    if found.value.plan is not None:
        body["plan"] = found.value.plan
    if amiss := told(reader, name):
        body["findings"] = amiss
    return _fitting(body, texts, command.max_chars)


def _within(whole: Recalled, command: RecallMind) -> Recalled:
    """A section is shown whole or not at all."""
    size = len(rendering.text(whole))
    if command.max_chars is not None and size > command.max_chars:
        raise TooLarge(
            f"`max_chars`: {command.selector} needs {size:,} characters, for a section is shown whole.",
            f"Ask with max_chars {size} or more, or without.",
            field="max_chars",
        )
    return whole


def _fitting(body: Body, texts: list[str], max_chars: int | None) -> View:
    """The effective taskdoc in a reply that fits, as far as progress alone can be clipped for that."""
    room = cap = max_chars or DEFAULT
    for _ in range(_TRIES):
        body["content"] = effective(body["taskdoc"], *texts, max_chars=room)
        over = len(rendering.text({**body, "budget": _BUDGET})) - cap
        if over <= 0 or room == 0:
            break
        room = max(0, room - over)
    return View(body, (), max_chars)


def taskdoc(reader: Reader, name: str | None) -> Found[Taskdoc]:
    """The taskdoc of a name, or the only one there is."""
    if name is None:
        names = named(reader)
        if len(names) > 1:
            raise InvalidInput([("taskdoc", f"is needed: there are {', '.join(names)}")])
        name = names[0] if names else None
    found = None if name is None else reader.at(places.named(places.TASKDOC, name))
    if found is None or not isinstance(found.value, Taskdoc):
        raise _unknown(reader, name)
    return Found(found.place, found.value, found.tally)


def _unknown(reader: Reader, name: str | None) -> UnknownId:
    """There is no such taskdoc: look at one that is there, or make one."""
    names = named(reader)
    packaged = name is not None and reader.packages is not None and reader.look(name) is not None
    what = f"taskdoc {name}" if name else "taskdoc"
    if names:
        return UnknownId("taskdoc", what, reader.workspace, Suggestion("recall_mind", {"taskdoc": names[0]}))
    if packaged:
        recovery = f"There is a package of that name on disk; taskdoc_adopt with taskdoc {name} takes it."
        return UnknownId("taskdoc", what, reader.workspace, Suggestion("recall_mind", {}), recovery)
    make_one = Suggestion("taskdoc_create", {"name": name or "main"})
    return UnknownId("taskdoc", what, reader.workspace, make_one, "Make it with taskdoc_create.")


def named(reader: Reader, limit: int = _SEVERAL) -> list[str]:
    """The workspace's taskdocs by name, the first of them."""
    found = reader.postings(((terms.TASKDOC,),), *places.all_named(places.TASKDOC), limit)
    return [places.name_of(place) for place in found]


def bound_to(reader: Reader, plan: str) -> list[str]:
    """The taskdoc that is bound to a plan, if any."""
    found = reader.postings(((terms.bound(plan),),), *places.all_named(places.TASKDOC), _SEVERAL)
    return [places.name_of(place) for place in found]


def section(reader: Reader, name: str, selector: Selector) -> Found[Section]:
    """A section of a taskdoc that is there."""
    place = places.section(name, selector)
    found = reader.at(place)
    value = found.value if found is not None and isinstance(found.value, Section) else Section()
    return Found(place, value, reader.tally(place))


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
        draft.put(places.section(name, selector), Section())
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
    if content != before.value.content:
        draft.put(place, Section(content=content, stamp=stamp))
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
        raise PackageTampered(name, selector, finding.kind, finding.sentence)


def _check_section(draft: Draft, name: str, selector: Selector, expected: int | None) -> None:
    place = places.section(name, selector)
    draft.check_revision(f"{selector} of {name}", place, draft.tally(place).revision, expected)


def told(reader: Reader, name: str, selector: Selector | None = None) -> list[dict[str, Any]]:
    """What is amiss with a taskdoc's package, as replies tell it; of one section, if named."""
    return [
        {"kind": it.kind, "path": it.path, "says": it.sentence} | ({"selector": it.selector} if it.selector else {})
        for it in findings(reader, name)
        if selector is None or it.selector == selector or not it.file
    ]


def _on_disk(reader: Reader, name: str, found: Found[Section], selector: Selector) -> dict[str, Any] | UnsetType:
    """How what stands in a section's place differs, if somebody must settle it."""
    finding = blocked(reader, name).get(selector)
    if finding is None:
        return UNSET
    shown = "" if finding.edit is None else finding.edit.shown
    text = faces.diff(name, selector, found.value.content, shown, "the log", "on disk")
    return {"kind": finding.kind, "diff": text if len(text) <= _LONGEST_DIFF else text[:_LONGEST_DIFF] + ELLIPSIS}


def _section_recalled(reader: Reader, name: str, selector: Selector) -> Recalled:
    found = section(reader, name, selector)
    stamp = faces.stamped(reader, found.place)
    return Recalled(
        taskdoc=name,
        selector=selector,
        content=found.value.content,
        revision=found.tally.revision,
        updated_at=stamp.at,
        actor=stamp.actor,
        edited=_on_disk(reader, name, found, selector),
        findings=told(reader, name, selector) or UNSET,
    )


def stamped(reader: Reader, found: Found[Section], *, edited: bool) -> dict[str, Any]:
    """A section's revision, when and by whom it was changed last, and whether somebody edited it from outside."""
    stamp = faces.stamped(reader, found.place)
    known = {"revision": found.tally.revision, "updated_at": stamp.at, "actor": stamp.actor}
    return {**known, "edited": True} if edited else known
