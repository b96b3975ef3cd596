"""Fixtures of the tests in a real browser."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import pytest

from tests.givens import World, worlds
from tests.http.givens import Site, site
from tests.page.browser.profiles import Profiles
from tests.page.browser.reader import Reader, browsing

HERE: Final = Path(__file__).parent
_BROWSER: Final = pytest.StashKey[ExitStack]()
_PROFILES: Final = pytest.StashKey[Profiles]()

Readers = Callable[..., Reader]


@pytest.fixture
def profiles(pytestconfig: pytest.Config) -> Profiles:
    """The profiles of the browser, which is started when it is first asked for."""
    stash = pytestconfig.stash
    if _PROFILES not in stash:
        with ExitStack() as stack:
            stash[_PROFILES] = Profiles(stack.enter_context(browsing()))
            stash[_BROWSER] = stack.pop_all()
    return stash[_PROFILES]


# No fixture has a folder as its scope. While the browser is there, an event loop runs in this thread, and tests
# elsewhere begin their own; and to start it for each module costs more than a test.
@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """End the browser after the last test of this folder."""
    stash = item.config.stash
    if _BROWSER in stash and (nextitem is None or HERE not in nextitem.path.parents):
        del stash[_PROFILES]
        stack = stash[_BROWSER]
        del stash[_BROWSER]
        stack.close()


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
def readers(profiles: Profiles, here: Site) -> Iterator[Readers]:
    """People, each with a browser profile of their own; at the end nothing has gone wrong for any of them."""
    came: list[Reader] = []

    def come(**settings: Any) -> Reader:
        came.append(Reader(profiles, here, **settings))
        return came[-1]

    yield come
    for one in came:
        one.leave()
    for one in came:
        one.check()


@pytest.fixture
def reader(readers: Readers) -> Reader:
    """One person."""
    return readers()
