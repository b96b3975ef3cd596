"""Names of processes: whoever finds one can tell whether its process is gone, and never by mistake."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import pytest

from gatepost.engine import processes

CHILD = "from gatepost.engine import processes; print(processes.this(), flush=True); input()"
PATIENCE = 120
MOST_PROCESSES = 2**22
"""No Linux gives a number as high as this."""


class Parts(NamedTuple):
    """What a name is made of."""

    machine: str
    boot: str
    namespace: str
    number: str
    started: str


def parts(name: str) -> Parts:
    return Parts(*name.split("/"))


def named(**changed: str) -> str:
    """This process's name, but for what is changed."""
    return "/".join(parts(processes.this())._replace(**changed))


@contextmanager
def child() -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """Another process that waits, and its name."""
    command = [sys.executable, "-c", CHILD]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


def test_this_process_is_not_gone_and_keeps_its_name() -> None:
    assert processes.this() == processes.this()
    assert not processes.gone(processes.this())


@pytest.mark.requirement("todo.server.swept")
def test_another_process_is_not_gone_before_it_has_ended_and_gone_once_it_has() -> None:
    with child() as (process, name):
        alive = processes.gone(name)
        process.kill()
        process.wait(PATIENCE)
        ended = processes.gone(name)

    assert name != processes.this()
    assert int(parts(name).number) == process.pid
    assert (alive, ended) == (False, True)


def test_a_process_that_has_ended_is_gone_before_its_parent_has_looked_after_it() -> None:
    with child() as (process, name):
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and is a zombie still

        assert processes.gone(name)


def test_a_number_that_was_given_to_another_process_says_nothing_about_the_first() -> None:
    earlier = str(int(parts(processes.this()).started) - 1)

    assert processes.gone(named(started=earlier))


def test_a_number_that_nobody_has_is_gone() -> None:
    assert processes.gone(named(number=str(MOST_PROCESSES)))


@pytest.mark.parametrize("number", ["1", str(MOST_PROCESSES)])
def test_of_another_machine_nothing_is_known(number: str) -> None:
    elsewhere = named(machine="0" * 32, number=number, started="1")

    assert not processes.gone(elsewhere)
    assert not processes.gone("/".join(parts(elsewhere)._replace(boot="another-boot")))


@pytest.mark.parametrize("number", ["1", str(MOST_PROCESSES)])
def test_of_another_container_on_this_machine_nothing_is_known(number: str) -> None:
    assert not processes.gone(named(namespace="pid:[1]", number=number, started="1"))


def test_whatever_ran_before_this_machine_was_started_is_gone() -> None:
    assert processes.gone(named(boot="another-boot"))
    assert processes.gone(named(boot="another-boot", namespace="pid:[1]"))


def test_a_process_whose_program_has_brackets_and_blanks_in_its_name_is_known() -> None:
    with open("/proc/self/comm", encoding="ascii") as file:  # noqa: PTH123 - a file of the kernel's
        before = file.read().strip()
    own = processes.this()
    try:
        rename("a) b (c) 1")
        assert processes.this() == own
        assert not processes.gone(own)
    finally:
        rename(before)


def rename(program: str) -> None:
    """Let the kernel call this process something else."""
    with open("/proc/self/comm", "w", encoding="ascii") as file:  # noqa: PTH123 - a file of the kernel's
        file.write(program)


def test_a_process_of_another_user_that_the_kernel_hides_counts_as_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    hidden = named(number=str(MOST_PROCESSES + 1))
    assert processes.gone(hidden)

    def forbidden(_number: int, _signal: int) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "kill", forbidden)

    assert not processes.gone(hidden)
