"""Fixtures of the terminal's tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.givens import World, worlds


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """A world on a file: what is shown does not depend on the store."""
    yield from worlds("sqlite", tmp_path)
