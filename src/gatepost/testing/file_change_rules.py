"""The tests of `edit`, and of every verb that changes something."""
# ruff: noqa: S101 - a suite is made of plain assertions

from typing import Any, cast

from gatepost.domain.file_refusals import EditMismatch
from gatepost.domain.refusals import ForbiddenPath, InvalidInput, NotAFile, NotText, TooLarge
from gatepost.files.edits import MAX_EDITS
from gatepost.files.protocol import MAX_CONTENT, Filesystem
from gatepost.testing.filesystem_probes import GIT_PATHS, furnished, refuses, state, verbs


class ChangeRules:
    """The rules for changes as tests. Each starts with a filesystem from `make`."""

    def make(self) -> Filesystem:
        """An empty filesystem that shares nothing with any other."""
        raise NotImplementedError

    def test_edits_replace_texts_that_occur_once_and_leave_every_other_byte(self) -> None:
        fs = self.make()
        fs.write("f", "\ufeffone\r\ntwo\n\tthree  \nend")

        done = fs.edit("f", [("two", "2"), ("three  \nend", "3")])

        assert fs.read("f").content == "\ufeffone\r\n2\n\t3"
        assert (done.path, done.size, done.changed, done.added, done.removed) == ("f", 12, True, 2, 3)
        assert done.diff.split("\n")[2:] == [
            *("@@ -1,4 +1,3 @@", " \ufeffone\r", "-two", "-\tthree  ", "-end", "\\ No newline at end of file"),
            *("+2", "+\t3", "\\ No newline at end of file", ""),
        ]

    def test_each_edit_sees_what_the_ones_before_it_left(self) -> None:
        fs = self.make()
        fs.write("f", "a b\n")
        fs.edit("f", [("a", "b b"), ("b b b", "c"), ("c", "a a")])
        assert fs.read("f").content == "a a\n"
        there_and_back = fs.edit("f", [("a a", "b"), ("b", "a a")])
        assert (there_and_back.changed, there_and_back.added, there_and_back.diff) == (False, 0, "")

    def test_a_dry_run_shows_the_diff_and_changes_nothing(self) -> None:
        fs = furnished(self.make())
        before = state(fs)
        preview = fs.edit("src/app.py", [("main", "run")], dry_run=True)
        assert state(fs) == before
        assert "-def main():\n+def run():\n" in preview.diff
        assert fs.edit("src/app.py", [("main", "run")]) == preview
        assert state(fs) != before

    def test_an_edit_whose_text_does_not_occur_exactly_once_is_refused_with_its_lines(self) -> None:
        fs = self.make()
        fs.write("f", "one\ntwo\none\n  aaa\n")
        for old, occurrences, lines in (("one", 2, [1, 3]), ("aa", 2, [4, 4]), ("none", 0, []), ("two\nx", 0, [2])):
            for edits in ([(old, "x")], [("two\n", "two\n\n"), (old, "x")], [(old, "x"), ("two", "2")]):
                with refuses(fs, EditMismatch, old) as refusal:
                    fs.edit("f", edits)
                assert refusal[0].details["occurrences"] == occurrences
                assert refusal[0].details["edit"] == edits.index((old, "x"))
                shifted = [line + (len(edits) == 2 and edits[0][0] == "two\n" and line > 2) for line in lines]
                assert refusal[0].details["lines"] == shifted
        fs.write("many", "x\n" * 30)
        with refuses(fs, EditMismatch) as refusal:
            fs.edit("many", [("x", "y")])
        assert "more than 20 times" in refusal[0].message

    def test_a_text_of_other_line_ends_is_not_guessed_at(self) -> None:
        fs = self.make()
        fs.write("f", "one\r\ntwo\r\n")
        with refuses(fs, EditMismatch) as refusal:
            fs.edit("f", [("one\ntwo", "x")])
        assert "end with \\r\\n" in refusal[0].message

    def test_invalid_edits_are_refused(self) -> None:
        fs = furnished(self.make())
        wrong: Any
        for wrong in ([], "main", None, 7, [("main",)], [("main", None)], [("", "x")], [("main", "main")], ["ma"]):
            with refuses(fs, InvalidInput, repr(wrong)):
                fs.edit("src/app.py", wrong)
        with refuses(fs, InvalidInput):
            fs.edit("src/app.py", [("main", "run")] * (MAX_EDITS + 1))
        for new in ("nul \0", "half a pair \ud83d"):
            with refuses(fs, NotText):
                fs.edit("src/app.py", [("import", "from"), ("main", new)])
        with refuses(fs, InvalidInput):
            fs.edit("src/app.py", [("main", "run")], dry_run=cast("bool", "yes"))
        with refuses(fs, NotAFile):
            fs.edit("src", [("main", "run")])

    def test_the_new_texts_of_a_call_have_48_000_characters_and_no_more(self) -> None:
        fs = self.make()
        fs.write("f", "ab")
        with refuses(fs, TooLarge):
            fs.edit("f", [("a", "x" * (MAX_CONTENT // 2)), ("b", "y" * (MAX_CONTENT // 2 + 1))])
        fs.edit("f", [("a", "x" * (MAX_CONTENT // 2)), ("b", "y" * (MAX_CONTENT // 2))])
        assert fs.read("f").size == MAX_CONTENT

    def test_every_verb_that_changes_something_refuses_git_s_folder(self) -> None:
        fs = furnished(self.make())
        for path in GIT_PATHS:
            for name in ("write", "edit", "mkdir", "move from", "move to", "copy to", "delete"):
                with refuses(fs, ForbiddenPath, f"{name} {path}") as refusal:
                    verbs(fs, path)[name]()
                assert "git runs commands" in refusal[0].message
