"""Names from a store's file, for completion: read-only and bounded. Nothing is created, locked or migrated."""

from __future__ import annotations

import json
import os
from itertools import islice
from urllib.parse import quote

import apsw

from gatepost.domain import places
from gatepost.storage.sqlite import schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST = 200
"""The most candidates to offer. At most a few times as many rows are read."""
_LOOKED_AT = 1_000
_DIGITS = 3
_LONGEST = 9


class StoreReader:
    """One workspace of a store: the chosen one, or the only one there is."""

    def __init__(self, path: str, workspace: str | None) -> None:
        self._connection = _opened(path)
        self._sql = schema.statements()
        self._id = 0
        self._numbers = {"PLAN": 0, "TASK": 0}
        names = self.workspaces() if workspace is None else [workspace]
        row = self._connection.execute(self._sql["head"], names).fetchone() if len(names) == 1 else None
        if row is not None:
            self._id, _, self._numbers["PLAN"], self._numbers["TASK"], *_ = row

    def workspaces(self) -> list[str]:
        """Their names, the first ones."""
        return [name for (name,) in islice(self._connection.execute(self._sql["workspaces"]), MOST)]

    def roots(self, begun: str, *kinds: str) -> list[tuple[str, str]]:
        """Plans or tasks whose id begins so, with their titles: what is open first."""
        found: dict[str, str] = {}
        ranges = [each for kind in kinds for each in self._ranges(kind, begun)]
        for status in ("ACTIVE", "TODO", "DONE"):
            for first, end in ranges:
                for place in self._postings(f"status:{status}", first, end, MOST - len(found)):
                    found[places.root_id(place)] = self._field(place, "title")
        return list(found.items())

    def steps(self, task: str, begun: str) -> list[tuple[str, str]]:
        """A task's steps, by path or by id as it was begun, with their titles."""
        place = places.of_id(task)
        if place is None:
            return []
        by_id = begun[:1] in ("S", "N")
        whole = "" if by_id else begun.rpartition(".")[0]
        above = place if not whole else places.at_path(place, whole)
        if above is None:
            return []
        found = []
        for at, text in self._span(*places.below(above), _LOOKED_AT):
            document = json.loads(text)
            name = document.get("id", "") if by_id else places.path_of(at)
            if name.startswith(begun):
                found.append((name, document.get("title", "")))
        return found[:MOST]

    def sessions(self) -> list[str]:
        """The names of todo lists."""
        return [places.name_of(place) for place, _ in self._span(*places.all_named(places.SESSION), MOST)]

    def taskdocs(self) -> list[str]:
        """The names of taskdocs: the present ones of those that were renamed."""
        found = self._postings("taskdoc", *places.all_named(places.TASKDOC), MOST)
        return [self._field(place, "name") or places.name_of(place) for place in found]

    def labels(self, kind: str) -> list[str]:
        """The tags or domains that are in use."""
        prefix = at = f"{kind}:"
        found: list[str] = []
        while len(found) < MOST:
            row = self._connection.execute(self._sql["next_term"], (self._id, at)).fetchone()
            if row is None or not row[0].startswith(prefix):
                break
            found.append(row[0].removeprefix(prefix))
            at = row[0] + "\0"
        return found

    def _ranges(self, kind: str, begun: str) -> Iterator[tuple[str, str]]:
        """The places of all ids of a kind that begin so: one range for each number of digits."""
        head, dash, digits = begun.partition("-")
        if not kind.startswith(head) or (dash and (head != kind or not (digits.isdecimal() or not digits))):
            return
        letter, most = (places.PLAN if kind == "PLAN" else places.TASK), self._numbers[kind]
        for length in range(max(_DIGITS, len(digits)), min(_LONGEST, max(_DIGITS, len(str(most)))) + 1):
            first, last = int(digits.ljust(length, "0")), min(most, int(digits.ljust(length, "9")))
            if length > _DIGITS:
                first = max(first, 10 ** (length - 1))
            if first <= last:
                yield places.root(letter, first), places.root(letter, last) + "\0"

    def _field(self, place: str, name: str) -> str:
        found = [json.loads(text).get(name) for _, text in self._span(place, place + "\0", 1)]
        return found[0] or "" if found else ""

    def _postings(self, term: str, first: str, end: str, limit: int) -> Sequence[str]:
        rows = self._connection.execute(self._sql["posting_range"], (self._id, term, first, end, limit))
        return [place for (place,) in rows]

    def _span(self, first: str, end: str, limit: int) -> Iterator[tuple[str, str]]:
        for place, text, *_ in self._connection.execute(self._sql["span"], (self._id, first, end, limit)):
            yield place, text


def _opened(path: str) -> apsw.Connection:
    # Where nobody has it open there is no log beside it: then SQLite need not make one to read.
    alone = not (os.path.exists(f"{path}-wal") and os.path.getsize(f"{path}-wal"))
    uri = f"file:{quote(path)}?{'immutable=1' if alone else 'mode=ro'}"
    connection = apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    schema.check_ours(connection)
    return connection
