"""Fixtures of the HTTP tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.givens import World, worlds
from tests.http.givens import Site, site


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """A world on a file."""
    yield from worlds("sqlite", tmp_path)


@pytest.fixture
def here(world: World) -> Iterator[Site]:
    """A server on that world."""
    with site(world) as running:
        yield running
