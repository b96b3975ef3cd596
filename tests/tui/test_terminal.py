"""The terminal is left as it was found, and taken back after others had it: seen from outside, in a real one."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

from tests.givens import WORKSPACE, World, worlds
from tests.tui.givens import PATIENCE, a_login_page
from tests.tui.test_tmux import Terminal, needs_tmux, terminal

__all__ = ["terminal"]

pytestmark = needs_tmux

Terminals = Callable[..., Terminal]
AS_IT_WAS = {"alternate_on": "0", "mouse_any_flag": "0", "cursor_flag": "1"}
OURS = {"alternate_on": "1", "mouse_any_flag": "1", "cursor_flag": "0"}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """A world on a file, with tasks and a taskdoc."""
    for opened in worlds("sqlite", tmp_path):
        a_login_page(opened)
        opened.ok("taskdoc_create", name="main")
        opened.ok("change_mind", selector="goals", content="One aim\n")
        yield opened


@pytest.fixture
def editor(tmp_path: Path) -> Callable[[str], str]:
    """Makes an editor of a shell's lines; `$1` is the file."""

    def make(lines: str) -> str:
        script = tmp_path / "editor"
        script.write_text(f"#!/bin/sh\n{lines}\n")
        script.chmod(0o755)
        return str(script)

    return make


def start(screen: Terminal, tmp_path: Path) -> int:
    """Show the store in a terminal; the process that does so."""
    told = tmp_path / "process"
    told.unlink(missing_ok=True)
    line = [sys.executable, "-m", "gatepost", "tui", "--store", str(tmp_path / "gatepost.db")]
    screen.type(f"sh -c 'echo $$ > {told}; exec {' '.join(line)} --workspace {WORKSPACE}'; echo ended with $?")
    screen.keys("Enter")
    screen.sees("● Call the API", "● live", "q quit")
    return int(told.read_text())


def open_goals(screen: Terminal) -> None:
    screen.keys("d")
    screen.sees("[1 Goals]", "One aim")


def goals(world: World) -> str:
    found: str = world.ok("recall_mind", selector="goals")["content"]
    return found


def ended(process: int) -> bool:
    """Whether a process is no more, though nobody may have asked how it ended."""
    told = subprocess.run(["ps", "-o", "stat=", "-p", str(process)], capture_output=True, check=False)
    return told.stdout.strip()[:1] in (b"", b"Z")


def until(what: Callable[[], object]) -> None:
    end, pause = time.monotonic() + PATIENCE, threading.Event()
    while not what():
        assert time.monotonic() < end
        pause.wait(0.05)


def test_an_editor_has_the_terminal_to_itself_and_gives_it_back(
    world: World, tmp_path: Path, terminal: Terminals, editor: Callable[[str], str]
) -> None:
    screen = terminal(TMPDIR=str(tmp_path), EDITOR=editor('echo editing now; read words; echo "$words" >> "$1"'))

    start(screen, tmp_path)
    open_goals(screen)
    screen.keys("e")
    screen.sees("editing now")
    assert screen.modes() == AS_IT_WAS
    screen.type("Another aim")
    screen.keys("Enter")
    screen.sees("Saved goals as revision 2.", "Another aim", "acme/repo", "Esc back")
    assert screen.modes() == OURS
    screen.keys("q")
    screen.sees("ended with 0")

    assert goals(world) == "One aim\nAnother aim\n"
    assert screen.modes() == AS_IT_WAS


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ("nosuched --fast", "Cannot start nosuched --fast"),
        ("/", "Cannot start /"),
        ("ed 'half", "EDITOR is not a valid command: ed 'half"),
        ("false", "The editor exited with code 1. Nothing was sent."),
    ],
)
def test_after_an_editor_that_comes_to_nothing_the_screen_is_back_and_says_so(
    world: World, tmp_path: Path, terminal: Terminals, chosen: str, said: str
) -> None:
    screen = terminal(TMPDIR=str(tmp_path), EDITOR=chosen)

    start(screen, tmp_path)
    open_goals(screen)
    screen.keys("e")
    screen.sees(said, "[1 Goals]", "One aim", "Esc back")
    assert screen.modes() == OURS
    screen.keys("2")
    screen.sees("[2 Constraints]", "No constraints yet")
    screen.keys("q")
    screen.sees("ended with 0")

    assert goals(world) == "One aim\n"


def test_what_is_typed_while_an_editor_that_reads_no_keys_is_in_front_does_nothing_afterwards(
    world: World, tmp_path: Path, terminal: Terminals, editor: Callable[[str], str]
) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    screen = terminal(
        TMPDIR=str(tmp_path),
        EDITOR=editor(f'echo editing now; read words < {gate}; echo "$words" >> "$1"'),
    )

    start(screen, tmp_path)
    open_goals(screen)
    screen.keys("e")
    screen.sees("editing now")
    screen.type("q2q")
    screen.keys("Enter")
    screen.sees("q2q")
    gate.write_text("Another aim\n")
    screen.sees("Saved goals as revision 2.", "[1 Goals]", "Another aim", "Esc back")
    screen.keys("q")
    screen.sees("ended with 0")

    assert goals(world) == "One aim\nAnother aim\n"


def test_an_interrupt_while_the_editor_is_in_front_is_the_editors(
    world: World, tmp_path: Path, terminal: Terminals, editor: Callable[[str], str]
) -> None:
    screen = terminal(
        TMPDIR=str(tmp_path),
        EDITOR=editor('trap \'echo "Told to stop" >> "$1"; exit 0\' INT; echo editing now; read words'),
    )

    start(screen, tmp_path)
    open_goals(screen)
    screen.keys("e")
    screen.sees("editing now")
    screen.keys("C-c")
    screen.sees("Saved goals as revision 2.", "Told to stop")
    screen.keys("q")
    screen.sees("ended with 0")

    assert goals(world) == "One aim\nTold to stop\n"


@pytest.mark.parametrize("signum", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_ends_it_and_leaves_the_terminal_as_it_was(
    world: World, tmp_path: Path, terminal: Terminals, signum: signal.Signals
) -> None:
    screen = terminal()

    process = start(screen, tmp_path)
    assert screen.modes() == OURS
    os.kill(process, signum)
    seen = screen.sees(f"ended with {128 + signum}")

    assert screen.modes() == AS_IT_WAS
    assert "Warning" not in seen
    screen.type("echo one more")
    screen.keys("Enter")
    screen.sees(" echo one more", "\none more")


def test_told_to_end_while_the_editor_is_in_front_it_waits_for_that_and_keeps_the_text(
    world: World, tmp_path: Path, terminal: Terminals, editor: Callable[[str], str]
) -> None:
    screen = terminal(
        (120, 24), TMPDIR=str(tmp_path), EDITOR=editor('echo editing now; read words; echo "$words" >> "$1"')
    )

    process = start(screen, tmp_path)
    open_goals(screen)
    screen.keys("e")
    screen.sees("editing now")
    os.kill(process, signal.SIGTERM)
    screen.type("Another aim")
    screen.keys("Enter")
    screen.sees("ended with 143", "1 unsent text", "main goals: ")

    assert goals(world) == "One aim\n"
    assert screen.modes() == AS_IT_WAS


def test_without_a_terminal_any_more_it_ends_and_what_was_typed_is_in_a_file(
    world: World, tmp_path: Path, terminal: Terminals
) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    screen = terminal(TMPDIR=str(kept))

    process = start(screen, tmp_path)
    screen.keys("i")
    screen.type("half a thou")
    screen.sees("half a thou", "note on TASK-001")
    screen.close()
    until(lambda: ended(process))

    assert [file.read_text() for file in kept.glob("gatepost-*/*")] == ["half a thou"]


@pytest.mark.parametrize("way", ["key", "signal"])
def test_stopped_by_the_shell_and_brought_back_everything_is_drawn_again(
    world: World, tmp_path: Path, terminal: Terminals, way: str
) -> None:
    screen = terminal()

    process = start(screen, tmp_path)
    if way == "key":
        screen.keys("C-z")
    else:
        os.kill(process, signal.SIGTSTP)
    screen.until(lambda seen: "q quit" not in seen)
    assert screen.modes() == AS_IT_WAS
    screen.type("clear; fg")
    screen.keys("Enter")
    screen.sees("acme/repo", "● live", "● Call the API", "» a note on", "q quit")
    assert screen.modes() == OURS
    screen.keys("o")
    screen.sees("[1 ● TASK-001 1/5]", "Esc back")


def test_what_was_typed_and_not_sent_is_in_files_that_are_named_in_the_end(
    world: World, tmp_path: Path, terminal: Terminals, editor: Callable[[str], str]
) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    screen = terminal((200, 24), TMPDIR=str(kept), EDITOR=editor('echo "Half an aim" > "$1"; exit 1'))

    start(screen, tmp_path)
    open_goals(screen)
    screen.keys("e")
    screen.sees("You have an unsent text")
    screen.keys("Escape")
    screen.sees("i note")
    screen.keys("t")
    screen.sees("Login page", "n note")
    screen.keys("n")
    screen.sees("Note on")
    screen.type("Half a note")
    screen.sees("Half a note")
    screen.keys("Escape")
    screen.until(lambda seen: "Half a note" not in seen)
    screen.keys("Escape")
    screen.sees("i note")
    screen.keys("i")
    screen.type("half a line")
    screen.sees("note on TASK-001")
    screen.keys("Escape")
    screen.sees("q quit")
    screen.keys("q")
    seen = screen.sees("3 unsent texts", "main goals: ", "Note on TASK-001", "the line: ", "ended with 0")

    files = sorted(kept.glob("gatepost-*/*"))
    assert sorted(file.read_text() for file in files) == ["Half a note", "Half an aim\n", "half a line"]
    assert all(str(file) in seen for file in files)
    assert all(file.parent.stat().st_mode & 0o77 == 0 for file in files)


def test_whoever_leaves_while_the_store_is_locked_sends_nothing_and_keeps_the_text(
    world: World, tmp_path: Path, terminal: Terminals
) -> None:
    screen = terminal((120, 24), TMPDIR=str(tmp_path))

    start(screen, tmp_path)
    other = apsw.Connection(str(tmp_path / "gatepost.db"))
    other.execute("BEGIN IMMEDIATE")
    screen.keys("i")
    screen.type("half a thou")
    screen.sees("note on TASK-001")
    screen.keys("Enter", "Escape")
    screen.sees("q quit")
    screen.keys("q")
    seen = screen.sees("1 unsent text", "a line, possibly sent: ", "ended with 0")
    other.execute("ROLLBACK")
    other.close()

    assert "Traceback" not in seen
    assert "Error" not in seen
    assert all(event["type"] != "step_noted" for event in world.ok("tasks_delta", task="TASK-001")["events"])
