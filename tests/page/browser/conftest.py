"""Fixtures of the tests in a real browser."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.givens import World, worlds
from tests.http.givens import Site, site
from tests.page.browser.browsing import Reader, browsing

Readers = Callable[..., Reader]


# For a module only: while it is there, an event loop runs in this thread, and other tests begin their own.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser."""
    with browsing() as running:
        yield running


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """A world on a file."""
    yield from worlds("sqlite", tmp_path)


@pytest.fixture
def here(world: World) -> Iterator[Site]:
    """A server on that world."""
    with site(world) as running:
        yield running


@pytest.fixture
def readers(browser: Browser, here: Site) -> Iterator[Readers]:
    """People, each with a browser profile of their own; at the end nothing has gone wrong for any of them."""
    came: list[Reader] = []

    def come(at: Site = here, **settings: Any) -> Reader:
        came.append(Reader(browser, at, **settings))
        return came[-1]

    yield come
    for one in came:
        one.context.close()
    for one in came:
        one.check()


@pytest.fixture
def reader(readers: Readers) -> Reader:
    """One person."""
    return readers()
