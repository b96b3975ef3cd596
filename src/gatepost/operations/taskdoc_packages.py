"""Packages before the first write: what a crash left behind is finished, and what nobody knew is adopted, once."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from msgspec.structs import replace

from gatepost.domain import places, terms
from gatepost.domain.refusals import DiskRefused, ImportUnfinished, Refusal
from gatepost.domain.taskdocs import NAME
from gatepost.engine.caller import Caller
from gatepost.engine.draft import Draft
from gatepost.engine.engine import Engine
from gatepost.engine.package_sync import has_white_space_only, restore_white_space
from gatepost.engine.reader import Reader
from gatepost.operations.taskdoc_lookup import named
from gatepost.operations.taskdoc_versions import AdoptTaskdoc, adopt_taskdoc

_KEEPER = Caller("gatepost")


def settle(engine: Engine, workspace: str, caller: Caller) -> None:
    """Look at a workspace's packages, once for an engine: before it first writes one, for reading never writes.

    What was not finished is written, white space is restored, what nobody knew is adopted. What stays amiss is for
    the doctor, lint and the readers to tell.
    """
    if engine.packages_of(workspace) is None or not engine.lasting or workspace in engine.settled:
        return
    for name in engine.read(workspace, _KEEPER, _known):
        _restore_white_space(engine, workspace, name)
        engine.face(workspace, name, _KEEPER)
    mine = workspace in (caller.bound, engine.own_workspace) or set(engine.store.workspaces()) <= {workspace}
    with suppress(DiskRefused):
        for name in engine.read(workspace, _KEEPER, lambda reader: _unknown(reader, mine=mine)):
            _adopt(engine, workspace, name)
    engine.settled.add(workspace)


def settle_all(engine: Engine, bound: str | None) -> None:
    """Look at the packages of every workspace that is served, before anyone is."""
    known = engine.workspaces_with_packages()
    for workspace in known if bound is None else [name for name in known if name == bound]:
        with suppress(ImportUnfinished):
            settle(engine, workspace, replace(_KEEPER, bound=bound))


def _restore_white_space(engine: Engine, workspace: str, name: str) -> None:
    def change(draft: Draft) -> None:
        draft.only_records = True
        restore_white_space(draft, name)

    if engine.read(workspace, _KEEPER, lambda reader: has_white_space_only(reader, name)):
        with suppress(Refusal):
            engine.write("taskdoc_restore", workspace, _KEEPER, change)


def foreseen(engine: Engine, workspace: str, given: Iterable[object]) -> frozenset[str]:
    """The taskdocs whose packages calls will look at, by what each gives: a name, or none for the only one."""
    if engine.packages_of(workspace) is None:
        return frozenset()
    names = set(map(_as_name, given))
    return engine.read(workspace, _KEEPER, lambda reader: frozenset(_keys(reader, names)))


def _keys(reader: Reader, names: Iterable[str | None]) -> Iterator[str]:
    for name in names:
        only = named(reader, 2) if name is None else [reader.taskdoc_key(name) or name]
        yield from only if len(only) == 1 else ()


def _as_name(given: object) -> str | None:
    return given if isinstance(given, str) and re.match(NAME, given) else None


def _known(reader: Reader) -> list[str]:
    """The workspace's taskdocs, and those it once had whose package is still there."""
    names = _on_disk(reader)
    left = [key for name in names if reader.tally(places.named(places.TASKDOC, key := _key(reader, name))).revision]
    mine = map(places.name_of, reader.every(((terms.TASKDOC,),)))
    return sorted({*mine, *left})


def _key(reader: Reader, name: str) -> str:
    return (reader.taskdoc_key(name) if re.match(NAME, name) else None) or name


def _unknown(reader: Reader, *, mine: bool) -> list[str]:
    """Packages on disk that this workspace never had. One that does not say whose it is needs a clear case.

    The package of a taskdoc that was renamed elsewhere is no other taskdoc.
    """
    return [
        name
        for name in _on_disk(reader)
        if re.match(NAME, name)
        and reader.taskdoc_key(name) is None
        and reader.tally(places.named(places.TASKDOC, name)).revision == 0
        and (package := reader.look(name)) is not None
        and (package.workspace == reader.workspace or (not package.has_meta and mine))
        and any(seen.text is not None for seen in package.sections.values())
        and reader.taskdoc_with(package.id) is None
    ]


def _on_disk(reader: Reader) -> Sequence[str]:
    """The packages that are there; none where they cannot be listed, which the doctor tells."""
    try:
        return [] if reader.packages is None else reader.packages.names()
    except DiskRefused:
        return []


def _adopt(engine: Engine, workspace: str, name: str) -> None:
    command = AdoptTaskdoc(workspace=workspace, taskdoc=name)

    def change(draft: Draft) -> object:
        draft.only_records = True
        return adopt_taskdoc.handler(draft, command)

    with suppress(Refusal):
        engine.write("taskdoc_adopt", workspace, _KEEPER, change)
