"""Who runs a command: a person in a terminal, and `cli` where nobody sits."""

import os
import pwd
import subprocess
import sys
from pathlib import Path

import pytest

from gatepost.surfaces.cli.actors import AGENTS_MARKS
from tests.cli.givens import PATIENCE, Desk
from tests.cli.terminals import gatepost, seated
from tests.givens import WORKSPACE
from tests.http.givens import site

CREATE = ("call", "tasks_create", '{"workspace": "%s", "kind": "task", "title": "Login"}' % WORKSPACE)  # noqa: UP031
LOGIN = pwd.getpwuid(os.getuid()).pw_name
PERSON = f"human:{LOGIN}"


def actors(desk: Desk) -> list[str]:
    """Who made the tasks."""
    return [event["actor"] for event in desk.world.ok("tasks_delta", types=["task_created"])["events"]]


def typed(*words: str, **environment: str) -> str:
    """What a terminal shows when somebody runs a command in it."""
    variables = [f"{name}={value}" for name, value in environment.items()]
    with seated(["env", *variables, *gatepost(*words)], width=200) as seat:
        return seat.rest()


def test_in_a_terminal_a_command_is_its_persons(desk: Desk) -> None:
    typed(*CREATE)
    typed(*CREATE, USER="root", LOGNAME="root")
    typed(*CREATE, "--actor", "agent:mine")
    typed(*CREATE, GATEPOST_ACTOR="human:ann")

    assert actors(desk) == [PERSON, PERSON, "agent:mine", "human:ann"]


def test_without_a_terminal_it_is_a_programs_unless_a_person_says_so(desk: Desk) -> None:
    desk.apart(*CREATE)
    desk.apart(*CREATE, "--actor", "human:ann")
    desk.apart(*CREATE, GATEPOST_ACTOR="human:ann")

    assert actors(desk) == ["cli", "human:ann", "human:ann"]


@pytest.mark.parametrize("piped", ["stdin", "stdout", "stderr"])
def test_one_stream_that_is_no_terminal_is_enough_to_be_a_program(desk: Desk, piped: str) -> None:
    """A program that runs commands for an agent often captures only what is printed."""
    ours, theirs = os.openpty()
    streams = {"stdin": theirs, "stdout": theirs, "stderr": theirs, piped: subprocess.PIPE}
    with subprocess.Popen(
        [sys.executable, "-m", "gatepost", *CREATE],
        stdin=streams["stdin"],
        stdout=streams["stdout"],
        stderr=streams["stderr"],
        cwd=desk.folder,
    ) as process:
        process.communicate(timeout=PATIENCE)
    os.close(ours)
    os.close(theirs)

    assert actors(desk) == ["cli"]


@pytest.mark.parametrize("mark", AGENTS_MARKS)
def test_an_agents_shell_has_no_person_even_in_a_terminal(
    desk: Desk, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(mark, "1")
    monkeypatch.setenv("GATEPOST_ACTOR", "human:ann")
    desk.here(*CREATE)
    monkeypatch.setenv("GATEPOST_ACTOR", "agent:mine")
    desk.here(*CREATE)

    refused = desk.here(*CREATE, "--actor", "human:boss")

    assert actors(desk) == ["cli", "agent:mine"]
    assert refused.code == 2
    assert f"this is an agent's shell ({mark} is set)" in refused.out
    assert "Ask your user to do it in their own terminal" in refused.out


def test_an_agents_shell_trusts_nothing_and_may_look(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(desk.folder / "config"))
    monkeypatch.setenv("CLAUDECODE", "1")

    for words in (("--yes",), ("--yes", "--allow", "pytest"), ("--revoke",)):
        refused = desk.here("trust", *words)
        assert refused.code == 2
        assert "trusting a folder is a person's decision, and this is an agent's shell" in refused.err
    assert desk.here("trust", "--show").code == 0
    assert not (desk.folder / "config").exists()


def test_in_an_agents_terminal_a_command_is_a_programs(desk: Desk) -> None:
    typed(*CREATE, CLAUDECODE="1")

    assert actors(desk) == ["cli"]


@pytest.mark.parametrize("trusted", [False, True])
def test_a_projects_file_makes_nobody_a_person(
    desk: Desk, trusted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    Path(desk.folder, "gatepost.toml").write_text('actor = "human:boss"\n')
    if trusted:
        assert desk.apart("trust", "--yes").code == 0
    desk.apart(*CREATE)
    typed(*CREATE)
    desk.apart(*CREATE, GATEPOST_ACTOR="agent:mine")

    assert actors(desk) == ["cli", PERSON, "agent:mine"]


def test_over_http_nobody_in_a_terminal_is_a_person(desk: Desk) -> None:
    with site(desk.world) as here:
        url = ("--url", here.url)
        typed(*CREATE, *url)
        desk.apart(*CREATE, *url)
        desk.apart(*CREATE, *url, "--actor", "human:ann")

    assert actors(desk) == [f"cli:{LOGIN}", "cli", "http:human:ann"]
