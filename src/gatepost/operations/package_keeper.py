"""Packages after an agent's tool call: what the call changed is restored, and an event names the call."""

from typing import Final, NamedTuple

from gatepost.domain import places, terms
from gatepost.domain.events import PackageTamperedWith
from gatepost.domain.refusals import Refusal
from gatepost.engine.caller import Caller
from gatepost.engine.draft import Draft
from gatepost.engine.engine import Engine
from gatepost.engine.package_findings import Finding, findings
from gatepost.engine.packages import LINK, MISSING
from gatepost.engine.reader import Reader
from gatepost.operations.taskdoc_versions import RestoreTaskdoc, restore_taskdoc

_OURS: Final = ("lags",)
_REPORTED: Final = ("strange_file", "foreign", "unreadable")
"""What is never written over."""


class Act(NamedTuple):
    """A tool call: who made it, the call in short, and git's HEAD before it, where that is known."""

    actor: str
    call: str
    head: str | None


class Outcome(NamedTuple):
    """What was found in one package, what of it was restored, and what was moved out of the way, to where."""

    taskdoc: str
    found: tuple[Finding, ...]
    restored: tuple[Finding, ...] = ()
    moved: tuple[tuple[str, str], ...] = ()
    followed: bool = False
    """git's HEAD moved with the call: nothing was restored."""
    refusal: Refusal | None = None


def keep_packages(engine: Engine, workspace: str, act: Act) -> list[Outcome]:
    """Judge every package of a workspace, and restore what the call changed in it. Store faults are raised."""
    caller = Caller(act.actor)
    names = engine.read(workspace, caller, _taskdocs)
    return [outcome for name in names if (outcome := _kept(engine, workspace, caller, act, name)).found]


def _taskdocs(reader: Reader) -> list[str]:
    return sorted(map(places.name_of, reader.every(((terms.TASKDOC,),))))


def _kept(engine: Engine, workspace: str, caller: Caller, act: Act, name: str) -> Outcome:
    found, moved = engine.read(workspace, caller, lambda reader: _judged(reader, act, name))
    wrong = [finding for finding in found if finding.kind not in _REPORTED]
    if moved or not wrong:
        return Outcome(name, found, followed=moved and bool(wrong))
    try:
        aside = _moved_aside(engine, name, [finding for finding in wrong if _is_in_the_way(finding)])
        engine.write("taskdoc_restore", workspace, caller, lambda draft: _restore(draft, act, name, wrong), [name])
    except Refusal as refusal:
        return Outcome(name, found, refusal=refusal)
    return Outcome(name, found, tuple(wrong), aside)


def _judged(reader: Reader, act: Act, name: str) -> tuple[tuple[Finding, ...], bool]:
    """What is amiss, and whether git's HEAD moved with it."""
    look = reader.glance(name)
    found = tuple(finding for finding in findings(reader, name) if finding.kind not in _OURS)
    then = act.head if act.head is not None or look.written is None else look.written.head or ""
    return found, then is not None and (look.head or "") != then


def _is_in_the_way(finding: Finding) -> bool:
    """Whether it can neither be kept in the log nor be written over: a folder or a giant, or a link to a folder."""
    if finding.edit is None:
        return not finding.file and finding.kind in ("link", "edited")
    return finding.edit.odd not in (None, LINK, MISSING)


def _moved_aside(engine: Engine, name: str, findings: list[Finding]) -> tuple[tuple[str, str], ...]:
    packages = engine.packages
    if packages is None:
        return ()
    return tuple((finding.path, packages.move_aside(name, finding.file)) for finding in findings)


def _restore(draft: Draft, act: Act, name: str, wrong: list[Finding]) -> None:
    draft.only_records = True
    # White space alone is restored by every write to the taskdoc.
    blanks = all(finding.kind == "whitespace" for finding in wrong)
    if not blanks:
        restore_taskdoc.handler(draft, RestoreTaskdoc(workspace=draft.workspace, taskdoc=name))
    if blanks or draft.changed:
        files = tuple(finding.file or "." for finding in wrong)
        draft.log(places.named(places.TASKDOC, name), PackageTamperedWith(files=files, call=act.call))
