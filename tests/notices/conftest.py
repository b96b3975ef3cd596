"""A project whose people are told."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import gatepost
from gatepost.client.connect import Gatepost
from tests.notices.receiver import Receiver, receiving


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A receiver on this machine."""
    with receiving() as made:
        yield made


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project to be in."""
    for name in os.environ:
        if name.startswith("GATEPOST_"):
            monkeypatch.delenv(name)
    folder = tmp_path / "project"
    (folder / ".gatepost").mkdir(parents=True)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def opened(project: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Gatepost]]:
    """Opens the project's store, with people told as variables say."""
    made: list[Gatepost] = []

    def opened(**notify: str) -> Gatepost:
        for name, value in notify.items():
            monkeypatch.setenv(f"GATEPOST_NOTIFY_{name.upper()}", value)
        made.append(gatepost.connect(synchronous="NORMAL", actor="agent:tester"))
        return made[-1]

    assert project.is_dir()
    yield opened
    for each in made:
        each.close()
