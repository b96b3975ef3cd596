"""The workspace's taskdocs by name, with their plans and the state of each section."""

import re
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from gatepost.domain import places, terms
from gatepost.domain.refusals import InvalidInput
from gatepost.domain.taskdocs import NAME, SELECTORS, Selector
from gatepost.engine.package_findings import blocked
from gatepost.engine.reader import Reader
from gatepost.operations import taskdoc_lookup, taskdocs, unadopted_packages
from gatepost.operations.fields import Cursor, Limit
from gatepost.operations.registry import Command, operation
from gatepost.operations.unadopted_packages import Unadopted
from gatepost.replies.taskdocs import SectionStamp, TaskdocRow, TaskdocsReply


class ListTaskdocs(Command[TaskdocsReply], frozen=True, kw_only=True):
    """Ask what taskdocs there are."""

    archived: Annotated[bool, Meta(description="List archived taskdocs instead.")] = False
    limit: Limit = 50
    cursor: Cursor | None = None


@operation("taskdoc_list")
def list_taskdocs(reader: Reader, command: ListTaskdocs) -> TaskdocsReply:
    """List the taskdocs: the plan each is bound to, and for each section the revision, last change, size and
    whether its file was edited directly."""
    _, end = places.all_named(places.TASKDOC)
    term = terms.ARCHIVED if command.archived else terms.TASKDOC
    found = reader.postings(((term,),), _after(command.cursor), end, command.limit + 1)
    names = [places.name_of(place) for place in found]
    has_more = len(names) > command.limit
    # What the store does not know yet is shown behind what it knows: on the last page.
    unknown = (
        []
        if has_more or command.archived
        else [_unadopted(package) for package in unadopted_packages.all_of(reader)]
    )
    return TaskdocsReply(
        items=(*(_item(reader, name) for name in names[: command.limit]), *unknown),
        has_more=has_more,
        cursor=names[command.limit - 1] if has_more else None,
    )


def _after(cursor: str | None) -> str:
    """The place after which a page begins. A taskdoc's key never changes, so it serves as the cursor."""
    if cursor is None:
        return places.TASKDOC
    if not re.match(NAME, cursor):
        raise InvalidInput([("cursor", "must be a cursor from an earlier reply")])
    return places.named(places.TASKDOC, cursor) + "\0"


def _item(reader: Reader, name: str) -> TaskdocRow:
    edited = blocked(reader, name)
    taskdoc = taskdoc_lookup.taskdoc(reader, name).value
    return TaskdocRow(
        name=reader.called(name),
        sections={selector: _section(reader, name, selector, edited=selector in edited) for selector in SELECTORS},
        edited=tuple(edited),
        findings=taskdocs.package_problems(reader, name) or None,
        plan=taskdoc.plan,
        archived=taskdoc.archived,
    )


def _section(reader: Reader, name: str, selector: Selector, *, edited: bool) -> SectionStamp:
    section = taskdoc_lookup.section(reader, name, selector)
    stamp = taskdocs.stamped(reader, section, edited=edited)
    return replace(stamp, bytes=len(section.value.content.encode()))


def _unadopted(package: Unadopted) -> TaskdocRow:
    sections = {it: replace(package.described(it), bytes=len(package.texts[it].encode())) for it in SELECTORS}
    return TaskdocRow(name=package.name, sections=sections, edited=(), adopted=False)
