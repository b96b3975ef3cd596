"""A session's state at a moment, to go back to."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from gatepost.runtime.rows import Run


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Snapshot:
    """A session's state at a moment (`at`, in UTC), for `Session.restore`. Nothing later disturbs it."""

    session_id: str
    at: datetime
    runs: Mapping[type, Run[object]] = field(repr=False)
