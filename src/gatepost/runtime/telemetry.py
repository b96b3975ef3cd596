"""What a session tells its dispatcher about itself, beside the events that it takes in."""

from dataclasses import dataclass
from datetime import datetime


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
