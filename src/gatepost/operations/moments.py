"""Moments: a point in the log, named by a `seq` or by a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

from msgspec import Meta

from gatepost.domain.refusals import InvalidInput
from gatepost.wire.texts import MOMENT

if TYPE_CHECKING:
    from gatepost.engine.reader import Reader
    from gatepost.engine.rows import OperationRow

_LAST: Final = 2**53

Moment = Annotated[
    Annotated[int, Meta(ge=0, le=_LAST)] | Annotated[str, Meta(pattern=MOMENT, max_length=40)],
    Meta(description="A seq (number), or a time (RFC 3339 text); a date is its first moment in UTC."),
]


def operation_at(reader: Reader, moment: int | str, *, field: str) -> OperationRow | None:
    """The last operation at or before a moment: none before the first. A `seq` within an operation is that
    operation.

    A time is found by binary search. Times come from the clocks of the writers: if one clock was ahead of another,
    what they wrote around that time may be on either side.
    """
    newest = next(iter(reader.operations(_LAST + 1, 1, None)), None)
    last = 0 if newest is None else newest.last_seq  # a draft's own events are no operation yet
    if isinstance(moment, str):
        wanted = _in_utc(moment, field)
        if newest is None or wanted >= newest.at:
            _check_past(reader, moment, wanted, last, field)
            return newest
        from bisect import bisect_right

        moment = bisect_right(range(1, last + 1), wanted, key=lambda seq: _at(reader, seq))
    elif moment > last:
        raise InvalidInput([(field, f"must be at most {last}, the newest seq; got {moment}")])
    return next(iter(reader.operations(moment + 1, 1, None)), None)


def seq_at(reader: Reader, moment: int | str, *, field: str) -> int:
    """The last `seq` at or before a moment: that of the last event of its operation, or 0."""
    row = operation_at(reader, moment, field=field)
    return 0 if row is None else row.last_seq


def _check_past(reader: Reader, time: str, wanted: str, last: int, field: str) -> None:
    """Refuse a time in the future. Clocks differ a little, so up to a minute ahead counts as now."""
    from datetime import datetime, timedelta

    now = reader.now()
    if datetime.fromisoformat(wanted) - datetime.fromisoformat(now) > timedelta(minutes=1):
        problem = f"is {time}, which is in the future: it is {now} now, and the newest seq is {last}"
        raise InvalidInput([(field, problem)])


def _at(reader: Reader, seq: int) -> str:
    return reader.operations(seq + 1, 1, None)[0].at


def _in_utc(time: str, field: str) -> str:
    """A time as the log writes it."""
    from datetime import UTC, datetime

    try:
        then = datetime.fromisoformat(time.upper() if len(time) > len("2026-11-16") else f"{time}T00:00:00Z")
        return f"{then.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"
    except (ValueError, OverflowError):
        raise InvalidInput([(field, f"is {time}, which is not a valid date or time")]) from None
