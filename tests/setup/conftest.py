"""A project that init can connect."""

import os
from pathlib import Path

import pytest

from gatepost.surfaces.cli.actors import AGENTS_MARKS


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, the user's home beside it, and no client on the machine."""
    for name in [name for name in os.environ if name.startswith("GATEPOST_") or name in AGENTS_MARKS]:
        monkeypatch.delenv(name)
    root = tmp_path / "acme-shop"
    (root / ".git").mkdir(parents=True)
    monkeypatch.chdir(root)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    return root
