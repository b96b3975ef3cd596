"""Git's folder is read and never changed, under whatever name: no call of ours makes `git status` run a command."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gatepost.domain.refusals import ForbiddenPath, Refusal
from gatepost.files.host import HostFilesystem
from tests.files.guarded import everything

RAN = "git-ran-a-command"
QUIET = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CEILING_DIRECTORIES": tempfile.gettempdir(),
    "HOME": os.devnull,
    "PATH": os.environ["PATH"],
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with a submodule's `.git` file, a repository without a work tree, and a link."""
    git(tmp_path, "init", "-q")
    (tmp_path / "free").mkdir()
    (tmp_path / "free" / "f.txt").write_text("free\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / ".git").write_text("gitdir: ../.git/modules/sub\n")
    git(tmp_path, "init", "-q", "--bare", "store")
    (tmp_path / "link").symlink_to(".git")
    return tmp_path


@pytest.mark.requirement("files.git.only-read")
def test_nothing_of_git_s_is_changed_by_any_verb_and_all_of_it_can_be_read(root: Path) -> None:
    before = everything(root)
    places = (".git", ".git/config", ".git/hooks/new", ".GIT/config", "sub/.git", "store/config", "store/hooks/new")

    with HostFilesystem(root) as fs:
        for path in (*places, "link/config", "free/.git/config"):
            for verb, *arguments in changing(path):
                with pytest.raises(ForbiddenPath) as refused:
                    getattr(fs, verb)(*arguments)
                told = f"{refused.value.message} {refused.value.recovery}"
                assert "with git itself" in told or "links are not followed" in told, (verb, path)
        for holder in ("sub", "sub/../sub"):
            for call in (
                lambda at=holder: fs.move(at, "b"),
                lambda at=holder: fs.copy(at, "b"),
                lambda at=holder: fs.delete(at, recursive=True),
            ):
                with pytest.raises(ForbiddenPath, match=r"holds sub/\.git"):
                    call()

        assert everything(root) == before
        assert "[core]" in fs.read(".git/config").content
        assert fs.read("sub/.git").content.startswith("gitdir:")
        assert fs.stat(".git").kind == "directory"
        assert fs.copy(".git/config", "free/config").size == fs.stat(".git/config").size
        assert fs.move("store", "kept").kind == "directory"
        fs.delete("kept", recursive=True)


@pytest.mark.requirement("files.git.only-read")
@pytest.mark.parametrize("inside", [".git", ".git/hooks", "store", "store/hooks"])
def test_a_root_inside_of_git_s_folder_is_only_read(root: Path, inside: str) -> None:
    before = everything(root)

    with HostFilesystem(root / inside) as fs:
        assert fs.list()
        with pytest.raises(ForbiddenPath, match="git runs commands"):
            fs.write("new", "x")

    assert everything(root) == before


@pytest.mark.requirement("files.git.only-read")
def test_a_snapshot_neither_holds_nor_takes_back_what_git_does(root: Path) -> None:
    with HostFilesystem(root) as fs:
        taken = fs.snapshot()
        fs.write("free/f.txt", "changed\n")
        for place in (".git", "store"):
            git(root / place, "config", "core.editor", "vi")
        before = everything(root / "store")
        fs.restore(taken)

    assert (root / "free" / "f.txt").read_text() == "free\n"
    assert "editor = vi" in (root / ".git" / "config").read_text()
    assert everything(root / "store") == before


NAMES = ("HEAD", "config", "objects", "refs", "commondir", ".git", ".GIT", "a", "gitdir")
PATHS = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3).map("/".join)
TEXTS = (
    "ref: refs/heads/main\n",
    f'[core]\nrepositoryformatversion = 0\nfsmonitor = "touch {RAN}; false"\nworktree = .\nbare = false\n',
    "..\n",
    "a\n",
    "gitdir: a\n",
    "gitdir: ../a\n",
)
CALLS = st.one_of(
    st.tuples(st.just("write"), PATHS, st.sampled_from(TEXTS)),
    st.tuples(st.just("mkdir"), PATHS),
    st.tuples(st.sampled_from(("move", "copy")), PATHS, PATHS),
    st.tuples(st.just("delete"), PATHS, st.just(True)),
)
BARE: list[tuple[Any, ...]] = [("write", "a/config", TEXTS[1]), ("write", "a/HEAD", TEXTS[0])]


@pytest.mark.requirement("files.git.only-read")
@settings(max_examples=25, deadline=None)
@given(calls=st.lists(CALLS, max_size=12))
@example(calls=[*BARE, ("mkdir", "a/objects"), ("mkdir", "a/refs")])
@example(calls=[*BARE, ("mkdir", "a/objects"), ("write", "a/refs/a", "x")])
@example(
    calls=[("write", "config", TEXTS[1]), ("mkdir", "objects"), ("mkdir", "refs"), ("write", "HEAD", TEXTS[0])]
)
@example(
    calls=[
        *BARE,
        ("mkdir", "objects"),
        ("mkdir", "refs"),
        ("move", "objects", "a/objects"),
        ("copy", "refs", "a/refs"),
    ]
)
@example(
    calls=[
        *BARE,
        ("mkdir", "objects"),
        ("mkdir", "refs"),
        ("write", "config", TEXTS[1]),
        ("write", "a/commondir", "..\n"),
    ]
)
@example(calls=[*BARE, ("mkdir", "a/objects"), ("move", "a", ".git"), ("mkdir", ".git/refs")])
def test_no_history_of_calls_makes_git_status_run_a_command(calls: list[tuple[Any, ...]]) -> None:
    with tempfile.TemporaryDirectory() as place:
        with HostFilesystem(place) as fs:
            for verb, *arguments in calls:
                with suppress(Refusal):
                    getattr(fs, verb)(*arguments)

        for directory in suspects(Path(place)):
            git(directory, "status", check=False)

        assert not list(Path(place).rglob(RAN))


def test_the_search_for_commands_would_find_one(tmp_path: Path) -> None:
    for name in ("objects", "refs"):
        (tmp_path / "a" / name).mkdir(parents=True)
    (tmp_path / "a" / "config").write_text(TEXTS[1])
    (tmp_path / "a" / "HEAD").write_text(TEXTS[0])

    for directory in suspects(tmp_path):
        git(directory, "status", check=False)

    assert list(tmp_path.rglob(RAN))


def changing(path: str) -> list[tuple[Any, ...]]:
    """Every way to change what is at a path."""
    return [
        ("write", path, "x"),
        ("write", path, "x", "append"),
        ("edit", path, [("core", "x")]),
        ("mkdir", f"{path}/x"),
        ("move", path, "free/new"),
        ("move", "free/f.txt", path),
        ("copy", "free/f.txt", path),
        ("delete", path, True),
    ]


def suspects(place: Path) -> Iterator[Path]:
    """Where git could take something for a repository's own: nowhere else does it look at more than names."""
    for directory, inner, names in os.walk(place):
        if {"HEAD", ".git", ".GIT"} & {*names, *inner}:
            yield Path(directory)


def git(place: Path, *arguments: str, check: bool = True) -> None:
    subprocess.run(["git", *arguments], cwd=place, env=QUIET, check=check, capture_output=True, timeout=60)
