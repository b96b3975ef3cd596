"""The fixtures of the command line's tests."""

import os
from pathlib import Path

import pytest

from gatepost.surfaces.cli.actors import AGENTS_MARKS
from tests.cli.givens import Desk
from tests.givens import World

_PICKED_UP = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "TERM", "LANG", *AGENTS_MARKS)


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to stand in, and nothing set that a command could pick up."""
    for name in os.environ:
        if name.startswith(("GATEPOST_", "LC_")) or name in _PICKED_UP:
            monkeypatch.delenv(name)
    folder = tmp_path / "project"
    (folder / ".gatepost").mkdir(parents=True)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def desk(
    one_world: World,
    bare: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Desk:
    """A desk on the store of `one_world`."""
    monkeypatch.setenv("GATEPOST_STORE", str(tmp_path / "gatepost.db"))
    monkeypatch.setenv("GATEPOST_SYNCHRONOUS", "NORMAL")
    return Desk(one_world, bare, capsys)
