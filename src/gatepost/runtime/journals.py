"""The journal of a durable session: its events, and from time to time its whole state, in a store.

Storing an event is one call, however many there are. The state is stored when the number of events since the last
time reaches the number of values. This spreads its cost, and the next process reads little more than the state.
"""

import os
import secrets
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from itertools import groupby
from logging import getLogger
from typing import Any, Final

import msgspec

from gatepost.domain.journals import MOST_CHARS, MOST_PIECES
from gatepost.domain.refusals import RevisionMismatch, SessionHeld, TooLarge, ToolValidationError
from gatepost.domain.value import prepared
from gatepost.runtime.codec import Codec, EncodedValue, Types
from gatepost.runtime.publication import Publisher
from gatepost.runtime.snapshots import Snapshot
from gatepost.runtime.transactions import ReplayEntry

_FEWEST: Final = 256
"""The state is not stored before this many events."""
_PAGE: Final = 200
_log: Final = getLogger("gatepost.runtime")


class _Kept(msgspec.Struct, frozen=True):
    """A stored event."""

    at: datetime
    event: EncodedValue


class Journal:
    """The stored events and states of one session, held by this object. Used only inside an `OuterCall`."""

    def __init__(self, gp: Publisher, session: str, workspace: str | None, types: Types) -> None:
        self._caller: Final = gp.for_session(session)
        self._session: Final = session
        self._of_session: Final = {"session": session} | ({} if workspace is None else {"workspace": workspace})
        self._as_holder: Final = {**self._of_session, "holder": secrets.token_hex(8)}
        self._codec: Final = Codec(types)
        self._process: Final = os.getpid()
        self._revision = 0
        self._events_since_state = 0
        self._state_due_at = _FEWEST
        self._owes_state = False

    def open(self, *, take_over: bool) -> None:
        """Acquire the session. Refused if somebody else holds it."""
        self._revision = self._caller.call("session_open", **self._as_holder, take_over=take_over)["revision"]

    def read(self, kinds: Iterable[type]) -> Iterator[ReplayEntry]:
        """The newest stored state, and each event after it."""
        for kind in kinds:
            self._codec.learn(kind)
        for is_state, kept in groupby(self._pages(), lambda one: "state" in one):
            if is_state:
                text = "".join(one["state"] for one in kept)
                snapshot = Snapshot.read(text, self._codec)
                yield ReplayEntry(snapshot, snapshot.at, ())
            else:
                for one in kept:
                    entry = msgspec.json.decode(one["entry"], type=prepared(_Kept))
                    self._events_since_state += 1
                    yield ReplayEntry(self._codec.read(entry.event), entry.at, ())

    def keep(self, event: object, at: datetime, state: Callable[[], Snapshot]) -> None:
        """Store an event before it changes the state."""
        written = _Kept(at=at, event=self._codec.write(event))
        text = msgspec.json.encode(written).decode()
        if len(text) > MOST_CHARS:
            raise TooLarge(
                f"A {written.event.type} has {len(text):,} characters as JSON; a durable session keeps events of at"
                f" most {MOST_CHARS:,}.",
                "Store large data in a file, and its path in the event.",
            )
        self._keep(entries=[text], state=self._due(state))
        self._events_since_state += 1

    def keep_state(self, snapshot: Snapshot, *, owed: bool = False) -> None:
        """Store the whole state. An `owed` state is already in effect: if this fails, the next event stores it."""
        self._owes_state = self._owes_state or owed
        self._keep(state=self._pieces(snapshot))

    def close(self) -> None:
        """Release the session, unless somebody took it over. A forked child leaves that to its parent."""
        if os.getpid() != self._process:
            return
        try:
            self._caller.call("session_close", **self._as_holder)
        except SessionHeld:
            _log.warning("Session %s was taken over before it was closed here.", self._session)

    def _pages(self) -> Iterator[dict[str, Any]]:
        after: dict[str, str] = {}
        while True:
            page = self._caller.call("session_history", **self._of_session, limit=_PAGE, **after)
            yield from page["kept"]
            if page.get("cursor") is None:
                return
            after = {"cursor": page["cursor"]}

    def _keep(self, *, entries: Iterable[str] = (), state: Iterable[str] = ()) -> None:
        pieces = list(state)
        if os.getpid() != self._process:
            raise SessionHeld(self._session, None)
        try:
            kept = self._caller.call(
                "session_keep",
                **self._as_holder,
                expected_revision=self._revision,
                entries=list(entries),
                state=pieces,
            )
        except RevisionMismatch:
            raise SessionHeld(self._session, None, lost=True) from None
        self._revision = kept["revision"]
        if pieces:
            self._events_since_state, self._owes_state = 0, False

    def _due(self, state: Callable[[], Snapshot]) -> list[str]:
        """The state, if it is time to store it. If it cannot be encoded, only events are stored."""
        if self._owes_state:
            return self._pieces(state())
        if self._events_since_state < self._state_due_at:
            return []
        snapshot = state()
        self._state_due_at = max(_FEWEST, sum(run.size() for run in snapshot.runs.values()))
        if self._events_since_state < self._state_due_at:
            return []
        try:
            return self._pieces(snapshot)
        except ToolValidationError as refused:
            self._state_due_at = 2 * self._events_since_state
            _log.warning("The state of %s cannot be stored, only its events: %s", self._session, refused)
            return []

    def _pieces(self, snapshot: Snapshot) -> list[str]:
        text = snapshot.written(self._codec)
        pieces = [text[start : start + MOST_CHARS] for start in range(0, len(text), MOST_CHARS)]
        if len(pieces) > MOST_PIECES:
            raise TooLarge(
                f"The state of {self._session} has {len(text):,} characters as JSON; at most"
                f" {MOST_CHARS * MOST_PIECES:,} can be kept.",
                "Keep less in the slices: replace_latest and upsert_by drop old values.",
            )
        return pieces
