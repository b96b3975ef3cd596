"""Whose packages a store writes: those of the project it belongs to, and of no other."""

from pathlib import Path

import pytest

import gatepost
from gatepost.surfaces.cli.main import run


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project to stand in."""
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    monkeypatch.chdir(root)
    monkeypatch.delenv("GATEPOST_ROOT", raising=False)
    monkeypatch.delenv("GATEPOST_STORE", raising=False)
    return root


def create(store: str | None) -> None:
    with gatepost.connect(store) as gp:
        gp.call("taskdoc_create", workspace="acme/repo", name="auth")


@pytest.mark.parametrize("store", [None, "own.db", ".gatepost/other.db"])
def test_a_store_in_the_project_has_its_packages_there(project: Path, store: str | None) -> None:
    create(store)

    assert (project / "tasks" / "auth.tsk" / "meta.json").exists()


def test_a_store_elsewhere_or_in_memory_leaves_the_project_one_stands_in_alone(
    project: Path, tmp_path: Path
) -> None:
    create(str(tmp_path / "elsewhere.db"))
    create("memory:")

    assert not (project / "tasks").exists()


def test_a_store_elsewhere_that_the_project_names_as_its_own_has_its_packages_there(
    project: Path, tmp_path: Path
) -> None:
    (project / "gatepost.toml").write_text(f'store = "{tmp_path / "elsewhere.db"}"\n')
    assert run(["trust", "--yes"]) == 0

    create(None)

    assert (project / "tasks" / "auth.tsk").is_dir()


def test_a_root_that_is_given_with_a_store_is_its_project(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GATEPOST_ROOT", str(project))

    create(str(tmp_path / "elsewhere.db"))

    assert (project / "tasks" / "auth.tsk").is_dir()
