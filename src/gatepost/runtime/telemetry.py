"""What a session tells its dispatcher about itself, beside the events that it takes in."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRestored:
    """A session went back to a snapshot. `at` is in UTC."""

    session_id: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionClosed:
    """A session came to its end, and its slices are empty. `at` is in UTC."""

    session_id: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriberFailed:
    """A subscriber raised `error` when it was told of `event`, which has happened all the same. `at` is in UTC."""

    event: object
    subscriber: Callable[[Any], object]
    error: BaseException
    at: datetime
