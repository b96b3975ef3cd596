"""Reading a taskdoc: the log's text, what is amiss on disk, and a package that the log does not know yet."""

from typing import Final

from msgspec.structs import replace

from gatepost.domain import places, terms
from gatepost.domain.refusals import TooLarge
from gatepost.domain.taskdocs import SELECTORS, SectionText, Selector
from gatepost.engine import section_versions
from gatepost.engine.package_findings import blocked
from gatepost.engine.reader import Found, Reader
from gatepost.operations import unadopted_packages
from gatepost.operations.fields import MaxChars
from gatepost.operations.registry import Command, operation
from gatepost.operations.taskdoc_lookup import named, section, taskdoc
from gatepost.operations.taskdocs import Name, package_problems, stamped
from gatepost.operations.unadopted_packages import Unadopted
from gatepost.replies.taskdocs import RecallReply, SectionEdit
from gatepost.views import text_diff
from gatepost.views.budget import DEFAULT, ELLIPSIS, Cut, View, rows
from gatepost.views.taskdoc import effective
from gatepost.wire import json_output

_LONGEST_DIFF: Final = 8_000
_TRIES: Final = 8
_BUDGET: Final = len(',"budget":{"max_chars":1000000,"used_chars":1000000,"truncated":false}')
_NOT_ADOPTED: Final = "This package is on disk but not in the store yet. The first change adds it."


class RecallMind(Command[RecallReply], frozen=True, kw_only=True):
    """Ask for a section, or for all of it."""

    taskdoc: Name | None = None
    selector: Selector | None = None
    max_chars: MaxChars | None = None


@operation("recall_mind", "core", "taskdoc", "files", "files-read")
def recall_mind(reader: Reader, command: RecallMind) -> RecallReply | View[RecallReply]:
    """Read the taskdoc, or one section exactly as stored. File tools cannot."""
    unadopted = unadopted_packages.chosen(reader, command.taskdoc)
    if unadopted is not None:
        return _from_disk(unadopted, command)
    if command.taskdoc is None and not named(reader):
        return _nothing(reader)
    found = taskdoc(reader, command.taskdoc)
    name = places.name_of(found.place)
    if command.selector is not None:
        return _within(_section_recalled(reader, name, command.selector), command)
    edited = blocked(reader, name)
    sections = {selector: section(reader, name, selector) for selector in SELECTORS}
    texts = [sections[selector].value.content for selector in SELECTORS]
    reply = RecallReply(
        taskdoc=reader.called(name),
        content="",
        revision=found.tally.revision,
        sections={name: stamped(reader, item, edited=name in edited) for name, item in sections.items()},
        plan=found.value.plan,
        archived=found.value.archived,
        findings=package_problems(reader, name) or None,
    )
    return _fitting(reply, texts, command.max_chars)


def _nothing(reader: Reader) -> RecallReply:
    if reader.postings(((terms.ARCHIVED,),), *places.all_named(places.TASKDOC), 1):
        hint = "Every taskdoc is archived."
        return RecallReply(taskdoc=None, content="", archived=True, hint=hint)
    return RecallReply(taskdoc=None, content="", hint="There is no taskdoc yet.")


def _within(whole: RecallReply, command: RecallMind) -> RecallReply:
    """A section is shown whole or not at all."""
    size = len(json_output.text(whole))
    if command.max_chars is not None and size > command.max_chars:
        raise TooLarge(
            f"`max_chars`: {command.selector} needs {size:,} characters, because a section is always shown whole.",
            f"Call again with max_chars {size} or more, or without max_chars.",
            field="max_chars",
        )
    return whole


def _fitting(reply: RecallReply, texts: list[str], max_chars: int | None) -> View[RecallReply]:
    """The whole taskdoc in a reply that fits, as far as shortening progress alone can do that."""
    room = cap = max_chars or DEFAULT
    for _ in range(_TRIES):
        content = effective(reply.taskdoc or "", *texts, max_chars=room)
        reply = replace(reply, content=content)
        over = len(json_output.text(reply)) + _BUDGET - cap
        if over <= 0 or room == 0:
            break
        room = max(0, room - over)
    return View(reply, (Cut("findings", rows("findings")),), max_chars)


def _from_disk(package: Unadopted, command: RecallMind) -> RecallReply | View[RecallReply]:
    """A package that is no taskdoc of the store yet, as after a fresh clone."""
    if command.selector is not None:
        stamp = package.stamps.get(command.selector)
        whole = RecallReply(
            taskdoc=package.name,
            selector=command.selector,
            content=package.texts[command.selector],
            revision=0,
            updated_at=None if stamp is None else stamp.at,
            actor=None if stamp is None else stamp.actor,
            hint=_NOT_ADOPTED,
        )
        return _within(whole, command)
    reply = RecallReply(
        taskdoc=package.name,
        content="",
        hint=_NOT_ADOPTED,
        revision=0,
        sections={selector: package.described(selector) for selector in SELECTORS},
    )
    return _fitting(reply, [package.texts[selector] for selector in SELECTORS], command.max_chars)


def _on_disk(reader: Reader, name: str, found: Found[SectionText], selector: Selector) -> SectionEdit | None:
    """How a section's file differs from the log, if someone must resolve it."""
    finding = blocked(reader, name).get(selector)
    if finding is None:
        return None
    shown = "" if finding.edit is None else finding.edit.shown
    text = text_diff.diff(reader.called(name), selector, found.value.content, shown, "the log", "on disk")
    return SectionEdit(
        kind=finding.kind, diff=text if len(text) <= _LONGEST_DIFF else text[:_LONGEST_DIFF] + ELLIPSIS
    )


def _section_recalled(reader: Reader, name: str, selector: Selector) -> RecallReply:
    found = section(reader, name, selector)
    stamp = section_versions.stamped(reader, found.place)
    return RecallReply(
        taskdoc=reader.called(name),
        selector=selector,
        content=found.value.content,
        revision=found.tally.revision,
        updated_at=stamp.at,
        actor=stamp.actor,
        edited=_on_disk(reader, name, found, selector),
        findings=package_problems(reader, name, selector) or None,
    )
