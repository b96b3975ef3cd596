"""The replies of the file tools."""

from typing import Literal

from gatepost.replies.reply import Part, Reply

FileKind = Literal["file", "directory", "link", "other"]


class FileRead(Reply, frozen=True, kw_only=True):
    """A window of a file's lines. `next_offset` and `next_column` continue where the window was cut."""

    path: str
    content: str
    offset: int
    lines: int
    total_lines: int
    size: int
    truncated: bool
    column: int | None = None
    next_offset: int | None = None
    next_column: int | None = None


class FileWritten(Part, frozen=True, kw_only=True):
    """The file that was written, and whether it is new."""

    path: str
    size: int
    created: bool


class FileEdited(Reply, frozen=True, kw_only=True):
    """The file that was edited, or would be with `dry_run`. `added` and `removed` count lines."""

    path: str
    size: int
    changed: bool
    added: int
    removed: int
    diff: str | None = None


class FileIs(Part, frozen=True, kw_only=True):
    """What is at a path."""

    path: str
    kind: FileKind
    size: int | None = None
    modified: str | None = None


class FileDeleted(Part, frozen=True, kw_only=True):
    """The path that was deleted."""

    path: str


class FileMatch(Part, frozen=True, kw_only=True):
    """A line that matches."""

    path: str
    line: int
    text: str


class FileList(Reply, frozen=True, kw_only=True):
    """The entries of a directory, in path order."""

    items: tuple[FileIs, ...]
    has_more: bool
    cursor: str | None = None


class FilePaths(Reply, frozen=True, kw_only=True):
    """The paths that match, in order."""

    items: tuple[str, ...]
    has_more: bool
    cursor: str | None = None


class FileMatches(Reply, frozen=True, kw_only=True):
    """The lines that match, in path order."""

    items: tuple[FileMatch, ...]
    has_more: bool
    cursor: str | None = None
