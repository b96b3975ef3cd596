"""The readable part of a workspace: rows of the right types, at valid places, with documents that decode."""

import re
from collections.abc import Callable, Iterator, Mapping
from types import NoneType
from typing import Any, Final

import msgspec
from msgspec.structs import astuple, replace

from gatepost.domain import documents, names, places
from gatepost.domain.documents import Document
from gatepost.domain.nodes import Node
from gatepost.domain.roots import Plan, Task
from gatepost.domain.steps import Step
from gatepost.domain.tallies import Tally
from gatepost.engine.doctor.findings import DoctorFinding
from gatepost.engine.port import BadRow, Tables, UnreadableTable
from gatepost.engine.rows import Head, Table

_TEXT: Final = (str,)
_COUNT: Final = (int,)
_MAYBE_TEXT: Final = (str, NoneType)
_MAYBE_COUNT: Final = (int, NoneType)

_SHAPES: Final[dict[Table, tuple[tuple[type, ...], ...]]] = {
    "documents": (_TEXT, _TEXT),
    "images": (_TEXT, _COUNT, _MAYBE_TEXT, _MAYBE_TEXT),
    "tallies": (_TEXT, *(_COUNT for _ in Tally.__struct_fields__)),
    "terms": (_TEXT, _TEXT),
    "names": (_TEXT, _TEXT),
    "events": (_COUNT, _COUNT, _TEXT, _TEXT, _MAYBE_TEXT, _MAYBE_TEXT, _MAYBE_TEXT, _TEXT),
    "operations": (_COUNT, _COUNT, _TEXT, _TEXT, _TEXT, _TEXT, _MAYBE_COUNT, _MAYBE_COUNT, _TEXT),
    "touches": (_TEXT, _COUNT, _COUNT),
    "artifacts": (_TEXT, _COUNT, _COUNT, _TEXT),
    "searched": (_TEXT, _COUNT, (bool,), _TEXT, _COUNT),
    "masked_texts": (_TEXT, _TEXT, _COUNT),
}
_PLACED: Final[dict[Table, int]] = {
    "documents": 0,
    "images": 0,
    "tallies": 0,
    "terms": 1,
    "names": 1,
    "touches": 0,
    "artifacts": 0,
    "searched": 0,
}
UNFINISHED: Final = "UNFINISHED_IMPORT"
_UNFINISHED_SAYS: Final = (
    "has only the beginning of its log: run gatepost import again with the same file; a repair keeps what is here"
)
_WIDEST: Final = 60
_path: Final = re.compile(places.PATH)


class ReadableTables:
    """A workspace's tables without unreadable rows. Each of those becomes a finding, once."""

    def __init__(self, workspace: str, tables: Tables) -> None:
        self.workspace = workspace
        self._tables = tables
        self._found: dict[tuple[str, str, str], DoctorFinding] = {}
        self._illegible: set[str] = set()
        self._damaged: set[str] = set()
        self._healed: Mapping[tuple[int, str], tuple[Any, ...]] = {}
        self._read_documents()

    @property
    def findings(self) -> list[DoctorFinding]:
        """The unreadable rows found so far."""
        return list(self._found.values())

    def heal(self, images: Mapping[tuple[int, str], tuple[Any, ...]]) -> None:
        """Use repaired images, by operation and place, in place of the stored ones."""
        self._healed = images

    def is_damaged(self, table: Table) -> bool:
        """Whether part of a table is unreadable."""
        return table in self._damaged

    def head(self) -> Head:
        """The counters; invalid ones count as zero."""
        try:
            head = self._tables.head()
        except (BadRow, UnreadableTable) as error:
            self._note("UNREADABLE_TABLE", "workspaces", str(error))
            return Head()
        *counters, link = astuple(head)
        if all(type(number) is int for number in counters) and type(link) is str:
            if head.is_unfinished:
                self._note(UNFINISHED, f"workspace {self.workspace}", _UNFINISHED_SAYS, mendable=True)
            return replace(head, hash=head.link)
        self._note("UNREADABLE_ROW", f"workspaces {self.workspace}", "its counters have the wrong types")
        return Head()

    def find(self, name: str) -> str | None:
        """The place of a step or node by its id; none if the row is unreadable."""
        try:
            found = self._tables.find(name)
            return found if found is not None and places.is_place(found) else None
        except (BadRow, UnreadableTable) as error:
            self._note("UNREADABLE_ROW", f"names {name}", str(error))
            return None

    def rows(self, table: Table) -> Iterator[tuple[Any, ...]]:
        """The readable rows of a table, in order."""
        try:
            rows = iter(self._tables.rows(table))
        except (BadRow, UnreadableTable) as error:
            self._note("UNREADABLE_TABLE", table, str(error))
            return
        while True:
            try:
                row = next(rows)
            except StopIteration:
                return
            except BadRow as error:
                self._note("UNREADABLE_ROW", table, str(error))
                continue
            except UnreadableTable as error:
                self._note("UNREADABLE_TABLE", table, str(error))
                return
            wrong = problem_of(table, row)
            if wrong is not None:
                self._note("UNREADABLE_ROW", f"{table} {_clipped(row[: len(row) // 2])}", wrong)
            elif table == "images":
                yield self._healed.get((row[1], row[0]), row)
            elif table != "documents" or row[0] not in self._illegible:
                yield row

    def _read_documents(self) -> None:
        """Find the unreadable documents once, so that later checks skip them."""
        for place, text in self.rows("documents"):
            try:
                if fits(place, documents.from_text(text)):
                    continue
                self._note("MISPLACED_DOCUMENT", places.shown(place), "belongs elsewhere", mendable=True)
            except msgspec.MsgspecError as error:
                self._note("UNREADABLE_DOCUMENT", places.shown(place), str(error), mendable=True)
            self._damaged.add("documents")
            self._illegible.add(place)

    def _note(self, code: str, where: str, says: str, *, mendable: bool = False) -> None:
        self._damaged.add(where.partition(" ")[0])
        finding = DoctorFinding(code, where, says, mendable)
        self._found.setdefault((code, where, says), finding)


def problem_of(table: Table, row: tuple[Any, ...]) -> str | None:
    """What is wrong with a row; none if its types and its place are valid."""
    for value, kinds in zip(row, _SHAPES[table], strict=True):
        if type(value) not in kinds:
            return f"contains {_clipped(value)}, which has the wrong type"
    at = _PLACED.get(table)
    if at is not None and not places.is_place(row[at]):
        return f"{_clipped(row[at])} is not a valid place"
    if table == "events" and not (_may_be(places.is_place, row[4]) and _may_be(_path.match, row[6])):
        return "is about an invalid place"
    if table == "masked_texts" and row[1] and not places.is_place(row[1]):
        return f"{_clipped(row[1])} is not a valid place"
    if table == "names" and not (names.is_node_id(row[0]) and places.depth(row[1])):
        return f"{_clipped(row[0])} is not a step id"
    return None


def _may_be(check: Callable[[str], object], text: str | None) -> bool:
    return text is None or bool(check(text))


def fits(place: str, document: Document) -> bool:
    """Whether a document is of the right kind for its place."""
    if isinstance(document, Plan | Task):
        return places.in_tree(place) and document.id == places.root_id(place) and not places.depth(place)
    if isinstance(document, Step | Node):
        kind = places.STEP if isinstance(document, Step) else places.NODE
        return places.depth(place) > 0 and places.apart(place)[1] == kind
    return not places.in_tree(place)


def _clipped(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= _WIDEST else shown[:_WIDEST] + "…"
