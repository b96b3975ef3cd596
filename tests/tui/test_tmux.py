"""A real run: `gatepost tui` in a terminal, driven by keys, while others write to the store."""

import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gatepost.surfaces.tui.texts import width
from tests.givens import WORKSPACE, World
from tests.http.givens import site
from tests.tui.givens import PATIENCE, a_login_page

needs_tmux = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed: apt-get install tmux")


class Terminal:
    """A terminal of a given size with a shell in it, on a tmux server of its own."""

    def __init__(self, folder: Path, size: tuple[int, int], **variables: str) -> None:
        self._socket = str(folder / "tmux")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("GATEPOST_", "TMUX"))}
        self._environment = {**kept, "LC_ALL": "C.UTF-8", "TERM": "xterm-256color", **variables}
        columns, rows = size
        self._run(
            "-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(rows), "-c", str(folder), "sh"
        )

    def close(self) -> None:
        self._run("kill-server", check=False)

    def keys(self, *keys: str) -> None:
        self._run("send-keys", *keys)

    def type(self, text: str) -> None:
        self._run("send-keys", "-l", text)

    def resize(self, columns: int, rows: int) -> None:
        self._run("resize-window", "-x", str(columns), "-y", str(rows))

    def picture(self, *, colours: bool = False) -> str:
        return self._run("capture-pane", "-p", *(["-e"] if colours else []))

    def modes(self) -> dict[str, str]:
        """What a program has made of the terminal."""
        names = ("alternate_on", "mouse_any_flag", "cursor_flag")
        told = self._run("display-message", "-p", " ".join(f"#{{{name}}}" for name in names))
        return dict(zip(names, told.split(), strict=True))

    def until(self, what: Callable[[str], object]) -> str:
        """The screen, once something is so of it."""
        end, pause = time.monotonic() + PATIENCE * 2, threading.Event()
        while not what(seen := self.picture()):
            assert time.monotonic() < end, f"that never came; the terminal shows\n{seen}"
            pause.wait(0.05)
        return seen

    def sees(self, *words: str) -> str:
        return self.until(lambda seen: all(word in seen for word in words))

    def _run(self, *words: str, check: bool = True) -> str:
        done = subprocess.run(
            ["tmux", "-S", self._socket, *words],
            env=self._environment,
            capture_output=True,
            timeout=PATIENCE,
            check=check,
        )
        return done.stdout.decode()


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Callable[..., Terminal]]:
    """Makes terminals, which are closed in the end."""
    opened: list[Terminal] = []

    def make(size: tuple[int, int] = (80, 24), **variables: str) -> Terminal:
        folder = tmp_path / f"terminal{len(opened)}"
        folder.mkdir()
        opened.append(Terminal(folder, size, **variables))
        return opened[-1]

    yield make
    for each in opened:
        each.close()


def command(tmp_path: Path, *words: str) -> str:
    """A command line that shows the store, and then says how it ended."""
    store = ["--store", str(tmp_path / "gatepost.db"), "--workspace", WORKSPACE]
    line = [sys.executable, "-m", "gatepost", "tui", *([] if "--url" in words else store), *words]
    return " ".join(line) + "; echo ended with $?"


@needs_tmux
@pytest.mark.requirement("tui.todo.preview")
def test_a_person_follows_the_work_notes_something_and_leaves(
    world: World, tmp_path: Path, terminal: Callable[..., Terminal]
) -> None:
    task = a_login_page(world)
    screen = terminal()

    screen.type(command(tmp_path, "--actor", "human:ada"))
    screen.keys("Enter")
    screen.sees("● Call the API", "■ Document it — waits for the style guide", "1/5", "● live")
    world.close(task, "s:1")
    screen.sees("2/5", "● Test 日本語 input")
    screen.keys("i")
    screen.type("looks fine to me")
    screen.sees("note on TASK-001")
    screen.keys("Enter")
    screen.sees("Added a note to Test 日本語 input")
    screen.keys("Escape")
    screen.sees("q quit")
    screen.keys("q")
    screen.sees("ended with 0")

    noted = [event for event in world.ok("tasks_delta", task=task)["events"] if event["type"] == "step_noted"]
    assert [(event["note"], event["actor"]) for event in noted] == [("looks fine to me", "human:ada")]


@needs_tmux
@pytest.mark.requirement("tui.todo.overlay")
def test_a_person_switches_lists_reads_a_step_and_the_log_and_makes_the_terminal_smaller(
    world: World, tmp_path: Path, terminal: Callable[..., Terminal]
) -> None:
    task = a_login_page(world)
    world.ok("tasks_note", task=task, path="s:1", note="looks fine to me")
    screen = terminal()

    screen.type(command(tmp_path))
    screen.keys("Enter")
    screen.sees("● Call the API", "● live")
    screen.keys("o")
    screen.sees("[1 ● TASK-001 1/5]")
    screen.keys("Tab")
    screen.sees("[2 TASK-002 0/2]")
    screen.keys("BTab", "Enter")
    screen.sees("added a note", "looks fine to me", "tester")
    screen.keys("Escape")
    screen.sees("[1 ● TASK-001 1/5]")
    screen.keys("Escape")
    screen.sees("i note")
    screen.keys("a")
    screen.sees("step_noted", "looks fine to me")
    screen.resize(60, 10)
    picture = screen.until(lambda seen: len(seen.splitlines()) == 10 and "step_noted" in seen)

    assert all(width(line) <= 60 for line in picture.splitlines())


@needs_tmux
def test_a_server_is_shown_and_its_end_is_said(
    world: World, tmp_path: Path, terminal: Callable[..., Terminal]
) -> None:
    task = a_login_page(world)
    screen = terminal()

    with site(world) as running:
        screen.type(command(tmp_path, "--url", running.url))
        screen.keys("Enter")
        screen.sees("● Call the API", "● live")
        world.close(task, "s:1")
        screen.sees("2/5")
    screen.sees("STALE", "2/5")
    screen.keys("q")
    screen.sees("ended with 0")


@needs_tmux
def test_without_colours_and_in_ascii_every_state_is_still_told(
    world: World, tmp_path: Path, terminal: Callable[..., Terminal]
) -> None:
    a_login_page(world)
    screen = terminal((80, 10), NO_COLOR="1")

    screen.type(command(tmp_path, "--ascii"))
    screen.keys("Enter")
    screen.sees("> Call the API", "! Document it - waits for the style guide", "> live")
    assert screen.picture().isascii()
    screen.keys("o")
    screen.sees("x Write the form", "> Call the API", "o Release", "! Document it")
    assert screen.picture().isascii()
    screen.keys("C-c")
    screen.sees("ended with 0")


@needs_tmux
@pytest.mark.parametrize(
    "locale", ["LC_ALL=C", "LC_ALL=POSIX", "LC_ALL= LC_CTYPE= LANG=C", "LC_ALL=en_US.ISO-8859-1"]
)
def test_in_a_locale_without_unicode_everything_is_ascii(
    world: World, tmp_path: Path, terminal: Callable[..., Terminal], locale: str
) -> None:
    a_login_page(world)
    screen = terminal()

    screen.type(f"env {locale} {command(tmp_path)}")
    screen.keys("Enter")
    screen.sees("> Call the API", "! Document it - waits for the style guide", "> live")

    assert screen.picture().isascii()


@needs_tmux
def test_without_colours_no_colour_is_sent_and_what_is_blocked_stands_out(
    world: World, tmp_path: Path, terminal: Callable[..., Terminal]
) -> None:
    a_login_page(world)
    screen = terminal(NO_COLOR="1")

    screen.type(command(tmp_path))
    screen.keys("Enter")
    screen.sees("■ Document it — waits for the style guide", "● live")
    assert not coloured(screen.picture(colours=True))
    assert "\x1b[1m■ Document it" in screen.picture(colours=True)
    screen.keys("o")
    screen.sees("[1 ● TASK-001 1/5]", "■ Document it")
    assert not coloured(screen.picture(colours=True))
    assert "\x1b[1m■ Document it" in screen.picture(colours=True)
    screen.keys("Escape")
    screen.sees("i note")
    screen.keys("t")
    screen.sees("Login page", "n note")
    assert not coloured(screen.picture(colours=True))
    screen.keys("Escape")
    screen.sees("i note")
    screen.keys("i")
    screen.type("tasks_b")
    screen.sees("tasks_block")
    assert not coloured(screen.picture(colours=True))
    offered = re.compile("tasks_b\x1b\\[7ml.*\x1b\\[[0-9;]*2m.*ock")  # the cursor, which blinks, and an offer
    screen.until(lambda _seen: offered.search(screen.picture(colours=True)))


def coloured(seen: str) -> list[str]:
    """Every colour in what a terminal shows."""
    codes = [code for found in re.findall("\x1b\\[([0-9;]*)m", seen) for code in found.split(";") if code]
    return [code for code in codes if int(code) in (*range(30, 39), *range(40, 49), *range(90, 108))]


@needs_tmux
def test_where_there_is_nothing_to_draw_on_or_no_store_it_says_what_to_do(
    tmp_path: Path, terminal: Callable[..., Terminal]
) -> None:
    screen = terminal()

    screen.type(command(tmp_path))
    screen.keys("Enter")
    screen.sees("there is no store at", "ended with 3")
    done = subprocess.run(
        [sys.executable, "-m", "gatepost", "tui", "--store", str(tmp_path / "gatepost.db")],
        capture_output=True,
        timeout=PATIENCE * 3,
        stdin=subprocess.DEVNULL,
        cwd=tmp_path,
    )

    assert done.returncode == 2
    assert b"needs a terminal" in done.stderr
    assert b"gatepost watch" in done.stderr
