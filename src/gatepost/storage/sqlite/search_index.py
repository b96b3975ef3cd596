"""Word search in SQLite: rows wait in a table and go into a full-text index in batches.

Adding each row to the index in its own transaction costs more than most writes. So a write leaves its words in
`searched`, which search reads too, and every 64th write indexes all waiting rows. They are always the newest.

FTS5 walks the rows of two frequent words to the end if they never meet, and nothing stops it. So it is only asked
for rows that are known to exist: those where the newest rows of each word meet.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar, Final
from zlib import crc32

import apsw

from gatepost.domain.search import beginnings, fingerprint
from gatepost.engine.rows import SearchHit, SearchHits, SearchRow

_WAITING: Final = 64
_NEWEST: Final = 2**62


class SearchIndex:
    """The index of all workspaces, on one connection."""

    reach: ClassVar = 1_000
    """How many rows of each word are searched when all words are frequent."""

    def __init__(self, connection: apsw.Connection, sql: Mapping[str, str]) -> None:
        self._run = connection.execute
        self._run_many = connection.executemany
        self._sql = sql

    def change(self, workspace: int, new: Sequence[SearchRow], gone: Sequence[str]) -> None:
        """Add rows to the index and hide places from search."""
        for row in new:
            if row.seq:
                self._add(workspace, row)
            else:
                self._replace(workspace, row)
        if gone:
            self._run_many(self._sql["hide_searched"], [(workspace, place) for place in gone])
        if new and self._count() >= _WAITING:
            self.settle()

    def find(self, workspace: int, words: Sequence[str], limit: int, upto: int | None) -> SearchHits:
        """The newest rows that have a word starting with each of these."""
        newest = _NEWEST if upto is None else upto
        wanted = [f" {word}" for word in words]
        tokens = [f'"{workspace}:{word}"' for word in words]
        found = self._waiting(workspace, wanted, newest)
        rest = None
        if len(found) <= limit:
            rows, rest = self._look(tokens, newest, limit + 1 - len(found))
            found += [
                SearchHit(number, place, seq, _has(title, wanted))
                for number, place, seq, title, live in rows
                if live
            ]
        return SearchHits(found, rest) if len(found) <= limit else SearchHits(found[:limit], found[limit].number)

    def settle(self) -> None:
        """Move all waiting rows into the index."""
        waiting: Any = self._run(self._sql["searched_waiting"]).fetchall()
        rows = [
            (number, _tokens(workspace, title + text))
            for number, workspace, seq, title, text in waiting
            if seq >= 0
        ]
        gone = [(number,) for number, _, seq, *_ in waiting if seq < 0]
        self._run_many(self._sql["drop_from_index"], gone)
        self._run_many(self._sql["drop_searched"], gone)
        self._run_many(self._sql["put_in_index"], rows)
        self._run(self._sql["settle_searched"])

    def forget(self, workspace: int) -> None:
        """Empty a workspace's index, and remove index entries without a row."""
        try:
            self._run(self._sql["drop_workspace_from_index"], (workspace,))
            self._run(self._sql["drop_strays_from_index"])
        except apsw.CorruptError:
            self._run(self._sql["empty_index"])  # the other workspaces find theirs wrong, and are refilled too
        self._run(self._sql["drop_workspace_from_searched"], (workspace,))

    def rows(self, workspace: int) -> Iterator[tuple[Any, ...]]:
        """Every row: place, seq, whether it is visible, its title's words, and a fingerprint of its words."""
        held = self._held(workspace)
        for number, place, seq, live, title, text in self._run(self._sql["all_searched"], (workspace,)):
            waits = text is not None
            mark = fingerprint(beginnings((title + text).split())) if waits else held.get(number, 0)
            yield place, seq, bool(live), title.strip(), mark

    def _waiting(self, workspace: int, wanted: Sequence[str], newest: int) -> list[SearchHit]:
        """The hits among the waiting rows."""
        return [
            SearchHit(number, place, seq, _has(title, wanted))
            for number, place, seq, title, text in self._run(self._sql["search_waiting"], (workspace, newest))
            if _has(title + text, wanted)
        ]

    def _look(self, tokens: Sequence[str], newest: int, most: int) -> tuple[list[Any], int | None]:
        """The newest rows that have all tokens, and where to continue if there may be older ones."""
        meeting, first = self._meeting(tokens, newest)
        asked = most if meeting is None else min(most, meeting)
        query = " AND ".join(tokens)
        rows: Any = self._run(self._sql["search_index"], (query, newest, asked)).fetchall() if asked else []
        return rows, rows[-1][0] - 1 if len(rows) == most else first

    def _meeting(self, tokens: Sequence[str], newest: int) -> tuple[int | None, int | None]:
        """How many of the newest rows of each token have all tokens, and where the search stopped.

        Counts nothing if a token is alone or rare: it bounds the walk by itself.
        """
        if len(tokens) == 1:
            return None, None
        known: list[list[int]] = []
        for token in tokens:
            rows = self._run(self._sql["rows_of_token"], (token, newest, self.reach))
            known.append([number for (number,) in rows])
            if len(known[-1]) < self.reach:
                return None, None
        first = max(numbers[-1] for numbers in known)
        meeting = set.intersection(*map(set, known))
        return sum(number >= first for number in meeting), first - 1

    def _held(self, workspace: int) -> dict[int, int]:
        """A number for what the index has of each row."""
        before = len(f"{workspace}:")
        bounds = (f"{workspace}:", f"{workspace};")
        found: dict[int, int] = {}
        for token, number in self._run(self._sql["index_tokens"], bounds):
            found[number] = found.get(number, 0) + crc32(token[before:].encode())
        return found

    def _replace(self, workspace: int, row: SearchRow) -> None:
        text = _text(row.text)
        mark = _mark(f"{_text(row.title)}\n{text}")
        kept: Any = self._run(self._sql["own_searched"], (workspace, row.place)).fetchone()
        if kept is not None and kept[2] == mark:
            self._run(self._sql["show_searched"], (workspace, row.place))
            return
        if kept is not None:
            number, waits = kept[:2]
            self._run(self._sql["drop_searched" if waits else "orphan_searched"], (number,))
        self._run(self._sql["put_searched"], (workspace, row.place, 0, 1, mark, _text(row.title), text))
        self._run(self._sql["show_searched"], (workspace, row.place))

    def _add(self, workspace: int, row: SearchRow) -> None:
        own: Any = self._run(self._sql["own_searched"], (workspace, row.place)).fetchone()
        live = int(own is not None and own[3])
        kept = (workspace, row.place, row.seq, live, 0, _text(row.title), _text(row.text))
        self._run(self._sql["put_searched"], kept)

    def _count(self) -> int:
        count: Any = self._run(self._sql["count_waiting"]).get
        return int(count)


def _mark(text: str) -> int:
    from hashlib import blake2b  # loads OpenSSL, which a process that only reads does not need

    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big", signed=True)


def _text(words: Sequence[str]) -> str:
    """Words with a space before each, so that the start of a word is found as ` start`."""
    return "".join(f" {word}" for word in words)


def _has(text: str, wanted: Sequence[str]) -> bool:
    for each in wanted:  # noqa: SIM110 - a thousand times a search: all() takes three times as long
        if each not in text:
            return False
    return True


def _tokens(workspace: int, text: str) -> str:
    return " ".join([_tokens_of(workspace, word) for word in text.split()])


@lru_cache(maxsize=4_096)
def _tokens_of(workspace: int, word: str) -> str:
    """The tokens that the index keeps for a word. Cached: the same words come again."""
    return " ".join([f"{workspace}:{word[:end]}" for end in range(1, len(word) + 1)])
