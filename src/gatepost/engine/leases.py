"""Leases: any call of a session renews its claims. Sessions without claims pay nothing for that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from gatepost.domain import terms
from gatepost.domain.claims import LONGEST
from gatepost.engine.clock import later
from gatepost.engine.port import LAST_PLACE, Changes, Head
from gatepost.engine.reader import Reader

_RENEWED_AFTER: Final = 0.25
"""The part of the shortest term after which a call renews."""
_MOST_KNOWN: Final = 10_000
_FORGOTTEN_AFTER: Final = 2 * LONGEST

Key = tuple[str, str]
"""A workspace, and a holder in it."""


class Leases:
    """When the claims of each session that made a call must be renewed.

    The store is looked at with a session's first call here, after each of its claims, and when a renewal is due.
    What one session claims in two processes at once is renewed by the one that claimed it.
    """

    def __init__(self) -> None:
        self._without_claims: set[Key] = set()
        self._due: dict[Key, str] = {}

    def forget(self, key: Key) -> None:
        """A session claimed or released something."""
        self._without_claims.discard(key)
        self._due.pop(key, None)

    def is_idle(self, key: Key, now: Callable[[], str]) -> bool:
        """Whether there is nothing to renew for a session, without a look at the store."""
        due = self._due.get(key)
        return key in self._without_claims if due is None else now() < due

    def renewal(self, reader: Reader, now: Callable[[], str]) -> Renewal | None:
        """What to record of the caller's session, if its claims must be renewed."""
        me = reader.caller.holder_name
        key = reader.workspace, me
        self.forget(key)
        if not reader.postings(((terms.held_by(me),),), "", LAST_PLACE, 1):
            if len(self._without_claims) >= _MOST_KNOWN:
                self._without_claims.clear()
            self._without_claims.add(key)
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
