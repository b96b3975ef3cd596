"""Git's HEAD is read from its files: every move shows, however git keeps its refs."""

from pathlib import Path

from gatepost.files.git_head import head_of
from tests.tsk.test_git_life import git


def test_every_move_of_head_shows_and_nothing_else_does(tmp_path: Path) -> None:
    assert head_of(str(tmp_path)) is None
    git(tmp_path, "init", "-q", "repo")
    repo = tmp_path / "repo"
    (repo / "below").mkdir()
    seen = [head_of(str(repo))]
    moves = (
        ("commit", "-q", "--allow-empty", "-m", "one"),
        ("checkout", "-q", "-b", "feature"),
        ("commit", "-q", "--allow-empty", "-m", "two"),
        ("checkout", "-q", "main"),
        ("checkout", "-q", "--detach", "feature"),
        ("checkout", "-q", "main"),
        ("merge", "-q", "--no-ff", "--no-commit", "feature"),
    )
    for move in moves:
        git(repo, *move)
        seen.append(head_of(str(repo)))

    assert len(set(seen)) == len(seen)
    now = seen[-1]
    git(repo, "pack-refs", "--all")
    (repo / "file").write_text("untracked")
    git(repo, "branch", "another")
    assert head_of(str(repo)) == head_of(str(repo / "below")) == now
    assert now is not None
    assert git(repo, "rev-parse", "HEAD") in now


def test_a_worktree_has_a_head_of_its_own(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "repo")
    repo, tree = tmp_path / "repo", tmp_path / "tree"
    git(repo, "commit", "-q", "--allow-empty", "-m", "one")
    git(repo, "worktree", "add", "-q", str(tree))
    before = head_of(str(repo)), head_of(str(tree))

    git(tree, "commit", "-q", "--allow-empty", "-m", "two")

    assert head_of(str(repo)) == before[0]
    moved = head_of(str(tree))
    assert moved not in before
    assert git(tree, "rev-parse", "HEAD") in str(moved)


def test_what_is_no_repository_in_order_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    assert head_of(str(tmp_path)) == "@0"
    (tmp_path / ".git" / "HEAD").write_bytes(b"ref: refs/heads/\xff\n")
    assert head_of(str(tmp_path)) is not None
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / ".git").write_text("gitdir: ../nowhere\n")
    assert head_of(str(tmp_path / "linked")) == "@0"
