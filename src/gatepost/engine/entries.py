"""What a draft holds: each place as it was, as it was last written, and as it is now."""

from typing import NamedTuple

from msgspec.structs import replace

from gatepost.domain import documents
from gatepost.domain.documents import Document
from gatepost.domain.tallies import Tally
from gatepost.engine.port import Head


class Entry:
    """One place in the draft: as it was before the call, as it was last written, and as it is now."""

    __slots__ = ("_encoded", "before", "document", "first", "place", "tally", "written", "written_tally")

    def __init__(self, place: str, text: str | None, document: Document | None, tally: Tally) -> None:
        self.place = place
        self.before = text
        self.document = self.written = document
        self.tally = self.written_tally = tally
        self._encoded: tuple[Document | None, str | None] = (document, text)
        self.first = document, tally

    def revert(self, document: Document | None, tally: Tally) -> None:
        """Be again what it was. How many are ready follows from what was written: that is for the next flush."""
        self.document = document
        self.tally = replace(tally, ready=self.tally.ready)

    @property
    def stirred(self) -> bool:
        """Whether something here is not written yet."""
        return self.document is not self.written or self.tally is not self.written_tally

    @property
    def text(self) -> str | None:
        """The document as it is stored; made once for each state of it."""
        if self._encoded[0] is not self.document:
            self._encoded = self.document, None if self.document is None else documents.to_text(self.document)
        return self._encoded[1]


class Mark(NamedTuple):
    """A draft at one moment."""

    entries: dict[str, tuple[Document | None, Tally]]
    texts: dict[str, str | None]
    head: Head
    rows: int
    artifacts: int
    touched: dict[str, int]
    before: dict[str, int]
    is_record: bool
