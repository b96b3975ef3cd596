"""The log as everyone is shown it."""

from typing import Any

import msgspec

from gatepost.domain import places
from gatepost.engine.port import EventRow

_decode = msgspec.json.Decoder(dict[str, Any]).decode


def shown(row: EventRow) -> dict[str, Any]:
    """One event: its number, what, when, who, where, and what else it says."""
    body = _decode(row.body)
    event: dict[str, Any] = {"seq": row.seq, "type": body.pop("type"), "at": row.at, "actor": row.actor}
    if row.root is not None:
        event.update(places.owner(row.root))
    if row.step_id is not None:
        event["step_id"] = row.step_id
        event["path"] = row.path
    event.update(body)
    return event
