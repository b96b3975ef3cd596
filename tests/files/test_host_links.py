"""Links: whoever put them below the root and whenever, no call goes through one."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE, Popen

import pytest

from gatepost.domain.refusals import ForbiddenPath, Refusal
from gatepost.files.host import HostFilesystem

OUTSIDE = "the words outside\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    (tmp_path / "outside" / "sub").mkdir(parents=True)
    (tmp_path / "outside" / "f").write_text(OUTSIDE)
    (tmp_path / "outside" / "sub" / "f").write_text(OUTSIDE)
    return tmp_path / "outside"


@pytest.fixture
def fs(root: Path) -> Iterator[HostFilesystem]:
    with HostFilesystem(root) as opened:
        opened.write("in/f", "inside\n")
        yield opened


LINKS = ("to-file", "to-directory", "to-inside", "to-inside-file", "to-parent", "to-itself", "dangling", "relative")


@pytest.fixture
def links(root: Path, outside: Path, fs: HostFilesystem) -> Path:
    (root / "to-file").symlink_to(outside / "f")
    (root / "to-directory").symlink_to(outside)
    (root / "to-inside").symlink_to("in")
    (root / "to-inside-file").symlink_to("in/f")
    (root / "to-parent").symlink_to("..")
    (root / "to-itself").symlink_to("to-itself")
    (root / "dangling").symlink_to(outside / "nothing")
    (root / "relative").symlink_to("../outside/f")
    return root


def calls(fs: HostFilesystem, path: str) -> list[Callable[[], object]]:
    """Every verb, on a path and below it."""
    onto: list[Callable[[], object]] = [
        lambda: fs.read(path),
        lambda: fs.write(path, "x"),
        lambda: fs.write(path, "x", "create"),
        lambda: fs.write(path, "x", "append"),
        lambda: fs.list(path),
        lambda: fs.glob("**", path),
        lambda: fs.grep(".", path),
        lambda: fs.mkdir(path),
        lambda: fs.move(path, "new"),
        lambda: fs.copy(path, "new"),
        lambda: fs.move("in/f", path),
        lambda: fs.copy("in", path),
    ]
    below = f"{path}/f"
    through: list[Callable[[], object]] = [
        lambda: fs.read(below),
        lambda: fs.write(below, "x"),
        lambda: fs.write(f"{path}/sub/new/g", "x"),
        lambda: fs.list(f"{path}/sub"),
        lambda: fs.glob("**", f"{path}/sub"),
        lambda: fs.grep(".", below),
        lambda: fs.stat(below),
        lambda: fs.mkdir(below),
        lambda: fs.move(below, "new"),
        lambda: fs.copy(below, "new"),
        lambda: fs.move("in/f", f"{path}/g"),
        lambda: fs.copy("in", f"{path}/g"),
        lambda: fs.delete(below),
        lambda: fs.delete(f"{path}/sub", recursive=True),
    ]
    # `append` to, or `create` of, a link that leads nowhere is no different.
    return onto + through


@pytest.mark.parametrize("name", LINKS)
def test_every_verb_refuses_to_go_onto_or_through_a_link(
    fs: HostFilesystem, links: Path, outside: Path, name: str
) -> None:
    before = _everything(links), _everything(outside)

    for number, call in enumerate(calls(fs, name)):
        with pytest.raises(ForbiddenPath, match="links are not followed"):
            pytest.fail(f"call {number} was answered: {call()!r}")

    assert (_everything(links), _everything(outside)) == before


def test_a_link_is_listed_as_a_link_and_no_walk_enters_it(fs: HostFilesystem, links: Path) -> None:
    kinds = {entry.path: entry.kind for entry in fs.list()}

    assert kinds == {"in": "directory", **dict.fromkeys(LINKS, "link")}
    assert all(fs.stat(name).kind == "link" for name in LINKS)
    assert set(fs.glob("**")) == {"in", "in/f", *LINKS}
    assert set(fs.glob("*/f")) == {"in/f"}
    assert [match.path for match in fs.grep(".")] == ["in/f"]


@pytest.mark.parametrize("name", LINKS)
@pytest.mark.parametrize("recursive", [False, True])
def test_deleting_a_link_removes_the_link_and_leaves_its_target(
    fs: HostFilesystem, links: Path, outside: Path, name: str, recursive: bool
) -> None:
    before = _everything(outside)

    fs.delete(name, recursive)

    assert name not in _names(links)
    assert _everything(outside) == before
    assert fs.read("in/f").content == "inside\n"


def test_deleting_a_tree_removes_the_links_in_it_and_leaves_their_targets(
    fs: HostFilesystem, root: Path, outside: Path
) -> None:
    (root / "in" / "deep").mkdir()
    (root / "in" / "deep" / "out").symlink_to(outside)
    (root / "in" / "out").symlink_to(outside / "f")
    before = _everything(outside)

    fs.delete("in", recursive=True)

    assert _names(root) == []
    assert _everything(outside) == before


def test_a_tree_that_holds_a_link_is_moved_with_it_but_not_copied(
    fs: HostFilesystem, root: Path, outside: Path
) -> None:
    (root / "in" / "deep").mkdir()
    (root / "in" / "deep" / "out").symlink_to(outside)

    with pytest.raises(ForbiddenPath, match="in/deep/out"):
        fs.copy("in", "new/place")
    assert _names(root) == ["in"]
    fs.move("in", "new/place")

    assert (root / "new" / "place" / "deep" / "out").readlink() == outside


def test_writing_a_file_that_has_a_second_name_leaves_the_second_name_its_content(
    fs: HostFilesystem, root: Path, outside: Path
) -> None:
    os.link(outside / "f", root / "hard")

    fs.write("hard", "ours\n")
    assert ((outside / "f").read_text(), fs.read("hard").content) == (OUTSIDE, "ours\n")
    (root / "hard").unlink()
    os.link(outside / "f", root / "hard")
    fs.write("hard", "more\n", "append")

    assert ((outside / "f").read_text(), fs.read("hard").content) == (OUTSIDE, f"{OUTSIDE}more\n")


def test_the_root_itself_may_be_named_by_a_link(root: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(root)

    with HostFilesystem(tmp_path / "alias") as fs:
        fs.write("f", "x")

    assert (root / "f").read_text() == "x"


@pytest.mark.parametrize("swapped", ["in", "in/deep"])
def test_a_link_swapped_in_for_a_directory_while_calls_run_lets_nothing_in_or_out(
    fs: HostFilesystem, root: Path, outside: Path, tmp_path: Path, swapped: str
) -> None:
    (outside / "deep").mkdir()
    (outside / "deep" / "f").write_text(OUTSIDE)
    fs.write("in/deep/f", "inside\n")
    (tmp_path / "link").symlink_to(outside.joinpath(*swapped.split("/")[1:]))
    before = _everything(outside)

    with _swapping(root / swapped, tmp_path / "link"):
        seen = [each for _ in range(300) for each in _attempts(fs)]

    assert _everything(outside) == before
    assert not [each for each in seen if OUTSIDE.strip() in each]
    # Both happened, or the race was none.
    assert any("inside" in each for each in seen)
    assert any("FORBIDDEN" in each for each in seen)


def test_a_link_swapped_in_for_a_file_is_never_read_through(
    fs: HostFilesystem, root: Path, outside: Path, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(outside / "f")

    with _swapping(root / "in" / "f", tmp_path / "link"):
        seen = [each for _ in range(1_500) for each in _readings(fs)]

    assert not [each for each in seen if OUTSIDE.strip() in each]
    assert any("inside" in each for each in seen)
    assert any("FORBIDDEN" in each for each in seen)


# Two names change places in one call of the kernel: there is always one or the other, and never for long.
SWAP = """
import ctypes, os, sys
swap = ctypes.CDLL(None).renameat2
one, other = map(os.fsencode, sys.argv[1:])
for turn in range(50_000_000):
    swap(-100, one, -100, other, 2)
    if turn == 1:
        print("swapping", flush=True)
"""


@contextmanager
def _swapping(place: Path, link: Path) -> Iterator[None]:
    with Popen([sys.executable, "-c", SWAP, str(place), str(link)], stdout=PIPE, text=True) as swapper:
        assert swapper.stdout
        assert swapper.stdout.readline() == "swapping\n"
        try:
            yield
        finally:
            swapper.kill()


def _attempts(fs: HostFilesystem) -> list[str]:
    return _said(
        lambda: fs.read("in/deep/f").content,
        lambda: fs.write("in/deep/f", "inside\n"),
        lambda: fs.write("in/deep/f", "inside\n", "append"),
        lambda: fs.grep(".", "in"),
        lambda: fs.list("in/deep"),
        lambda: fs.copy("in/deep", "in/copy"),
        lambda: fs.delete("in/copy", recursive=True),
        lambda: fs.mkdir("in/deep/new"),
        lambda: fs.delete("in/deep/new"),
    )


def _readings(fs: HostFilesystem) -> list[str]:
    return _said(lambda: fs.read("in/f").content, lambda: fs.grep(".", "in"), lambda: fs.grep(".", "in/f"))


def _said(*calls: Callable[[], object]) -> list[str]:
    answers: list[str] = []
    for call in calls:
        try:
            answers.append(str(call()))
        except Refusal as refusal:
            answers.append(refusal.code)
    return answers


def _everything(place: Path) -> dict[str, object]:
    found: dict[str, object] = {}
    for path in sorted(place.rglob("*")):
        name = path.relative_to(place).as_posix()
        if path.is_symlink():
            found[name] = path.readlink()
        else:
            found[name] = path.read_bytes() if path.is_file() else None
    return found


def _names(place: Path) -> list[str]:
    return sorted(entry.name for entry in place.iterdir())
