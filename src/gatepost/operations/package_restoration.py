"""Packages after an agent's tool call: what the call changed is restored, and an event names the call."""

from collections.abc import Callable
from typing import Final, NamedTuple

from gatepost.domain import places, terms
from gatepost.domain.events import PackageTampered
from gatepost.domain.refusals import Refusal
from gatepost.engine.caller import Caller
from gatepost.engine.draft import Draft
from gatepost.engine.engine import Engine
from gatepost.engine.package_findings import PackageDefect, findings
from gatepost.engine.packages import LINK, MISSING, Package, PackageObservation
from gatepost.engine.reader import Reader
from gatepost.operations.taskdoc_versions import RestoreTaskdoc, restore_taskdoc

_OURS: Final = ("lags",)
_REPORTED: Final = ("strange_file", "foreign", "unreadable")
"""What is never written over."""


class AgentCall(NamedTuple):
    """A tool call: who restores, the call in short, whether git's HEAD moved with it, and which paths it touched.

    Without an earlier look nobody knows whether HEAD moved: then it is compared with that of the last write.
    """

    actor: str
    call: str
    moved: bool | None
    touched: Callable[[str], bool]


class PackageOutcome(NamedTuple):
    """What was found in one package, what of it was restored, and what was moved out of the way, to where."""

    taskdoc: str
    found: tuple[PackageDefect, ...]
    restored: tuple[PackageDefect, ...] = ()
    moved: tuple[tuple[str, str], ...] = ()
    followed: bool = False
    """git's HEAD moved with the call: nothing was restored."""
    refusal: Refusal | None = None


def keep_packages(engine: Engine, workspace: str, act: AgentCall) -> list[PackageOutcome]:
    """Judge every package of a workspace, and restore what the call changed in it. Store faults are raised."""
    caller = Caller(act.actor)
    found = engine.read_each([workspace], caller, _taskdocs)
    return [
        outcome
        for names in found
        for name in names
        if (outcome := _kept(engine, workspace, caller, act, name)).found
    ]


def _taskdocs(reader: Reader) -> list[str]:
    return sorted(map(places.name_of, reader.every(((terms.TASKDOC,),))))


def _kept(engine: Engine, workspace: str, caller: Caller, act: AgentCall, key: str) -> PackageOutcome:
    look, every, moved = engine.read(workspace, caller, lambda reader: _judged(reader, act, key))
    # What was there before the call waits for a person: it was told then.
    found = tuple(finding for finding in every if act.touched(finding.path.rstrip("/")))
    wrong = [finding for finding in found if finding.kind not in _REPORTED]
    if moved or not wrong:
        return PackageOutcome(look.called, found, followed=moved and bool(wrong))
    alone = all(finding in found or finding.kind in _REPORTED for finding in every)
    try:
        aside = _moved_aside(engine, look.at, [finding for finding in wrong if _is_in_the_way(look, finding)])
        restoring = _Restoring(act, key, wrong, alone)
        engine.write("taskdoc_restore", workspace, caller, restoring.draft, [key])
    except Refusal as refusal:
        return PackageOutcome(look.called, found, refusal=refusal)
    return PackageOutcome(look.called, found, tuple(wrong), aside)


def _judged(
    reader: Reader, act: AgentCall, name: str
) -> tuple[PackageObservation, tuple[PackageDefect, ...], bool]:
    """What was seen, what is amiss, and whether git's HEAD moved with it."""
    look = reader.glance(name)
    found = tuple(finding for finding in findings(reader, name) if finding.kind not in _OURS)
    since = look.written is not None and look.written.head != look.head
    return look, found, since if act.moved is None else act.moved


def _is_in_the_way(look: PackageObservation, finding: PackageDefect) -> bool:
    """Whether it can neither be kept in the log nor be written over: a folder or a giant, or a link to a folder."""
    if finding.kind == "meta_changed":
        return isinstance(look.package, Package) and finding.file not in look.package.files
    if finding.edit is None:
        return not finding.file and finding.kind in ("link", "edited")
    return finding.edit.odd not in (None, LINK, MISSING)


def _moved_aside(engine: Engine, name: str, findings: list[PackageDefect]) -> tuple[tuple[str, str], ...]:
    packages = engine.packages
    if packages is None:
        return ()
    return tuple((finding.path, packages.move_aside(name, finding.file)) for finding in findings)


class _Restoring(NamedTuple):
    """What is restored in one package; `alone`: nothing else in it waits for a person."""

    act: AgentCall
    name: str
    wrong: list[PackageDefect]
    alone: bool

    def draft(self, draft: Draft) -> None:
        draft.only_records = True
        # White space alone is restored by every write to the taskdoc.
        blanks = all(finding.kind == "whitespace" for finding in self.wrong)
        chosen = {finding.selector for finding in self.wrong if finding.selector is not None}
        for selector in () if blanks else (None,) if self.alone else sorted(chosen):
            command = RestoreTaskdoc(workspace=draft.workspace, taskdoc=self.name, selector=selector)
            restore_taskdoc.handler(draft, command)
        if blanks or draft.changed:
            files = tuple(finding.file or "." for finding in self.wrong)
            tampered = PackageTampered(files=files, call=self.act.call)
            draft.log(places.named(places.TASKDOC, self.name), tampered)
