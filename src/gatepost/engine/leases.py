"""Leases: any call of a session renews its claims. For sessions without claims, this costs nothing."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any, Final, TypeVar

from gatepost.domain import terms
from gatepost.domain.claims import LONGEST
from gatepost.engine.clock import later
from gatepost.engine.reader import Reader
from gatepost.engine.rows import LAST_PLACE, Changes, Head

_RENEWED_AFTER: Final = 0.25
"""The part of the shortest claim duration after which a call renews."""
_MOST_KNOWN: Final = 10_000
_LOOKED_FOR: Final = 60.0
"""Seconds after which a session without claims is looked at again."""
_FORGOTTEN_AFTER: Final = 2 * LONGEST

T = TypeVar("T")
Key = tuple[str, str]
"""A workspace, and a holder in it."""


class Leases:
    """When the claims of each session that made a call must be renewed.

    The store is looked at with a session's first call here, after each of its claims, when a renewal is due, and
    once a minute for a session without claims: it may have claimed something by another process.
    """

    def __init__(self) -> None:
        self._without_claims: dict[Key, float] = {}
        """When the store was looked at, by a clock that only this process knows."""
        self._due: dict[Key, str] = {}
        self.changes = 0
        """How often something was claimed or released here. What was read before the last time may be outdated."""

    def forget(self, key: Key) -> None:
        """A session claimed or released something."""
        self.changes += 1
        self._drop(key)

    def is_idle(self, key: Key, now: Callable[[], str]) -> bool:
        """Whether there is nothing to renew for a session, without a look at the store."""
        due = self._due.get(key)
        if due is not None:
            return now() < due
        looked = self._without_claims.get(key)
        return looked is not None and monotonic() < looked + _LOOKED_FOR

    def renewal(self, reader: Reader, now: Callable[[], str], since: int) -> Renewal | None:
        """What to record of the caller's session, if its claims must be renewed.

        `since` is what `changes` was before the reader's view was taken: another call of the session may have
        claimed something meanwhile.
        """
        me = reader.caller.holder_name
        key = reader.workspace, me
        self._drop(key)
        if not reader.postings(((terms.held_by(me),),), "", LAST_PLACE, 1):
            self._keep(self._without_claims, key, monotonic(), since)
            return None
        held, at, seen = reader.claims.mine(), now(), reader.lease(me)
        due = min(later(claim.seen(seen), claim.ttl_s * _RENEWED_AFTER) for claim in held)
        if at < due:
            self._keep(self._due, key, due, since)
            return None
        self._keep(self._due, key, later(at, min(claim.ttl_s for claim in held) * _RENEWED_AFTER), since)
        return Renewal(me, at)

    def _keep(self, known: dict[Key, T], key: Key, value: T, since: int) -> None:
        if len(known) >= _MOST_KNOWN:
            known.clear()
        known[key] = value
        if self.changes != since:
            self._drop(key)

    def _drop(self, key: Key) -> None:
        self._without_claims.pop(key, None)
        self._due.pop(key, None)


class Renewal:
    """A holder of claims, and when it made its last call, as fields of `Changes`."""

    def __init__(self, holder: str, at: str) -> None:
        self.fields: dict[str, Any]
        self.fields = {"leases": ((holder, at),), "leases_before": (later(at, -_FORGOTTEN_AFTER),)}

    def changes(self, head: Head) -> Changes:
        """The renewal alone, for a call that writes nothing else."""
        return Changes(head, **self.fields)
