"""The doctor's look at what must hold of every plan and task, whatever the stored counts say."""

from collections.abc import Iterator

from gatepost.domain import invariants, places
from gatepost.domain.tallies import NONE, Tally
from gatepost.engine import derived_rows
from gatepost.engine.port import Tables


def broken_invariants(tables: Tables, right: dict[str, Tally]) -> Iterator[tuple[str, str, str]]:
    """Everything that is done and must not be: a code, where it is, and what is wrong with it.

    `right` is what `derived_rows.counted` says of the same tables.
    """
    for place, document in derived_rows.all_documents(tables):
        for breach in invariants.breaches(document, right.get(place, NONE)):
            yield breach.code, places.shown(place), breach.says
