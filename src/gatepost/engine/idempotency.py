"""Idempotency: a write with a request id is applied once and answered the same, however often it is sent.

The reply is stored in the transaction of the change, so that no crash and no second sender comes between the two.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from gatepost.domain.refusals import InvalidInput
from gatepost.engine.clock import later
from gatepost.engine.port import StoreSnapshot
from gatepost.engine.rows import RequestRow

KEPT: Final = 26 * 3_600
"""How many seconds a reply is remembered. A day is promised; clocks of two processes may differ."""


class AlreadyAnswered(Exception):
    """The call was answered before, with this text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text


class RepeatableRequest:
    """A write that its caller may send again, with the id that the caller gave it."""

    def __init__(self, name: str, digest: str, render: Callable[[Any], str]) -> None:
        self.name = name
        self.render = render
        """Makes the text of a reply, as the caller receives it."""
        self.stored: str | None = None
        """The text that was stored with the change; none as long as nothing was."""
        self._digest = digest

    def part(self, index: int) -> str:
        """The id of one call of several that are made each on its own. No caller can send such an id."""
        return f"{self.name}/{index}"

    def recall(self, snapshot: StoreSnapshot) -> None:
        """Raise `AlreadyAnswered` if the call was answered before. Refuses another call under its id."""
        row = snapshot.request(self.name)
        if row is None:
            return
        if row.digest != self._digest:
            raise InvalidInput(
                [("request_id", f"{self.name} was used at {row.at} for another call, or for other arguments")],
                "Send this call with a new request_id. Reuse an id only to send the same call again.",
            )
        raise AlreadyAnswered(row.reply)

    def fields(self, at: str, text: str) -> dict[str, Any]:
        """The reply, to be remembered, as fields of `Changes`."""
        self.stored = text
        row = RequestRow(self.name, at, self._digest, text)
        return {"requests": (row,), "requests_before": later(at, -KEPT)}
