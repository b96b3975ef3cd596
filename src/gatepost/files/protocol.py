"""What a filesystem is: text files by relative paths, and every verb that works on them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal, NamedTuple, Protocol

MAX_CONTENT: Final = 48_000
"""Characters that one read, write or edit carries; in memory also those of a file."""

WriteMode = Literal["create", "overwrite", "append"]
Kind = Literal["file", "directory", "link", "other"]


class Entry(NamedTuple):
    """What stands at a path. `size` is in bytes; a directory has none. `modified` is in UTC."""

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

    `offset` is the number of lines before the window, `lines` how many are in it, `total_lines` how many the file
    has. `truncated` says that the file goes on after the window, at `next_offset`; and where a line is too long for
    one answer, behind its first `next_column` characters. `size` is the whole file's, in bytes.
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
        """The `offset` at which to read on."""
        return self.offset + self.lines - bool(self.content and self.next_column)

    @property
    def next_column(self) -> int:
        """The `column` at which to read on: none, unless a line was cut."""
        cut = self.truncated and not self.content.endswith("\n")
        return self.column + len(self.content) if cut else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteResult:
    """What a write left: the path, the size of the file in bytes, and whether the file is new."""

    path: str
    size: int
    created: bool


class Edit(NamedTuple):
    """A text that occurs exactly once in a file, and what is to stand in its place."""

    old_string: str
    new_string: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EditResult:
    """What edits made of a file, or would make of it: its size in bytes, and the difference as a unified diff.

    `changed` is false where one edit undoes another; then nothing was written.
    """

    path: str
    size: int
    changed: bool
    added: int
    removed: int
    diff: str


class Match(NamedTuple):
    """One line that a search found; lines are counted from 1."""

    path: str
    line: int
    text: str


class Filesystem(Protocol):
    """Text files below one root. Paths are relative POSIX; a refused or failed call changes nothing.

    `list`, `glob` and `grep` answer in path order; `after` continues behind an earlier answer's last path (for
    `grep`: its last path and line), `limit` bounds how many.
    """

    @property
    def read_only(self) -> bool:
        """Whether every call that would change something is refused."""

    def read(self, path: str, offset: int = 0, limit: int | None = None, column: int = 0) -> ReadResult:
        """A file's text, or `limit` lines of it after the first `offset`, the first without `column` characters."""

    def write(self, path: str, content: str, mode: WriteMode = "overwrite") -> WriteResult:
        """Let a file hold this text, making the directories on the way. `create` refuses an existing file."""

    def edit(self, path: str, edits: Iterable[tuple[str, str]], *, dry_run: bool = False) -> EditResult:
        """Replace old texts, each of which occurs exactly once, by new ones, in order; all of them or none."""

    def list(self, path: str = ".", *, after: str | None = None, limit: int | None = None) -> Sequence[Entry]:
        """What stands directly in a directory."""

    def glob(
        self,
        pattern: str,
        path: str = ".",
        *,
        after: str | None = None,
        limit: int | None = None,
        ignored: bool = False,
    ) -> Sequence[str]:
        """The paths below a directory that match: `*` and `?` stay in a segment, `**` crosses.

        What git ignores is left out, unless `ignored`.
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

        What git ignores is left out, unless `ignored` or it is `path` itself.
        """

    def stat(self, path: str) -> Entry:
        """What stands at a path."""

    def mkdir(self, path: str) -> Entry:
        """Let there be a directory, and those on the way. One that exists is left as it is."""

    def move(self, source: str, target: str) -> Entry:
        """Give a file or a tree another path. An existing target is refused."""

    def copy(self, source: str, target: str) -> Entry:
        """Make a second file or tree with the same content. An existing target is refused."""

    def delete(self, path: str, recursive: bool = False) -> None:  # noqa: FBT001, FBT002 - promised so
        """Remove a file or an empty directory; with `recursive`, all that stands below too."""

    def snapshot(self) -> Any:
        """The present state, to come back to with `restore`."""

    def restore(self, snapshot: Any) -> None:
        """Be again as at a snapshot of this very filesystem."""
