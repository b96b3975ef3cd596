"""Read the lines of an export: one at a time, of limited length, each checked for its form."""

from typing import BinaryIO, Final, TypeVar

import msgspec

from gatepost.transfer.lines import (
    FORMAT,
    LONGEST,
    VERSION,
    ExportBegin,
    Line,
    RowLine,
    begin_decoder,
    line_decoder,
)
from gatepost.transfer.refusals import ExportDamaged, NotAnExport

L = TypeVar("L", bound=Line)

DATABASE: Final = b"SQLite format 3\0"
"""How the files of SQLite begin."""
_FROM_EXPORT: Final = "Name a file that `gatepost export` has written."


class LineReader:
    """The lines after the first, with their numbers. One line is read ahead."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file = file
        self._name = name
        self._ahead: Line | None = None
        self.number = 0
        """The number of the line that was returned last."""
        self.size = 0
        """The bytes of the line that was read last."""

    def begin(self) -> ExportBegin:
        """The first line. Refuses a file that is no export, or one of a version to come."""
        raw = self._file.readline(LONGEST + 1)
        self.number = 1
        if raw.startswith(DATABASE):
            raise NotAnExport(
                f"{self._name} is a database, not an export.",
                "To restore a backup: gatepost restore FILE. To export from a store: gatepost export --store FILE.",
            )
        try:
            begin: ExportBegin = begin_decoder.decode(raw)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            raise NotAnExport(f"{self._name} is not an export of Gatepost.", _FROM_EXPORT) from None
        if begin.format != FORMAT or begin.version < 1:
            raise NotAnExport(f"{self._name} is not an export of Gatepost.", _FROM_EXPORT)
        if begin.version > VERSION:
            raise NotAnExport(
                f"{self._name} was written by a newer gatepost ({begin.gatepost[:40]}): it has version"
                f" {begin.version} of the format, and this one reads up to {VERSION}.",
                "Update Gatepost, then import the file.",
            )
        return begin

    def peek(self) -> Line:
        """The next line, which stays the next one."""
        if self._ahead is None:
            self._ahead = self._read()
        return self._ahead

    def take(self) -> Line:
        """The next line. Refuses the end of the file: an export says itself where it ends."""
        line = self.peek()
        self._ahead = None
        self.number += 1
        return line

    def take_if(self, kind: type[L]) -> L | None:
        """The next line, if it is of this kind. Else it stays the next one."""
        line = self.peek()
        if not isinstance(line, kind):
            return None
        self.take()
        return line

    def take_row(self) -> RowLine | None:
        """The next line, if it is a row of an operation. Else it stays the next one."""
        line = self.peek()
        if not isinstance(line, RowLine):
            return None
        self.take()
        return line

    def check_end(self) -> None:
        """Refuse anything after the last line."""
        if self._file.readline(2).strip():
            self.number += 1
            raise self.damaged("there is more after the end of the export. Import each export from its own file.")

    def damaged(self, says: str) -> ExportDamaged:
        """What is wrong with the line that was taken last."""
        return ExportDamaged(self._name, self.number, says)

    def _read(self) -> Line:
        raw = self._file.readline(LONGEST + 1)
        self.size = len(raw)
        try:
            line: Line = line_decoder.decode(raw)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            self.number += 1
            raise self.damaged(_wrong(raw, error)) from None
        return line


def _wrong(raw: bytes, error: Exception) -> str:
    if len(raw) > LONGEST:
        return f"it is longer than {LONGEST // 2**20} MiB, the limit for a line of an export."
    if not raw:
        return "the file ends here, but the export does not. A part of it is missing."
    if not raw.endswith(b"\n"):
        return "the file ends in the middle of this line. A part of it is missing."
    return f"it is not a line of an export ({error})."
