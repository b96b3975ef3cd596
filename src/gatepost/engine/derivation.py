"""Write what follows from a log and its documents: tallies, terms and the words that search finds."""

from collections.abc import Iterable
from itertools import islice
from typing import Any, Final

from gatepost.engine import derived_rows, search
from gatepost.engine.port import StoreTransaction
from gatepost.engine.rows import Changes, Head

_PAGE: Final = 1_000


def derive(transaction: StoreTransaction, head: Head) -> None:
    """Count and index a workspace that has its documents, names and log, and no terms."""
    right = derived_rows.counted(transaction)
    write_pages(transaction, head, tallies=right.items(), terms_new=derived_rows.postings(transaction, right))
    search.refill(transaction)


def forget_terms(transaction: StoreTransaction) -> None:
    """Remove all terms, so that they can be derived again."""
    while page := list(islice(transaction.rows("terms"), _PAGE)):
        transaction.apply(Changes(transaction.head(), terms_gone=[(term, place) for term, place in page]))


def write_pages(transaction: StoreTransaction, head: Head, **tables: Iterable[Any]) -> None:
    """Write the rows for each field of `Changes`, a page at a time."""
    for field, rows in tables.items():
        left = iter(rows)
        while page := list(islice(left, _PAGE)):
            changes: dict[str, Any] = {field: page}
            transaction.apply(Changes(head, **changes))
