"""Check the invariants of every plan and task, independent of the stored tallies."""

from collections.abc import Iterator

from gatepost.domain import invariants, places
from gatepost.domain.tallies import NONE, Tally
from gatepost.engine import derived_rows
from gatepost.engine.port import Tables


def broken_invariants(tables: Tables, right: dict[str, Tally]) -> Iterator[tuple[str, str, str]]:
    """Everything that is done but must not be: a code, the place and the problem.

    `right` is the result of `derived_rows.counted` for the same tables.
    """
    for place, document in derived_rows.all_documents(tables):
        for breach in invariants.breaches(document, right.get(place, NONE)):
            yield breach.code, places.shown(place), breach.says
