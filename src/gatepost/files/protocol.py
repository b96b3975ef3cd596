"""The filesystem protocol: text files by relative paths, and every verb that works on them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal, NamedTuple, Protocol

MAX_CONTENT: Final = 48_000
"""The most characters in one read, write or edit, and in a file in memory."""

WriteMode = Literal["create", "overwrite", "append"]
Kind = Literal["file", "directory", "link", "other"]


class Entry(NamedTuple):
    """A file, directory or link. `size` is in bytes; a directory has none. `modified` is in UTC."""

    path: str
    kind: Kind
    size: int | None = None
    modified: datetime | None = None

    @property
    def name(self) -> str:
        """The last segment of the path."""
        return self.path.rpartition("/")[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadResult:
    """A window of lines of a file.

    `offset` is the number of lines before the window, `lines` the number in it, `total_lines` the number in the
    file. If `truncated`, the file continues at `next_offset`, and a line that was too long for one answer continues
    after its first `next_column` characters. `size` is the size of the whole file in bytes.
    """

    path: str
    content: str
    offset: int
    lines: int
    total_lines: int
    size: int
    truncated: bool
    column: int = 0

    @property
    def next_offset(self) -> int:
        """The `offset` of the next window."""
        return self.offset + self.lines - bool(self.content and self.next_column)

    @property
    def next_column(self) -> int:
        """The `column` of the next window: 0 unless a line was cut."""
        cut = self.truncated and not self.content.endswith("\n")
        return self.column + len(self.content) if cut else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteResult:
    """The file after a write: its path, its size in bytes, and whether it is new."""

    path: str
    size: int
    created: bool


class TextEdit(NamedTuple):
    """A text that occurs exactly once in a file, and its replacement."""

    old_string: str
    new_string: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EditResult:
    """The file after its edits, or as a dry run would leave it: its size, and the change as a unified diff.

    `changed` is false if the edits cancel out; then nothing was written.
    """

    path: str
    size: int
    changed: bool
    added: int
    removed: int
    diff: str


class Match(NamedTuple):
    """One line that a search found. Line numbers start at 1."""

    path: str
    line: int
    text: str


class Filesystem(Protocol):
    """Text files below one root. Paths are relative POSIX; a refused or failed call changes nothing.

    `list`, `glob` and `grep` return results in path order. `after` continues after the last path of an earlier
    result (for `grep`: its last path and line); `limit` bounds the number of results.
    """

    @property
    def read_only(self) -> bool:
        """Whether the filesystem refuses every change."""

    def read(self, path: str, offset: int = 0, limit: int | None = None, column: int = 0) -> ReadResult:
        """A file's text, or `limit` lines of it after the first `offset`, the first without `column` characters."""

    def write(self, path: str, content: str, mode: WriteMode = "overwrite") -> WriteResult:
        """Write a file and create its missing parents. `create` refuses an existing file."""

    def edit(self, path: str, edits: Iterable[tuple[str, str]], *, dry_run: bool = False) -> EditResult:
        """Replace texts that each occur exactly once, in order; all of them or none."""

    def list(self, path: str = ".", *, after: str | None = None, limit: int | None = None) -> Sequence[Entry]:
        """The entries of a directory."""

    def glob(
        self,
        pattern: str,
        path: str = ".",
        *,
        after: str | None = None,
        limit: int | None = None,
        ignored: bool = False,
    ) -> Sequence[str]:
        """The paths below a directory that match. `*` and `?` match within a segment, `**` across segments.

        Leaves out what git ignores, unless `ignored`.
        """

    def grep(
        self,
        pattern: str,
        path: str = ".",
        glob: str | None = None,
        *,
        after: tuple[str, int] | None = None,
        limit: int | None = None,
        ignored: bool = False,
    ) -> Sequence[Match]:
        """The lines that a regular expression finds in a file, or in the files below a directory.

        Leaves out what git ignores, unless `ignored` or it is `path` itself. Skips what cannot be read (no text,
        too large, no permission), but refuses it if `path` names that very file.
        """

    def stat(self, path: str) -> Entry:
        """The entry at a path."""

    def mkdir(self, path: str) -> Entry:
        """Create a directory and its missing parents. An existing directory stays as it is."""

    def move(self, source: str, target: str) -> Entry:
        """Move a file or a tree. Refuses an existing target."""

    def copy(self, source: str, target: str) -> Entry:
        """Copy a file or a tree. Refuses an existing target."""

    def delete(self, path: str, recursive: bool = False) -> None:  # noqa: FBT001, FBT002 - promised so
        """Delete a file or an empty directory; with `recursive`, a directory with everything in it."""

    def snapshot(self) -> Any:
        """The present state, for `restore`."""

    def restore(self, snapshot: Any) -> None:
        """Return to a snapshot that this filesystem took."""
