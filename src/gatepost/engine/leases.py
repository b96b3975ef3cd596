"""Leases: any call of a session renews its claims. Sessions without claims pay nothing for that."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any, Final

from gatepost.domain import terms
from gatepost.domain.claims import LONGEST
from gatepost.engine.clock import later
from gatepost.engine.port import LAST_PLACE, Changes, Head
from gatepost.engine.reader import Reader

_RENEWED_AFTER: Final = 0.25
"""The part of the shortest term after which a call renews."""
_LOOK_AGAIN: Final = 5.0
"""Seconds after which a session without claims is looked at again: it may have claimed something elsewhere."""
_MOST_KNOWN: Final = 10_000
_FORGOTTEN_AFTER: Final = 2 * LONGEST

Key = tuple[str, str]
"""A workspace, and a holder in it."""


class Leases:
    """When the claims of each session that made a call must be renewed, as far as this engine knows."""

    def __init__(self) -> None:
        self._without_claims: dict[Key, float] = {}
        self._due: dict[Key, str] = {}

    def forget(self, key: Key) -> None:
        """A session claimed or released something."""
        self._without_claims.pop(key, None)
        self._due.pop(key, None)

    def is_idle(self, key: Key, now: Callable[[], str]) -> bool:
        """Whether there is nothing to renew for a session, without a look at the store."""
        due = self._due.get(key)
        if due is not None:
            return now() < due
        return monotonic() < self._without_claims.get(key, 0.0)

    def renewal(self, reader: Reader, now: Callable[[], str]) -> Renewal | None:
        """What to record of the caller's session, if its claims must be renewed."""
        me = reader.caller.holder_name
        key = reader.workspace, me
        self.forget(key)
        if not reader.postings(((terms.held_by(me),),), "", LAST_PLACE, 1):
            if len(self._without_claims) >= _MOST_KNOWN:
                self._without_claims.clear()
            self._without_claims[key] = monotonic() + _LOOK_AGAIN
            return None
        held, at, seen = reader.claims.mine(), now(), reader.lease(me)
        due = min(later(claim.seen(seen), claim.ttl_s * _RENEWED_AFTER) for claim in held)
        if at < due:
            self._due[key] = due
            return None
        self._due[key] = later(at, min(claim.ttl_s for claim in held) * _RENEWED_AFTER)
        return Renewal(me, at)


class Renewal:
    """A holder of claims, and when it made its last call, as fields of `Changes`."""

    def __init__(self, holder: str, at: str) -> None:
        self.fields: dict[str, Any]
        self.fields = {"leases": ((holder, at),), "leases_before": (later(at, -_FORGOTTEN_AFTER),)}

    def changes(self, head: Head) -> Changes:
        """The renewal alone, for a call that writes nothing else."""
        return Changes(head, **self.fields)
