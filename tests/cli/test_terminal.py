"""On a terminal: colours, widths, signs. Elsewhere: none of it."""

import fcntl
import os
import re
import struct
import subprocess
import sys
import termios

import pytest

from gatepost.surfaces.cli.suggested_commands import call_lines
from gatepost.surfaces.terminal import Terminal, columns
from tests.cli.givens import PATIENCE, WORKSPACE, Desk

ANSI = re.compile(r"\x1b\[[0-9;]*m")


def on_terminal(*words: str, width: int = 80, **environment: str) -> str:
    """What a command writes to a terminal."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    given = {"TERM": "xterm", **os.environ, "LC_ALL": "C.UTF-8", **environment}
    with subprocess.Popen(
        [sys.executable, "-m", "gatepost", *words],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        env=given,
    ) as process:
        os.close(theirs)
        said = b""
        while True:
            try:
                chunk = os.read(ours, 65536)
            except OSError:  # Linux says so when the other end is closed
                break
            if not chunk:
                break
            said += chunk
        process.wait(PATIENCE)
    os.close(ours)
    return said.decode().replace("\r\n", "\n")


def test_a_terminal_gets_colours_and_a_pipe_gets_none(desk: Desk) -> None:
    desk.passkeys()

    coloured, plain = on_terminal("ls"), desk.apart("ls").out

    assert ANSI.search(coloured)
    assert "\x1b" not in plain
    assert ANSI.sub("", coloured).split() == plain.split()


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_colours_can_be_declined(desk: Desk, monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    desk.passkeys()
    monkeypatch.setenv(name, value)

    assert "\x1b" not in on_terminal("ls")


def test_colours_can_be_forced(desk: Desk) -> None:
    desk.passkeys()

    assert ANSI.search(desk.apart("ls", FORCE_COLOR="1").out)


def test_no_line_is_wider_than_the_terminal(desk: Desk) -> None:
    task = desk.world.task("日本語" * 30, title="A long title " * 20, tags=["auth"], description="many words " * 50)
    desk.world.ok("tasks_block", task=task, path="s:0", reason="because " * 40)
    desk.world.ok("tasks_note", task=task, note="a long note " * 40)

    for words in (("ls",), ("show", task), ("log",), ("radar", task)):
        for line in ANSI.sub("", on_terminal(*words, width=72)).splitlines():
            assert columns(line) <= 72, (words, line)


def test_a_broken_line_to_paste_is_whole_again_when_pasted(desk: Desk) -> None:
    task = desk.passkeys()
    terminal = Terminal(sys.stdout)
    terminal.width = 60
    note = {"workspace": WORKSPACE, "task": task, "note": "It's “half” done: $HOME"}

    lines = call_lines(terminal, "tasks_note", note, None, 2)
    line = "\n".join(lines).replace("gatepost", f"{sys.executable} -m gatepost", 1)
    subprocess.run(["sh", "-c", line], check=True, timeout=PATIENCE, capture_output=True)

    assert len(lines) > 1
    assert max(map(columns, lines)) <= 60
    assert desk.world.ok("tasks_resume", task=task)["notes"][0]["note"] == note["note"]


def test_a_command_that_is_too_wide_is_continued_as_a_shell_understands_it(desk: Desk) -> None:
    terminal = Terminal(sys.stdout)
    terminal.width = 44
    arguments = {"workspace": WORKSPACE, "kind": "task", "title": "It's $HOME", "plan": desk.world.plan()}

    lines = call_lines(terminal, "tasks_create", arguments, None, 2)
    line = "\n".join(lines).replace("gatepost", f"{sys.executable} -m gatepost", 1)
    subprocess.run(["sh", "-c", line], check=True, timeout=PATIENCE, capture_output=True)

    assert len(lines) > 1
    assert max(map(columns, lines)) <= 42
    assert desk.world.ok("tasks_resume", task="TASK-001")["target"]["title"] == "It's $HOME"


def test_replies_are_indented_for_people_and_compact_for_programs(desk: Desk) -> None:
    desk.passkeys()
    call = ("call", "tasks_focus_get", '{"workspace": "acme/repo"}')

    shown, piped = on_terminal(*call, NO_COLOR="1"), desk.apart(*call).out

    assert shown == '{\n  "focus": null,\n  "revision": 0\n}\n'
    assert piped == '{"focus":null,"revision":0}\n'


def test_a_refused_call_on_a_terminal_is_told_in_words_alone(desk: Desk) -> None:
    call = ("call", "tasks_note", '{"workspace": "acme/repo", "task": "TASK-042", "note": "x"}')

    words = on_terminal(*call, NO_COLOR="1")
    with_json = on_terminal(*call, "--json", NO_COLOR="1")

    assert words.startswith("gatepost: `task`: there is no TASK-042")
    assert '"error"' not in words
    assert with_json.startswith('{\n  "error": {')


def test_a_stream_that_lacks_the_signs_gets_plain_ones(desk: Desk) -> None:
    desk.passkeys()
    desk.world.task(title="日本")

    tree = desk.apart("show", "TASK-001", PYTHONIOENCODING="ascii")
    listed = desk.apart("ls", "--json", PYTHONIOENCODING="ascii")

    assert tree.code == listed.code == 0
    assert "|- o Draft" in tree.out
    assert "`- ! Deploy" in tree.out
    assert r"\u65e5\u672c" in listed.out
