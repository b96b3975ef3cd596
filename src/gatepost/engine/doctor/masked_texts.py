"""Texts that an earlier version's masking may have spoilt: those that held the word then, and still do."""

from collections.abc import Iterator
from typing import Final

from gatepost.domain import places
from gatepost.engine.port import Tables

MASK: Final = "[masked]"

_MAY_BE_LOST: Final = f"holds the word {MASK}, which an earlier version may have put in the place of something else"


def masked_texts(tables: Tables) -> Iterator[tuple[str, str]]:
    """Where such a text is, and what to know about it. A document that was rewritten since is no longer one."""
    documents = set()
    for source, place, seq in tables.rows("masked_texts"):
        if source == "documents":
            documents.add(place)
        elif source == "events":
            yield f"event {seq}", f"{_MAY_BE_LOST}; events stay as they are"
        else:
            yield f"evidence of event {seq}, {places.shown(place)}", f"{_MAY_BE_LOST}; evidence stays as it is"
    for place, text in tables.rows("documents") if documents else ():
        if place in documents and MASK in text:
            yield places.shown(place), f"{_MAY_BE_LOST}; look at it, and write what belongs there"
