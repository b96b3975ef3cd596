"""Snapshots of a directory on disk: what they hold, what they leave alone, and how much they take."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatepost.domain.refusals import InvalidInput, NotEmpty, TooLarge
from gatepost.files import snapshots
from gatepost.files.host import HostFilesystem


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


@pytest.fixture
def fs(root: Path) -> Iterator[HostFilesystem]:
    with HostFilesystem(root) as opened:
        yield opened


def test_a_restore_brings_back_bytes_modes_and_directories_and_removes_what_is_new(
    fs: HostFilesystem, root: Path
) -> None:
    (root / "bin").mkdir(mode=0o750)
    (root / "bin" / "tool").write_bytes(b"\xff\0\r\n")
    (root / "bin" / "tool").chmod(0o755)
    (root / "empty").mkdir()
    (root / "same").write_text("same")
    (root / "é\n").write_text("odd name")
    before = _everything(root)
    untouched = (root / "same").stat().st_ino
    snapshot = fs.snapshot()

    fs.delete("empty")
    fs.write("empty", "a file now")
    fs.delete("bin", recursive=True)
    fs.write("new/and/deep", "x")
    (root / "é\n").unlink()
    fs.restore(snapshot)

    assert _everything(root) == before
    assert (root / "same").stat().st_ino == untouched
    (root / "bin" / "tool").chmod(0o600)
    (root / "bin").chmod(0o700)
    fs.restore(snapshot)
    assert _everything(root) == before


def test_a_restore_leaves_links_closed_names_and_git_alone_and_what_holds_them(
    fs: HostFilesystem, root: Path, tmp_path: Path
) -> None:
    (tmp_path / "outside").write_text("outside")
    (root / "kept").symlink_to(tmp_path / "outside")
    (root / ".git").mkdir()
    (root / ".git" / "HEAD").write_text("one")
    snapshot = fs.snapshot()

    (root / ".git" / "HEAD").write_text("two")
    (root / "tasks" / "a.tsk").mkdir(parents=True)
    (root / "tasks" / "a.tsk" / "goals.md").write_text("goals")
    (root / "tasks" / "note").write_text("new")
    (root / "links").mkdir()
    (root / "links" / "out").symlink_to(tmp_path / "outside")
    fs.restore(snapshot)

    assert (root / ".git" / "HEAD").read_text() == "two"
    assert (root / "tasks" / "a.tsk" / "goals.md").read_text() == "goals"
    assert not (root / "tasks" / "note").exists()
    assert (root / "links" / "out").is_symlink()
    assert (tmp_path / "outside").read_text() == "outside"
    assert _names(root) == [".git", "kept", "links", "tasks"]


def test_a_link_where_a_remembered_file_stood_gives_way_and_its_target_stays(
    fs: HostFilesystem, root: Path, tmp_path: Path
) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "f").write_text("outside")
    fs.write("f", "mine")
    fs.write("d/f", "mine")
    before = _everything(root), _everything(tmp_path / "outside")
    snapshot = fs.snapshot()

    fs.delete("f")
    fs.delete("d", recursive=True)
    (root / "f").symlink_to(tmp_path / "outside" / "f")
    (root / "d").symlink_to(tmp_path / "outside")
    fs.restore(snapshot)

    assert (_everything(root), _everything(tmp_path / "outside")) == before


@pytest.mark.requirement("files.failure.changes-nothing")
def test_a_restore_that_something_closed_stands_in_the_way_of_changes_nothing(
    fs: HostFilesystem, root: Path
) -> None:
    fs.write("a", "old")
    fs.write("place", "a file")
    snapshot = fs.snapshot()
    fs.write("a", "new")
    fs.delete("place")
    (root / "place" / "p.tsk").mkdir(parents=True)
    fs.write("z/new", "new")
    before = _everything(root)

    with pytest.raises(NotEmpty, match="place"):
        fs.restore(snapshot)

    assert _everything(root) == before


@pytest.mark.requirement("files.snapshot.own-only")
def test_a_snapshot_of_another_filesystem_is_refused_even_of_the_same_directory(
    fs: HostFilesystem, root: Path
) -> None:
    fs.write("f", "x")
    with HostFilesystem(root) as other:
        foreign = other.snapshot()

    fs.write("f", "y")
    for wrong in (foreign, None, {"f": "x"}):
        with pytest.raises(InvalidInput):
            fs.restore(wrong)

    assert fs.read("f").content == "y"


def test_a_snapshot_takes_sixty_four_mebibytes_and_not_a_byte_more(fs: HostFilesystem, root: Path) -> None:
    for number in range(4):
        with (root / str(number)).open("wb") as file:
            file.truncate(snapshots.MAX_BYTES // 4)
    fs.snapshot()

    (root / "more").write_text("x")
    with pytest.raises(TooLarge):
        fs.snapshot()


def test_a_snapshot_takes_twenty_thousand_files_and_not_one_more(fs: HostFilesystem, root: Path) -> None:
    (root / "f").touch()
    for number in range(snapshots.MAX_FILES // 10_000):
        # One file under many names: as many entries, and far quicker made.
        (root / str(number)).mkdir()
        for name in range(10_000 - (number == 0)):
            os.link(root / "f", root / str(number) / str(name))
    snapshot = fs.snapshot()

    fs.write("one-more", "")
    with pytest.raises(TooLarge):
        fs.snapshot()
    fs.restore(snapshot)
    assert not (root / "one-more").exists()


NAMES = st.sampled_from(("a", "b", "a/a", "a/b", "b/a/a"))
TREES = st.dictionaries(NAMES, st.sampled_from((None, b"", b"1", b"\xff")), max_size=5)


@settings(max_examples=60, deadline=None)
@given(then=TREES, now=TREES)
def test_any_tree_leads_back_to_any_other(
    tmp_path_factory: pytest.TempPathFactory, then: dict[str, bytes | None], now: dict[str, bytes | None]
) -> None:
    root = tmp_path_factory.mktemp("root")
    with HostFilesystem(root) as fs:
        _be(root, then)
        before = _everything(root)
        snapshot = fs.snapshot()
        for entry in fs.list():
            fs.delete(entry.path, recursive=True)
        _be(root, now)
        fs.restore(snapshot)

    assert _everything(root) == before


def _be(root: Path, tree: dict[str, bytes | None]) -> None:
    """Make as much of a tree as fits together."""
    for name, data in sorted(tree.items()):
        place = root / name
        if any(parent.is_file() for parent in place.parents):
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        if data is None:
            place.mkdir(exist_ok=True)
        else:
            place.write_bytes(data)


def _everything(root: Path) -> dict[str, tuple[bytes | None, int]]:
    return {
        path.relative_to(root).as_posix(): (
            path.read_bytes() if path.is_file() else None,
            stat.S_IMODE(path.lstat().st_mode),
        )
        for path in root.rglob("*")
    }


def _names(place: Path) -> list[str]:
    return sorted(entry.name for entry in place.iterdir())
