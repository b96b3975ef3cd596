"""Finding taskdocs and their sections, for operations that read and for those that write."""

from typing import Final

from gatepost.domain import places, terms
from gatepost.domain.refusals import InvalidInput, Suggestion, UnknownId
from gatepost.domain.taskdocs import SectionText, Selector, Taskdoc
from gatepost.engine.reader import Found, Reader

_SEVERAL: Final = 20


def taskdoc(reader: Reader, name: str | None) -> Found[Taskdoc]:
    """The taskdoc with this name, or that had it before it was renamed; without a name, the only one there is."""
    key = _only(reader) if name is None else reader.taskdoc_key(name)
    found = None if key is None else reader.at(places.named(places.TASKDOC, key))
    if found is None or not isinstance(found.value, Taskdoc):
        raise _unknown(reader, name)
    return Found(found.place, found.value, found.tally)


def _only(reader: Reader) -> str | None:
    keys = named(reader)
    if len(keys) > 1:
        raise InvalidInput(
            [("taskdoc", f"is required because there are several: {', '.join(map(reader.called, keys))}")]
        )
    return keys[0] if keys else None


def _unknown(reader: Reader, name: str | None) -> UnknownId:
    """There is no such taskdoc: take its package, look at one that is there, or make one."""
    names = [reader.called(key) for key in named(reader, 1)]
    what = f"taskdoc {name}" if name else "taskdoc"
    look = Suggestion("recall_mind", {"taskdoc": names[0]} if names else {})
    package = None if name is None or reader.packages is None else reader.look(name)
    if package is not None:
        return UnknownId(
            "taskdoc", what, reader.workspace, look, _of_package(reader, name or "", package.workspace)
        )
    if names:
        return UnknownId("taskdoc", what, reader.workspace, look)
    make_one = Suggestion("taskdoc_create", {"name": name or "main"})
    return UnknownId("taskdoc", what, reader.workspace, make_one, "Create it first.")


def _of_package(reader: Reader, name: str, workspace: str | None) -> str:
    """What to do about a package on disk that is no taskdoc of the store."""
    if workspace not in (None, reader.workspace):
        return (
            f"The package with that name on disk belongs to workspace {workspace}. Use it there, or another name."
        )
    return (
        "A package with that name is on disk, but not in the store. Adopt it first. A person can do that with"
        f" `gatepost taskdoc adopt {name}`."
    )


def named(reader: Reader, limit: int = _SEVERAL) -> list[str]:
    """The keys of the workspace's taskdocs, the first of them. Archived ones are left out."""
    found = reader.postings(((terms.TASKDOC,),), *places.all_named(places.TASKDOC), limit)
    return [places.name_of(place) for place in found]


def bound_to(reader: Reader, plan: str) -> list[str]:
    """The key of the taskdoc that is bound to a plan, if any."""
    found = reader.postings(((terms.bound(plan),),), *places.all_named(places.TASKDOC), _SEVERAL)
    return [places.name_of(place) for place in found]


def section(reader: Reader, name: str, selector: Selector) -> Found[SectionText]:
    """A section of a taskdoc that is there."""
    place = places.section(name, selector)
    found = reader.at(place)
    value = found.value if found is not None and isinstance(found.value, SectionText) else SectionText()
    return Found(place, value, reader.tally(place))
