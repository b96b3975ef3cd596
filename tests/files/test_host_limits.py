"""How much of a disk one call takes on: what is more is refused, and never left out in silence."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from gatepost.domain.refusals import NotText, TooLarge
from gatepost.files import disk_trees
from gatepost.files.host import HostFilesystem
from tests.files.guarded import everything


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


@pytest.fixture
def fs(root: Path) -> Iterator[HostFilesystem]:
    with HostFilesystem(root) as opened:
        yield opened


def test_a_named_file_that_cannot_be_searched_is_refused_and_below_a_directory_it_is_passed_over(
    fs: HostFilesystem, root: Path
) -> None:
    (root / "d").mkdir()
    (root / "d" / "binary").write_bytes(b"found\0\n")
    (root / "d" / "latin").write_bytes(b"found \xe9\n")
    (root / "d" / "text").write_text("found\n")
    _long(root / "d" / "at", 2**24, b"found\n")
    _long(root / "d" / "past", 2**24 + 1, b"found\n")

    for name in ("binary", "latin", "at"):
        with pytest.raises(NotText, match=name):
            fs.grep("found", f"d/{name}")
    with pytest.raises(TooLarge, match="16,777,216 bytes"):
        fs.grep("found", "d/past")
    assert [match.path for match in fs.grep("found", "d")] == ["d/text"]
    assert [match.path for match in fs.grep("found", "d/text")] == ["d/text"]
    assert fs.grep("found", "d/past", "*.md") == ()


def test_a_file_of_64_mebibytes_is_copied_and_one_byte_more_is_refused(fs: HostFilesystem, root: Path) -> None:
    _long(root / "at", disk_trees.MAX_COPY)
    _long(root / "past", disk_trees.MAX_COPY + 1)

    fs.copy("at", "new/at")

    assert (root / "new" / "at").stat().st_size == 64 * 2**20
    with pytest.raises(TooLarge, match="`source`: past has more than 67,108,864 bytes") as refused:
        fs.copy("past", "other/past")
    assert "move it" in refused.value.recovery
    assert not (root / "other").exists()
    assert fs.move("past", "other/past").size == disk_trees.MAX_COPY + 1


def test_a_tree_of_more_than_64_mebibytes_in_all_is_refused_before_anything_is_written(
    fs: HostFilesystem, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "d" / "e").mkdir(parents=True)
    _long(root / "d" / "a", disk_trees.MAX_COPY // 2)
    _long(root / "d" / "e" / "b", disk_trees.MAX_COPY // 2 + 1)
    before = {path: (root / path).stat().st_ino for path in everything(root)}
    synced: list[int] = []
    monkeypatch.setattr("os.fsync", synced.append)

    with pytest.raises(TooLarge, match="`source`: d has more than"):
        fs.copy("d", "new")

    assert {path: (root / path).stat().st_ino for path in everything(root)} == before
    assert synced == []


def test_a_file_that_grows_while_it_is_copied_leaves_no_copy(
    fs: HostFilesystem, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "f").write_text("x")
    real = os.mkdir

    def grown(*args: object, **options: object) -> None:
        # The directory of the copy is made after all has been measured.
        os.truncate(root / "d" / "f", disk_trees.MAX_COPY + 1)
        real(*args, **options)  # type: ignore[arg-type]  # whatever it was called with

    (root / "d").mkdir()
    (root / "d" / "f").write_text("x")
    monkeypatch.setattr("os.mkdir", grown)

    with pytest.raises(TooLarge, match="d/f has more than"):
        fs.copy("d", "new")

    assert sorted(everything(root)) == ["d", "d/f", "f"]


def _long(path: Path, size: int, begin: bytes = b"") -> None:
    """A file of that size, which takes no room on the disk."""
    path.write_bytes(begin)
    os.truncate(path, size)
