"""Moments as people write them: `yesterday`, `2h`, a day, a time, or a seq. Times without a zone are local."""

from __future__ import annotations

from argparse import ArgumentTypeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

FORMS = "a seq, 2h (30m, 3d, 1w), today, yesterday, a day (2026-11-16) or a time (2026-11-16T09:30)"

_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_DAYS = {"today": 0, "yesterday": 1}
_LONGEST = 5
"""Digits of a number of minutes, hours, days or weeks."""


def moment(text: str) -> int | str:
    """A seq, or a time in RFC 3339. For argparse, which prints the error."""
    word = text.strip()
    if word.isascii() and word.isdecimal():
        return int(word)
    from datetime import UTC, datetime

    try:
        then = _time(word, datetime.now().astimezone()).astimezone(UTC)
        return f"{then.replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"
    except (ValueError, OverflowError):
        raise ArgumentTypeError(f"{text!r} is not a moment; write {FORMS}") from None


def _time(word: str, now: datetime) -> datetime:
    from datetime import datetime, timedelta

    count, unit = word[:-1], word[-1:]
    if unit in _UNITS and count.isascii() and count.isdecimal() and len(count) <= _LONGEST:
        return now - timedelta(**{_UNITS[unit]: int(count)})
    if word in _DAYS:
        day = now.date() - timedelta(days=_DAYS[word])
        return datetime(day.year, day.month, day.day).astimezone()
    if len(word) < len("2026-11-16") or "W" in word:
        raise ValueError
    return datetime.fromisoformat(word).astimezone()
