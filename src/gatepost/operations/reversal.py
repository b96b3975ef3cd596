"""Reversal: put back what one operation changed, if all of it is still as the operation left it.

What a later note or piece of evidence changed (a task that became ACTIVE, a checkpoint that evidence made count) is
no moving on, nor is what a check that ran confirmed: so fields are put back one by one, and those stay as they are.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from gatepost.domain import documents, gate, invariants, moves, places, terms
from gatepost.domain.documents import Document, Focus, Named
from gatepost.domain.nodes import Node
from gatepost.domain.refusals import Refusal
from gatepost.domain.roots import Plan, Task
from gatepost.domain.steps import Step
from gatepost.domain.taskdoc_refusals import PackageIsTampered
from gatepost.domain.taskdocs import SectionText, Taskdoc
from gatepost.engine.draft import Draft
from gatepost.engine.former_places import relocated
from gatepost.engine.package_findings import blocked, findings
from gatepost.engine.reader import MOST_NAMED, Found, address
from gatepost.engine.rows import ImageRow
from gatepost.operations.deletion import clear_focus_on, waiting_for
from gatepost.operations.demands import demand_on
from gatepost.operations.roots import check_dependencies
from gatepost.operations.steps import reopen_from, reopen_roots
from gatepost.operations.taskdoc_lookup import bound_to

_BESIDE = {"evidenced", "supported", "claim", "formerly"}
"""What others add to a step beside any change. A taskdoc's former names are a part of its renaming."""
_PROVEN = {"criteria", "tests", "checks", "required", "confirmed", "done_at"}
"""What a check that ran since speaks of: a change of these is not undone below it."""
_ABSENT = object()

Fields = dict[str, Any]


class Conflict(NamedTuple):
    """Something that is no longer as the operation left it; `package` if a package must be settled first."""

    place: str
    says: str
    package: PackageIsTampered | None = None


class CannotReverse(Exception):
    """What has changed since, so nothing was restored. Some of it is named, the rest is counted."""

    def __init__(self, conflicts: Sequence[Conflict]) -> None:
        named = [f"{places.shown(item.place)} {item.says}" for item in conflicts[:MOST_NAMED]]
        rest = [f"and {len(conflicts) - MOST_NAMED} more"] if len(conflicts) > MOST_NAMED else []
        super().__init__("; ".join([*named, *rest]))
        self.conflicts = conflicts


def reversible(draft: Draft, operation: int) -> list[ImageRow]:
    """What an operation changed and undo puts back: all but what belongs to records."""
    return [image for image in draft.images(operation) if not places.is_record(image.place)]


def reverse(draft: Draft, images: Sequence[ImageRow]) -> None:
    """Restore the documents as they were before, or raise and say what has changed since."""
    was_open = [image.place for image in images if _is_open_step(draft.at(image.place))]
    draft.foresee(places.name_of(image.place) for image in images if places.section_of(image.place) is not None)
    arrived = _arrivals(images)
    wanted = _wanted(draft, images, arrived)
    _put_all(draft, wanted, arrived)
    gone = [place for place, document in wanted.items() if document is None]
    conflicts = [
        *(found for place in gone for found in _left_alone(draft, place)),
        *(found for place, document in wanted.items() for found in _unfit(draft, place, document)),
        *_circles(draft, [document for document in wanted.values() if isinstance(document, Plan | Task)]),
    ]
    if conflicts:
        raise CannotReverse(conflicts)
    _stay_true(draft, gone, list(wanted))
    conflicts = [Conflict(place, breach.says) for place, breach in draft.untrue()]
    if conflicts:
        raise CannotReverse(conflicts)
    draft.check_permissions()
    _check_policies(draft, was_open)


def _wanted(draft: Draft, images: Sequence[ImageRow], arrived: dict[str, ImageRow]) -> dict[str, Document | None]:
    """The document to put at each place. Raises with all reasons if that is not possible."""
    wanted: dict[str, Document | None] = {}
    conflicts: list[Conflict] = []
    origins = {origin.place for origin in arrived.values()}
    for image in images:
        if places.section_of(image.place) is not None:
            findings(draft, places.name_of(image.place))  # looked at before anything is put back
        try:
            if image.place in arrived:
                wanted |= _moved_back(draft, image, arrived[image.place])
            elif image.place not in origins:
                wanted[image.place] = _put_back(image, draft.text(image.place))
        except CannotReverse as no:
            conflicts.extend(_moved_on(draft, image, no))
    conflicts += [lost for place, document in wanted.items() for lost in _lost(draft, place, document, wanted)]
    if conflicts:
        raise CannotReverse(conflicts)
    return wanted


def _put_all(draft: Draft, wanted: dict[str, Document | None], arrived: dict[str, ImageRow]) -> None:
    """Move things back first, then remove, then restore."""
    for place in sorted(arrived):
        member = wanted[arrived[place].place]
        if isinstance(member, Step | Node):
            draft.relocate(place, arrived[place].place, member)
    for place in sorted(wanted, reverse=True):
        if wanted[place] is None:
            draft.put(place, None)
    for place in _dependencies_first(wanted):
        draft.put(place, wanted[place])


def _arrivals(images: Sequence[ImageRow]) -> dict[str, ImageRow]:
    """The places to which the operation moved something, each with the image of where that was before."""
    if not any(image.before is None for image in images) or not any(image.after is None for image in images):
        return {}
    by_place = {image.place: image for image in images}
    found = moves.arrivals((image.place, _read(image.before), _read(image.after)) for image in images)
    return {place: by_place[old] for place, old in found.items()}


def _moved_back(draft: Draft, image: ImageRow, origin: ImageRow) -> dict[str, Document | None]:
    """The documents for both places of a move: the moved one goes back as it is now, and its new place is empty."""
    member = _put_back(replace(image, before=origin.before), draft.text(image.place))
    if draft.text(origin.place) is not None:
        raise CannotReverse([Conflict(origin.place, "exists again")])
    if isinstance(member, Step | Node):
        member = relocated(draft, member, image.place, origin.place)
    return {image.place: None, origin.place: member}


def _moved_on(draft: Draft, image: ImageRow, no: "CannotReverse") -> Sequence[Conflict]:
    """Why an image cannot be restored. A missing document may have been moved."""
    left = _read(image.after)
    at = draft.find(left.id) if isinstance(left, Step | Node) else None
    if at is None or at == image.place or draft.at(at) is None:
        return no.conflicts
    return [Conflict(image.place, f"was moved to {places.path_of(at)}")]


def _read(text: str | None) -> Document | None:
    return None if text is None else documents.from_text(text)


def _is_open_step(found: Found[Document] | None) -> bool:
    return found is not None and isinstance(found.value, Step) and not found.value.done


def _check_policies(draft: Draft, was_open: Sequence[str]) -> None:
    """Steps that are closed again must be what their policy wants now."""
    for step in draft.steps(was_open):
        if step.value.done:
            demand = demand_on(draft, draft.root(places.root_id(step.place)), step)
            gate.pass_policy(address(step), step.value.relied_on, demand)


def _lost(
    draft: Draft, place: str, document: Document | None, wanted: dict[str, Document | None]
) -> list[Conflict]:
    """Dependencies on what is gone for good."""
    needed = document.depends_on if isinstance(document, Plan | Task) else ()
    gone = [
        name
        for name in needed
        if (wanted[places.at_id(name)] if places.at_id(name) in wanted else draft.at(places.at_id(name))) is None
    ]
    return [Conflict(place, f"would depend on {name}, which no longer exists") for name in gone]


def _dependencies_first(wanted: dict[str, Document | None]) -> list[str]:
    """Where documents come back, each after what it depends on: only what is there can be waited for."""
    ordered: dict[str, None] = {}
    ahead = [place for place in sorted(wanted, reverse=True) if wanted[place] is not None]
    opened: set[str] = set()
    while ahead:
        place = ahead[-1]
        document = wanted[place]
        needed = document.depends_on if isinstance(document, Plan | Task) else ()
        first = [at for name in needed if wanted.get(at := places.at_id(name)) is not None and at not in opened]
        if place in opened or not first:
            ordered[ahead.pop()] = None
        else:
            ahead.extend(first)
        opened.add(place)
    return list(ordered)


def _put_back(image: ImageRow, now: str | None) -> Document | None:
    before, after, current = _fields(image.before), _fields(image.after), _fields(now)
    if after is None:
        if current is not None:
            raise CannotReverse([Conflict(image.place, "exists again")])
        return None if image.before is None else _unclaimed(documents.from_text(image.before))
    if current is None:
        raise CannotReverse([Conflict(image.place, "was deleted")])
    touched = {name for name in {*after, *(before or {})} if _value(before, name) != _value(after, name)}
    always = set[str]() if after["kind"] == "taskdoc" else _BESIDE
    beside = always if touched & _PROVEN and before is not None else {*always, *_checked_since(after, current)}
    conflicts = sorted(name for name in {*after, *current} - beside if _differs(name, after, current))
    if conflicts:
        raise CannotReverse([Conflict(image.place, f"has another {', '.join(conflicts)} now")])
    if before is None:
        return None
    touched -= always
    put_back = {name: value for name, value in current.items() if name not in touched}
    put_back |= {name: before[name] for name in touched if name in before}
    document = documents.from_text(msgspec.json.encode(put_back).decode())
    return _unclaimed(document) if not isinstance(document, Named) and document.done else document


def _unclaimed(document: Document) -> Document:
    """A document without its claim: undo does not restore what deleting or closing ended."""
    return msgspec.structs.replace(document, claim=None) if documents.claim_of(document) else document


def _checked_since(after: Fields, current: Fields) -> set[str]:
    """The confirmations, if nothing but checks that ran has changed them."""
    was, now = (
        [mark for mark in fields.get("confirmed", ()) if mark.get("basis") != "machine"]
        for fields in (after, current)
    )
    return {"confirmed"} if was == now else set()


def _differs(name: str, after: Fields, current: Fields) -> bool:
    was, now = _value(after, name), _value(current, name)
    # A note or evidence that makes a TODO task ACTIVE is not a conflict. (TODO is not stored.)
    return was != now and not (name == "status" and was is _ABSENT and now == "ACTIVE")


def _left_alone(draft: Draft, place: str) -> list[Conflict]:
    """What would be left dangling without the document that is removed."""
    first, end = places.below(place)
    below = draft.span(first, end, 1)
    if below:
        return [Conflict(below[0].place, "is now below it")]
    if places.depth(place) or not places.in_tree(place):
        return []
    waiters = waiting_for(draft, places.root_id(place))
    if waiters:
        return [Conflict(waiters[0].place, f"now depends on {places.root_id(place)}")]
    if draft.tally(place).tasks:
        return [Conflict(place, "has tasks now")]
    if bound_to(draft, places.root_id(place)):
        return [Conflict(place, "has a taskdoc now")]
    return []


def _unfit(draft: Draft, place: str, document: Document | None) -> list[Conflict]:
    """What the document that comes back needs, and does not find."""
    if document is None:
        return []
    if isinstance(document, Named):
        target = document.target if isinstance(document, Focus) else None
        lost = target is not None and draft.at(places.at_id(target)) is None
        return (
            [Conflict(place, f"would be on {target}, which no longer exists")]
            if lost
            else _unfit_named(draft, place, document)
        )
    if isinstance(document, Plan | Task):
        plan = document.plan if isinstance(document, Task) else None
        lost = plan is not None and draft.at(places.at_id(plan)) is None
        return [Conflict(place, f"belongs to {plan}, which no longer exists")] if lost else []
    if draft.at(places.above(place)[0]) is None:
        return [Conflict(place, "has lost its parent")]
    if isinstance(document, Step) and document.done and set(document.missing) & set(document.evidenced):
        return [Conflict(place, "now needs another confirmation")]
    return []


def _unfit_name(draft: Draft, place: str, taskdoc: Taskdoc) -> list[Conflict]:
    """What a taskdoc is called, or was, leads to it alone."""
    key = places.name_of(place)
    names = {key, taskdoc.called(key), *taskdoc.formerly}
    taken = {name: other for name in sorted(names) if (other := _other(draft, name, key)) is not None}
    return [
        Conflict(place, f"would be called {name}, the name of taskdoc {draft.called(it)}")
        for name, it in taken.items()
    ]


def _other(draft: Draft, name: str, key: str) -> str | None:
    """Another taskdoc that has this name, or had it."""
    found = draft.postings(((terms.called(name),),), *places.all_named(places.TASKDOC), 2)
    others = [it for place in found if (it := places.name_of(place)) != key]
    if name != key and draft.at(places.named(places.TASKDOC, name)) is not None:
        others.append(name)
    return others[0] if others else None


def _unfit_named(draft: Draft, place: str, document: Document) -> list[Conflict]:
    """What a section or a taskdoc that comes back needs, and does not find."""
    if isinstance(document, SectionText):
        return _unfit_section(draft, place)
    if isinstance(document, Taskdoc):
        return [*_unfit_name(draft, place, document), *_unfit_binding(draft, place, document.plan)]
    return []


def _unfit_section(draft: Draft, place: str) -> list[Conflict]:
    """A section needs its taskdoc, which is not archived, and a file that nobody must settle first."""
    key = places.name_of(place)
    taskdoc = draft.at(places.named(places.TASKDOC, key))
    if taskdoc is None or not isinstance(taskdoc.value, Taskdoc):
        return [Conflict(place, "has lost its taskdoc")]
    if taskdoc.value.archived:
        return [Conflict(place, "is archived now")]
    on_disk = {str(selector): finding for selector, finding in blocked(draft, key).items()}
    finding = on_disk.get(places.section_of(place) or "")
    if finding is None:
        return []
    way = "must be restored or adopted first"
    edited = PackageIsTampered(draft.called(key), finding.selector, finding.kind, finding.sentence)
    return [Conflict(place, f"{way}: {finding.path} {finding.says}", edited)]


def _unfit_binding(draft: Draft, place: str, plan: str | None) -> list[Conflict]:
    """A plan has one taskdoc at most, and must be there."""
    if plan is None:
        return []
    if draft.at(places.at_id(plan)) is None:
        return [Conflict(place, f"would be bound to {plan}, which no longer exists")]
    bound = draft.postings(((terms.bound(plan),),), *places.all_named(places.TASKDOC), 2)
    return [Conflict(place, f"would share {plan} with {places.shown(at)}") for at in bound if at != place]


def _circles(draft: Draft, back: list[Plan | Task]) -> list[Conflict]:
    """Dependencies that would come back to where they started. Among what comes back together there are none: only
    another plan or task that waits for one of them can close a cycle."""
    together = {root.id for root in back}
    holders = {root.plan for root in back if isinstance(root, Task)} - {None}
    if holders <= together and all(
        waiter.value.id in together for root in back for waiter in waiting_for(draft, root.id)
    ):
        return []
    found = []
    for root in back:
        try:
            check_dependencies(draft, root)
        except Refusal as refusal:
            found.append(Conflict(places.at_id(root.id), f"cannot restore its dependencies: {refusal.message}"))
    return found


def _stay_true(draft: Draft, gone: list[str], touched: list[str]) -> None:
    """What holds something open or unproven is not done; what is gone is not in focus."""
    clear_focus_on(
        draft, [places.root_id(place) for place in gone if not places.depth(place) and places.in_tree(place)]
    )
    for place in sorted(touched):
        found = draft.at(place)
        if found is None or isinstance(found.value, Named):
            continue
        if not found.value.done and places.depth(place):
            reopen_from(draft, places.above(place)[0], found.value.id)
        elif invariants.keeps_root_open(found.value):
            reopen_roots(draft, places.root_of(place), found.value.id)


def _fields(text: str | None) -> Fields | None:
    if text is None:
        return None
    read: Fields = msgspec.json.decode(text)
    return read


def _value(fields: Fields | None, name: str) -> Any:
    return _ABSENT if fields is None else fields.get(name, _ABSENT)
