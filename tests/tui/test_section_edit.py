"""Editing a section in one's own editor: sent with the revision it began at, and never lost."""

import shlex
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from textual.drivers.headless_driver import HeadlessDriver

from tests.givens import World, worlds
from tests.tui.givens import Driven, drive, source_of

SCRIPT = """
import sys
import tempfile
from pathlib import Path
file = Path(sys.argv[1])
text = file.read_text()
{code}
"""
ELSEWHERE = """
import os
import gatepost
os.environ["GATEPOST_HOME"] = ""
other = gatepost.connect({store!r}, actor="agent:faster")
other.call("change_mind", workspace="acme/repo", selector="goals", content={text!r})
"""

Editor = Callable[[str], None]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """A world with a taskdoc."""
    for opened in worlds("sqlite", tmp_path):
        opened.ok("taskdoc_create", name="main")
        opened.ok("change_mind", selector="goals", content="One aim\n")
        yield opened


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Editor:
    """Sets the editor to a script that does something to the file; the terminal can be handed to it."""
    monkeypatch.setattr(HeadlessDriver, "can_suspend", True)
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def use(code: str) -> None:
        script = tmp_path / "editor.py"
        script.write_text(SCRIPT.format(code=code))
        monkeypatch.setenv("EDITOR", shlex.join([sys.executable, str(script)]))

    return use


def left(tmp_path: Path) -> list[Path]:
    return list(tmp_path.glob("gatepost-*/*"))


def goals(world: World) -> str:
    found: str = world.ok("recall_mind", selector="goals")["content"]
    return found


async def open_goals(driven: Driven) -> None:
    await driven.press("d")
    await driven.sees("[1 Goals]", "One aim")


def test_what_the_editor_leaves_is_sent_to_the_letter(world: World, editor: Editor, tmp_path: Path) -> None:
    editor('file.write_text(text + "Another aim \\u65e5\\n\\n", newline="")')

    async def driver(driven: Driven) -> None:
        await open_goals(driven)
        await driven.press("e")
        await driven.sees("Saved goals as revision 2.", "Another aim 日")

    drive(source_of(world), driver)
    assert goals(world) == "One aim\nAnother aim 日\n\n"
    assert left(tmp_path) == []


def test_an_editor_that_changes_nothing_sends_nothing(world: World, editor: Editor, tmp_path: Path) -> None:
    editor("")

    async def driver(driven: Driven) -> None:
        await open_goals(driven)
        await driven.press("e")
        await driven.sees("Nothing was changed.")

    drive(source_of(world), driver)
    assert world.ok("recall_mind", selector="goals")["revision"] == 1
    assert left(tmp_path) == []


def test_a_conflict_shows_both_texts_and_keeps_mine(world: World, editor: Editor, tmp_path: Path) -> None:
    faster = ELSEWHERE.format(store=str(tmp_path / "gatepost.db"), text="One aim\nTheir aim\n")
    editor(f'file.write_text(text + "My aim\\n"){faster}')

    async def driver(driven: Driven) -> None:
        await open_goals(driven)
        await driven.press("e")
        await driven.sees("Someone else was faster", "agent:faster changed it")
        await driven.sees("You started from revision 1; it is now at 2", "-Their aim", "+My aim")
        assert goals(world) == "One aim\nTheir aim\n"
        await driven.press("escape")
        await driven.sees("You have an unsent text, started at revision 1", "1 Goals*", "Their aim")

        editor("pass")
        await driven.press("e")
        await driven.sees("Someone else was faster", "+My aim")
        await driven.press("enter")
        await driven.sees("Saved goals as revision 3.", "My aim")

    drive(source_of(world), driver)
    assert goals(world) == "One aim\nMy aim\n"
    assert left(tmp_path) == []


def test_after_a_conflict_one_can_edit_on_and_send_at_the_new_revision(
    world: World, editor: Editor, tmp_path: Path
) -> None:
    faster = ELSEWHERE.format(store=str(tmp_path / "gatepost.db"), text="One aim\nTheir aim\n")
    editor(f'file.write_text(text + "My aim\\n"){faster}')

    async def driver(driven: Driven) -> None:
        await open_goals(driven)
        await driven.press("e")
        await driven.sees("Someone else was faster")
        editor('file.write_text(text.replace("One aim\\n", "One aim\\nTheir aim\\n"))')
        await driven.press("e")
        await driven.sees("Saved goals as revision 3.")

    drive(source_of(world), driver)
    assert goals(world) == "One aim\nTheir aim\nMy aim\n"


def test_an_unsent_text_is_dropped_only_after_a_look_at_it(world: World, editor: Editor, tmp_path: Path) -> None:
    editor('file.write_text("Half a thou"); sys.exit(3)')

    async def driver(driven: Driven) -> None:
        await open_goals(driven)
        await driven.press("e")
        await driven.sees("exited with code 3. Nothing was sent", "You have an unsent text", "1 Goals*")
        (kept,) = left(tmp_path)
        assert kept.read_text() == "Half a thou"
        await driven.press("X")
        await driven.sees("Discard this text? It was not sent.", "+Half a thou")
        await driven.press("enter")
        await driven.until(lambda: "*" not in driven.picture())

    drive(source_of(world), driver)
    assert goals(world) == "One aim\n"
    assert left(tmp_path) == []


def test_an_emptied_text_is_not_sent_before_it_was_said_what_that_does(world: World, editor: Editor) -> None:
    editor('file.write_text("")')

    async def driver(driven: Driven) -> None:
        await open_goals(driven)
        await driven.press("e")
        await driven.sees("Sending it empties the section", "-One aim")
        assert goals(world) == "One aim\n"
        await driven.press("enter")
        await driven.sees("Saved goals as revision 2.", "No goals yet")

    drive(source_of(world), driver)
    assert goals(world) == ""


def test_an_editor_that_is_not_there_is_named(
    world: World, editor: Editor, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("EDITOR", "/nowhere/ed --fast")

    async def driver(driven: Driven) -> None:
        await open_goals(driven)
        await driven.press("e")
        await driven.sees("Cannot start /nowhere/ed --fast", "for example EDITOR=nano")

    drive(source_of(world), driver)
    assert left(tmp_path) == []


def test_where_no_file_can_be_made_it_says_so_and_goes_on(
    world: World, editor: Editor, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))

    async def driver(driven: Driven) -> None:
        await open_goals(driven)
        await driven.press("e")
        await driven.sees("Cannot create a file to edit", "TMPDIR")

    drive(source_of(world), driver)


def test_a_file_that_is_no_text_afterwards_is_kept_and_named(world: World, editor: Editor, tmp_path: Path) -> None:
    editor('file.write_bytes(b"\\xff\\xfe")')

    async def driver(driven: Driven) -> None:
        await open_goals(driven)
        await driven.press("e")
        await driven.sees("cannot be read as UTF-8 text", "You have an unsent text")

    drive(source_of(world), driver)
    assert [path.read_bytes() for path in left(tmp_path)] == [b"\xff\xfe"]


def test_a_terminal_that_cannot_be_handed_over_is_said_to_be_so(
    world: World, editor: Editor, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(HeadlessDriver, "can_suspend", False)

    async def driver(driven: Driven) -> None:
        await open_goals(driven)
        await driven.press("e")
        await driven.sees("This terminal cannot run an editor.")

    drive(source_of(world), driver)
    assert left(tmp_path) == []
