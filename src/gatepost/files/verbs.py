"""The file verbs as typed calls with their descriptions. Server and library build their tools from them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from functools import partial
from inspect import cleandoc
from typing import Any, Final, NamedTuple, get_args, get_type_hints

import msgspec
from msgspec import Struct

from gatepost.domain.refusals import InvalidInput
from gatepost.files.commands import (
    DeleteFile,
    EditFile,
    FromTo,
    GlobFiles,
    GrepFiles,
    ListFiles,
    OfPath,
    Params,
    ReadFile,
    WriteFile,
)
from gatepost.files.protocol import Entry, Filesystem, Match, ReadResult
from gatepost.replies.files import (
    FileDeleted,
    FileEdited,
    FileIs,
    FileList,
    FileMatch,
    FileMatches,
    FilePaths,
    FileRead,
    FileWritten,
)
from gatepost.views.budget import ELLIPSIS, Body, Cut, R, View, clipped, rows, shortened

CLOSED: Final = " `*.tsk/` is closed: use recall_mind, change_mind."
_LONGEST_MARK: Final = 160
_SHORT: Final = 100


class Verb(NamedTuple):
    """One operation of a filesystem."""

    name: str
    about: str
    params: type[Params]
    reply: type[Struct]
    run: Callable[[Filesystem, Any], Any]
    writes: bool
    destructive: bool


def verb(
    name: str, *, writes: bool = False, destructive: bool = False
) -> Callable[[Callable[[Filesystem, Any], Any]], Verb]:
    """Turn a function into a verb. The first paragraph of its docstring is its description for callers."""

    def made(run: Callable[[Filesystem, Any], Any]) -> Verb:
        hints = get_type_hints(run)
        about = cleandoc(run.__doc__ or "").partition("\n\n")[0].replace("\n", " ") + CLOSED
        reply = hints["return"]
        return Verb(name, about, hints["asked"], (*get_args(reply), reply)[0], run, writes, destructive)

    return made


@verb("file_read")
def read(files: Filesystem, asked: ReadFile) -> View[FileRead]:
    """Read a text file or a range of its lines; `next_offset` (and `next_column`) say where to continue."""
    found: ReadResult = files.read(asked.path, asked.offset, asked.limit, asked.column)
    reply = FileRead(
        **{**asdict(found), "column": found.column or None},
        next_offset=found.next_offset if found.truncated else None,
        next_column=found.next_column or None,
    )
    cuts = (
        Cut("lines", _fewer_lines),
        Cut("characters", _cut_line),
        Cut("characters", shortened("path")),
    )
    return View(reply, cuts, asked.max_chars)


@verb("file_write", writes=True, destructive=True)
def write(files: Filesystem, asked: WriteFile) -> FileWritten:
    """Write a text file. `create` refuses an existing file; `append` adds to its end."""
    return FileWritten(**asdict(files.write(asked.path, asked.content, asked.mode)))


@verb("file_edit", writes=True, destructive=True)
def edit(files: Filesystem, asked: EditFile) -> View[FileEdited]:
    """Replace exact texts in a file. Each `old_string` must occur exactly once. Edits apply in order, all or none.
    `dry_run` returns the diff and changes nothing."""
    edits = [(each.old_string, each.new_string) for each in asked.edits]
    made = files.edit(asked.path, edits, dry_run=asked.dry_run)
    reply = FileEdited(**{**asdict(made), "diff": made.diff if asked.dry_run else None})
    return View(reply, (Cut("characters", shortened("diff")), Cut("characters", shortened("path"))), None)


@verb("file_list")
def list_files(files: Filesystem, asked: ListFiles) -> View[FileList]:
    """List the entries of a directory."""
    after = None if asked.cursor is None else _resumed(asked.cursor, lambda: map(_path, files.list(asked.path)))
    found = files.list(asked.path, after=after, limit=asked.limit + 1)
    return _page(FileList, [_is(entry) for entry in found], [entry.path for entry in found], asked)


@verb("file_glob")
def glob(files: Filesystem, asked: GlobFiles) -> View[FilePaths]:
    """Find paths that match a pattern."""
    sought = partial(files.glob, asked.pattern, asked.path, ignored=asked.ignored)
    after = None if asked.cursor is None else _resumed(asked.cursor, sought)
    found = sought(after=after, limit=asked.limit + 1)
    return _page(FilePaths, found, found, asked)


@verb("file_grep")
def grep(files: Filesystem, asked: GrepFiles) -> View[FileMatches]:
    """Find lines that match a regular expression."""
    searched = partial(files.glob, "**", asked.path, ignored=asked.ignored)
    after = None if asked.cursor is None else _line_place(asked.cursor, searched)
    found: Sequence[Match] = files.grep(
        asked.pattern, asked.path, asked.glob, after=after, limit=asked.limit + 1, ignored=asked.ignored
    )
    items = [FileMatch(path=at.path, line=at.line, text=at.text) for at in found]
    return _page(FileMatches, items, [at.path for at in found], asked, [f":{at.line}" for at in found])


@verb("file_stat")
def stat(files: Filesystem, asked: OfPath) -> FileIs:
    """Show kind, size and modification time of a path."""
    return _is(files.stat(asked.path))


@verb("file_mkdir", writes=True)
def mkdir(files: Filesystem, asked: OfPath) -> FileIs:
    """Create a directory and its missing parents."""
    return _is(files.mkdir(asked.path))


@verb("file_move", writes=True, destructive=True)
def move(files: Filesystem, asked: FromTo) -> FileIs:
    """Move or rename a file or directory. Refuses an existing target."""
    return _is(files.move(asked.source, asked.target))


@verb("file_copy", writes=True)
def copy(files: Filesystem, asked: FromTo) -> FileIs:
    """Copy a file or directory. Refuses an existing target."""
    return _is(files.copy(asked.source, asked.target))


@verb("file_delete", writes=True, destructive=True)
def delete(files: Filesystem, asked: DeleteFile) -> FileDeleted:
    """Delete a file or an empty directory; with `recursive`, a directory and everything in it."""
    files.delete(asked.path, asked.recursive)
    return FileDeleted(path=asked.path)


VERBS: Final[tuple[Verb, ...]] = (read, write, edit, list_files, glob, grep, stat, mkdir, move, copy, delete)


def _page(
    kind: Callable[..., R],
    items: Sequence[Any],
    paths: Sequence[str],
    asked: ListFiles | GlobFiles | GrepFiles,
    lines: Sequence[str] | None = None,
) -> View[R]:
    marks = [_mark(path) + (lines[at] if lines else "") for at, path in enumerate(paths)]
    more = len(items) > asked.limit
    cursor = marks[asked.limit - 1] if more else None
    reply = kind(items=tuple(items[: asked.limit]), has_more=more, cursor=cursor)

    def stop(cut: Body) -> None:
        cut["has_more"], cut["cursor"] = True, marks[len(cut["items"]) - 1]

    cuts = (
        Cut("items", rows("items", least=1, after=stop)),
        Cut("texts", clipped("items", 100)),
        Cut("texts", _shorter_names),
    )
    return View(reply, cuts, asked.max_chars)


def _mark(path: str) -> str:
    """Where a page stopped: the path, or a hash of a path that is too long. Only a hash begins with a slash."""
    if len(path) <= _LONGEST_MARK:
        return path
    from hashlib import sha256

    return "/" + sha256(path.encode()).hexdigest()[:32]


def _resumed(mark: str, paths: Callable[[], Iterable[str]]) -> str:
    """The path in `paths` that a mark represents."""
    if not mark.startswith("/"):
        return mark
    for path in paths():
        if _mark(path) == mark:
            return path
    raise InvalidInput([("cursor", "refers to a path that no longer exists; start from the beginning")])


def _shorter_names(body: Body, _over: int) -> int:
    """Shorten the paths of a glob."""
    long = [at for at, item in enumerate(body["items"]) if isinstance(item, str) and len(item) > _SHORT]
    for at in long:
        body["items"][at] = body["items"][at][: _SHORT - 1] + ELLIPSIS
    return len(long)


def _path(entry: Entry) -> str:
    return entry.path


def _is(entry: Entry) -> FileIs:
    return FileIs(
        path=entry.path,
        kind=entry.kind,
        size=entry.size,
        modified=None if entry.modified is None else entry.modified.strftime("%Y-%m-%dT%H:%M:%SZ"),
    )


def _line_place(cursor: str, paths: Callable[[], Iterable[str]]) -> tuple[str, int]:
    mark, _, line = cursor.rpartition(":")
    if not mark or not line.isdecimal() or len(line) > 12:
        raise InvalidInput([("cursor", "must be a cursor from an earlier reply")])
    return _resumed(mark, paths), int(line)


def _fewer_lines(body: Body, over: int) -> int:
    """Drop as few lines as possible from the end. One line always stays."""
    *ended, rest = body["content"].split("\n")
    lines = [f"{line}\n" for line in ended] + ([rest] if rest else [])
    gone = freed = 0
    while freed < over and len(lines) > 1:
        freed += len(msgspec.json.encode(lines.pop()).decode()) - 2
        gone += 1
    if gone:
        body["content"] = "".join(lines)
        body["lines"] -= gone
        body["truncated"], body["next_offset"] = True, body["offset"] + body["lines"]
        body.pop("next_column", None)
    return gone


def _cut_line(body: Body, over: int) -> int:
    """The last resort: cut a line that is longer than the budget. It continues in the next window."""
    gone = shortened("content", sign="")(body, over)
    if gone:
        body["truncated"], body["next_offset"] = True, body["offset"]
        body["next_column"] = body.get("column", 0) + len(body["content"])
    return gone
