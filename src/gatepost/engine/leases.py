"""Leases: any call of a session renews its claims. For sessions without claims, this costs nothing."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Any, Final, TypeVar

from gatepost.domain import terms
from gatepost.domain.claims import LONGEST, SHORTEST, Claim
from gatepost.domain.documents import claim_of
from gatepost.engine.clock import later
from gatepost.engine.reader import Reader
from gatepost.engine.rows import LAST_PLACE, Changes, Head

_RENEWED_AFTER: Final = 0.25
"""The part of the shortest claim duration after which a call renews."""
_LOOKED_AT: Final = 100
"""The most claims of a session that are looked at."""
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

    def __init__(self, now: Callable[[], str]) -> None:
        self._now = now
        self._without_claims: dict[Key, float] = {}
        """When the store was looked at, by a clock that only this process knows."""
        self._due: dict[Key, str] = {}
        self.changes = 0
        """How often something was claimed or released here. What was read before the last time may be outdated."""

    def forget(self, key: Key) -> None:
        """A session claimed or released something."""
        self.changes += 1
        self._drop(key)

    def is_idle(self, key: Key) -> bool:
        """Whether there is nothing to renew for a session, without a look at the store."""
        due = self._due.get(key)
        if due is not None:
            return self._now() < due
        looked = self._without_claims.get(key)
        return looked is not None and monotonic() < looked + _LOOKED_FOR

    def may_hold(self, key: Key) -> bool:
        """Whether a session may have claims, as far as is known without a look at the store."""
        return key not in self._without_claims

    def renewal(self, reader: Reader, since: int) -> Renewal | None:
        """What to record of the caller's session, if its claims must be renewed.

        `since` is what `changes` was before the reader's view was taken: another call of the session may have
        claimed something meanwhile.
        """
        me = reader.caller.holder_name
        key = reader.workspace, me
        if self.is_idle(key):
            return None
        self._drop(key)
        held, seen = read_claims(reader)
        if not held:
            self._keep(self._without_claims, key, monotonic(), since)
            return None
        at, shortest = self._now(), min(claim.ttl_s for claim in held)
        due = min(later(claim.seen(seen), claim.ttl_s * _RENEWED_AFTER) for claim in held)
        if len(held) >= _LOOKED_AT:  # one that was not looked at may be shorter
            shortest, due = SHORTEST, at if seen is None else later(seen, SHORTEST * _RENEWED_AFTER)
        if at < due:
            self._keep(self._due, key, due, since)
            return None
        self._keep(self._due, key, later(at, shortest * _RENEWED_AFTER), since)
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


def read_claims(reader: Reader) -> tuple[list[Claim], str | None]:
    """The first claims of the caller, and when it made its last call. Everything is read in one round trip."""
    me = reader.caller.holder_name
    seen = reader.lease(me)
    held = reader.all_at(reader.postings(((terms.held_by(me),),), "", LAST_PLACE, _LOOKED_AT))
    return [claim for found in held if (claim := claim_of(found.value)) is not None], seen


class Renewal:
    """A holder of claims, and when it made its last call, as fields of `Changes`."""

    def __init__(self, holder: str, at: str) -> None:
        self.fields: dict[str, Any]
        self.fields = {"leases": ((holder, at),), "leases_before": (later(at, -_FORGOTTEN_AFTER),)}

    def changes(self, head: Head) -> Changes:
        """The renewal alone, for a call that writes nothing else."""
        return Changes(head, **self.fields)
