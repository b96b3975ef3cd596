"""What the engine tells the sender of notices about a commit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from gatepost.domain.value import Stamp
from gatepost.engine.permissions import Changed


class Commit(Struct, frozen=True):
    """A stored operation of this process."""

    workspace: str
    operation: int
    stamp: Stamp
    changes: Sequence[Changed]


class Notices(Protocol):
    """Sends notices about commits, and never makes a call wait."""

    def announce(self, commit: Commit) -> None:
        """Queue a commit. Returns at once and never raises."""
        ...

    def close(self) -> None:
        """Wait briefly for pending notices, then end."""
        ...
