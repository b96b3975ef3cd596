"""The suite that we ship: the home in memory passes it, and homes that break a rule do not."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

from gatepost.domain.file_refusals import EditMismatch
from gatepost.domain.refusals import Refusal
from gatepost.files.memory import InMemoryFilesystem
from gatepost.files.protocol import EditResult, Entry, Match, ReadResult, WriteMode, WriteResult
from gatepost.testing.filesystem_probes import refuses
from gatepost.testing.filesystem_suite import FilesystemSuite


@pytest.mark.requirement(
    "files.protocol.two-homes",
    "files.path.normalised",
    "files.path.relative-posix-ascii",
    "files.path.dot-dot",
    "files.path.file-or-directory",
    "files.limit.write-length",
    "files.limit.depth",
    "files.limit.segment",
    "files.limit.utf-8",
    "files.edit.all-or-nothing",
    "files.git.only-read",
    "files.read.as-written",
    "files.read.negative-refused",
    "files.glob.star",
    "files.glob.double-star",
    "files.failure.changes-nothing",
    "files.snapshot.own-only",
    "files.delete.recursive-only",
    "files.move.depth",
    "files.memory.read-result",
    "files.memory.write-result",
    "files.memory.per-session",
)
class TestMemory(FilesystemSuite):
    def make(self) -> InMemoryFilesystem:
        return InMemoryFilesystem()


class Translating(InMemoryFilesystem):
    """Makes lines end as it likes."""

    def write(self, path: str, content: str, mode: WriteMode = "overwrite") -> WriteResult:
        return super().write(path, content.replace("\r\n", "\n"), mode)


class Clamping(InMemoryFilesystem):
    """Takes a path that leads out for one that stays."""

    def read(self, path: str, offset: int = 0, limit: int | None = None, column: int = 0) -> ReadResult:
        return super().read("README.md" if path == ".." else path, offset, limit, column)


class Lenient(InMemoryFilesystem):
    """Takes a negative offset for none."""

    def read(self, path: str, offset: int = 0, limit: int | None = None, column: int = 0) -> ReadResult:
        return super().read(path, 0 if offset == -1 else offset, limit, column)


class Cutting(InMemoryFilesystem):
    """Cuts what is too long, and says that all is well."""

    def write(self, path: str, content: str, mode: WriteMode = "overwrite") -> WriteResult:
        return super().write(path, content[:48_000], mode)


class Leaving(InMemoryFilesystem):
    """Makes the directories on the way, and only then looks whether it can write."""

    def write(self, path: str, content: str, mode: WriteMode = "overwrite") -> WriteResult:
        if path.startswith("new/"):
            self.mkdir("new")
        return super().write(path, content, mode)


class Eager(InMemoryFilesystem):
    """Edits one after the other, as far as it comes."""

    def edit(self, path: str, edits: Iterable[tuple[str, str]], *, dry_run: bool = False) -> EditResult:
        for edit in edits if isinstance(edits, list) and len(edits) > 1 else ():
            super().edit(path, [edit], dry_run=dry_run)
        return super().edit(path, edits, dry_run=dry_run)


class Sloppy(InMemoryFilesystem):
    """Takes the first of several."""

    def edit(self, path: str, edits: Iterable[tuple[str, str]], *, dry_run: bool = False) -> EditResult:
        try:
            return super().edit(path, edits, dry_run=dry_run)
        except EditMismatch as refusal:
            if refusal.details["occurrences"]:
                self.write(path, self.read(path).content.replace(*next(iter(edits)), 1))
            raise


class Rehearsing(InMemoryFilesystem):
    """Does what it only was to show."""

    def edit(self, path: str, edits: Iterable[tuple[str, str]], *, dry_run: bool = False) -> EditResult:
        return super().edit(path, edits, dry_run=dry_run and path != "src/app.py")


class Greedy(InMemoryFilesystem):
    """Lets a star cross segments."""

    def glob(
        self,
        pattern: str,
        path: str = ".",
        *,
        after: str | None = None,
        limit: int | None = None,
        ignored: bool = False,
    ) -> Sequence[str]:
        wider = f"**/{pattern}" if pattern == "*.py" else pattern
        return super().glob(wider, path, after=after, limit=limit, ignored=ignored)


class Shallow(InMemoryFilesystem):
    """Searches one directory."""

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
        only = glob or ("*" if self.stat(path).kind == "directory" else None)
        return super().grep(pattern, path, only, after=after, limit=limit, ignored=ignored)


class Unsorted(InMemoryFilesystem):
    """Lists as it comes."""

    def list(self, path: str = ".", *, after: str | None = None, limit: int | None = None) -> Sequence[Entry]:
        return super().list(path, after=after, limit=limit)[::-1]


class Sweeping(InMemoryFilesystem):
    """Deletes whatever is below."""

    def delete(self, path: str, recursive: bool = False) -> None:
        super().delete(path, recursive=True if recursive is False else recursive)


class Overwriting(InMemoryFilesystem):
    """Moves over what is there."""

    def move(self, source: str, target: str) -> Entry:
        if source == "src" and target == "docs":
            self.delete("docs", recursive=True)
        return super().move(source, target)


class Deepening(InMemoryFilesystem):
    """Forgets the depth of what it moves."""

    def move(self, source: str, target: str) -> Entry:
        try:
            return super().move(source, target)
        except Refusal:
            return self.stat(source)


class Obliging(InMemoryFilesystem):
    """Restores whatever it is given."""

    def restore(self, snapshot: Any) -> None:
        try:
            super().restore(snapshot)
        except Refusal:
            return


Rule = Callable[[FilesystemSuite], None]


@pytest.mark.parametrize(
    ("broken", "rule"),
    [
        (Translating, FilesystemSuite.test_a_read_gives_exactly_what_was_written),
        (Clamping, FilesystemSuite.test_every_verb_refuses_invalid_paths),
        (Lenient, FilesystemSuite.test_negative_and_other_wrong_counts_are_refused),
        (Cutting, FilesystemSuite.test_a_write_takes_48_000_characters_and_no_more),
        (Leaving, FilesystemSuite.test_a_write_takes_48_000_characters_and_no_more),
        (Leaving, FilesystemSuite.test_what_is_not_text_is_refused),
        (Eager, FilesystemSuite.test_an_edit_whose_text_does_not_occur_exactly_once_is_refused_with_its_lines),
        (Sloppy, FilesystemSuite.test_an_edit_whose_text_does_not_occur_exactly_once_is_refused_with_its_lines),
        (Rehearsing, FilesystemSuite.test_a_dry_run_shows_the_diff_and_changes_nothing),
        (Greedy, FilesystemSuite.test_a_star_stays_in_a_segment),
        (Shallow, FilesystemSuite.test_a_search_gives_path_line_and_text_in_order),
        (Unsorted, FilesystemSuite.test_a_listing_shows_the_entries_of_a_directory_by_name),
        (Sweeping, FilesystemSuite.test_only_recursive_deletes_what_is_not_empty),
        (Overwriting, FilesystemSuite.test_impossible_moves_and_copies_are_refused),
        (Deepening, FilesystemSuite.test_a_tree_is_not_moved_or_copied_past_the_depth_limit),
        (Obliging, FilesystemSuite.test_a_snapshot_restores_only_where_it_was_taken),
    ],
)
def test_a_filesystem_that_breaks_a_rule_fails_the_test_of_that_rule(
    broken: type[InMemoryFilesystem], rule: Rule
) -> None:
    class Suite(FilesystemSuite):
        def make(self) -> InMemoryFilesystem:
            return broken()

    with pytest.raises(AssertionError):
        rule(Suite())


def test_a_refusal_that_still_changed_something_is_noticed() -> None:
    fs = Leaving()

    with pytest.raises(AssertionError, match="but a file changed"), refuses(fs, Refusal):
        fs.write("new/f", "\0")


def test_two_filesystems_that_share_their_files_fail() -> None:
    one = InMemoryFilesystem()

    class Suite(FilesystemSuite):
        def make(self) -> InMemoryFilesystem:
            return one

    with pytest.raises(AssertionError):
        Suite().test_two_filesystems_share_nothing()
