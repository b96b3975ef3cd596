"""A directory on disk: the suite that every filesystem passes, and what only a disk can hold."""

import os
import socket
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatepost.domain.refusals import (
    AlreadyExists,
    ForbiddenPath,
    InvalidInput,
    NotADirectory,
    NotText,
    Refusal,
    TooLarge,
    ToolValidationError,
)
from gatepost.files.host import HostFilesystem
from gatepost.files.memory import InMemoryFilesystem
from gatepost.files.protocol import MAX_CONTENT, Entry, Filesystem
from gatepost.testing.filesystem_suite import FilesystemSuite


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


@pytest.fixture
def fs(root: Path) -> Iterator[HostFilesystem]:
    with HostFilesystem(root) as opened:
        yield opened


@pytest.mark.requirement("files.protocol.two-homes", "files.path.host-limits")
class TestHost(FilesystemSuite):
    @pytest.fixture(autouse=True)
    def _place(self, tmp_path: Path) -> None:
        self._base = tmp_path

    def make(self) -> HostFilesystem:
        return HostFilesystem(tempfile.mkdtemp(dir=self._base))


@pytest.mark.requirement("files.path.host-limits")
def test_the_limits_hold_whatever_the_disk_itself_would_take(fs: HostFilesystem, root: Path) -> None:
    deepest, too_deep = "/".join("d" * 16), "/".join("e" * 17)
    longest, too_long = "s" * 80, "s" * 81

    fs.write(deepest, "x")
    fs.write(longest, "x")
    for path in (too_deep, too_long):
        with pytest.raises(InvalidInput):
            fs.write(path, "x")

    assert (root / deepest).read_text() == "x"
    assert _names(root) == ["d", longest]


PATHS = ("a", "b", "a/b", "a/c", "b/a/c", "c/d/e/f", ".", "a/b/c/d")
TEXTS = ("", "ab", "one\r\ntwo\n", "x" * 1_000)
EDITS = (("a", "bb"), ("b", "a"), ("one", "two"), ("\r\n", "\n"), ("two", ""), ("x", "y"), ("", "a"), ("a", "a"))
CALLS = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(PATHS), st.sampled_from(TEXTS)),
    st.tuples(
        st.just("write"),
        st.sampled_from(PATHS),
        st.sampled_from(TEXTS),
        st.sampled_from(("create", "append", "overwrite", "other")),
    ),
    st.tuples(st.just("edit"), st.sampled_from(PATHS), st.lists(st.sampled_from(EDITS), max_size=3)),
    st.tuples(st.sampled_from(("mkdir", "delete", "read", "stat", "list")), st.sampled_from(PATHS)),
    st.tuples(st.just("delete"), st.sampled_from(PATHS), st.just(True)),
    st.tuples(st.sampled_from(("move", "copy")), st.sampled_from(PATHS), st.sampled_from(PATHS)),
    st.tuples(st.just("glob"), st.sampled_from(("**", "*", "a/*", "**/c"))),
    st.tuples(st.sampled_from(("snapshot", "restore"))),
)


@pytest.mark.requirement("files.protocol.two-homes")
@settings(max_examples=60, deadline=None)
@given(calls=st.lists(CALLS, max_size=25))
def test_both_homes_answer_every_history_alike(calls: list[tuple[Any, ...]]) -> None:
    with tempfile.TemporaryDirectory() as place, HostFilesystem(place) as host:
        homes: tuple[Filesystem, Filesystem] = (InMemoryFilesystem(), host)
        taken = [home.snapshot() for home in homes]
        for verb, *arguments in calls:
            if verb == "snapshot":
                taken = [home.snapshot() for home in homes]
            elif verb == "restore":
                for home, snapshot in zip(homes, taken, strict=True):
                    home.restore(snapshot)
            else:
                before = _everything(host)
                memory, disk = (_answer(getattr(home, verb), arguments) for home in homes)
                assert memory == disk, (verb, arguments[0])
                assert not _is_refused(disk) or _everything(host) == before
        memory, disk = (_everything(home) for home in homes)
        assert memory == disk


@pytest.mark.parametrize("name", ["missing", "file"])
def test_a_root_that_is_no_directory_is_refused_with_a_next_step(root: Path, name: str) -> None:
    (root / "file").write_text("x")

    with pytest.raises(NotADirectory) as refused:
        HostFilesystem(root / name)

    assert str(root / name) in refused.value.message
    assert "choose" in refused.value.recovery.lower()


def test_a_closed_filesystem_refuses_and_holds_nothing_open(root: Path) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    fs = HostFilesystem(root)
    fs.write("a/b", "x")
    fs.close()
    fs.close()

    with pytest.raises(ToolValidationError, match="closed"):
        fs.read("a/b")
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_no_call_leaves_a_descriptor_open_whether_it_is_answered_or_refused(fs: HostFilesystem, root: Path) -> None:
    fs.write("a/b/f", "x")
    (root / "link").symlink_to("a")
    before = len(list(Path("/proc/self/fd").iterdir()))

    snapshot = fs.snapshot()
    for call in (
        lambda: fs.read("link/b/f"),
        lambda: fs.read("a/b/none"),
        lambda: fs.read("a/b/f/x"),
        lambda: fs.write("a/b", "x"),
        lambda: fs.write("n/o/n/e", "x", "create"),
        lambda: fs.copy("a", "n/copy"),
        lambda: fs.move("n/copy", "n/moved"),
        lambda: fs.copy("a", "a/b/c"),
        lambda: fs.delete("n", recursive=True),
        lambda: fs.delete("a"),
        lambda: fs.grep("x"),
        lambda: fs.restore(snapshot),
    ):
        _answer(call, [])

    assert len(list(Path("/proc/self/fd").iterdir())) == before


@pytest.mark.requirement("files.limit.utf-8")
@pytest.mark.parametrize("data", [b"\xff\xfe", b"a\0b", b"\xed\xa0\x80", "caf\xe9".encode("latin-1")])
def test_a_file_that_is_no_text_is_not_read_but_is_copied_as_it_is(
    fs: HostFilesystem, root: Path, data: bytes
) -> None:
    (root / "f").write_bytes(data)

    with pytest.raises(NotText):
        fs.read("f")
    with pytest.raises(NotText):
        fs.write("f", "more", "append")
    fs.copy("f", "g")

    assert fs.grep("a") == ()
    assert (root / "f").read_bytes() == (root / "g").read_bytes() == data


@pytest.mark.requirement("files.limit.long-files")
def test_a_file_longer_than_a_write_is_read_in_windows(fs: HostFilesystem, root: Path) -> None:
    line = "x" * 999 + "\n"
    (root / "long").write_text(line * 100)
    (root / "one-line").write_text("y" * (MAX_CONTENT + 1))

    first = fs.read("long")
    assert (first.content, first.lines, first.total_lines, first.truncated) == (line * 48, 48, 100, True)
    assert fs.read("long", 96).content == line * 4
    cut = fs.read("one-line")
    assert (len(cut.content), cut.truncated, cut.next_offset, cut.next_column) == (
        MAX_CONTENT,
        True,
        0,
        MAX_CONTENT,
    )
    rest = fs.read("one-line", cut.next_offset, column=cut.next_column)
    assert (rest.content, rest.truncated, rest.column) == ("y", False, MAX_CONTENT)


@pytest.mark.requirement("files.limit.long-files")
def test_a_file_longer_than_a_write_is_appended_to_and_edited(fs: HostFilesystem, root: Path) -> None:
    line = "é" * 999 + "\n"
    (root / "long").write_text(line * 100)

    added = fs.write("long", "end", "append")
    edited = fs.edit("long", [("end", "the end\n")])

    assert (added.size, added.created) == (100 * 1_999 + 3, False)
    assert (edited.size, edited.added, edited.removed) == (100 * 1_999 + 8, 1, 1)
    assert (root / "long").read_text() == line * 100 + "the end\n"


def test_what_is_too_long_to_be_read_appended_to_or_edited_is_refused_with_the_limit(
    fs: HostFilesystem, root: Path
) -> None:
    for name, size in (("edit", 2**23), ("read", 2**26)):
        with (root / name).open("wb") as file:
            file.write(b"\n" * 10)
            file.truncate(size)
        with (root / f"{name} past").open("wb") as file:
            file.truncate(size + 1)
    (root / "full").write_bytes(b"x" * (2**23 - 1) + b"y")

    for name in ("edit", "read"):
        with pytest.raises(NotText):
            fs.read(name)
    for call in (
        lambda: fs.read("read past"),
        lambda: fs.write("read past", "x", "append"),
        lambda: fs.write("read", "x", "append"),
        lambda: fs.grep("x", "read"),
        lambda: fs.edit("edit past", [("x", "y")]),
        lambda: fs.edit("full", [("y", "é")]),
    ):
        with pytest.raises(TooLarge, match=r"has more than [0-9,]+ bytes"):
            call()
    assert fs.edit("full", [("y", "x")]).size == 2**23


def test_a_listing_shows_sizes_times_and_names_of_every_kind(fs: HostFilesystem, root: Path) -> None:
    odd = ["é.txt", "n" * 200, "a\nb"]
    for name in odd:
        (root / name).write_text("1234")
    (root / os.fsdecode(b"\xff")).write_text("")
    (root / "d").mkdir()
    os.utime(root / "d", (0, 86_400))

    entries = {entry.path: entry for entry in fs.list()}

    assert set(entries) == {*odd, "\\xff", "d"}
    assert all(entries[name].size == 4 and entries[name].kind == "file" for name in odd)
    assert (entries["d"].kind, entries["d"].size) == ("directory", None)
    assert entries["d"].modified == datetime(1970, 1, 2, tzinfo=UTC)
    assert "\\xff" in fs.glob("*")


def test_pipes_and_sockets_are_shown_and_refused_and_nothing_waits_for_them(root: Path, fs: HostFilesystem) -> None:
    (root / "d").mkdir()
    os.mkfifo(root / "d" / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        here = os.open(root, os.O_RDONLY)
        listening.bind(f"/proc/self/fd/{here}/d/socket")
        os.close(here)

    assert [(entry.name, entry.kind) for entry in fs.list("d")] == [("pipe", "other"), ("socket", "other")]
    for path in ("d/pipe", "d/socket"):
        for call in (
            lambda path=path: fs.read(path),
            lambda path=path: fs.write(path, "x"),
            lambda path=path: fs.write(path, "x", "append"),
            lambda path=path: fs.copy(path, "e"),
            lambda path=path: fs.move(path, "e"),
            lambda path=path: fs.grep("x", path),
        ):
            with pytest.raises(NotText):
                call()
    with pytest.raises(NotText):
        fs.copy("d", "e")
    assert fs.grep("x") == ()
    fs.delete("d/pipe")
    assert _names(root) == ["d"]
    assert _names(root / "d") == ["socket"]


def test_closed_names_on_disk_are_listed_but_neither_entered_nor_moved_with_what_holds_them(
    fs: HostFilesystem, root: Path
) -> None:
    for name in ("p.tsk", ".gatepost", "P.TSK.", "\uff50.\uff54\uff53\uff4b"):
        (root / "d" / "inner" / name).mkdir(parents=True)
        (root / "d" / "inner" / name / "goals.md").write_text("secret")

    assert len(fs.list("d/inner")) == 4
    assert not [path for path in fs.glob("**") if "goals" in path]
    assert fs.grep("secret") == ()
    for call in (
        lambda: fs.move("d", "e"),
        lambda: fs.copy("d", "e"),
        lambda: fs.delete("d", recursive=True),
        lambda: fs.read("d/inner/p.tsk/goals.md"),
        lambda: fs.list("d/inner/P.TSK."),
        lambda: fs.write("d/new.tsk", "x"),
    ):
        with pytest.raises(ForbiddenPath):
            call()
    assert _names(root) == ["d"]
    assert len(list((root / "d").rglob("goals.md"))) == 4


def test_a_very_deep_tree_is_walked_and_removed(fs: HostFilesystem, root: Path) -> None:
    directory = root
    for _ in range(60):
        directory = directory / "d"
        directory.mkdir()
    (directory / "f").write_text("found")

    assert [match.line for match in fs.grep("found")] == [1]
    with pytest.raises(InvalidInput):
        fs.move("d", "e")
    with pytest.raises(InvalidInput):
        fs.copy("d", "e")
    fs.delete("d", recursive=True)
    assert _names(root) == []


def test_an_existing_target_stays_as_it_is_when_something_is_moved_onto_it(fs: HostFilesystem, root: Path) -> None:
    for path in ("f", "g", "d/f", "e/f"):
        fs.write(path, path)
    (root / "empty").mkdir()

    for verb in (fs.move, fs.copy):
        for source, target in (("f", "g"), ("f", "d"), ("d", "e"), ("d", "f"), ("d", "empty"), ("f", "f")):
            with pytest.raises(AlreadyExists):
                verb(source, target)

    assert {path: fs.read(path).content for path in ("f", "g", "d/f", "e/f")} == {
        path: path for path in ("f", "g", "d/f", "e/f")
    }
    assert _names(root / "empty") == []


def _answer(call: Callable[..., Any], arguments: list[Any]) -> object:
    """What a call says, without the times, or how it is refused."""
    try:
        found = call(*arguments)
    except Refusal as refusal:
        return type(refusal).__name__, refusal.message
    if isinstance(found, tuple | list) and not isinstance(found, Entry):
        return [_timeless(each) for each in found]
    return _timeless(found)


def _is_refused(answer: object) -> bool:
    return isinstance(answer, tuple) and len(answer) == 2


def _timeless(found: Any) -> object:
    return (found.path, found.kind, found.size) if hasattr(found, "modified") else found


def _everything(home: Filesystem) -> dict[str, str | None]:
    return {path: home.read(path).content if home.stat(path).kind == "file" else None for path in home.glob("**")}


def _names(place: Path) -> list[str]:
    return sorted(entry.name for entry in place.iterdir())
