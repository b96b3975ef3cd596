"""Texts that an earlier version may have damaged by masking: they contained the mask then, and still do."""

from collections.abc import Iterator
from typing import Final

from gatepost.domain import places
from gatepost.engine.port import Tables

MASK: Final = "[masked]"

_MAY_BE_LOST: Final = f"contains {MASK}, which an earlier version may have written over another text"


def masked_texts(tables: Tables) -> Iterator[tuple[str, str]]:
    """Where such texts are, with advice. A document that was rewritten since is left out."""
    documents = set()
    for source, place, seq in tables.rows("masked_texts"):
        if source == "documents":
            documents.add(place)
        elif source == "events":
            yield f"event {seq}", f"{_MAY_BE_LOST}; events are never changed"
        else:
            yield f"evidence of event {seq}, {places.shown(place)}", f"{_MAY_BE_LOST}; evidence is never changed"
    for place, text in tables.rows("documents") if documents else ():
        if place in documents and MASK in text:
            yield places.shown(place), f"{_MAY_BE_LOST}; check it and write the right text"
