"""Edits and their diffs: what git makes of a diff is what the edits made, and what others write meanwhile stays."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatepost.domain.file_refusals import FileChanged
from gatepost.domain.refusals import NotText, Refusal
from gatepost.files import edits
from gatepost.files.host import HostFilesystem
from tests.files.guarded import everything

LINES = st.lists(st.sampled_from(["a", "b", "ab", "", "c\r", "\ta"]), max_size=30)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "f").write_text("one\ntwo\nthree\n")
    return tmp_path


@pytest.fixture
def fs(root: Path) -> Iterator[HostFilesystem]:
    with HostFilesystem(root) as opened:
        yield opened


@pytest.mark.requirement("files.edit.all-or-nothing")
@settings(max_examples=150)
@given(data=st.data(), lines=LINES, ended=st.booleans())
def test_a_diff_applied_by_its_own_rules_gives_what_the_edits_gave(
    data: st.DataObject, lines: list[str], ended: bool
) -> None:
    before = "\n".join(lines) + ("\n" if lines and ended else "")
    wanted, text = [], before
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        old = text[start : data.draw(st.integers(start, len(text)))]
        new = data.draw(st.sampled_from(["", "x", "x\ny", "\n", "a\n", old[: len(old) // 2], f"{old}\n"]))
        if old and old != new and text.count(old) == 1 and text.find(old, text.find(old) + 1) < 0:
            wanted.append((old, new))
            text = text.replace(old, new)
    if not wanted:
        return

    after, result = edits.edited("f", before, edits.admitted("f", wanted, dry_run=False))

    assert after == text
    assert result.changed == (text != before)
    assert patched(before, result.diff) == text


def test_a_diff_is_one_that_git_applies(fs: HostFilesystem, root: Path) -> None:
    (root / "f").write_text("".join(f"line {number}\n" for number in range(60)) + "end")
    changes = [
        ("line 3\n", ""),
        ("line 5\n", "line five\nand more\n"),
        ("line 30", "x"),
        ("line 59\nend", "the end\n"),
    ]
    diff = fs.edit("f", changes, dry_run=True).diff

    env = {"PATH": os.environ["PATH"], "GIT_CEILING_DIRECTORIES": str(root.parent)}
    subprocess.run(["git", "apply", "-p0"], input=diff.encode(), cwd=root, check=True, timeout=60, env=env)
    by_git = (root / "f").read_text()

    assert diff.count("@@ -") == 3
    (root / "f").write_text("".join(f"line {number}\n" for number in range(60)) + "end")
    fs.edit("f", changes)
    assert (root / "f").read_text() == by_git


@pytest.mark.requirement("files.edit.all-or-nothing", "files.failure.changes-nothing")
@pytest.mark.parametrize("act", ["in place", "same size and time", "renamed over", "gone", "longer"])
@pytest.mark.parametrize("verb", ["edit", "append"])
def test_what_someone_else_writes_between_reading_and_writing_is_not_lost(
    fs: HostFilesystem, root: Path, monkeypatch: pytest.MonkeyPatch, act: str, verb: str
) -> None:
    file = root / "f"
    stamp = file.stat()
    if act == "same size and time" and verb == "append":
        return

    def others() -> None:
        if act == "renamed over":
            (root / "g").write_text("theirs\n")
            (root / "g").rename(file)
        elif act == "gone":
            file.unlink()
        elif act == "longer":
            file.write_text("one\ntwo\nthree\ntheirs\n")
        else:
            file.write_text("one\nTWO\nthree\n" if act == "same size and time" else "theirs\n")
        if act == "same size and time":
            os.utime(file, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))

    _once_written_aside(monkeypatch, others)
    calls: dict[str, Callable[[], Any]] = {
        "edit": lambda: fs.edit("f", [("one", "1")]),
        "append": lambda: fs.write("f", "more", "append"),
    }

    with pytest.raises(FileChanged) as refused:
        calls[verb]()

    assert "Nothing was written" in refused.value.recovery
    monkeypatch.undo()
    left = everything(root)
    assert [name for name in left if name != "f"] == []
    assert ("f" in left) is (act != "gone")
    if act != "gone":
        assert "one\ntwo\nthree\nmore" not in file.read_text()
        assert file.read_text() != "1\ntwo\nthree\n"


def test_a_file_that_may_not_be_written_or_is_no_text_is_not_edited(fs: HostFilesystem, root: Path) -> None:
    (root / "binary").write_bytes(b"one \xff")
    (root / "link").symlink_to("f")
    before = everything(root)

    with pytest.raises(NotText):
        fs.edit("binary", [("one", "1")])
    with pytest.raises(Refusal, match="links are not followed"):
        fs.edit("link", [("one", "1")])

    assert everything(root) == before


def test_an_edit_keeps_mode_and_other_names_of_a_file(fs: HostFilesystem, root: Path) -> None:
    (root / "f").chmod(0o754)
    os.link(root / "f", root / "other")

    fs.edit("f", [("one", "1")])

    assert (root / "f").stat().st_mode & 0o777 == 0o754
    assert (root / "other").read_text() == "one\ntwo\nthree\n"
    assert (root / "f").read_text() == "1\ntwo\nthree\n"


def _once_written_aside(monkeypatch: pytest.MonkeyPatch, happens: Callable[[], object]) -> None:
    """Let something happen once, when the new file is on the disk and the old one still has the name."""
    real, waiting = os.fsync, [happens]

    def sync(descriptor: int) -> None:
        real(descriptor)
        if waiting:
            waiting.pop()()

    monkeypatch.setattr("os.fsync", sync)


def patched(before: str, diff: str) -> str:
    """What a unified diff makes of a text, word for word: every line that it takes or keeps must be there."""
    old, new, at, last = _lines(before), list[str](), 0, ""
    for row in _lines(diff)[2:]:
        sign, line = row[0], row[1:]
        if sign == "@":
            start, count = map(int, line.split(" ")[1][1:].split(","))
            begin = start - (count > 0)
            new += old[at:begin]
            at = begin
        elif sign == "\\":
            new[-1:] = [new[-1].removesuffix("\n")] if last in "+ " else new[-1:]
        else:
            if sign in "- ":
                assert old[at].rstrip("\n") == line.rstrip("\n")
                at += 1
            if sign in "+ ":
                new.append(line)
        last = sign
    return "".join([*new, *old[at:]])


def _lines(text: str) -> list[str]:
    *ended, rest = text.split("\n")
    return [f"{line}\n" for line in ended] + ([rest] if rest else [])
