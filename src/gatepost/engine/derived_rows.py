"""Tallies and terms, computed again from the documents."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from msgspec.structs import replace

from gatepost.domain import documents, places, tallies, terms
from gatepost.domain.documents import Document
from gatepost.domain.roots import Plan, Task
from gatepost.domain.tallies import NO_SHARE, NONE, Tally
from gatepost.engine.port import Tables

_FORMERLY: Final = '"formerly":['


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
    wrong = [(place, tally) for place, tally in right.items() if held.get(place, NONE) != tally]
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
    for place in _given(tables):
        parent, kind, ordinal = places.apart(place)
        tally = found.get(parent, NONE)
        if kind == places.STEP:
            found[parent] = replace(tally, next_step=max(tally.next_step, ordinal + 1))
        else:
            found[parent] = replace(tally, next_node=max(tally.next_node, ordinal + 1))
    return found


def _given(tables: Tables) -> Iterator[str]:
    """Every place that was ever given to a step or task node: where they are, and where they were before a move."""
    for _, place in tables.rows("names"):
        yield place
    for place, _, before, after in tables.rows("images"):
        if before is not None and after is None and places.depth(place):
            yield place
        if after is not None and _FORMERLY in after and places.depth(place):
            root = places.root_of(place)
            for path in getattr(documents.from_text(after), "formerly", ()):
                yield places.at_path(root, path) or place


def _add(found: dict[str, Tally], place: str, document: Document) -> None:
    share = tallies.share(document, found.get(place, NONE))
    for over in tallies.counted_at(place, document):
        found[over] = tallies.moved(found.get(over, NONE), NO_SHARE, share)
