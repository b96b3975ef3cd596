"""Searching files on disk: the lines of all that is text, and directories that change meanwhile."""

import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gatepost.domain.refusals import InvalidInput, TooLarge
from gatepost.files.disk_reads import MAX_FILE
from gatepost.files.host import HostFilesystem
from tests.files.expressing import PATTERNS, TEXTS, line_by_line


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


@pytest.fixture
def fs(root: Path) -> Iterator[HostFilesystem]:
    with HostFilesystem(root) as opened:
        yield opened


BYTES = st.one_of(
    TEXTS.map(str.encode), st.sampled_from([b"", b"a\xff\n", b"a\0\n", b"\xed\xa0\x80a", b"\xef\xbb\xbfa\n"])
)
PATHS = st.sampled_from(["a", "a.b", "b/a", "b/c/a", "b/c.d", "b.c/a", "z"])


@given(pattern=PATTERNS, files=st.dictionaries(PATHS, BYTES, max_size=5))
@example(
    pattern="a$", files={"a": b"a\r\nba\n\xe9", "b/a": b"a\r\nba\r\r\n", "b/c/a": b"a\x0c\na", "z": "éa".encode()}
)
def test_a_search_on_disk_finds_what_a_search_line_by_line_finds(pattern: str, files: Mapping[str, bytes]) -> None:
    try:
        re.compile(pattern)
    except re.error:
        return
    expected = [
        (path, *found)
        for path in sorted(files, key=lambda path: path.split("/"))
        for found in line_by_line(pattern, _text(files[path]))
    ]

    with tempfile.TemporaryDirectory() as place:
        for path, data in files.items():
            (Path(place) / path).parent.mkdir(parents=True, exist_ok=True)
            (Path(place) / path).write_bytes(data)
        with HostFilesystem(place) as fs:
            found = [tuple(match) for match in fs.grep(pattern)]

    assert found == expected


@pytest.mark.requirement("guard.path.identity", "guard.path.races")
def test_a_directory_that_becomes_a_package_while_it_is_searched_shows_nothing_that_is_read_then(
    fs: HostFilesystem, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("d/a", "d/b", "d/c", "d/e/f", "z"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("found\n")

    def become() -> None:
        (root / "d" / "goals.md").write_text("found\n")
        (root / "d" / "meta.json").write_text(json.dumps({"format": 1, "taskdoc": "a", "sections": {}}))

    _when_read(monkeypatch, root / "d" / "b", become)

    assert [match.path for match in fs.grep("found")] == ["d/a", "z"]


@pytest.mark.requirement("guard.path.races")
@pytest.mark.parametrize("link", [False, True])
def test_a_directory_that_is_moved_into_a_package_while_it_is_searched_is_read_no_further(
    fs: HostFilesystem, root: Path, monkeypatch: pytest.MonkeyPatch, link: bool
) -> None:
    (root / "d" / "e").mkdir(parents=True)
    (root / "p.tsk").mkdir()
    for number in range(100):
        (root / "d" / "e" / f"{number:03}").write_text("found\n")

    def move() -> None:
        (root / "d").rename(root / "p.tsk" / "d")
        if link:
            (root / "d").symlink_to(root / "p.tsk" / "d")

    _when_read(monkeypatch, root / "d" / "e" / "010", move)

    assert [match.path for match in fs.grep("found")] == [f"d/e/{number:03}" for number in range(11)]


@pytest.mark.requirement("guard.path.races")
def test_the_way_to_a_directory_is_judged_again_after_a_few_of_its_files(
    fs: HostFilesystem, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "d" / "e").mkdir(parents=True)
    for number in range(200):
        (root / "d" / "e" / f"{number:03}").write_text("found\n")

    def become() -> None:
        (root / "d" / "goals.md").write_text("found\n")
        (root / "d" / "meta.json").write_text(json.dumps({"format": 1, "taskdoc": "a", "sections": {}}))

    _when_read(monkeypatch, root / "d" / "e" / "010", become)

    found = [match.path for match in fs.grep("found")]

    assert 10 < len(found) < 70
    assert found == [f"d/e/{number:03}" for number in range(len(found))]


def test_a_link_that_takes_a_directory_s_place_leads_nowhere_though_the_directory_is_read_on(
    fs: HostFilesystem, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in (root / "d", tmp_path / "outside"):
        (place / "e").mkdir(parents=True)
        for name in ("a", "b", "e/f", "g"):
            (place / name).write_text(f"found {place.name}\n")

    def swap() -> None:
        (root / "d").rename(root / "was")
        (root / "d").symlink_to(tmp_path / "outside")

    _when_read(monkeypatch, root / "d" / "a", swap)

    found = fs.grep("found", "d")

    assert {match.text for match in found} == {"found d"}


def test_a_search_that_ends_early_or_is_refused_leaves_no_descriptor_open(fs: HostFilesystem, root: Path) -> None:
    (root / "d" / "e").mkdir(parents=True)
    for name in ("d/a", "d/b", "d/e/f", "d/g"):
        (root / name).write_text("found\n" * 5)
    before = len(list(Path("/proc/self/fd").iterdir()))

    for limit in range(12):
        assert len(fs.grep("found", limit=limit)) == limit
        assert len(fs.glob("**", limit=limit)) == min(limit, 6)
    with pytest.raises(InvalidInput):
        fs.grep(r"(found)\1")

    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_file_that_does_not_know_its_size_is_read_to_its_end() -> None:
    with HostFilesystem("/proc/self") as fs:
        text = fs.read("status").content
        found = fs.grep("^VmRSS:", "status")

    assert text.startswith("Name:")
    assert len(found) == 1


@pytest.mark.parametrize("more", [1, 2, 100_000])
def test_a_file_that_grows_too_large_while_it_is_read_is_refused(
    fs: HostFilesystem, root: Path, monkeypatch: pytest.MonkeyPatch, more: int
) -> None:
    (root / "f").write_bytes(b"\n" * MAX_FILE)
    _when_read(monkeypatch, root / "f", lambda: os.truncate(root / "f", MAX_FILE + more))

    with pytest.raises(TooLarge):
        fs.grep("x", "f")


def _when_read(monkeypatch: pytest.MonkeyPatch, place: Path, happens: Callable[[], object]) -> None:
    """Let something happen once, just before a file is read."""
    real, place = os.read, place.resolve()
    waiting = [happens]

    def read(descriptor: int, size: int) -> bytes:
        if waiting and Path(f"/proc/self/fd/{descriptor}").readlink() == place:
            waiting.pop()()
        return real(descriptor, size)

    monkeypatch.setattr("os.read", read)


def _text(data: bytes) -> str:
    """What a search may see of a file: nothing of what is no text."""
    try:
        return "" if b"\0" in data else data.decode()
    except UnicodeDecodeError:
        return ""
