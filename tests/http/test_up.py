"""`gatepost up`: the process."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import httpx
import pytest

from gatepost.surfaces.cli.commands import up as commands_up
from tests.cli.terminals import gatepost, seated
from tests.http.givens import PATIENCE

SECRET = "a-token-" * 3


def ran(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """A server that does not come up."""
    command = [
        sys.executable,
        "-m",
        "gatepost",
        "up",
        "--store",
        str(folder / "gp.db"),
        "--root",
        str(folder),
        *words,
    ]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)


@contextmanager
def up(folder: Path, *words: str) -> Iterator[tuple["subprocess.Popen[str]", str, str]]:
    """A server process on the store of a folder, its address, and what it said when it came up."""
    with running(folder, "--store", str(folder / "gp.db"), "--root", str(folder), *words) as server:
        yield server


@contextmanager
def running(folder: Path, *words: str) -> Iterator[tuple["subprocess.Popen[str]", str, str]]:
    """A server process in a folder, its address, and what it said when it came up."""
    command = [sys.executable, "-m", "gatepost", "up", "--port", "0", *words]
    temporary = folder / "temporary"
    temporary.mkdir(exist_ok=True)
    with (
        (folder / "stderr").open("w") as errors,
        subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            cwd=folder,
            env={**os.environ, "TMPDIR": str(temporary)},
        ) as process,
    ):
        try:
            assert process.stdout is not None
            said = process.stdout.readline()
            address = re.search(r"http://\S+", said)
            assert address is not None, (folder / "stderr").read_text()
            while not said.endswith("to stop.\n"):
                line = process.stdout.readline()
                assert line, said
                said += line
            yield process, address[0], said
        finally:
            process.kill()
            process.wait(PATIENCE)


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_server_and_its_open_streams_in_good_order(tmp_path: Path, signum: int) -> None:
    with (
        up(tmp_path) as (process, address, said),
        httpx.stream("GET", f"{address}/v1/events?workspace=acme/repo", timeout=PATIENCE) as stream,
    ):
        lines = stream.iter_lines()
        assert next(lines).startswith(":")
        process.send_signal(signum)

        rest = list(lines)
        code = process.wait(PATIENCE)

    assert code == 0
    assert not any(line.startswith("data") for line in rest)
    assert f"--transport http gatepost {address}/mcp" in said
    assert "127.0.0.1" in address
    assert "Traceback" not in (tmp_path / "stderr").read_text()


def test_what_was_acknowledged_is_there_after_the_next_start(tmp_path: Path) -> None:
    asked = {"workspace": "acme/repo", "kind": "task", "title": "Kept"}
    with up(tmp_path) as (process, address, _):
        made = httpx.post(f"{address}/v1/operations/tasks_create", json=asked, timeout=PATIENCE).json()
        process.kill()

    with up(tmp_path) as (_, address, _):
        resume = {"workspace": "acme/repo", "task": made["id"]}
        found = httpx.post(f"{address}/v1/operations/tasks_resume", json=resume, timeout=PATIENCE)
    assert found.json()["target"]["title"] == "Kept"


def test_the_commands_that_a_bound_server_shows_name_its_workspace(tmp_path: Path) -> None:
    with up(tmp_path, "--workspace", "acme/shop") as (_, address, said):
        shown = re.search(rf"{address}/v1/operations/tasks_radar --json '(.*)'", said)
        assert shown is not None
        radar = httpx.post(f"{address}/v1/operations/tasks_radar", json=json.loads(shown[1]), timeout=PATIENCE)

    assert radar.status_code == 200
    assert said.count("acme/shop") == 3
    assert "acme/repo" not in said


def test_a_server_says_nothing_of_requests_and_opens_no_browser_where_nobody_sits_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BROWSER", "touch opened %s")
    with up(tmp_path, "--open") as (_, address, _):
        httpx.get(f"{address}/healthz", timeout=PATIENCE)
        httpx.post(f"{address}/v1/operations/tasks_radar", json={}, timeout=PATIENCE)

    (said,) = (tmp_path / "stderr").read_text().splitlines()
    assert said == f"gatepost: --open: not a terminal, so no browser was opened. Open {address}/ yourself."
    assert not (tmp_path / "opened").exists()


def test_a_person_gets_the_page_opened_and_a_line_for_each_request_if_asked_for(tmp_path: Path) -> None:
    words = gatepost("up", "--port", "0", "--store", str(tmp_path / "gp.db"), "--open", "--access-log")
    with seated(words, width=200, BROWSER="echo opened %s") as seat:
        said = seat.until(lambda text: re.search(r"^opened \S+\n", text, re.MULTILINE) is not None)
        address = re.findall(r"^opened (\S+)/$", said, re.MULTILINE)[0]
        httpx.get(f"{address}/healthz", timeout=PATIENCE)
        seat.until(lambda text: '"operation":"healthz"' in text)

    assert f"Gatepost is up at {address}" in said


def test_a_port_in_use_is_told_in_a_sentence(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = ran(tmp_path, "--port", str(taken.getsockname()[1]))

    assert done.returncode == 1
    assert "is already in use" in done.stderr
    assert "--port" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_what_others_can_reach_is_served_only_with_a_token_that_only_its_owner_can_read(tmp_path: Path) -> None:
    token = tmp_path / "token"

    bare = ran(tmp_path, "--host", "0.0.0.0", "--port", "0")  # noqa: S104 - refused, which is the point
    missing = ran(tmp_path, "--token-file", str(token))
    token.write_text(f"{SECRET}\n")
    token.chmod(0o644)
    shown = ran(tmp_path, "--token-file", str(token))
    token.write_text("short")
    token.chmod(0o600)
    short = ran(tmp_path, "--token-file", str(token))

    assert [done.returncode for done in (bare, missing, shown, short)] == [2, 2, 2, 2]
    assert "--token-file" in bare.stderr
    assert "chmod 600" in shown.stderr


def test_a_token_file_closes_the_server_to_those_without_it(tmp_path: Path) -> None:
    token = tmp_path / "token"
    os.close(os.open(token, os.O_CREAT | os.O_WRONLY, 0o600))
    token.write_text(f"{SECRET}\n")

    with up(tmp_path, "--token-file", str(token)) as (_, address, said):
        without = httpx.get(f"{address}/metrics", timeout=PATIENCE)
        with_it = httpx.get(f"{address}/metrics", headers={"authorization": f"Bearer {SECRET}"}, timeout=PATIENCE)

    assert (without.status_code, with_it.status_code) == (401, 200)
    assert SECRET not in said
    assert "Authorization" in said


@pytest.mark.parametrize("words", [(), ("--demo",)])
def test_where_a_token_is_wanted_every_command_that_is_shown_sends_it(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    token = tmp_path / "Ada's token"
    os.close(os.open(token, os.O_CREAT | os.O_WRONLY, 0o600))
    token.write_text(f"{SECRET}\n")

    with running(tmp_path, "--token-file", token.name, *words) as (_, address, said):
        shown = re.findall(r"(?:curl|claude) .*", said)
        # A shell says what each command would be given, and runs none of them.
        told = 'curl() { printf \'%s\\n\' "$@"; }; claude() { curl "$@"; }'
        given = [
            subprocess.run(["sh", "-c", f"{told}\n{line}"], capture_output=True, text=True, check=True).stdout
            for line in shown
        ]
        urls = [re.findall(rf"{address}\S*", line)[0] for line in given]
        header = {"authorization": f"Bearer {SECRET}"}
        without, with_it = (
            httpx.post(
                f"{address}/v1/operations/tasks_radar",
                json={"workspace": "acme/repo"},
                headers=headers,
                timeout=PATIENCE,
            )
            for headers in ({}, header)
        )

    assert len(shown) == (3 if words else 4)
    assert [f"Authorization: Bearer {SECRET}" in line.splitlines() for line in given] == [True] * len(shown)
    assert any(url.endswith("/v1/operations/tasks_radar") for url in urls)
    assert (without.status_code, with_it.status_code) == (401, 200)
    assert SECRET not in said


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGHUP])
def test_the_demo_moves_at_once_and_leaves_nothing_behind(tmp_path: Path, signum: int) -> None:
    (tmp_path / ".git").mkdir()
    with running(tmp_path, "--demo") as (process, address, said):
        with httpx.stream("GET", f"{address}/v1/todo?workspace=demo/crew", timeout=PATIENCE) as stream:
            data = (line for line in stream.iter_lines() if line.startswith("data:"))
            wanted = {'"scopeKey":"planner"', '"scopeKey":"TASK-001"'}
            for line in islice(data, 200):  # the crew is at work, and may be further than its first two lists
                wanted = {words for words in wanted if words not in line}
                if not wanted:
                    break
            during = [found.name for found in (tmp_path / "temporary").iterdir()]
            process.send_signal(signum)
            list(data)
        code = process.wait(PATIENCE)

    assert code == 0
    assert not wanted
    assert len(during) == 1
    assert {found.name for found in tmp_path.iterdir()} == {".git", "stderr", "temporary"}
    assert list((tmp_path / "temporary").iterdir()) == []
    assert "Traceback" not in (tmp_path / "stderr").read_text()
    assert f"{address}/v1/todo?workspace=demo/crew" in said
    assert "temporary" in said


def test_the_demo_does_not_take_a_store_a_root_or_a_workspace(tmp_path: Path) -> None:
    refused = [
        subprocess.run(
            [sys.executable, "-m", "gatepost", "up", "--demo", "--port", "0", *words],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            cwd=tmp_path,
        )
        for words in (["--store", "gp.db"], ["--root", "."], ["--workspace", "acme/repo"])
    ]

    assert [done.returncode for done in refused] == [2, 2, 2]
    assert ["--store" in refused[0].stderr, "--root" in refused[1].stderr, "--workspace" in refused[2].stderr] == [
        True
    ] * 3
    assert list(tmp_path.iterdir()) == []


def test_a_projects_settings_neither_bind_the_demo_nor_stand_in_its_way(tmp_path: Path) -> None:
    (tmp_path / "gatepost.toml").write_text('workspace = "acme/repo"\nstore = "own.db"\n')

    with (
        running(tmp_path, "--demo") as (_, address, _),
        httpx.stream("GET", f"{address}/v1/events?workspace=demo/crew", timeout=PATIENCE) as stream,
    ):
        first = next(line for line in stream.iter_lines() if line.startswith("data:"))

    assert "todo_written" in first
    assert not (tmp_path / "own.db").exists()


def test_a_server_whose_terminal_is_closed_ends_in_good_order(tmp_path: Path) -> None:
    with up(tmp_path) as (process, _, _):
        process.send_signal(signal.SIGHUP)

        assert process.wait(PATIENCE) == 0


def test_a_server_that_shall_outlive_its_terminal_does() -> None:
    before = {signum: signal.getsignal(signum) for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        commands_up._stop_signal()

        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        for signum, handler in before.items():
            signal.signal(signum, handler)
