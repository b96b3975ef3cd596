"""The sessions that a stream can be asked for: a workspace, its tasks, and its sessions' lists."""

from collections.abc import Iterator
from itertools import islice
from typing import Final, Literal

from msgspec import Struct

from gatepost.domain import places
from gatepost.domain.roots import Task
from gatepost.engine.reader import Reader
from gatepost.operations import todo_stream

_RECENT: Final = 200

Status = Literal["running", "completed"]


class Summary(Struct, frozen=True, kw_only=True):
    """One session, as a client lists it."""

    session_id: str
    status: Status
    created_at: str
    last_activity_at: str
    metadata: dict[str, str]


def whole(reader: Reader) -> Summary | None:
    """The workspace as one session, which has all its lists; nothing where nobody has written yet."""
    return _summary(reader, reader.workspace, None, "running", {})


def one(reader: Reader, scope: str) -> Summary | None:
    """A scope as a session; nothing where there is no such list."""
    place = todo_stream.place_of(scope)
    found = reader.at(place)
    if found is None:
        return None
    if not isinstance(found.value, Task):
        return _summary(reader, scope, place, "running", {"kind": "session", "label": scope})
    status: Status = "completed" if found.value.done else "running"
    return _summary(reader, scope, place, status, {"kind": "task", "label": found.value.title})


def listed(reader: Reader, limit: int) -> list[Summary]:
    """The workspace, then its lists: those touched last first, then living sessions, then open tasks."""
    first = whole(reader)
    lists = (found for scope in _scopes(reader, limit) if (found := one(reader, scope)) is not None)
    return [] if first is None else [first, *islice(lists, max(limit - 1, 0))][:limit]


def _scopes(reader: Reader, limit: int) -> Iterator[str]:
    touched = (row.root for row in reader.recent(_RECENT, None) if row.root is not None)
    lists = (place for place in touched if place[0] in (places.TASK, places.SESSION))
    return iter(dict.fromkeys((*map(todo_stream.key_of, lists), *islice(todo_stream.living(reader), limit))))


def _summary(reader: Reader, name: str, root: str | None, status: Status, about: dict[str, str]) -> Summary | None:
    newest = reader.recent(1, root)
    if not newest:
        return None
    (oldest,) = reader.events(0, 1, root)
    return Summary(
        session_id=name,
        status=status,
        created_at=oldest.at,
        last_activity_at=newest[0].at,
        metadata={"workspace": reader.workspace, "kind": "workspace", "label": name, **about},
    )
