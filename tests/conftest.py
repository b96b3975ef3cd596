"""Fixtures that all tests share, and the line that counts requirements."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from gatepost.surfaces.cli.actors import AGENTS_MARKS
from tests.givens import World, worlds
from tests.requirements import register

# On a developer's machine every run tries other cases; where a change is judged, the same ones every time.
# Neither looks at the clock: these machines are noisy.
settings.register_profile("judged", derandomize=True, deadline=None)
settings.register_profile("random", deadline=None)
settings.load_profile("judged" if os.environ.get("CI") else "random")

# A shell has what it starts in the background ignore these, and so would every process that a test interrupts.
for _signum in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
    if signal.getsignal(_signum) is signal.SIG_IGN:
        signal.signal(_signum, signal.default_int_handler if _signum == signal.SIGINT else signal.SIG_DFL)

# An agent that develops this runs the tests in a shell of its own, where nobody is a person.
for _mark in AGENTS_MARKS:
    os.environ.pop(_mark, None)


@pytest.fixture(scope="session", autouse=True)
def _own_configuration(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test reads or writes what the developer trusts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("config")))
        yield


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """A fresh world in memory, or on the store that `GATEPOST_TEST_STORE` names."""
    yield from worlds(os.environ.get("GATEPOST_TEST_STORE", "memory"), tmp_path)


@pytest.fixture
def one_world(tmp_path: Path) -> Iterator[World]:
    """A fresh world on a file."""
    yield from worlds("sqlite", tmp_path)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many requirements are shown, and how many wait."""
    for report in terminalreporter.stats.get("skipped", ()):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        terminalreporter.write_line(f"NOT TESTED HERE: {report.nodeid}: {reason}", red=True, bold=True)
    terminalreporter.write_line(register.summary(register.load(), register.find_markers()))
