"""The tests that every filesystem must pass, ours and yours.

Put this into a test file of your own, where pytest finds it:

    class TestMine(FilesystemSuite):
        def make(self) -> Filesystem:
            return MyFilesystem()
"""
# ruff: noqa: S101 - a suite is made of plain assertions

from datetime import UTC, timedelta
from typing import Any, cast

from gatepost.domain.refusals import (
    AlreadyExists,
    ForbiddenPath,
    InvalidInput,
    NotADirectory,
    NotAFile,
    NotEmpty,
    NotFound,
    NotText,
    TooLarge,
)
from gatepost.files.paths import MAX_DEPTH, MAX_SEGMENT
from gatepost.files.protocol import MAX_CONTENT, Match
from gatepost.testing.file_change_rules import ChangeRules
from gatepost.testing.filesystem_probes import (
    CLOSED_PATHS,
    TEXTS,
    WRONG_PATHS,
    counted,
    furnished,
    paged,
    place,
    refuses,
    state,
    verbs,
)


class FilesystemSuite(ChangeRules):
    """Every rule of the `Filesystem` protocol as a test. Each starts with a filesystem from `make`."""

    def test_a_read_gives_exactly_what_was_written(self) -> None:
        fs = self.make()
        for number, text in enumerate(TEXTS):
            fs.write(f"{number}.txt", text)
        for number, text in enumerate(TEXTS):
            assert fs.read(f"{number}.txt").content == text, text

    def test_a_read_describes_its_window(self) -> None:
        fs = self.make()
        fs.write("a/f", "eins\nzwei ü\ndrei")

        whole, middle, past, none = (fs.read("a/f", *window) for window in ((), (1, 1), (9,), (0, 0)))

        assert (whole.path, whole.offset, whole.lines, whole.total_lines, whole.size) == ("a/f", 0, 3, 3, 17)
        assert not whole.truncated
        assert (middle.content, middle.offset, middle.lines, middle.total_lines) == ("zwei ü\n", 1, 1, 3)
        assert (middle.size, middle.truncated) == (17, True)
        assert (past.content, past.lines, past.total_lines, past.truncated) == ("", 0, 3, False)
        assert (none.content, none.lines, none.truncated) == ("", 0, True)

    def test_windows_put_together_are_the_file(self) -> None:
        fs = self.make()
        for text in TEXTS:
            fs.write("f", text)
            total = fs.read("f").total_lines
            assert "".join(fs.read("f", line, 1).content for line in range(total)) == text, text
            assert total == text.count("\n") + (not text.endswith("\n") and text != ""), text

    def test_negative_and_other_wrong_counts_are_refused(self) -> None:
        fs = furnished(self.make())
        for wrong in (-1, -48_000, True, 1.0, "1"):
            count = cast("int", wrong)
            with refuses(fs, InvalidInput):
                fs.read("src/app.py", offset=count)
            for call in counted(fs, count):
                with refuses(fs, InvalidInput):
                    call()

    def test_a_write_returns_path_size_and_whether_the_file_is_new(self) -> None:
        fs = self.make()

        new, old = fs.write("a//b/../f", "ü\n"), fs.write("a/f", "")

        assert (new.path, new.size, new.created) == ("a/f", 3, True)
        assert (old.path, old.size, old.created) == ("a/f", 0, False)

    def test_modes_create_overwrite_and_append(self) -> None:
        fs = self.make()
        fs.write("f", "one\n", "create")
        with refuses(fs, AlreadyExists):
            fs.write("f", "two\n", "create")
        added = fs.write("f", "two\n", "append")
        assert (fs.read("f").content, added.size, added.created) == ("one\ntwo\n", 8, False)
        fs.write("f", "three\n")
        assert fs.read("f").content == "three\n"
        assert fs.write("g", "new", mode="append").created
        for wrong in ("w", "", None, "CREATE"):
            with refuses(fs, InvalidInput):
                fs.write("f", "x", cast("Any", wrong))

    def test_a_write_takes_48_000_characters_and_no_more(self) -> None:
        fs = self.make()
        for sign in ("x", "ü", "🙂"):
            fs.write("full", sign * MAX_CONTENT)
            assert fs.read("full").content == sign * MAX_CONTENT
            for path in ("full", "new", "new/deep"):
                with refuses(fs, TooLarge):
                    fs.write(path, sign * (MAX_CONTENT + 1))

    def test_what_is_not_text_is_refused(self) -> None:
        fs = self.make()
        fs.write("f", "text")
        for wrong in (b"bytes", bytearray(b"x"), "\udc80", "half a pair \ud83d", "nul \0", None, 7):
            for path, mode in (("f", "overwrite"), ("f", "append"), ("new/g", "create")):
                with refuses(fs, NotText):
                    fs.write(path, cast("str", wrong), cast("Any", mode))

    def test_two_spellings_of_a_path_are_one_file(self) -> None:
        fs = self.make()
        fs.write("./a//b/../c/./f.txt", "x")
        for spelling in ("a/c/f.txt", "a/c/f.txt/", "x/../a/c/f.txt", "./a/./c//f.txt"):
            assert fs.read(spelling).path == "a/c/f.txt"
            assert fs.stat(spelling).path == "a/c/f.txt"
        assert [entry.path for entry in fs.list("a/../a/c/")] == ["a/c/f.txt"]
        assert state(fs) == {"a": None, "a/c": None, "a/c/f.txt": "x"}

    def test_every_verb_refuses_invalid_paths(self) -> None:
        fs = furnished(self.make())
        for path in (*WRONG_PATHS, None, b"x"):
            for name, call in verbs(fs, cast("str", path)).items():
                with refuses(fs, InvalidInput, f"{name} {path!r}"):
                    call()

    def test_every_verb_refuses_closed_paths(self) -> None:
        fs = furnished(self.make())
        for path in CLOSED_PATHS:
            for name, call in verbs(fs, path).items():
                with refuses(fs, ForbiddenPath, f"{name} {path}"):
                    call()

    def test_16_segments_of_80_characters_are_accepted(self) -> None:
        fs = self.make()
        deepest = "/".join("s" * MAX_SEGMENT for _ in range(MAX_DEPTH))
        fs.write(deepest, "x")
        assert fs.read(deepest).content == "x"
        fs.delete(deepest)
        assert fs.mkdir(deepest).kind == "directory"
        with refuses(fs, InvalidInput):
            fs.write(f"{deepest}/x", "x")
        with refuses(fs, InvalidInput):
            fs.mkdir(f"{deepest}/x")

    def test_a_path_is_a_file_or_a_directory_and_never_both(self) -> None:
        fs = furnished(self.make())
        for mode in ("overwrite", "append", "create"):
            for directory in ("src", "."):
                with refuses(fs, NotAFile):
                    fs.write(directory, "x", cast("Any", mode))
            with refuses(fs, NotADirectory):
                fs.write("src/app.py/below/it", "x", cast("Any", mode))
        for name, call in verbs(fs, "src/app.py/below").items():
            with refuses(fs, NotADirectory, name):
                call()
        with refuses(fs, NotAFile):
            fs.read("src")
        with refuses(fs, NotADirectory):
            fs.list("src/app.py")
        with refuses(fs, NotADirectory):
            fs.glob("*", "src/app.py")
        with refuses(fs, AlreadyExists):
            fs.mkdir("src/app.py")

    def test_a_missing_path_is_refused_with_the_nearest_existing_directory(self) -> None:
        fs = furnished(self.make())
        found = verbs(fs, "src/gone/x.py")
        for name in ("read", "edit", "list", "glob", "grep", "stat", "delete", "move from", "copy from"):
            with refuses(fs, NotFound, name) as refusal:
                found[name]()
            suggestion = refusal[0].suggestion
            assert suggestion is not None
            assert suggestion.arguments == {"path": "src"}, name

    def test_a_listing_shows_the_entries_of_a_directory_by_name(self) -> None:
        fs = furnished(self.make())

        top, src = fs.list(), fs.list("src")

        assert [(entry.path, entry.kind, entry.size) for entry in top] == [
            (".hidden", "file", 2),
            ("README.md", "file", 27),
            ("docs", "directory", None),
            ("empty", "directory", None),
            ("src", "directory", None),
            ("src.txt", "file", 0),
        ]
        assert [entry.path for entry in src] == ["src/Z.py", "src/app.py", "src/lib"]
        assert list(fs.list("empty")) == []
        assert fs.stat("src/app.py") == src[1]
        for entry in (*top, fs.stat(".")):
            assert entry.modified is None or entry.modified.astimezone(UTC).utcoffset() == timedelta(0)
            assert entry.modified is None or entry.modified.utcoffset() == timedelta(0)

    def test_pages_put_together_are_the_whole_answer(self) -> None:
        fs = furnished(self.make())
        entries, paths, lines = fs.list(), fs.glob("**"), fs.grep("e")
        for size in (1, 2, 3):
            assert paged(lambda after, limit: fs.list(after=after and after.path, limit=limit), size) == list(
                entries
            )
            assert paged(lambda after, limit: fs.glob("**", after=after, limit=limit), size) == list(paths)
            assert paged(lambda after, limit: fs.grep("e", after=place(after), limit=limit), size) == list(lines)
        assert len(entries) == 6
        assert len(paths) == 13
        assert len(lines) == 8
        assert [*fs.list(limit=0), *fs.glob("**", limit=0), *fs.grep("e", limit=0)] == []
        assert list(fs.glob("*", after="nothing/of this name")) == ["src", "src.txt"]

    def test_a_star_stays_in_a_segment(self) -> None:
        fs = furnished(self.make())
        for pattern, expected in {
            "*.py": [],
            "*/*.py": ["src/Z.py", "src/app.py"],
            "src/*": ["src/Z.py", "src/app.py", "src/lib"],
            "*": [".hidden", "README.md", "docs", "empty", "src", "src.txt"],
            "src/???.py": ["src/app.py"],
            "src?txt": ["src.txt"],
            "src/[A-Z].py": ["src/Z.py"],
            "src/[!A-Z]*": ["src/app.py", "src/lib"],
            "readme.md": [],
        }.items():
            assert list(fs.glob(pattern)) == expected, pattern
        assert list(fs.glob("*.py", "src/lib")) == ["src/lib/core.py"]

    def test_two_stars_cross_segments(self) -> None:
        fs = furnished(self.make())
        for pattern, expected in {
            "**/*.py": ["src/Z.py", "src/app.py", "src/lib/core.py", "src/lib/deep/core.py"],
            "src/**/core.py": ["src/lib/core.py", "src/lib/deep/core.py"],
            "**/lib/**/*.py": ["src/lib/core.py", "src/lib/deep/core.py"],
            "docs/**": ["docs", "docs/guide.md"],
            "**/*.{md,txt}": ["README.md", "docs/guide.md", "src.txt"],
            "{docs,src/lib}/*": ["docs/guide.md", "src/lib/core.py", "src/lib/deep"],
            "s**.py": [],
        }.items():
            assert list(fs.glob(pattern)) == expected, pattern
        assert list(fs.glob("**/core.py", "src/lib")) == ["src/lib/core.py", "src/lib/deep/core.py"]

    def test_invalid_patterns_and_those_that_leave_the_root_are_refused(self) -> None:
        fs = furnished(self.make())
        for pattern in ("", "/src/*", "../*", "src/../*", "{..,x}/*", "x" * 201, None):
            with refuses(fs, InvalidInput, repr(pattern)):
                fs.glob(cast("str", pattern))
        for pattern in ("(", "[a", "*", "x" * 1_001, None, "(?=a)"):
            with refuses(fs, InvalidInput, repr(pattern)):
                fs.grep(cast("str", pattern))
        with refuses(fs, InvalidInput):
            fs.grep("x", glob="../*")

    def test_a_search_gives_path_line_and_text_in_order(self) -> None:
        fs = furnished(self.make())
        core, deep = "src/lib/core.py", "src/lib/deep/core.py"

        assert list(fs.grep(r"^def \w+")) == [
            Match(path="src/app.py", line=2, text="def main():"),
            Match(path=core, line=1, text="def core():"),
            Match(path=deep, line=1, text="def core():"),
        ]
        assert [match.path for match in fs.grep("core", "src/lib")] == [core, deep]
        assert [match.path for match in fs.grep("core", glob="**/deep/*")] == [deep]
        assert [match.path for match in fs.grep("core", "src/lib", "*.py")] == [core]
        assert [match.line for match in fs.grep("o", "README.md")] == [1, 3]
        assert list(fs.grep("no such words")) == []

    def test_what_git_ignores_is_left_out_of_searches_unless_asked_for(self) -> None:
        fs = self.make()
        for path in ("a.log", "src/a.log", "src/keep.log", "node_modules/x.js", "src/x.js"):
            fs.write(path, "here\n")
        fs.write(".gitignore", "*.log\n!keep.log\nnode_modules/\n")

        assert list(fs.glob("**/*.*")) == [".gitignore", "src/keep.log", "src/x.js"]
        assert [match.path for match in fs.grep("here")] == ["src/keep.log", "src/x.js"]
        assert len(fs.glob("**/*.*", ignored=True)) == len(fs.grep("", ignored=True)) - 2 == 6
        assert [match.path for match in fs.grep("here", "src/a.log")] == ["src/a.log"]

    def test_a_search_sees_lines_without_their_ends(self) -> None:
        fs = self.make()
        fs.write("f", "dos\r\n\nlast\n")
        assert [(match.line, match.text) for match in fs.grep("s$|^$|t$")] == [(1, "dos"), (2, ""), (3, "last")]
        assert list(fs.grep(r"s\s+l|\n")) == []
        fs.write("long", "x" * 9_000 + "end")
        (match,) = fs.grep("end$", "long")
        assert match.text.startswith("xxx")
        assert len(match.text) < 2_100

    def test_a_directory_can_be_created_twice_and_with_missing_parents(self) -> None:
        fs = self.make()
        made = fs.mkdir("a/b/c")
        assert (made.path, made.kind, made.size) == ("a/b/c", "directory", None)
        fs.write("a/b/f", "x")
        assert fs.mkdir("a/b").path == "a/b"
        assert fs.mkdir(".").path == "."
        assert state(fs) == {"a": None, "a/b": None, "a/b/c": None, "a/b/f": "x"}

    def test_a_move_takes_a_tree_and_a_copy_leaves_it(self) -> None:
        fs = furnished(self.make())
        before = state(fs)

        assert fs.copy("src", "new/place").path == "new/place"
        fs.write("new/place/app.py", "changed")
        fs.write("src/lib/core.py", "changed too")
        assert fs.read("src/app.py").content == before["src/app.py"]
        assert fs.read("new/place/lib/core.py").content == before["src/lib/core.py"]
        moved = fs.move("new/place/lib", "new/lib")
        assert (moved.path, moved.kind) == ("new/lib", "directory")
        assert [entry.path for entry in fs.list("new/place")] == ["new/place/Z.py", "new/place/app.py"]
        assert fs.move("README.md", "docs/README.md").size == 27
        assert fs.copy("docs/README.md", "README.md").path == "README.md"
        assert fs.read("README.md").content == before["README.md"]

    def test_impossible_moves_and_copies_are_refused(self) -> None:
        fs = furnished(self.make())
        for call in (fs.move, fs.copy):
            for target in ("README.md", "docs", "src", "."):
                with refuses(fs, AlreadyExists, target):
                    call("src", target)
            with refuses(fs, AlreadyExists):
                call("README.md", "README.md")
            for target in ("src/inside", "src/lib/deep/er"):
                with refuses(fs, InvalidInput, target):
                    call("src", target)
            with refuses(fs, InvalidInput):
                call(".", "elsewhere")
            with refuses(fs, NotADirectory):
                call("src", "README.md/x")

    def test_a_tree_is_not_moved_or_copied_past_the_depth_limit(self) -> None:
        fs = self.make()
        fs.write("tree/a/b/f", "x")
        room = "/".join("d" * (MAX_DEPTH - 4))
        for call in (fs.move, fs.copy):
            with refuses(fs, InvalidInput):
                call("tree", f"{room}/e/tree")
        fs.copy("tree", f"{room}/tree")
        fs.move("tree", f"{room}/moved")
        assert fs.read(f"{room}/tree/a/b/f").content == fs.read(f"{room}/moved/a/b/f").content == "x"

    def test_only_recursive_deletes_what_is_not_empty(self) -> None:
        fs = furnished(self.make())
        with refuses(fs, NotEmpty) as refusal:
            fs.delete("src")
        assert "recursive" in refusal[0].recovery
        for recursive in (False, True):
            with refuses(fs, InvalidInput):
                fs.delete(".", recursive)
        fs.delete("src", recursive=True)
        fs.delete("empty")
        fs.delete("README.md")
        assert list(state(fs)) == [".hidden", "docs", "docs/guide.md", "src.txt"]

    def test_a_snapshot_brings_everything_back_any_number_of_times(self) -> None:
        fs = furnished(self.make())
        before, snapshot = state(fs), fs.snapshot()
        for _ in range(2):
            fs.write("src/app.py", "changed")
            fs.write("new/f", "new")
            fs.delete("docs", recursive=True)
            fs.move("src/lib", "empty/lib")
            assert state(fs) != before
            fs.restore(snapshot)
            assert state(fs) == before

    def test_a_snapshot_restores_only_where_it_was_taken(self) -> None:
        fs, other = furnished(self.make()), furnished(self.make())
        other.write("other", "x")
        for wrong in (other.snapshot(), None, "a snapshot"):
            with refuses(fs, InvalidInput):
                fs.restore(wrong)

    def test_two_filesystems_share_nothing(self) -> None:
        fs, other = self.make(), self.make()
        fs.write("f", "x")
        assert state(other) == {}
