"""The help of every command: complete, and every example in it works as it stands."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from gatepost.settings import NAMES
from gatepost.surfaces.cli.command_list import COMMANDS, declared
from gatepost.surfaces.cli.help_topics import TOPICS
from gatepost.surfaces.terminal import columns
from tests.cli.givens import PATIENCE, WORKSPACE, Desk
from tests.cli.terminals import seated
from tests.imports.givens import RECORDED, WRITTEN

LOOKING = ("radar", "ls", "show", "log", "lint", "doctor")
WRITING = ("call", "batch", "undo", "redo", "taskdoc")
SERVING = ("up", "tui")


def told(desk: Desk, command: str) -> str:
    """A command's help."""
    ran = desk.here(command, "--help")
    assert (ran.code, ran.err) == (0, "")
    return ran.out


def examples(text: str) -> list[str]:
    """The lines of a help that call `gatepost` and nothing unknown, without what is said of them beside."""
    lines = [re.split(r" {2,}", line.strip())[0] for line in text.partition("examples:\n")[2].splitlines()]
    return [line for line in lines if re.match(r"(eval |[A-Z_]+=\S+ |[A-Z]+='[^']+' )?\S*\(?gatepost ", line)]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_says_what_it_does_and_every_option_what_it_means(desk: Desk, command: str) -> None:
    parser = declared(command)

    text = told(desk, command)

    assert text.startswith(f"usage: gatepost {command} ")
    assert parser.description
    assert re.match(r"[A-Z][^\n]{20,}", parser.description)
    for action in parser.actions():
        assert action.help, f"{command}: {action.dest} has no help"
        assert action.dest == "help" or (action.option_strings or [str(action.metavar)])[-1] in text


@pytest.mark.parametrize("command", COMMANDS)
def test_a_help_fits_a_screen_and_says_where_the_rest_is(
    desk: Desk, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")

    text = told(desk, command)

    assert len(text.splitlines()) <= (48 if command == "taskdoc" else 40)  # which is eleven commands in one
    assert examples(text)
    assert "gatepost help settings" in text or "--store" not in text


def test_what_all_commands_share_is_explained_once(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shared = {
        name
        for command in COMMANDS
        for action in declared(command).actions()
        for name in action.option_strings[-1:]
        if action.dest in ("store", "root", "workspace", "actor", "token_file", "url", "json")
    }

    settings, codes = desk.here("help", "settings").out, desk.here("help", "exit-codes").out

    assert [name for name in shared if name not in settings] == []
    assert [name for name in NAMES if f"GATEPOST_{name.upper()}" not in settings and name not in settings] == []
    assert re.findall(r"^  ([0-9]+) ", codes, re.MULTILINE) == ["0", "1", "2", "3", "4", "5", "6", "130", "141"]
    for topic in TOPICS:
        lines = desk.here("help", topic).out.splitlines()
        assert len(lines) <= 40
        assert [line for line in lines if columns(line) > 80] == []
    assert "The topics are: names, settings, exit-codes" in desk.here("help", "nothing").err


@pytest.mark.parametrize("words", [["--help"], [], ["hook", "--help"], *([name, "--help"] for name in COMMANDS)])
def test_no_help_is_wider_than_eighty_columns(
    desk: Desk, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")

    assert [line for line in desk.here(*words).out.splitlines() if columns(line) > 80] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_every_example_is_understood(desk: Desk, command: str) -> None:
    for line in examples(told(desk, command)):
        inner = line.partition("$(")[2].rstrip('")') if "$(" in line else line
        words = shlex.split(re.split(r" \|| >", inner)[0])
        name, *rest = words[words.index("gatepost") + 1 :]
        assert declared(name).read(rest).command == name


@pytest.mark.parametrize("command", [command for command in COMMANDS if command not in SERVING])
def test_every_example_runs(desk: Desk, bare: Path, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _prepare(desk, bare, command)
    monkeypatch.setenv("PATH", f"{bare / 'bin'}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}/usr/bin:/bin")
    monkeypatch.setenv("GATEPOST_WORKSPACE", WORKSPACE)
    monkeypatch.setenv("EDITOR", "code")
    if command in ("approve", "policy"):
        monkeypatch.setenv("GATEPOST_ACTOR", "human:ann")
    if command == "notify":
        monkeypatch.setenv("GATEPOST_NOTIFY_COMMAND", "true")
    step = desk.world.step("TASK-001", "s:0.s:2")["step_id"]

    for line in examples(told(desk, command)):
        if "http://" in line:
            continue
        alone = re.split(r" \| ", line)[0].replace("STEP-0A1B2C3D", step)
        code, said = _run(alone)
        assert code in ((0, 1) if command == "lint" else (0,)), (alone, said)


def _prepare(desk: Desk, bare: Path, command: str) -> None:
    """All that the examples speak of."""
    world = desk.world
    world.caller = replace(world.caller, actor="cli")
    world.plan()
    under = [{"title": name} for name in "abc"]
    world.ok("tasks_create", kind="task", title="T", plan="PLAN-001", steps=[{"title": "A", "steps": under}])
    for number in range(2, 8):
        world.task(title=f"Task {number}")
    for number in range(6):
        world.ok("tasks_edit", task="TASK-001", title=f"Title {number}")
    if command == "check":
        world.ok("tasks_define", task="TASK-001", path="s:0.s:2", checks=[{"run": "true"}])
        assert desk.here("trust", "--allow", "true", "--yes").code == 0
    if command == "import":
        assert desk.here("export", "acme.jsonl", "--workspace", WORKSPACE).code == 0
        shutil.copytree(RECORDED / "task-master", bare / ".taskmaster" / "tasks")
        shutil.copy(WRITTEN / "markdown" / "TODO.md", bare)
        shutil.copy(WRITTEN / "github" / "issues.json", bare)
    _prepare_verbs(desk, command)
    if command in ("unblock", "answer"):
        for path in ("s:0.s:1", "s:0.s:2"):
            world.ok("tasks_block", task="TASK-001", path=path, ask="In which currency?")
    if command == "approve":
        world.ok("tasks_policy", plan="PLAN-001", approval="human")
    if command == "redo":
        for _ in range(4):
            world.ok("tasks_undo")
    (bare / "bin").mkdir()
    editor = bare / "bin" / "code"
    editor.write_text('#!/bin/sh\nfor file; do :; done\necho more >> "$file"\n', encoding="ascii")
    editor.chmod(0o755)
    (bare / "docs").mkdir()
    (bare / "docs" / "login-task.md").write_text("# Goals\n\nLog in.\n", encoding="ascii")
    steps = '{"task": "TASK-001", "steps": [{"title": "x"}]}'
    (bare / "steps.json").write_text(steps, encoding="ascii")
    (bare / "calls.json").write_text(f'[{{"tool": "tasks_decompose", "arguments": {steps}}}]', encoding="ascii")


def _prepare_verbs(desk: Desk, command: str) -> None:
    """What can be closed, completed and opened again."""
    world = desk.world
    if command == "close":
        world.ok("tasks_define", task="TASK-001", path="s:0.s:2", checks=[{"run": "true"}])
        world.ok("tasks_verify", task="TASK-001", path="s:0.s:2", checkpoints={"criteria": {"confirmed": True}})
        assert desk.here("trust", "--allow", "true", "--yes").code == 0
    if command == "done":
        world.ok("tasks_create", kind="plan", title="Empty")
        both = {"criteria": {"confirmed": True}, "tests": {"confirmed": True}}
        world.ok("tasks_verify", task="TASK-001", path="s:0.s:2", checkpoints=both)
    if command == "reopen":
        world.close("TASK-001", "s:0.s:1")
        world.ok("tasks_complete", task="TASK-003")


def _run(line: str) -> tuple[int, str]:
    """How a line ends in a shell: one that asks is told yes, one that goes on is interrupted once it has spoken."""
    if re.match(r"gatepost (undo|redo)( TASK-001)?$", line):
        with seated(["sh", "-c", line], GATEPOST_ACTOR="cli") as seat:
            seat.type("y\n")
            return seat.process.wait(PATIENCE), seat.rest()
    if line == "gatepost close":  # the first task, its current step, and two checkpoints
        with seated(["sh", "-c", line]) as seat:
            seat.type("\n\ny\ny\n")
            return seat.process.wait(PATIENCE), seat.rest()
    if "--follow" in line or line.startswith("gatepost watch"):
        with subprocess.Popen(["sh", "-c", f"exec {line}"], stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            said = process.stdout.readline()
            process.send_signal(signal.SIGINT)
            return process.wait(PATIENCE) - 130, said
    # What is for another shell to evaluate is only printed.
    line = re.sub(r'^eval "\$\((.*)\)"$', r"\1", line)
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, timeout=PATIENCE, input="")
    return done.returncode, done.stdout + done.stderr


def test_quiet_prints_what_scripts_need_and_nothing_else(desk: Desk) -> None:
    task = desk.passkeys()
    desk.world.plan()
    ids = [desk.world.step(task, path)["step_id"] for path in ("s:0", "s:0.s:0", "s:0.s:1", "s:1", "s:2")]
    note = f'{{"workspace": "{WORKSPACE}", "task": "{task}", "note": "x"}}'
    last = desk.world.ok("tasks_delta")["next"]

    assert desk.here("ls", "-q").out.split() == ["PLAN-001", task]
    assert desk.here("show", task, "-q").out.split() == ids
    assert desk.here("radar", "--quiet").out == f"{task} s:0.s:1\n"
    assert desk.here("radar", "PLAN-001", "-q").out == ""
    assert desk.here("log", "-q", "--limit", "1").out == f"{last}\n"
    assert desk.here("doctor", "-q") == (0, "", "")
    assert desk.here("lint", task, "-q") == (1, "", "")
    assert desk.here("call", "tasks_note", note, "-q") == (0, "", "")
    assert desk.here("undo", task, "--yes", "-q") == (0, "", "")
    assert desk.here("redo", task, "--yes", "-q") == (0, "", "")
    assert desk.here("taskdoc", "create", "login", "-q") == (0, "", "")


def test_quiet_does_not_hide_a_refusal(desk: Desk) -> None:
    desk.passkeys()

    shown, called = desk.here("show", "TASK-042", "-q"), desk.here("call", "tasks_note", "{}", "-q")

    assert (shown.code, called.code) == (3, 2)
    assert "there is no TASK-042" in shown.err
    assert '"error"' in called.out


@pytest.mark.parametrize("command", [*LOOKING, *WRITING])
def test_what_answers_can_be_made_quiet(command: str) -> None:
    assert "--quiet" in {name for action in declared(command).actions() for name in action.option_strings}
