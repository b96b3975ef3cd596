"""Events that a session announces about itself."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRestored:
    """A session was restored to a snapshot. `at` is in UTC."""

    session_id: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFinished:
    """A session ended, and its slices are empty. `at` is in UTC."""

    session_id: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriberFailed:
    """A subscriber raised `error` while handling `event`. The event still took effect. `at` is in UTC."""

    event: object
    subscriber: Callable[[Any], object]
    error: BaseException
    at: datetime
