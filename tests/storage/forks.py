"""Givens of forks: a child that does something with what it inherited."""

import multiprocessing
from collections.abc import Callable

import pytest

FORKS = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
"""To fork beside threads is what these tests are about, and later Pythons warn of it."""

PATIENCE = 60


def in_a_child(work: Callable[[], object]) -> None:
    """Fork, and let the child do something with what it inherited. It must end, and well."""
    child = multiprocessing.get_context("fork").Process(target=work)
    child.start()
    child.join(PATIENCE)
    if child.exitcode is None:
        child.kill()
    assert child.exitcode == 0
