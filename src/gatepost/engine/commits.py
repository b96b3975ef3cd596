"""A commit as those see it who tell people about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from gatepost.domain.value import Stamp
from gatepost.engine.permissions import Changed


class Commit(Struct, frozen=True):
    """One operation of this process that is stored."""

    workspace: str
    operation: int
    stamp: Stamp
    changes: Sequence[Changed]


class Notices(Protocol):
    """Tells people about commits, without ever keeping a call waiting."""

    def announce(self, commit: Commit) -> None:
        """Take note of a commit. Returns at once and never raises."""
        ...

    def close(self) -> None:
        """Give what is on its way a moment, and end."""
        ...
