"""A real terminal: what is pasted, and what is wrong with the command line."""

from collections.abc import Callable
from pathlib import Path

from tests.givens import World
from tests.tui.givens import a_login_page
from tests.tui.test_tmux import Terminal, command, needs_tmux, terminal

__all__ = ["terminal"]


def paste(screen: Terminal, text: str) -> None:
    """Paste a text as terminals do: in brackets, with CR for each break."""
    screen._run("set-buffer", "--", text)
    screen._run("paste-buffer", "-p")


@needs_tmux
def test_lines_and_arguments_that_are_pasted_are_sent_as_one(
    world: World,
    tmp_path: Path,
    terminal: Callable[..., Terminal],
) -> None:
    task = a_login_page(world)
    screen = terminal()

    screen.type(command(tmp_path))
    screen.keys("Enter")
    screen.sees("● Call the API", "● live")
    screen.keys("i")
    screen.sees("Esc leave")
    paste(screen, "line one\nline two\r\n\tthird")
    screen.sees("line one line two third")
    screen.keys("Enter")
    screen.sees("Added a note to Call the API")
    paste(screen, f'tasks_note {{\n  "task": "{task}",\n  "path": "s:1",\n  "note": "by program"\n}}\n')
    screen.sees('tasks_note { "task": "TASK-001", "path": "s:1", "note": "by program" }')
    screen.keys("Enter")
    screen.sees('"type": "step_noted"')

    notes = [event["note"] for event in world.ok("tasks_delta", task=task, types=["step_noted"])["events"]]
    assert notes == ["line one line two third", "by program"]


@needs_tmux
def test_an_address_that_is_none_is_refused_before_the_screen_is_taken(
    tmp_path: Path,
    terminal: Callable[..., Terminal],
) -> None:
    screen = terminal()

    screen.type(command(tmp_path, "--url", "http://"))
    screen.keys("Enter")

    screen.sees("http:// is not a server's address", "http://127.0.0.1:4870", "ended with 2")
