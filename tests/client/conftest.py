"""Fixtures of the client tests: every one runs on a store in this process and on a server."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gatepost.client.protocol import Client
from tests.client.givens import local, remote
from tests.givens import World, worlds
from tests.http.givens import site


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """A world on a file."""
    yield from worlds("sqlite", tmp_path)


@pytest.fixture(params=["local", "remote"])
def client(request: pytest.FixtureRequest, world: World) -> Iterator[Client]:
    """A client of the world, once directly and once by a server."""
    if request.param == "local":
        yield local(world)
        return
    with site(world) as running:
        served = remote(running.url)
        yield served
        served.close()
