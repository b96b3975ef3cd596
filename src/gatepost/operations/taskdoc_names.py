"""Renaming, archiving and unarchiving a taskdoc. Its history stays with it."""

from typing import Annotated, Final

from msgspec import Meta
from msgspec.structs import replace

from gatepost.domain import places, taskdocs
from gatepost.domain.events import TaskdocArchived, TaskdocRenamed, TaskdocUnarchived
from gatepost.domain.taskdoc_refusals import PackageIsTampered
from gatepost.domain.taskdocs import NAME, Taskdoc
from gatepost.engine.draft import Draft
from gatepost.engine.package_findings import Kind, PackageDefect, findings
from gatepost.engine.reader import Found
from gatepost.operations.registry import Write, operation
from gatepost.operations.step_commands import outcome
from gatepost.operations.taskdoc_lookup import taskdoc
from gatepost.operations.taskdocs import Name, check_free, path_of
from gatepost.replies.taskdocs import TaskdocArchiveChanged, TaskdocNameChanged

_HARMLESS: Final[frozenset[Kind]] = frozenset(("lags", "whitespace", "missing_package", "archived"))
"""Findings with which a package can be moved or removed: nothing is there that the log does not have."""


class RenameTaskdoc(Write[TaskdocNameChanged], frozen=True, kw_only=True):
    """Call a taskdoc otherwise."""

    taskdoc: Name
    name: Annotated[str, Meta(pattern=NAME)]


class ArchiveTaskdoc(Write[TaskdocArchiveChanged], frozen=True, kw_only=True):
    """Archive a taskdoc, or bring it back."""

    taskdoc: Name
    archived: bool = True


@operation("taskdoc_rename", "taskdoc")
def rename_taskdoc(draft: Draft, command: RenameTaskdoc) -> TaskdocNameChanged:
    """Rename a taskdoc and its package. Its plan and history stay, and earlier names still work."""
    found, before = _named(draft, command)
    key, name = places.name_of(found.place), command.name
    if name != before:
        if draft.taskdoc_key(name) != key:
            # Who renamed it in another clone moved its package too: then this follows.
            gone = draft.look(key) is None
            check_free(draft, name, found.value.id if gone else None)
        _check_package(before, [it for it in findings(draft, key) if not it.file and it.kind not in _HARMLESS])
        draft.put(found.place, taskdocs.renamed(found.value, key, name))
        draft.log(found.place, TaskdocRenamed(before=before))
    return TaskdocNameChanged(taskdoc=name, before=before, path=path_of(draft, key), **outcome(draft, found.place))


@operation("taskdoc_archive", "taskdoc")
def archive_taskdoc(draft: Draft, command: ArchiveTaskdoc) -> TaskdocArchiveChanged:
    """Archive a finished taskdoc: unbind it, remove its package and leave it out of lists. It can still be read by
    name; `archived` false restores it."""
    found, name = _named(draft, command)
    plan = found.value.plan
    if command.archived and not found.value.archived:
        amiss = findings(draft, places.name_of(found.place))
        _check_package(name, [it for it in amiss if it.kind not in _HARMLESS])
        draft.put(found.place, replace(found.value, archived=True, plan=None))
        draft.log(found.place, TaskdocArchived(before=plan))
    elif not command.archived and found.value.archived:
        draft.put(found.place, replace(found.value, archived=False))
        draft.log(found.place, TaskdocUnarchived())
    return TaskdocArchiveChanged(
        taskdoc=name, archived=command.archived, unbound=plan, **outcome(draft, found.place)
    )


def _named(draft: Draft, command: RenameTaskdoc | ArchiveTaskdoc) -> tuple[Found[Taskdoc], str]:
    """The taskdoc that is meant, and what it is called."""
    found = taskdoc(draft, command.taskdoc)
    called = draft.called(places.name_of(found.place))
    draft.check_revision(f"taskdoc {called}", found.place, found.tally.revision, command.expected_revision)
    return found, called


def _check_package(name: str, amiss: list[PackageDefect]) -> None:
    """Refuse to touch a package that somebody did something to."""
    if amiss:
        raise PackageIsTampered(name, amiss[0].selector, amiss[0].kind, amiss[0].sentence)
