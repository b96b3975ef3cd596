"""Tallies and terms, computed again from the documents."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Annotated, Final, NamedTuple

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from gatepost.domain import documents, places, tallies, terms
from gatepost.domain.documents import Document
from gatepost.domain.roots import Plan, Task
from gatepost.domain.tallies import NO_SHARE, NONE, Tally
from gatepost.domain.value import decoder
from gatepost.engine.port import Tables
from gatepost.engine.rows import EventRow, Table

_FORMERLY: Final = '"formerly":['
_MOVED: Final = '"type":"step_moved"'


_Path = Annotated[str, Meta(pattern=places.PATH)]


class _Remembered(Struct, frozen=True):
    """The former paths in an image."""

    formerly: tuple[_Path, ...] = ()


class _Left(Struct, frozen=True, rename={"from_": "from"}):
    """The path in an event from which a step was moved."""

    from_: _Path


_remembered = decoder(_Remembered).decode
_left = decoder(_Left).decode


class Corrections(NamedTuple):
    """The wrong rows: correct tallies, terms to remove and terms to add."""

    tallies: list[tuple[str, Tally]]
    terms_gone: list[tuple[str, str]]
    terms_new: list[tuple[str, str]]


def corrections(tables: Tables) -> Corrections:
    """What must be written so that tallies and terms match the documents."""
    right = counted(tables)
    held = {place: Tally(*counts) for place, *counts in tables.rows("tallies")}
    stored = {(term, place) for term, place in tables.rows("terms")}
    wanted = set(postings(tables, right))
    wanted_tallies = {**dict.fromkeys(held, NONE), **right}
    wrong = [(place, tally) for place, tally in wanted_tallies.items() if held.get(place, NONE) != tally]
    return Corrections(wrong, sorted(stored - wanted), sorted(wanted - stored))


def postings(tables: Tables, right: dict[str, Tally]) -> Iterator[tuple[str, str]]:
    """The terms of every document."""
    for place, document in all_documents(tables):
        for term in terms.of(document, right.get(place, NONE)):
            yield term, place


def counted(tables: Tables) -> dict[str, Tally]:
    """All tallies, counted again: revisions from the log, ordinals from the names, the rest from the documents."""
    found = _risen(tables)
    open_roots = {
        document.id
        for _, document in all_documents(tables)
        if isinstance(document, Plan | Task) and not document.done
    }
    held = {
        document.id
        for _, document in all_documents(tables)
        if isinstance(document, Plan)
        and tallies.waiting(document, open_roots.__contains__, open_roots.__contains__)
    }
    for place, document in all_documents(tables):
        if places.depth(place):
            _add(found, place, document)
        elif isinstance(document, Plan | Task):
            waiting = tallies.waiting(document, open_roots.__contains__, held.__contains__)
            if waiting:
                found[place] = replace(found.get(place, NONE), waiting=waiting)
    for place, document in all_documents(tables):
        if isinstance(document, Task):  # only now is everything counted that a task adds to its plan
            _add(found, place, document)
        if terms.NOW in terms.moving(document, found.get(place, NONE)):
            root = places.root_of(place)
            found[root] = replace(found.get(root, NONE), ready=found.get(root, NONE).ready + 1)
    return found


def all_documents(tables: Tables) -> Iterator[tuple[str, Document]]:
    """Every document, by place."""
    for place, text in tables.rows("documents"):
        yield place, documents.from_text(text)


def _risen(tables: Tables) -> dict[str, Tally]:
    """The values that only rise: each place's last revision and next ordinals."""
    found: dict[str, Tally] = {}
    for place, _, revision in tables.rows("touches"):
        found[place] = replace(found.get(place, NONE), revision=revision)
    known = _known(tables)
    for place in _given(tables):
        parent, kind, ordinal = places.apart(place)
        tally = found.get(parent, NONE)
        if places.depth(parent) and parent not in known:
            continue  # it was there only within one draft
        if kind == places.STEP:
            found[parent] = replace(tally, next_step=max(tally.next_step, ordinal + 1))
        else:
            found[parent] = replace(tally, next_node=max(tally.next_node, ordinal + 1))
    return found


def _known(tables: Tables) -> set[str]:
    """Every place below a root that had a document after some operation."""
    tables_read: tuple[Table, ...] = ("images", "documents")
    held = (row[0] for table in tables_read for row in tables.rows(table))
    return {place for place in held if places.depth(place)}


def _given(tables: Tables) -> Iterator[str]:
    """Every place that was ever given to a step or task node: where they are, and where they were before a move.

    Events name the places of what one batch moved and deleted. No image does.
    """
    for _, place in tables.rows("names"):
        yield place
    for place, _, before, after in tables.rows("images"):
        if before is not None and after is None and places.depth(place):
            yield place
        if after is not None and _FORMERLY in after and places.depth(place):
            root = places.root_of(place)
            with suppress(msgspec.MsgspecError):  # damaged, which the doctor reports elsewhere
                yield from (places.at_path(root, path) or place for path in _remembered(after).formerly)
    for event in (EventRow(*row) for row in tables.rows("events")):
        yield from (at for path in _paths(event) if (at := places.at_path(event.root or "", path)) is not None)


def _paths(event: EventRow) -> Iterator[str]:
    """The paths that an event names: of its step, and the one that this was moved from."""
    if event.root is None or event.path is None:
        return
    yield event.path
    if _MOVED in event.body:
        with suppress(msgspec.MsgspecError):
            yield _left(event.body).from_


def _add(found: dict[str, Tally], place: str, document: Document) -> None:
    share = tallies.share(document, found.get(place, NONE))
    for over in tallies.counted_at(place, document):
        found[over] = tallies.moved(found.get(over, NONE), NO_SHARE, share)
