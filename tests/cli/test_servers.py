"""Every command on a server: the same answers as on the file, and plain words where a command needs the file."""

import json
import os
import re
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gatepost import wiring
from gatepost.surfaces.cli.command_list import COMMANDS, declared
from gatepost.surfaces.http.app import ServerSettings
from gatepost.surfaces.http.server import Server
from tests.cli.givens import WORKSPACE, Desk
from tests.cli.terminals import gatepost

PATIENCE = 60.0
TIME = re.compile(r"2[0-9]{3}-[0-9-]+T[0-9:.]+Z")
NOTE = json.dumps({"task": "TASK-001", "note": "seen"})
PLAN = json.dumps({"kind": "plan", "title": "Sign-in"})
PROVEN = {"criteria": {"confirmed": True}, "tests": {"confirmed": True}}
CALLS = json.dumps([{"tool": "tasks_note", "arguments": json.loads(NOTE)}])
ALIKE = [
    ["radar"],
    ["radar", "--quiet"],
    ["ls"],
    ["ls", "--text", "passkey", "--json"],
    ["ls", "--tag", "none"],
    ["show", "TASK-001"],
    ["show", "TASK-001", "s:1", "--events", "3", "--json"],
    ["show", "TASK-099"],
    ["log"],
    ["log", "--since", "1", "--limit", "2", "--json"],
    ["handoff", "TASK-001"],
    ["diff", "--since", "1"],
    ["diff", "TASK-001", "--operation", "1", "--json"],
    ["blame", "TASK-001", "s:1"],
    ["away", "--since", "0"],
    ["lint", "TASK-001"],
    ["digest", "show", "--json"],
    ["digest", "scan"],
    ["digest", "scan", "--json"],
    ["call"],
    ["call", "tasks_radar"],
    ["call", "tasks_nothing"],
    ["call", "tasks_note", NOTE, "--dry-run"],
    ["batch", "calls.json", "--dry-run"],
    *(["export", "--format", form] for form in ("md", "csv", "mermaid")),
    ["import", "TODO.md", "--dry-run"],
    ["undo", "--dry-run"],
    ["undo"],
    ["approve", "PLAN-001"],
    ["show", "1", "wire"],
    ["close", "1", "wire"],
    ["close", "task-1", "wire", "--tests", "--json"],
    ["close", "1", "wire", "--security"],
    ["close", "1", "0.1", "--run"],
    ["done", "1"],
    ["done", "1", "deploy", "--json"],
    ["reopen", "1"],
    ["reopen", "1", "d"],
    ["step", "1", "--under", "0.0"],
    ["note", "1", "s:0"],
    ["add", "--plan-only", "x", "--step", "y"],
    ["inbox"],
    ["inbox", "--json"],
    ["answer", "TASK-001", "s:0.s:0", "x"],
    ["check", "TASK-001"],
    ["policy"],
    ["policy", "TASK-001", "--json"],
    ["redo", "--dry-run"],
    ["taskdoc", "show", "login"],
    ["taskdoc", "history", "login"],
    ["taskdoc", "diff", "login", "goals", "0"],
    ["taskdoc", "restore", "login", "goals", "0", "--dry-run"],
    ["taskdoc", "adopt", "login", "goals", "--dry-run"],
    ["taskdoc", "archive"],
    ["taskdoc", "rename", "nobody", "somebody"],
    ["taskdoc", "bind", "login", "PLAN-099"],
    ["taskdoc", "migrate", "old.md", "--dry-run"],
]
WRITES = [
    ["call", "tasks_note", NOTE],
    ["batch", "calls.json"],
    ["unblock", "TASK-001", "s:2", "Staging is up."],
    ["block", "TASK-001", "s:2", "--ask", "Which?"],
    ["claim", "TASK-001", "s:2", "--ttl", "2h"],
    ["release", "TASK-001", "s:2"],
    ["move", "TASK-001", "s:1", "--to", "s:0"],
    ["undo", "--yes"],
    ["redo", "--yes"],
    ["taskdoc", "create", "served"],
    ["taskdoc", "edit", "login", "goals", "--clear"],
    ["taskdoc", "migrate", "old.md", "--yes"],
    ["call", "tasks_create", PLAN],
    ["taskdoc", "bind", "login", "PLAN-001"],
    ["digest", "scan", "--keep"],
    ["add", "Refunds", "--step", "Form", "--test", "pytest -k form", "--check", "true", "--step", "Docs"],
    ["add", "--plan-only", "Spring", "--tag", "release"],
    ["step", "2", "API", "--criteria", "It answers.", "--under", "form"],
    ["note", "2", "docs", "Half way."],
    ["close", "2", "docs", "--criteria", "It is there.", "--tests"],
    ["reopen", "2", "docs", "Not yet."],
    ["call", "tasks_verify", json.dumps({"task": "TASK-002", "path": "s:1", "checkpoints": PROVEN})],
    ["done", "2", "docs"],
    ["import", "TODO.md"],
]
ON_THE_FILE = [
    ["doctor"],
    ["backup", "copy.db"],
    ["restore", "copy.db"],
    ["export"],
    ["migrate"],
    ["import", "x.jsonl"],
    ["up"],
    ["mcp"],
]
LIVE = [
    ["watch"],
    ["watch", "--json"],
    ["watch", "--scope", "main"],
    ["log", "--follow"],
    ["log", "--follow", "--json"],
]
LOCAL = {
    "completion": "prints a script for the shell and reads no store",
    "init": "writes the files of the clients on this machine; tests/setup runs it",
    "trust": "decides about a folder on this machine",
    "notify": "shows and tests the settings of this machine",
    "tui": "draws whole screens; tests/tui runs it on both kinds of store",
}
"""Commands without a case here, and why."""
COMPLETED = [
    ["radar"],
    ["show", "TASK-001"],
    ["ls", "--tag"],
    ["ls", "--workspace"],
    ["watch", "--scope"],
    ["taskdoc", "show"],
    ["taskdoc", "bind", "login"],
]


@pytest.fixture
def address(desk: Desk, bare: Path) -> Iterator[str]:
    """A server on the desk's own store, with a task and a taskdoc in it."""
    desk.passkeys()
    engine = wiring.engine(os.environ["GATEPOST_STORE"], "NORMAL", str(bare / ".gatepost"))
    goals = {"workspace": WORKSPACE, "taskdoc": "login", "selector": "goals", "content": "- A login page.\n"}
    assert desk.here("taskdoc", "create", "login", "--workspace", WORKSPACE).code == 0
    assert desk.here("call", "change_mind", json.dumps(goals)).code == 0
    (bare / "calls.json").write_text(CALLS)
    (bare / "TODO.md").write_text("- [x] Paint\n- [ ] Roof\n")
    (bare / "old.md").write_text("# Goals\n\n- Old goals.\n")
    log: list[dict[str, Any]] = []
    server = Server(engine, ServerSettings(), 0, log.append)
    try:
        yield f"http://127.0.0.1:{server.port}"
    finally:
        server.stop()
        engine.store.close()


def test_every_command_answers_a_server_as_it_answers_the_file(desk: Desk, address: str) -> None:
    for words in ALIKE:
        here = desk.here(*words, "--workspace", WORKSPACE)
        there = desk.here(*words, "--workspace", WORKSPACE, "--store", address)
        assert there.code == here.code, words
        for said, expected in ((there.out, here.out), (there.err, here.err)):
            assert TIME.sub("", said.replace(f" --store {address}", "")) == TIME.sub("", expected), words


def test_no_command_is_without_a_case() -> None:
    """`taskdoc` and `digest` are several commands each: their parser lists the verbs."""
    cases = {tuple(words[:2]) for words in (*ALIKE, *WRITES, *ON_THE_FILE, *LIVE)}

    verbs = {(name, verb) for name in COMMANDS for verb in verbs_of(name)}

    assert {name for name, *_ in cases} | LOCAL.keys() == set(COMMANDS)
    assert {name for name, *_ in cases} & LOCAL.keys() == set()
    assert {name for name, _ in verbs} == {"taskdoc", "digest"}
    assert verbs - cases == set()


def verbs_of(name: str) -> list[str]:
    """What a command can be told to do, if it is several commands in one."""
    return [verb for action in declared(name).actions() if action.dest == "verb" for verb in action.choices or ()]


@pytest.mark.parametrize("words", LIVE, ids=" ".join)
def test_a_live_command_prints_the_same_on_a_server_and_on_the_file(
    words: list[str], desk: Desk, address: str
) -> None:
    desk.world.ok("todo_write", session="main", items=["first"])
    both = [[*words, "--workspace", WORKSPACE], [*words, "--workspace", WORKSPACE, "--store", address]]
    known = ("main",) if "--scope" in words else ("TASK-001", "main")
    processes = [subprocess.Popen(gatepost(*each), stdout=subprocess.PIPE, text=True) for each in both]
    watchdog = threading.Timer(PATIENCE, kill, [processes])
    watchdog.start()
    try:
        # A list that changes before it is first seen is shown as it is then, without its changes.
        begun = [[*lines(process, *known)] for process in processes]
        desk.world.close("TASK-001", "s:0.s:1")
        desk.world.ok("todo_write", session="main", items=["first", "the last one"])
        here, there = (
            [*first, *lines(process, "the last one")] for first, process in zip(begun, processes, strict=True)
        )
    finally:
        watchdog.cancel()
        kill(processes)
        for process in processes:
            process.communicate()

    assert there == here


@pytest.mark.parametrize("words", COMPLETED, ids=" ".join)
def test_a_word_is_completed_from_a_server_as_from_the_file(words: list[str], desk: Desk, address: str) -> None:
    desk.world.ok("todo_write", session="main", items=["first"])
    desk.world.plan()
    command, *rest = words

    here = desk.here("__complete", "fish", *words, "")
    there = desk.here("__complete", "fish", command, "--store", address, *rest, "")

    assert here.out
    assert there == here


def kill(processes: "list[subprocess.Popen[str]]") -> None:
    """Kill all of them."""
    for process in processes:
        process.kill()


def line(process: "subprocess.Popen[str]") -> str:
    """The next line, without times."""
    assert process.stdout is not None
    return TIME.sub("", process.stdout.readline())


def lines(process: "subprocess.Popen[str]", *wanted: str) -> Iterator[str]:
    """The lines until each of these words was in one."""
    missing = set(wanted)
    while missing:
        found = line(process)
        assert found, f"it ended, or these never came: {missing}"
        missing = {word for word in missing if word not in found}
        yield found


def test_a_write_through_a_server_is_in_the_file(desk: Desk, address: str) -> None:
    for words in WRITES:
        before = desk.here("log", "--quiet", "--limit", "1").out

        ran = desk.here(*words, "--workspace", WORKSPACE, "--url", address)

        assert ran.code == 0, (words, ran)
        assert desk.here("log", "--quiet", "--limit", "1").out != before, words


@pytest.mark.parametrize("words", ON_THE_FILE, ids=lambda words: words[0])
def test_a_command_that_needs_the_file_says_so(
    words: list[str], desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GATEPOST_STORE", "http://127.0.0.1:4870")

    ran = desk.here(*words)

    assert ran.code == 2
    assert f"gatepost {words[0]} works on a store's file, and http://127.0.0.1:4870 is a server" in ran.err
    assert "--store and the file's path" in ran.err


def test_a_server_that_is_not_there_is_named_with_the_way_to_start_one(desk: Desk) -> None:
    ran = desk.here("ls", "--workspace", WORKSPACE, "--store", "http://127.0.0.1:9")

    assert ran.code == 1
    assert "http://127.0.0.1:9 does not answer" in ran.err
    assert "gatepost up" in ran.err


def test_the_flags_for_a_server_must_name_one(desk: Desk, bare: Path) -> None:
    (bare / "token").write_text("0123456789abcdef")

    two = desk.here("ls", "--url", "http://127.0.0.1:9", "--store", "gp.db")
    file = desk.here("ls", "--url", "gp.db")
    token = desk.here("ls", "--token-file", "token")

    assert [ran.code for ran in (two, file, token)] == [2, 2, 2]
    assert "--url and --store name two stores" in two.err
    assert "gp.db is not a server's address" in file.err
    assert "--token-file is for servers" in token.err
