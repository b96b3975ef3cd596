"""Word search in PostgreSQL: the words of each row are a `tsvector` with an index over it.

The words are ours, so nothing is parsed or folded by the database, and every store finds the same. A query for rare
words takes all rows that have them from the index. Frequent words would be many rows, of which only the newest are
wanted: then the newest rows are looked at, a bounded number of them.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Any, Final

from gatepost.domain.search import beginnings, fingerprint
from gatepost.engine.rows import Changes, SearchHit, SearchHits, SearchRow

RARE: Final = 2_000
"""Up to this many rows are taken from the index and sorted."""
REACH: Final = 10_000
"""How many of the newest rows are looked at for frequent words."""
_NEWEST: Final = 2**62

Ask = Callable[..., list[Any]]


def statements(changes: Changes) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """The statements that bring the index up to date, in order."""
    if changes.search_reset:
        yield "drop_searched", ()
    if changes.search_moved:
        yield (
            "move_searched",
            ([was for was, _ in changes.search_moved], [here for _, here in changes.search_moved]),
        )
    if changes.search_new:
        rows = _latest(changes.search_new)
        yield "put_searched", tuple(map(list, zip(*rows, strict=True)))
        if documents := [row.place for row in changes.search_new if not row.seq]:
            yield "show_searched", (documents,)
    if changes.search_gone:
        yield "hide_searched", (list(changes.search_gone),)


def _latest(new: Sequence[SearchRow]) -> list[tuple[str, int, int, str, str]]:
    """Place, seq, mark, title and words of the rows. One that comes again counts where its words changed last."""
    found: dict[tuple[str, int], tuple[str, int, int, str, str]] = {}
    for row in new:
        title, text = " ".join(row.title), " ".join((*row.title, *row.text))
        made = (row.place, row.seq, _mark(f"{title}\n{text}"), title, text)
        if found.get((row.place, row.seq)) != made:
            found.pop((row.place, row.seq), None)
            found[row.place, row.seq] = made
    return list(found.values())


def tagged(statement: str, workspace: int, parameters: tuple[Any, ...]) -> tuple[Any, ...]:
    """The parameters of a statement, with the words of new rows under their workspace."""
    if statement != "put_searched":
        return parameters
    *others, texts = parameters
    return *others, [" ".join(f"{workspace}:{word}" for word in text.split()) for text in texts]


def find(ask: Ask, workspace: int, words: Sequence[str], limit: int, upto: int | None) -> SearchHits:
    """The newest rows that have a word starting with each of these."""
    newest = _NEWEST if upto is None else upto
    query = " & ".join(f"'{workspace}:{word}':*" for word in words)
    [(matches,)] = ask("count_matches", query, RARE + 1)
    if matches <= RARE:
        rows, rest = ask("matches", query, newest, limit + 1), None
    else:
        rows = ask("newest_matches", query, newest, REACH)
        oldest = rows[-1][0] if rows else 0
        rest = oldest - 1 if rows else None
        rows = [row for row in rows if row[4]]
    found = [SearchHit(number, place, seq, _has(title, words)) for number, place, seq, title, *_ in rows]
    return SearchHits(found, rest) if len(found) <= limit else SearchHits(found[:limit], found[limit].number)


def fingerprinted(rows: Iterable[Any]) -> Iterator[tuple[Any, ...]]:
    """Every row: place, seq, whether it is visible, its title's words, and a fingerprint of its words."""
    for place, seq, live, title, words in rows:
        plain = [word.partition(":")[2] for word in words]
        yield place, seq, live, title, fingerprint(beginnings(plain))


def _mark(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big", signed=True)


def _has(title: str, words: Sequence[str]) -> bool:
    own = f" {title}"
    return all(f" {word}" in own for word in words)
