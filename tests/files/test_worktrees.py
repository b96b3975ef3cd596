"""Linked worktrees are found from git's own files, and only where the repository knows them too."""

import os
from pathlib import Path

import pytest

from gatepost.files.worktrees import linked_worktree
from tests.tsk.test_git_life import git


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository with a commit."""
    git(tmp_path, "init", "-q", "repo")
    git(tmp_path / "repo", "commit", "-q", "--allow-empty", "-m", "one")
    return tmp_path / "repo"


def found(folder: Path) -> tuple[str, str] | None:
    linked = linked_worktree(str(folder))
    return None if linked is None else (linked.name, linked.main)


@pytest.mark.requirement("crew.worktrees.shared")
@pytest.mark.parametrize("where", ["../tree", "inside/tree"])
def test_a_worktree_leads_to_its_main_folder_wherever_it_is(repo: Path, where: str) -> None:
    git(repo, "worktree", "add", "-q", where)

    assert found(repo / where) == ("tree", str(repo.resolve()))


def test_two_worktrees_of_one_name_have_names_of_their_own(repo: Path) -> None:
    git(repo, "worktree", "add", "-q", "../a/tree")
    git(repo, "worktree", "add", "-q", "../b/tree", "-b", "other")

    names = {(found(repo.parent / it / "tree") or ("", ""))[0] for it in "ab"}

    assert len(names) == 2


def test_paths_that_are_written_relative_to_the_folders_are_followed(repo: Path) -> None:
    git(repo, "worktree", "add", "-q", "../tree")
    (repo.parent / "tree" / ".git").write_text("gitdir: ../repo/.git/worktrees/tree\n")
    (repo / ".git" / "worktrees" / "tree" / "gitdir").write_text("../../../../tree/.git\n")

    assert found(repo.parent / "tree") == ("tree", str(repo.resolve()))


def test_a_link_to_a_worktree_is_that_worktree(repo: Path) -> None:
    git(repo, "worktree", "add", "-q", "../tree")
    (repo.parent / "link").symlink_to("tree")

    assert found(repo.parent / "link") == ("tree", str(repo.resolve()))


def test_a_main_folder_a_submodule_and_a_bare_repository_have_no_other_folder(repo: Path, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "outer")
    git(tmp_path / "outer", "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(repo), "inner")
    git(tmp_path, "clone", "-q", "--bare", str(repo), "bare.git")
    git(tmp_path / "bare.git", "worktree", "add", "-q", "../of_bare")

    folders = (repo, tmp_path / "outer" / "inner", tmp_path / "bare.git", tmp_path / "of_bare", tmp_path)

    assert [found(folder) for folder in folders] == [None] * 5


@pytest.mark.requirement("crew.worktrees.not-believed")
def test_a_folder_that_claims_to_be_a_worktree_is_not_believed(repo: Path, tmp_path: Path) -> None:
    git(repo, "worktree", "add", "-q", "../tree")
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / ".git").write_text(f"gitdir: {repo}/.git/worktrees/tree\n")
    assert found(theirs) is None, "the repository knows that worktree elsewhere"

    own = theirs / "own"
    own.mkdir()
    (own / "commondir").write_text(f"{repo}/.git\n")
    (own / "gitdir").write_text(f"{theirs}/.git\n")
    (theirs / ".git").write_text("gitdir: own\n")
    assert found(theirs) is None, "the repository does not know it"


@pytest.mark.requirement("crew.worktrees.not-believed")
@pytest.mark.parametrize(
    "text", [b"", b"gitdir: \0", b"gitdir: nowhere\n", b"gitdir: .\n", b"gitdir: " + b"x" * 100_000, b"\xff\xfe"]
)
def test_a_file_that_is_broken_or_long_is_no_worktree(tmp_path: Path, text: bytes) -> None:
    (tmp_path / ".git").write_bytes(text)

    assert found(tmp_path) is None


@pytest.mark.requirement("crew.worktrees.not-believed")
def test_a_pipe_in_place_of_a_file_does_not_block(repo: Path) -> None:
    git(repo, "worktree", "add", "-q", "../tree")
    known = repo / ".git" / "worktrees" / "tree"
    for name in (known / "commondir", known / "gitdir", repo.parent / "tree" / ".git"):
        held = name.read_bytes()
        name.unlink()
        os.mkfifo(name)
        assert found(repo.parent / "tree") is None
        name.unlink()
        name.write_bytes(held)
    assert found(repo.parent / "tree") is not None


def test_a_folder_whose_pointer_is_a_link_to_a_worktrees_is_not_that_worktree(repo: Path, tmp_path: Path) -> None:
    git(repo, "worktree", "add", "-q", "../tree")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / ".git").symlink_to(repo.parent / "tree" / ".git")

    assert found(tmp_path / "other") is None
