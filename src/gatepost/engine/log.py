"""The log as every surface shows it."""

from collections.abc import Iterable
from typing import Any, cast

import msgspec

from gatepost.domain import places
from gatepost.engine.port import EventRow
from gatepost.replies.events import LoggedEvent

_decode = msgspec.json.Decoder(dict[str, Any]).decode


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


def logged(rows: Iterable[EventRow]) -> tuple[LoggedEvent, ...]:
    """Events as a reply holds them."""
    return as_events(map(shown, rows))


def as_events(events: Iterable[dict[str, Any]]) -> tuple[LoggedEvent, ...]:
    """What `shown` made, as a reply holds it: its JSON is that of a `LoggedEvent`.

    Nothing reads it before it is sent, so it stays a mapping: the fields keep the order in which they were stored.
    """
    return cast("tuple[LoggedEvent, ...]", tuple(events))
