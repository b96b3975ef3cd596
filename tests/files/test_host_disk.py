"""A disk that says no, processes that are killed, several that want the same: real ones, as children."""

import json
import os
import stat
import sys
from pathlib import Path
from subprocess import PIPE, Popen, run
from typing import Any

import pytest

from gatepost.files import atomic_writes, temporary_names
from gatepost.files.host import HostFilesystem

BEGIN = """
import json, os, resource, sys
import re2, gatepost.files.re2_syntax  # before the rights are dropped: they may be where only root can read
from gatepost.domain.refusals import Refusal
from gatepost.files.host import HostFilesystem

fs = HostFilesystem(sys.argv[1])

def ask(call):
    try:
        call()
        return "done"
    except Refusal as refusal:
        return [type(refusal).__name__, refusal.message, refusal.recovery]
"""

# Opened before: an ordinary user may go on from a descriptor where a path would not let them through.
AS_NOBODY = BEGIN + "os.geteuid() or os.setuid(65534)\n"
NO_LONG_FILES = BEGIN + "resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, 1_000))\n"
KILLED_AT_SYNC = BEGIN + "os.fsync = lambda descriptor: os.kill(os.getpid(), 9)\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir(mode=0o777)
    (tmp_path / "root").chmod(0o777)
    return tmp_path / "root"


@pytest.mark.requirement("files.failure.changes-nothing")
def test_a_write_that_the_disk_breaks_off_leaves_neither_file_nor_directory_nor_change(root: Path) -> None:
    (root / "old").write_text("old")
    (root / "long").write_text("l" * 5_000)

    new, over, more, edited, copied = _child(
        NO_LONG_FILES,
        root,
        'fs.write("a/b/new", "x" * 2_000)',
        'fs.write("old", "x" * 2_000)',
        'fs.write("old", "x" * 2_000, "append")',
        'fs.edit("old", [("o", "x" * 2_000)])',
        'fs.copy("long", "c/copy")',
    )

    for kind, message, recovery in (new, over, more, edited, copied):
        assert kind == "DiskRefused"
        assert "File too large" in message
        assert "Nothing was changed" in recovery
    assert "a/b/new" in new[1]
    assert _everything(root) == {"old": "old", "long": "l" * 5_000}


@pytest.mark.requirement("files.failure.changes-nothing")
def test_a_copy_of_a_tree_that_the_disk_breaks_off_leaves_nothing_of_it(root: Path) -> None:
    (root / "d" / "e").mkdir(parents=True)
    (root / "d" / "a").write_text("short")
    (root / "d" / "e" / "z").write_text("l" * 5_000)
    before = _everything(root)

    (refused,) = _child(NO_LONG_FILES, root, 'fs.copy("d", "n/copy")')

    assert refused[0] == "DiskRefused"
    assert _everything(root) == before


@pytest.mark.requirement("files.failure.changes-nothing")
def test_a_restore_that_the_disk_breaks_off_is_taken_back(root: Path) -> None:
    (root / "d").mkdir()
    (root / "d" / "a").write_text("a")
    (root / "d" / "z").write_text("l" * 5_000)
    steps = (
        "kept.append(fs.snapshot())",
        'fs.delete("d", True)',
        'fs.write("d", "a file now")',
        'fs.write("n/f", "new")',
        "fs.restore(kept[0])",
    )

    *changed, refused = _child(f"{NO_LONG_FILES}kept = []\n", root, *steps)

    assert changed == ["done"] * 4
    assert refused[0] == "DiskRefused"
    assert _everything(root) == {"d": "a file now", "n": None, "n/f": "new"}


@pytest.mark.requirement("files.failure.changes-nothing")
def test_what_may_not_be_written_is_refused_and_stays_whole(root: Path) -> None:
    for path in ("shut/f", "open/f", "tree/shut/f"):
        (root / path).parent.mkdir(parents=True)
        (root / path).write_text("old")
        (root / path).parent.chmod(0o777)
    (root / "tree").chmod(0o777)
    (root / "open" / "f").chmod(0o444)
    for path in ("shut", "tree/shut"):
        (root / path).chmod(0o555)
    before = _everything(root)

    asked = (
        'fs.write("shut/f", "new")',
        'fs.write("shut/new/file", "new")',
        'fs.write("open/f", "new")',
        'fs.write("open/f", "new", "append")',
        'fs.edit("open/f", [("old", "new")])',
        'fs.edit("shut/f", [("old", "new")])',
        'fs.delete("shut/f")',
        'fs.delete("tree", True)',
        'fs.move("shut/f", "moved")',
        'fs.copy("open/f", "shut/g")',
        'fs.mkdir("shut/d")',
    )
    refused = _child(AS_NOBODY, root, *asked)

    assert [each[0] for each in refused] == ["DiskRefused"] * len(asked)
    assert _everything(root) == before


def test_what_may_not_be_read_is_refused_by_name_and_passed_over_by_a_search(root: Path) -> None:
    (root / "d").mkdir()
    (root / "d" / "f").write_text("found")
    (root / "mine").write_text("found")
    (root / "f").write_text("found")
    (root / "names").mkdir()
    (root / "names" / "f").write_text("found")
    (root / "names").chmod(0o444)
    (root / "d").chmod(0)
    (root / "f").chmod(0)

    listed, read, snapshot, *searched = _child(
        AS_NOBODY,
        root,
        'fs.list("d")',
        'fs.read("f")',
        "fs.snapshot()",
        '[m.path for m in fs.grep("found")] == ["mine"] or fs.read("no")',
        'fs.glob("**") == ("d", "f", "mine", "names") or fs.read("no")',
    )
    for name in ("d", "names"):
        (root / name).chmod(0o777)

    assert [each[0] for each in (listed, read, snapshot)] == ["DiskRefused"] * 3
    assert "Permission denied" in read[1]
    assert searched == ["done", "done"]


def test_a_killed_write_leaves_the_old_file_and_nothing_that_can_be_seen_or_is_in_the_way(root: Path) -> None:
    (root / "d").mkdir()
    (root / "d" / "f").write_text("old")

    _killed(KILLED_AT_SYNC, root, 'fs.write("d/f", "new")')
    left = [name for name in _names(root / "d") if name != "f"]

    assert len(left) == 1
    assert temporary_names.is_scratch(left[0])
    with HostFilesystem(root) as fs:
        assert [entry.path for entry in fs.list("d")] == ["d/f"]
        assert fs.glob("**") == ("d", "d/f")
        assert [match.text for match in fs.grep(".")] == ["old"]
        for refused in (lambda: fs.read(f"d/{left[0]}"), lambda: fs.write(f"d/{left[0]}", "x")):
            with pytest.raises(PermissionError):
                refused()
        fs.copy("d", "e")
        assert _names(root / "e") == ["f"]
        fs.write("d/f", "newer")
        fs.delete("d/f")
        fs.delete("d")
    assert _names(root) == ["e"]


def test_a_write_keeps_the_mode_of_the_file_and_a_new_file_has_the_usual_one(root: Path) -> None:
    (root / "script").write_text("old")
    (root / "script").chmod(0o750)
    umask = os.umask(0o027)

    try:
        with HostFilesystem(root) as fs:
            fs.write("script", "new")
            fs.write("fresh", "x")
            fs.copy("script", "copy")
            fs.mkdir("d")
    finally:
        os.umask(umask)

    modes = {name: stat.S_IMODE((root / name).stat().st_mode) for name in _names(root)}
    assert modes == {"script": 0o750, "fresh": 0o640, "copy": 0o750, "d": 0o750}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can have a file that is somebody else's")
def test_a_write_leaves_a_file_to_its_owner(root: Path) -> None:
    (root / "f").write_text("old")
    os.chown(root / "f", 65534, 65534)

    with HostFilesystem(root) as fs:
        fs.write("f", "new")

    found = (root / "f").stat()
    assert (found.st_uid, found.st_gid) == (65534, 65534)


def test_of_several_processes_that_create_one_file_exactly_one_succeeds(root: Path) -> None:
    script = BEGIN + (
        "sys.stdin.readline()\n"
        'won = [n for n in range(50) if ask(lambda: fs.write(f"d/{n}", sys.argv[2], "create")) == "done"]\n'
        "print(json.dumps(won))\n"
    )
    racers = [
        Popen([sys.executable, "-c", script, str(root), str(racer)], stdin=PIPE, stdout=PIPE, text=True)
        for racer in range(4)
    ]
    for racer in racers:
        assert racer.stdin
        racer.stdin.write("go\n")
        racer.stdin.flush()
    won: list[list[int]] = [json.loads(racer.communicate()[0]) for racer in racers]

    assert sorted(n for each in won for n in each) == list(range(50))
    for number, each in enumerate(won):
        assert all((root / "d" / str(n)).read_text() == str(number) for n in each)
    assert len(_names(root / "d")) == 50


@pytest.mark.parametrize("rename", [atomic_writes.rename_new, atomic_writes._rename_checked])
def test_no_way_of_renaming_replaces_what_is_there(root: Path, rename: Any) -> None:
    for name in ("f", "g", "d/f", "e/f"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(name)
    (root / "empty").mkdir()
    (root / "link").symlink_to("nothing")
    before = _everything(root)
    here = os.open(root, os.O_RDONLY)

    try:
        for source, target in (("f", "g"), ("f", "d"), ("d", "e"), ("d", "f"), ("d", "empty"), ("f", "link")):
            with pytest.raises(FileExistsError):
                rename(here, source, here, target)
        assert _everything(root) == before
        rename(here, "f", here, "new-f")
        rename(here, "d", here, "new-d")
    finally:
        os.close(here)

    assert _names(root) == ["e", "empty", "g", "link", "new-d", "new-f"]


def _child(begin: str, root: Path, *calls: str) -> Any:
    """What each call says in a process of its own that begins so."""
    asked = "".join(f"said.append(ask(lambda: {call}))\n" for call in calls)
    script = f"{begin}said = []\n{asked}print(json.dumps(said))\n"
    ran = run([sys.executable, "-c", script, str(root)], capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def _killed(begin: str, root: Path, call: str) -> None:
    ran = run([sys.executable, "-c", f"{begin}{call}\n", str(root)], capture_output=True, timeout=60)
    assert ran.returncode == -9, ran.stderr


def _everything(root: Path) -> dict[str, str | None]:
    return {
        path.relative_to(root).as_posix(): path.read_text() if path.is_file() else None for path in root.rglob("*")
    }


def _names(place: Path) -> list[str]:
    return sorted(entry.name for entry in place.iterdir())
