"""What the tests of checks start with."""

from pathlib import Path

import pytest

from tests.checks.repositories import CountingGit, Repository


@pytest.fixture
def without_settings_of_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git finds no settings of this machine's user."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "project")
    made.write("src/main.py", "print(1)\n")
    made.write("src/deep/part.py", "part = 1\n")
    made.write("docs/guide.md", "# Guide\n")
    made.write(".gitignore", "*.log\nbuild/\n")
    made.commit("one")
    made.settle()
    return made


@pytest.fixture
def counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CountingGit:
    return CountingGit(tmp_path / "counted", monkeypatch)
