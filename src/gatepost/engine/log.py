"""The log as every surface shows it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any, Final, cast

from gatepost.domain import places
from gatepost.domain.value import decoder

if TYPE_CHECKING:
    from gatepost.engine.rows import EventRow
    from gatepost.replies.events import BriefEvent, LoggedEvent

_decode = decoder(dict[str, Any]).decode
_OF_STEP: Final = frozenset({"step_id", "path"})


def shown(row: EventRow) -> dict[str, Any]:
    """One event: number, type, time, actor, place and details."""
    body = _decode(row.body)
    event: dict[str, Any] = {"seq": row.seq, "type": body.pop("type"), "at": row.at, "actor": row.actor}
    if row.root is not None:
        event.update(places.owner(row.root))
    if row.step_id is not None:
        event["step_id"] = row.step_id
        event["path"] = row.path
    event.update(body)
    return event


def brief(rows: Iterable[EventRow], root: str, step_id: str | None = None) -> tuple[BriefEvent, ...]:
    """The events of a call as its reply holds them: without what the caller sent, or reads in the reply anyway."""
    return cast("tuple[BriefEvent, ...]", tuple(_brief(row, root, step_id) for row in rows))


def _brief(row: EventRow, root: str, step_id: str | None) -> dict[str, Any]:
    known = set(places.owner(root)) if row.root == root else set()
    if row.step_id == step_id:
        known |= _OF_STEP
    told = _brief_fields()
    return {name: value for name, value in shown(row).items() if name in told and name not in known}


@cache
def _brief_fields() -> frozenset[str]:
    from gatepost.replies.events import BriefEvent  # only writes answer with events

    return frozenset(BriefEvent.__struct_fields__)


def logged(rows: Iterable[EventRow]) -> tuple[LoggedEvent, ...]:
    """Events as a reply holds them."""
    return as_events(map(shown, rows))


def as_events(events: Iterable[dict[str, Any]]) -> tuple[LoggedEvent, ...]:
    """What `shown` made, as a reply holds it: its JSON is that of a `LoggedEvent`.

    Nothing reads it before it is sent, so it stays a mapping: the fields keep the order in which they were stored.
    """
    return cast("tuple[LoggedEvent, ...]", tuple(events))
