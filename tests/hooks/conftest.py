"""The fixture of the hooks' tests."""

from pathlib import Path

import pytest

from tests.hooks.givens import Project, furnished


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project with one package."""
    return furnished(tmp_path / "project", monkeypatch)
