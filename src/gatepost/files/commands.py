"""The arguments and replies of the file verbs."""

from typing import Annotated

from msgspec import Meta, Struct

from gatepost.files.edits import MAX_EDITS
from gatepost.files.protocol import WriteMode

Path = Annotated[str, Meta(description="Relative to the root, such as src/app.py.", extra={"known": True})]
Limit = Annotated[int, Meta(ge=1, le=1_000)]
MaxChars = Annotated[int, Meta(ge=512, le=1_000_000, extra={"known": True})]
Ignored = Annotated[bool, Meta(description="Include files that .gitignore excludes.")]
Cursor = Annotated[str, Meta(max_length=1_500, extra={"known": True})]


class Params(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of a file verb."""


class ReadFile(Params, frozen=True, kw_only=True):
    """Read a file."""

    path: Path
    offset: Annotated[int, Meta(ge=0, description="Lines to skip.")] = 0
    limit: Annotated[int, Meta(ge=0, description="Maximum number of lines to read.")] | None = None
    column: Annotated[int, Meta(ge=0, description="Characters to skip in the first line.")] = 0
    max_chars: MaxChars | None = None


class WriteFile(Params, frozen=True, kw_only=True):
    """Write a file."""

    path: Path
    content: str
    mode: WriteMode = "overwrite"


class Replacement(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Replace one text with another."""

    old_string: Annotated[str, Meta(description="Exact text that occurs once, including white space.")]
    new_string: str


class EditFile(Params, frozen=True, kw_only=True):
    """Replace texts in a file."""

    path: Path
    edits: Annotated[list[Replacement], Meta(min_length=1, max_length=MAX_EDITS)]
    dry_run: Annotated[bool, Meta(description="Only show the diff.")] = False


class OfPath(Params, frozen=True, kw_only=True):
    """Act on one path."""

    path: Path


class ListFiles(Params, frozen=True, kw_only=True):
    """List a directory."""

    path: Path = "."
    limit: Limit = 200
    cursor: Cursor | None = None
    max_chars: MaxChars | None = None


class GlobFiles(Params, frozen=True, kw_only=True):
    """Find paths by pattern."""

    pattern: Annotated[str, Meta(description="`*` matches within a segment, `**` across segments: src/**/*.py.")]
    path: Path = "."
    ignored: Ignored = False
    limit: Limit = 200
    cursor: Cursor | None = None
    max_chars: MaxChars | None = None


class GrepFiles(Params, frozen=True, kw_only=True):
    """Find lines by regular expression."""

    pattern: Annotated[
        str, Meta(description="Regular expression, matched line by line; no look-around or back-references.")
    ]
    path: Path = "."
    glob: Annotated[str, Meta(description="Search only files whose path matches.")] | None = None
    ignored: Ignored = False
    limit: Limit = 100
    cursor: Cursor | None = None
    max_chars: MaxChars | None = None


class FromTo(Params, frozen=True, kw_only=True):
    """Move or copy from one path to another."""

    source: Path
    target: Path


class DeleteFile(Params, frozen=True, kw_only=True):
    """Delete a file or directory."""

    path: Path
    recursive: Annotated[bool, Meta(description="Delete a directory with everything in it.")] = False
