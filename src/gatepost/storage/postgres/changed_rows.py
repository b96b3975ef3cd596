"""What one flush writes, as statements with one list a column: as few round trips and plans as possible."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import astuple

from gatepost.domain import places
from gatepost.domain.tallies import NONE, Tally
from gatepost.domain.value import decoder
from gatepost.engine.rows import REQUESTS_SWEPT, Changes, ImageRow
from gatepost.storage.postgres import search_index

Statement = tuple[str, tuple[Any, ...]]
"""A statement's name, and its parameters after the workspace."""


class _Membership(Struct):
    """What a task says of its plan."""

    plan: str | None = None


_decode: Final = decoder(_Membership).decode


def statements(changes: Changes) -> Iterator[Statement]:
    """The statements that write some changes, in order."""
    documents = dict(changes.documents)  # a statement takes each key once: the last one counts
    gone = [place for place, text in documents.items() if text is None]
    if gone:
        yield "drop_documents", (gone,)
    tallies = dict(changes.tallies)
    if uncounted := [place for place, tally in tallies.items() if tally == NONE]:
        yield "drop_tallies", (uncounted,)
    if changes.terms_gone:
        yield "drop_terms", _columns(changes.terms_gone, 2)
    kept = [row for row in documents.items() if row[1] is not None]
    yield "put_changes", _main(changes, kept, list(tallies.items()))
    for statement, rows, width in (
        ("put_names", [*dict(changes.names).items()], 2),
        ("put_undone", [*{number: (by, number) for by, number in changes.undone}.values()], 2),
        ("put_artifacts", [astuple(row) for row in changes.artifacts], 4),
        ("put_masked_texts", changes.masked_texts, 3),
        ("drop_written", [row[:2] for row in changes.written if row[2] is None], 2),
        ("put_written", [row for row in changes.written if row[2] is not None], 3),
        ("put_leases", [*dict(changes.leases).items()], 2),
        ("drop_leases", [(before,) for before in changes.leases_before], 1),
        ("put_requests", [astuple(row) for row in changes.requests], 4),
    ):
        if rows:
            yield statement, _columns(rows, width)
    if changes.requests_before is not None:
        yield "drop_requests", (changes.requests_before, REQUESTS_SWEPT)
    yield from search_index.statements(changes)


def _main(
    changes: Changes, documents: Sequence[tuple[str, str | None]], tallies: Sequence[tuple[str, Tally]]
) -> tuple[Any, ...]:
    operations = [astuple(row) for row in (*changes.past, changes.operation) if row is not None]
    return (
        *astuple(changes.head),
        *_columns(documents, 2),
        *_columns([(place, *astuple(tally)) for place, tally in tallies if tally != NONE], 14),
        *_columns(changes.terms_new, 2),
        *_columns([astuple(row) for row in changes.events], 8),
        *_columns([(*astuple(row), _left(row)) for row in changes.images], 5),
        *_columns(changes.touches, 3),
        *_columns(operations, 9),
    )


def _columns(rows: Sequence[Sequence[Any]], width: int) -> tuple[list[Any], ...]:
    """Rows of equal width, as one list for each column."""
    return tuple(map(list, zip(*rows, strict=True))) if rows else ([],) * width


def _left(image: ImageRow) -> str | None:
    """The plan that a task left by a change: it was deleted, or moved to another plan."""
    if image.before is None or image.place[0] != places.TASK or "." in image.place:
        return None
    before, after = _plan(image.before), _plan(image.after)
    return before if after != before else None


def _plan(text: str | None) -> str | None:
    """The plan that a task's text names. A text that is no task of ours names none."""
    try:
        return None if text is None else _decode(text).plan
    except msgspec.MsgspecError:
        return None
