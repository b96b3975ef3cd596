"""What every list is, and what a stretch of the log did to it: the one place that `payload.todo` comes from.

A scope is a task's steps, under the task's id, or a session's todo list, under the session's name. An
envelope's revision is that task's or session's own: it comes from the log, rises by one with each call that
touched it, and outlives restarts, deletions and sessions.

What is shown depends on nothing but what raises that revision. So a step is `in_progress` also while its task
waits for others, and a list whose process is gone is shown until it is swept: neither is news in the task's or
session's own log.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from gatepost.domain import documents, places, tallies, terms
from gatepost.domain.documents import Document
from gatepost.domain.names import SESSION
from gatepost.domain.nodes import Node
from gatepost.domain.refusals import InvalidInput
from gatepost.domain.roots import ACTIVE, TODO, Task
from gatepost.domain.steps import Step
from gatepost.domain.tallies import Tally
from gatepost.domain.todos import Todos
from gatepost.engine.port import ImageRow
from gatepost.engine.reader import Reader
from gatepost.views import todo_payload as payload
from gatepost.views.todo_payload import Difference, Envelope, Item, Scope

RECENT: Final = 1_000
"""How many events back a scope is still known that is neither an open task nor a living session."""

_PAGE: Final = 500
_TASKS: Final = (places.TASK, chr(ord(places.TASK) + 1))
_OPEN: Final = (terms.status(ACTIVE), terms.status(TODO))

Images = Mapping[str, ImageRow]

_session = re.compile(SESSION)


class Update(NamedTuple):
    """An envelope, and the event that made it necessary: no two updates have the same."""

    seq: int
    envelope: Envelope


def snapshot(reader: Reader, scope: str) -> Envelope:
    """A scope's list as it is now. What nobody has written to is a list too, an empty one at revision 0."""
    return _whole(reader, _place_of(scope))


def snapshots(reader: Reader, since: int | None = None) -> Iterator[Envelope]:
    """Every known scope's list as it is now, one after another: see `scopes`."""
    return (snapshot(reader, scope) for scope in scopes(reader, since))


def scopes(reader: Reader, since: int | None = None) -> list[str]:
    """The keys of the known scopes: open tasks, living sessions, and what was touched of late or after `since`.

    All that was ever done would be too much to send to everyone who connects. A client that was here before
    says up to which event it has seen everything: then it also hears of what was completed, deleted or ended
    meanwhile.
    """
    late = max(reader.head().seq - RECENT, 0)
    touched = _touched(reader, late if since is None else min(since, late))
    found = dict.fromkeys((*_open_tasks(reader), *_sessions(reader), *touched))
    return [_key(place) for place in found]


def changes(reader: Reader, after: int) -> list[Update]:
    """What came after an event, in each scope that was touched: one update a scope, in the order of the log.

    What one call did is the smallest envelope that tells it. What several calls did to one scope is its list as
    it is now, for a client takes no delta over a gap; so is what was not an open task or a living session before,
    or is none now, for not everyone was sent it. Applied to the snapshots of `after`, or of any moment since then,
    in the order of revisions, this gives the lists as they are.
    """
    touched = _touched(reader, after)
    images: dict[int, list[ImageRow]] = {}
    updates = []
    for place, touch in touched.items():
        if touch.calls > 1:
            updates.append(Update(touch.seq, _whole(reader, place)))
            continue
        if touch.operation not in images:
            images[touch.operation] = reader.images(touch.operation)
        mine = {image.place: image for image in images[touch.operation] if places.root_of(image.place) == place}
        updates.append(Update(touch.seq, _change(reader, place, mine)))
    return sorted(updates, key=lambda update: update.seq)


class _Touch(NamedTuple):
    """How many calls touched a scope, the last of them, and the last event that says so."""

    calls: int
    operation: int
    seq: int


def _touched(reader: Reader, after: int) -> dict[str, _Touch]:
    found: dict[str, _Touch] = {}
    while page := reader.events(after, _PAGE, None):
        for row in page:
            if row.root is not None and row.root[0] in (places.TASK, places.SESSION):
                known = found.get(row.root, _Touch(0, 0, 0))
                calls = known.calls + (known.operation != row.operation)
                found[row.root] = _Touch(calls, row.operation, row.seq)
        after = page[-1].seq
    return found


def _open_tasks(reader: Reader) -> Iterator[str]:
    first, end = _TASKS
    while page := reader.postings(((terms.kind("task"),), _OPEN), first, end, _PAGE):
        yield from page
        first = page[-1] + "\0"


def _sessions(reader: Reader) -> Iterator[str]:
    first, end = places.all_named(places.SESSION)
    while page := reader.span(first, end, _PAGE):
        yield from (found.place for found in page)
        first = page[-1].place + "\0"


def _whole(reader: Reader, place: str) -> Envelope:
    return payload.whole(_scope(reader, place), list(_items(reader, place)))


def _items(reader: Reader, place: str) -> Iterator[Item]:
    if not places.is_task(place):
        yield from _listed(_is(reader, place))
        return
    now = _now(reader, place)
    first, end = places.below(place)
    while page := reader.span(first, end, _PAGE):
        for found in page:
            if isinstance(found.value, Step | Node):
                yield payload.member_item(found.value, now=found.place == now)
        first = page[-1].place + "\0"


def _change(reader: Reader, place: str, images: Images) -> Envelope:
    """What one call did to a scope that nobody has touched since."""
    was = _was(reader, place, images)
    if not (_is_known(was) and _is_known(_is(reader, place))):
        # Not everyone need have been sent this list, before or since: a delta would lead on from nothing.
        return _whole(reader, place)
    if not places.is_task(place):
        return payload.between(_scope(reader, place), _listed(was), _listed(_is(reader, place)))
    first = _first(reader, place)
    difference = None if first is None else _difference(reader, place, images)
    if first is None or difference is None:
        return _whole(reader, place)
    return payload.brief(_scope(reader, place), difference, first) or _whole(reader, place)


def _is_known(document: Document | None) -> bool:
    """Whether a list is one that everybody is sent who connects."""
    return document is not None and not (isinstance(document, Task) and document.done)


def _first(reader: Reader, task: str) -> Item | None:
    found = reader.span(*places.below(task), 1)
    return _item(found[0].value, now=found[0].place == _now(reader, task)) if found else None


def _difference(reader: Reader, task: str, images: Images) -> Difference | None:
    """What a call changed in a task's list, from what it changed in the tree: the tree itself may be large.

    Nothing, where something came in between others.
    """
    was, now = _now_before(reader, task, images), _now(reader, task)
    stirred = {place for place in (*images, was, now) if place is not None and places.depth(place)}
    gone, changed, added = [], [], []
    for place in sorted(stirred):
        old = _item(_was(reader, place, images), now=place == was)
        new = _item(_is(reader, place), now=place == now)
        if old is None and new is not None:
            if reader.span(place + "\0", places.below(task)[1], 1):
                return None
            added.append(new)
        elif old is not None and new is None:
            gone.append(old.id)
        elif old is not None and new is not None and old != new:
            changed.append((old, new))
    return Difference(tuple(gone), tuple(changed), tuple(added))


def _now(reader: Reader, task: str) -> str | None:
    """The place of the step that is worked on: the first that can be, once the task has begun."""
    if not _is_active(_is(reader, task)):
        return None
    return next(iter(reader.among(((terms.NOW,),), task, 1)), None)


def _now_before(reader: Reader, task: str, images: Images) -> str | None:
    """The place of the step that was worked on before a call.

    Whether a step can be worked on hangs on itself and on what stands below it. So only what the call changed,
    and what stands over that, need be thought back; all others could be worked on then as they can now.
    """
    if not _is_active(_was(reader, task, images)):
        return None
    more_open = _more_open(images)
    stirred = more_open.keys() - {task}
    ready = [place for place in stirred if _was_ready(reader, place, images, more_open[place])]
    others = reader.among(((terms.NOW,),), task, len(stirred) + 1)
    return min((*ready, *(place for place in others if place not in stirred)), default=None)


def _more_open(images: Images) -> dict[str, int]:
    """For what a call changed, and all that stands over it: how many more are open below than before."""
    more: dict[str, int] = {}
    for place, image in images.items():
        if places.depth(place):
            more.setdefault(place, 0)
            change = _open(_read(image.after)) - _open(_read(image.before))
            for over in places.above(place):
                more[over] = more.get(over, 0) + change
    return more


def _open(document: Document | None) -> int:
    total, done, _ = tallies.share(document)
    return total - done


def _was_ready(reader: Reader, place: str, images: Images, more_open: int) -> bool:
    below = reader.tally(place).open - more_open
    return terms.NOW in terms.moving(_was(reader, place, images), Tally(total=below))


def _is_active(document: Document | None) -> bool:
    return isinstance(document, Task) and document.status == ACTIVE


def _item(document: Document | None, *, now: bool) -> Item | None:
    return payload.member_item(document, now=now) if isinstance(document, Step | Node) else None


def _listed(document: Document | None) -> tuple[Item, ...]:
    return payload.list_items(document.items) if isinstance(document, Todos) else ()


def _is(reader: Reader, place: str) -> Document | None:
    found = reader.at(place)
    return None if found is None else found.value


def _was(reader: Reader, place: str, images: Images) -> Document | None:
    return _read(images[place].before) if place in images else _is(reader, place)


def _read(text: str | None) -> Document | None:
    return None if text is None else documents.from_text(text)


def _scope(reader: Reader, place: str) -> Scope:
    """A task goes by its title, as long as it is there."""
    found = _is(reader, place)
    label = found.title if isinstance(found, Task) else _key(place)
    return Scope(_key(place), label, reader.tally(place).revision)


def _key(place: str) -> str:
    return places.root_id(place) if places.is_task(place) else places.name_of(place)


def _place_of(scope: str) -> str:
    place = places.of_id(scope)
    if place is not None and places.is_task(place):
        return place
    if not _session.match(scope):
        raise InvalidInput([("scope", "must be a task's id, such as TASK-001, or a session's name")])
    return places.named(places.SESSION, scope)
