"""Fixtures that all tests share, and the line that counts requirements."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.givens import STORES, World, worlds
from tests.requirements import register


@pytest.fixture(params=STORES)
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    """A fresh world, once on each store."""
    yield from worlds(request.param, tmp_path)


@pytest.fixture
def one_world(tmp_path: Path) -> Iterator[World]:
    """A fresh world on SQLite, for what does not depend on the store."""
    yield from worlds("sqlite", tmp_path)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many requirements are shown, and how many wait."""
    terminalreporter.write_line(register.summary(register.load(), register.find_markers()))
