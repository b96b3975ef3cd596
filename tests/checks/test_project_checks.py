"""The checks of a project: proofs are judged where they were made."""

from pathlib import Path

from gatepost.checks.project_checks import ProjectChecks


def project(folder: Path) -> ProjectChecks:
    folder.mkdir(parents=True)
    (folder / "a.txt").write_text("one", encoding="ascii")
    return ProjectChecks(str(folder))


def test_a_proof_of_another_folder_is_not_judged_by_this_one(tmp_path: Path) -> None:
    here, there = project(tmp_path / "x" / "shop"), project(tmp_path / "y" / "shop")
    mark = here.mark(())

    (tmp_path / "x" / "shop" / "a.txt").write_text("two", encoding="ascii")
    (tmp_path / "y" / "shop" / "a.txt").write_text("two", encoding="ascii")

    assert here.trees().is_stale((), mark)
    assert not there.trees().is_stale((), mark)


def test_a_mark_names_its_folder_without_its_path(tmp_path: Path) -> None:
    mark = project(tmp_path / "shop").mark(())

    assert mark.worktree is not None
    assert mark.worktree.startswith("shop:")
    assert str(tmp_path) not in mark.worktree
