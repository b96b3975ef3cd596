"""Where a filesystem on disk may begin, and what may be mounted below it: no package, whatever it is called."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gatepost.domain.refusals import ForbiddenPath
from gatepost.files.host import HostFilesystem
from tests.files.guarded import PACKAGE, asked, closed_things, furnish, is_about_packages, package


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    return furnish(tmp_path / "root")


@pytest.mark.requirement("guard.path.as-resolved", "guard.path.identity")
@pytest.mark.parametrize(
    "place",
    [
        PACKAGE,
        f"{PACKAGE}/",
        f"{PACKAGE}/notes",
        f"{PACKAGE}/inner.tsk",
        ".tsk",
        "link",
        "link/notes",
        "up/b",
        "up/b/notes",
        "free/../tasks/a.tsk",
        "odd.TSK.",
    ],
)
def test_a_root_that_is_or_lies_in_a_package_is_refused(root: Path, place: str) -> None:
    (root / "link").symlink_to(PACKAGE)
    package(root / "up" / "b")
    (root / "odd.TSK.").mkdir()
    before = _descriptors()

    with pytest.raises(ForbiddenPath, match="`root`") as refused:
        HostFilesystem(root / place)

    assert is_about_packages(refused.value)
    assert _descriptors() == before


def test_a_root_in_the_store_s_own_folder_is_refused(root: Path) -> None:
    with pytest.raises(ForbiddenPath, match="belongs to Gatepost"):
        HostFilesystem(root / ".gatepost")


@pytest.mark.requirement("guard.path.as-resolved")
def test_a_root_named_by_the_process_is_what_it_leads_to(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root / PACKAGE)
    descriptor = os.open(root / PACKAGE, os.O_RDONLY)

    for place in ("/proc/self/cwd", f"/proc/self/fd/{descriptor}", "/proc/thread-self/cwd/notes", "."):
        with pytest.raises(ForbiddenPath):
            HostFilesystem(place)
    monkeypatch.chdir(root / "free")
    with HostFilesystem("/proc/self/cwd") as fs:
        assert fs.read("f.txt").content == "free\n"
    os.close(descriptor)


@pytest.mark.requirement("guard.path.identity")
def test_from_a_root_in_proc_no_way_leads_to_where_the_process_is(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root / PACKAGE)
    descriptor = os.open("goals.md", os.O_RDONLY)

    with HostFilesystem("/proc/self") as fs:
        for path in ("cwd/goals.md", f"fd/{descriptor}", "root/etc", "task/x/../../cwd/goals.md"):
            for call in (("read", path), ("grep", ".", path), ("list", path), ("copy", path, "new")):
                assert asked(fs, call)[0] == "FORBIDDEN_PATH"
    os.close(descriptor)


@pytest.mark.requirement("guard.path.as-resolved")
@pytest.mark.parametrize("becoming", ["root.tsk", "package"])
def test_a_root_that_becomes_a_package_while_it_is_open_closes(root: Path, becoming: str) -> None:
    with HostFilesystem(root / "free") as fs:
        assert fs.read("f.txt").content == "free\n"
        if becoming == "package":
            shutil.copytree(root / PACKAGE, root / "free", dirs_exist_ok=True)
        else:
            root.rename(root.with_name("root.tsk"))

        calls = (("read", "f.txt"), ("write", "f.txt", "x"), ("list", "."), ("grep", "."), ("snapshot",))
        for call in calls:
            assert asked(fs, call)[0] == "FORBIDDEN_PATH"


MOUNTED = """
import subprocess, sys
from pathlib import Path
from gatepost.files.host import HostFilesystem
from gatepost.domain.refusals import ForbiddenPath
from tests.files.guarded import asked
from tests.files.test_guard_on_disk import into

root = Path(sys.argv[1])
def mount(source, target):
    subprocess.run(["mount", "--bind", str(root / source), str(root / target)], check=True)

mount("tasks/a.tsk", "free/whole")
mount("tasks", "free/parent")
mount("sub", "free/plain")
FORBIDDEN = "FORBIDDEN_PATH"
with HostFilesystem(root) as fs:
    for place in ("free/whole", "free/parent/a.tsk"):
        for call in [*into(place), ("stat", place), ("delete", place, True)]:
            assert asked(fs, call)[0] == FORBIDDEN, call
    for call in [("move", "free", "new"), ("copy", "free", "new"), ("delete", "free", True)]:
        assert asked(fs, call)[0] == FORBIDDEN, call
    assert fs.grep("secret") == ()
    assert fs.glob("free/*/*.md") == ("free/parent/plain.md", "free/sub/goals.md")
    assert fs.read("free/plain/f").content == "sub\\n"
    moment = fs.snapshot()
    assert not any(at[:2] == ("free", "whole") for at in moment.files)
    fs.write("free/f.txt", "changed\\n")
    fs.restore(moment)
    assert fs.read("free/f.txt").content == "free\\n"
try:
    HostFilesystem(root / "free/whole")
except ForbiddenPath:
    print("kept out")
"""


@pytest.mark.requirement("guard.path.identity", "guard.path.as-resolved")
def test_a_package_that_is_mounted_is_closed_at_its_second_place(root: Path) -> None:
    for name in ("whole", "parent", "plain"):
        (root / "free" / name).mkdir()
    (root / "sub").mkdir()
    (root / "sub" / "f").write_text("sub\n")
    before = closed_things(root)
    apart = _apart()
    if apart is None:
        pytest.skip("BIND MOUNTS NOT TESTED: this machine lets us make no mount namespace")

    done = subprocess.run(
        [*apart, sys.executable, "-c", MOUNTED, str(root)], capture_output=True, text=True, check=False
    )

    assert (done.stdout, done.stderr[-2_000:]) == ("kept out\n", "")
    assert closed_things(root) == before


def _apart() -> list[str] | None:
    """How to run a command in mounts of its own, if one may: as root, or as a user who is root in there."""
    for command in (["unshare", "-m"], ["unshare", "-rm"]):
        try:
            subprocess.run([*command, "mount", "--bind", "/usr", "/usr"], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            continue
        return command
    return None


def _descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))
