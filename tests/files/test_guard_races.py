"""Swapped between check and use: another process keeps putting a link or a package where a folder was."""

import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from subprocess import PIPE, Popen
from time import monotonic

import pytest

from gatepost.files.host import HostFilesystem
from tests.files.guarded import MARK, Call, asked, everything, package

ROUNDS = 1_000
SECONDS = 2.5
"""A bound for slow machines, not a measure: every round that is played is judged."""

# Two names change places in one call of the kernel: there is always one or the other, and never for long.
SWAP = """
import ctypes, os, sys
swap = ctypes.CDLL(None).renameat2
one, other = map(os.fsencode, sys.argv[1:])
turn = 0
while os.getppid() == PARENT:
    swap(-100, one, -100, other, 2)
    turn += 1
    if turn == 2:
        print("swapping", flush=True)
"""

READING: list[Call] = [
    ("read", "in/goals.md"),
    ("read", "in/notes/extra.md"),
    ("list", "in"),
    ("glob", "**/*.md"),
    ("grep", "."),
    ("grep", ".", "in/goals.md"),
    ("stat", "in/goals.md"),
]
WRITING: list[Call] = [
    ("write", "in/goals.md", "ours\n"),
    ("write", "in/notes/extra.md", "ours\n", "append"),
    ("write", "in/edited", "ours\n"),
    ("edit", "in/edited", [("ours", "still ours")]),
    ("edit", "in/goals.md", [(MARK, "ours")]),
    ("write", "in/new/f", "ours\n", "create"),
    ("delete", "in/new", True),
    ("mkdir", "in/made"),
    ("delete", "in/made"),
    ("move", "free.txt", "in/moved"),
    ("move", "in/moved", "free.txt"),
    ("copy", "in", "copied"),
    ("delete", "copied", True),
]
RENAMING: list[Call] = [
    ("move", "in", "out"),
    ("move", "out", "in"),
    ("delete", "in/notes", True),
    ("delete", "in", True),
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    _refill(root)
    (root / "free.txt").write_text("ours\n")
    return root


@pytest.mark.requirement("guard.path.races", "guard.path.identity")
@pytest.mark.parametrize("calls", [READING, WRITING], ids=["reading", "writing"])
@pytest.mark.parametrize("swapped", ["link", "package", "link in its place"])
def test_what_is_swapped_in_while_calls_run_is_neither_read_nor_changed(
    root: Path, tmp_path: Path, swapped: str, calls: list[Call]
) -> None:
    kept = package(tmp_path / "kept" / "a.tsk") if swapped == "link" else package(root / "a.tsk")
    place, other = root / "in", tmp_path / "link"
    if swapped == "package":
        other = kept
    else:
        other.symlink_to(kept)
    held = os.open(kept, os.O_RDONLY)
    before = _inside(held)

    with HostFilesystem(root) as fs, _swapping(place, other):
        seen = Counter(code for code, _ in islice(_answers(fs, calls), ROUNDS * len(calls)))

    assert _inside(held) == before
    os.close(held)
    # Both happened, or the race was none.
    assert seen["ok"]
    assert seen["FORBIDDEN_PATH"]


@pytest.mark.requirement("guard.path.races", "guard.ancestor.refused")
def test_a_package_that_is_swapped_in_for_what_is_moved_or_deleted_stays_whole(root: Path) -> None:
    kept = package(root / "a.tsk")
    held = os.open(kept, os.O_RDONLY)
    before = _inside(held)
    seen: Counter[str] = Counter()

    with HostFilesystem(root) as fs, _swapping(root / "in", kept):
        for _ in _rounds():
            seen.update(asked(fs, call)[0] for call in RENAMING)
            assert _inside(held) == before
            if not (root / "in").exists():
                _refill(root)

    assert _place(held) in (root / "in", root / "a.tsk")
    os.close(held)
    assert seen["ok"]
    assert seen["FORBIDDEN_PATH"]


@pytest.mark.requirement("guard.path.races")
def test_a_package_that_is_swapped_in_for_a_file_is_neither_moved_nor_deleted_nor_restored_away(root: Path) -> None:
    (root / "f").write_text("ours\n")
    kept = package(root / "a.tsk")
    held = os.open(kept, os.O_RDONLY)
    before = _inside(held)
    seen: Counter[str] = Counter()

    with HostFilesystem(root) as fs:
        moment = fs.snapshot()
        with _swapping(root / "f", kept):
            for _ in _rounds():
                calls = (("write", "f", "x"), ("restore", moment), ("move", "f", "g"), ("move", "g", "f"))
                seen.update(asked(fs, call)[0] for call in (*calls, ("copy", "f", "h"), ("delete", "h")))
                assert _inside(held) == before

    assert _place(held) in (root / "f", root / "a.tsk")
    os.close(held)
    assert seen["ok"]
    assert seen["FORBIDDEN_PATH"]


def _refill(root: Path) -> None:
    new = root / "new-in"
    (new / "notes").mkdir(parents=True)
    (new / "goals.md").write_text("ours\n")
    (new / "notes" / "extra.md").write_text("ours\n")
    new.rename(root / "in")


def _answers(fs: HostFilesystem, calls: list[Call]) -> Iterator[tuple[str, object]]:
    for _ in _rounds():
        for call in calls:
            yield asked(fs, call)


def _rounds() -> Iterator[int]:
    until = monotonic() + SECONDS
    for number in range(ROUNDS):
        if monotonic() > until:
            return
        yield number


@contextmanager
def _swapping(place: Path, other: Path) -> Iterator[None]:
    program = SWAP.replace("PARENT", str(os.getpid()))
    with Popen([sys.executable, "-c", program, str(place), str(other)], stdout=PIPE, text=True) as swapper:
        assert swapper.stdout
        assert swapper.stdout.readline() == "swapping\n"
        try:
            yield
        finally:
            swapper.kill()


def _place(directory: int) -> Path:
    """Where a directory is now."""
    return Path(f"/proc/self/fd/{directory}").readlink()


def _inside(directory: int) -> dict[str, object]:
    """What is in a directory, wherever it is now."""
    found = everything(Path(f"/proc/self/fd/{directory}"))
    assert any(MARK.encode() in repr(each).encode() for each in found.values())
    return found
