"""Durable sessions: one program holds a session and keeps its events; the next one reads them and goes on."""

from typing import Annotated, Final

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from gatepost.domain import journals, places
from gatepost.domain.journals import MOST_CHARS, MOST_ENTRIES, MOST_PIECES, SessionJournal
from gatepost.domain.names import SESSION
from gatepost.domain.records import SessionClosed, SessionKept, SessionOpened
from gatepost.engine import processes
from gatepost.engine.draft import Draft
from gatepost.engine.reader import Reader
from gatepost.engine.rows import ArtifactRow
from gatepost.operations.cursors import pair, pair_cursor
from gatepost.operations.fields import KNOWN, Cursor, Limit
from gatepost.operations.registry import Command, Write, operation
from gatepost.operations.step_commands import outcome
from gatepost.replies.journals import SessionChanged, SessionHistoryReply, SessionPart

_PAGE_CHARS: Final = 1_000_000

Name = Annotated[str, Meta(pattern=SESSION, description="The session's id.", extra=KNOWN)]
Holder = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z0-9_-]{8,64}\Z",
        description="A name you choose for this opening; send the same one in every call.",
    ),
]
Text = Annotated[str, Meta(min_length=1, max_length=MOST_CHARS)]
_encode = msgspec.json.Encoder().encode


class OpenSession(Write[SessionChanged], frozen=True, kw_only=True):
    """Hold a session."""

    session: Name
    holder: Holder
    take_over: Annotated[bool, Meta(description="Take it over from a holder that is no longer reachable.")] = False


class KeepEvents(Write[SessionChanged], frozen=True, kw_only=True):
    """Keep what happened in a session."""

    session: Name
    holder: Holder
    entries: Annotated[tuple[Text, ...], Meta(max_length=MOST_ENTRIES)] = ()
    state: Annotated[
        tuple[Text, ...],
        Meta(max_length=MOST_PIECES, description="The whole state before the entries, in pieces."),
    ] = ()


class CloseSession(Write[SessionChanged], frozen=True, kw_only=True):
    """Let go of a session."""

    session: Name
    holder: Holder


class ReadSession(Command[SessionHistoryReply], frozen=True, kw_only=True):
    """Ask for what was kept."""

    session: Name
    whole: Annotated[bool, Meta(description="Start at the beginning instead of the newest state.")] = False
    limit: Limit = 200
    cursor: Cursor | None = None


@operation("session_open")
def open_session(draft: Draft, command: OpenSession) -> SessionChanged:
    """Open a durable session for writing. No one else can write to it until you close it or your process ends."""
    place, journal = _journal(draft, command.session)
    _check_revision(draft, place, command.expected_revision)
    if not command.take_over:
        journals.check_free(command.session, journal, command.holder, processes.gone)
    if journal.holder != command.holder:
        draft.put(place, replace(journal, holder=command.holder, process=draft.caller.process))
        draft.log(place, SessionOpened())
    return _changed(draft, place, command.session)


@operation("session_keep")
def keep(draft: Draft, command: KeepEvents) -> SessionChanged:
    """Store entries of a durable session that you opened, after everything stored before; `state` goes before
    them."""
    place, journal = _journal(draft, command.session)
    _check_revision(draft, place, command.expected_revision)
    journals.check_holder(command.session, journal, command.holder)
    if command.state:
        draft.put(place, replace(journal, state=draft.head().seq + 1))
        for piece in command.state:
            draft.keep(place, _encode({"state": piece}).decode())
        draft.log(place, SessionKept(pieces=len(command.state)))
    if command.entries:
        for entry in command.entries:
            draft.keep(place, _encode({"entry": entry}).decode())
        draft.log(place, SessionKept(entries=len(command.entries)))
    return _changed(draft, place, command.session)


@operation("session_close")
def close_session(draft: Draft, command: CloseSession) -> SessionChanged:
    """Close a durable session that you opened. Its contents remain for the next writer."""
    place, journal = _journal(draft, command.session)
    _check_revision(draft, place, command.expected_revision)
    if journal.holder is not None:
        journals.check_holder(command.session, journal, command.holder)
        draft.put(place, replace(journal, holder=None, process=None))
        draft.log(place, SessionClosed())
    return _changed(draft, place, command.session)


@operation("session_history")
def read_session(reader: Reader, command: ReadSession) -> SessionHistoryReply:
    """Read what a durable session stored: its newest state and the entries after it, or everything from the
    beginning."""
    place, journal = _journal(reader, command.session)
    first = (0, 0) if command.whole else (journal.state, 0)
    rows = reader.artifacts(place, command.limit + 1, pair(command.cursor) or first)
    page = _fitting(rows, command.limit)
    more = len(page) < len(rows)
    return SessionHistoryReply(
        session=command.session,
        revision=reader.tally(place).revision,
        kept=tuple(_kept(row) for row in page),
        cursor=pair_cursor(rows[len(page)].seq, rows[len(page)].number) if more else None,
    )


def _journal(reader: Reader, session: str) -> tuple[str, SessionJournal]:
    place = places.named(places.JOURNAL, session)
    found = reader.at(place)
    return place, found.value if found is not None and isinstance(found.value, SessionJournal) else SessionJournal()


def _check_revision(draft: Draft, place: str, expected: int | None) -> None:
    draft.check_revision(places.shown(place), place, draft.tally(place).revision, expected)


def _changed(draft: Draft, place: str, session: str) -> SessionChanged:
    return SessionChanged(session=session, **outcome(draft, place))


def _fitting(rows: list[ArtifactRow], limit: int) -> list[ArtifactRow]:
    """As many as one reply should hold; at least one, so that the reader gets on."""
    room = _PAGE_CHARS
    for count, row in enumerate(rows[:limit]):
        room -= len(row.body)
        if room < 0 and count:
            return rows[:count]
    return rows[:limit]


def _kept(row: ArtifactRow) -> SessionPart:
    return SessionPart(seq=row.seq, **msgspec.json.decode(row.body))
