"""The lists of a workspace, and how calls changed them: the only source of `payload.todo`.

A scope is a task's steps, under the task's id, or a session's todo list, under the session's name. An
envelope's revision is that task's or session's own: it comes from the log, rises by one with each call that
touched it, and survives restarts, deletions and the end of sessions.

A list depends only on what raises its revision. So a step is `in_progress` even while its task waits for others,
and a list whose process has ended is shown until it is swept: neither is an event of the task or session itself.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Final, NamedTuple

from gatepost.domain import places, terms
from gatepost.domain.names import SESSION
from gatepost.domain.nodes import Node
from gatepost.domain.records import CLAIMS
from gatepost.domain.refusals import InvalidInput
from gatepost.domain.roots import ACTIVE, TODO, Task
from gatepost.domain.steps import Step
from gatepost.engine.reader import Reader
from gatepost.engine.rows import ImageRow
from gatepost.operations.todo_snapshots import TodoSnapshot, change
from gatepost.views import todo_payload as payload
from gatepost.views.todo_payload import Envelope, EnvelopeItem, TodoScope

RECENT: Final = 1_000
"""For how many events a scope stays known after it is neither an open task nor a living session."""

_PAGE: Final = 500
_LONG: Final = 8
"""A list with more items than this per call is too long to send whole."""
_MANY: Final = 128
"""More calls than this are never sent one by one."""
_TASKS: Final = (places.TASK, chr(ord(places.TASK) + 1))
_OPEN: Final = (terms.status(ACTIVE), terms.status(TODO))

_CLAIMS: Final = tuple(f'{{"type":"{event.__struct_config__.tag}"' for event in CLAIMS)

_session = re.compile(SESSION)


class ListUpdate(NamedTuple):
    """An envelope, the event that it belongs to (no two updates share one), and the call that caused it."""

    seq: int
    envelope: Envelope
    operation: int


def snapshot(reader: Reader, scope: str) -> Envelope:
    """A scope's list as it is now. An unknown scope is an empty list at revision 0."""
    return _whole(reader, place_of(scope))


def revision(reader: Reader, scope: str) -> int:
    """The revision of a scope's list."""
    return reader.tally(place_of(scope)).revision


def snapshots(reader: Reader, since: int | None = None) -> Iterator[Envelope]:
    """Every known scope's list as it is now, one after another: see `scopes`."""
    return (snapshot(reader, scope) for scope in scopes(reader, since))


def scopes(reader: Reader, since: int | None = None) -> list[str]:
    """The keys of the known scopes: open tasks, living sessions, and what was touched recently or after `since`.

    Finished work is too much to send to every new client. A client that reconnects says which event it saw last,
    and also gets what was completed, deleted or ended since.
    """
    late = max(reader.head().seq - RECENT, 0)
    touched = _touched(reader, late if since is None else min(since, late))
    found = dict.fromkeys((*_open_tasks(reader), *_sessions(reader), *touched))
    return [key_of(place) for place in found]


def changes(reader: Reader, after: int) -> list[ListUpdate]:
    """The updates after an event, for each scope that was touched, in the order of the log.

    One call is the smallest envelope that expresses it. Several calls on one scope are its present list or, if that
    is long, one envelope for each call. A list that was not an open task or a living session before, or is none
    now, is sent whole, since some clients do not have it. Applied in the order of revisions to the snapshots of
    `after`, or of any later time, this gives the present lists.
    """
    images = cache(reader.images)
    found = [
        update
        for place, calls in _touched(reader, after).items()
        for update in _updates(reader, place, calls, images)
    ]
    return sorted(found, key=lambda update: update.seq)


def touched(reader: Reader, after: int) -> list[tuple[int, str]]:
    """The scopes that were touched after an event, each with the last event that did, in the order of the log."""
    return sorted((max(calls.values()), key_of(place)) for place, calls in _touched(reader, after).items())


def place_of(scope: str) -> str:
    """The place of a scope's list. Refuses an invalid scope key."""
    place = places.of_id(scope)
    if place is not None and places.is_task(place):
        return place
    if not _session.match(scope):
        raise InvalidInput([("scope", "must be a task's id, such as TASK-001, or a session's name")])
    return places.named(places.SESSION, scope)


def key_of(place: str) -> str:
    """The key of the scope at a place."""
    return places.root_id(place) if places.is_task(place) else places.name_of(place)


def living(reader: Reader) -> Iterator[str]:
    """The keys of living sessions, then of open tasks, read lazily."""
    yield from map(key_of, _sessions(reader))
    yield from map(key_of, _open_tasks(reader))


def _touched(reader: Reader, after: int) -> dict[str, dict[int, int]]:
    """For each touched scope: the calls that touched it, in order, and the last event of each about it.

    A claim changes no list and no revision.
    """
    found: dict[str, dict[int, int]] = {}
    while page := reader.events(after, _PAGE, None):
        for row in page:
            if row.root is None or row.body.startswith(_CLAIMS):
                continue
            if row.root[0] in (places.TASK, places.SESSION):
                found.setdefault(row.root, {})[row.operation] = row.seq
        after = page[-1].seq
    return found


def _updates(
    reader: Reader, place: str, calls: Mapping[int, int], images: Callable[[int], list[ImageRow]]
) -> list[ListUpdate]:
    last = max(calls)
    if _is_short(reader, place, len(calls)):
        return [ListUpdate(calls[last], _whole(reader, place), last)]
    updates = []
    scope, after = _scope(reader, place), TodoSnapshot(reader, place)
    for operation in reversed(calls):
        changed = {image.place: image for image in images(operation) if places.root_of(image.place) == place}
        before = after.before(changed)
        envelope = change(scope, before, after, changed)
        if envelope is None:
            return [ListUpdate(calls[last], _whole(reader, place), last)]
        updates.append(ListUpdate(calls[operation], envelope, operation))
        scope, after = scope._replace(revision=scope.revision - 1), before
    return updates


def _is_short(reader: Reader, place: str, calls: int) -> bool:
    """Whether the whole list is shorter than the changes of this many calls."""
    return calls > 1 and (calls > _MANY or reader.tally(place).total <= _LONG * calls)


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


def _items(reader: Reader, place: str) -> Iterator[EnvelopeItem]:
    present = TodoSnapshot(reader, place)
    if not places.is_task(place):
        yield from present.listed()
        return
    first, end = places.below(place)
    while page := reader.span(first, end, _PAGE):
        for found in page:
            if isinstance(found.value, Step | Node):
                yield payload.member_item(found.value, now=found.place == present.now)
        first = page[-1].place + "\0"


def _scope(reader: Reader, place: str) -> TodoScope:
    """A task's label is its title while the task exists."""
    found = reader.at(place)
    label = found.value.title if found is not None and isinstance(found.value, Task) else key_of(place)
    return TodoScope(key_of(place), label, reader.tally(place).revision)
