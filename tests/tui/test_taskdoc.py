"""Taskdoc tabs: what they show, their history, and what becomes of edits from outside."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gatepost.surfaces.tui.widgets.row_list import RowList
from tests.tsk.projects import Project, project
from tests.tui.givens import NARROW, SIZES, Driven, Listening, drive, source_of

GOALS = "# Aims\n\n- Parse every tag of the 文法\n- Say where an error is\n"


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Project]:
    """A project with a taskdoc of which two sections are written."""
    with project(tmp_path, "sqlite") as opened:
        opened.new("main", goals="Parse tags\n", constraints="- MUST NOT guess\n")
        opened.change("goals", GOALS, "main")
        yield opened


async def open_docs(driven: Driven, *words: str) -> None:
    await driven.press("d")
    await driven.sees("taskdoc main", *words)


@pytest.mark.parametrize("size", NARROW)
def test_a_section_shows_its_text_and_who_updated_it_when(here: Project, size: str) -> None:
    async def driver(driven: Driven) -> None:
        await open_docs(driven, "[1 Goals]", "Parse every tag of the 文法", "revision 2", "by tester")
        driven.check(f"taskdoc-{size}")

    drive(source_of(here), driver, SIZES[size])


@pytest.mark.parametrize("size", NARROW)
def test_the_fourth_tab_is_the_whole_as_agents_see_it(here: Project, size: str) -> None:
    async def driver(driven: Driven) -> None:
        await open_docs(driven, "[1 Goals]")
        await driven.press("4")
        await driven.sees("[4 Combined]", "# Taskdoc: main", "## Goals")
        driven.check(f"taskdoc-combined-{size}")
        await driven.press("e")
        await driven.sees("Choose one with 1, 2 or 3")

    drive(source_of(here), driver, SIZES[size])


def test_in_ascii_a_taskdoc_and_its_history_say_the_same(here: Project) -> None:
    here.file("goals", "main").write_text("By hand\n")

    async def driver(driven: Driven) -> None:
        await open_docs(driven, "[1 Goals!]", "! goals.md was edited outside Gatepost", "1 for you")
        driven.check("taskdoc-ascii")
        assert driven.picture().isascii()
        await driven.press("h")
        await driven.sees("Changes in revision 2")
        driven.check("history-ascii")
        assert driven.picture().isascii()

    drive(source_of(here), driver, ascii_only=True)


def test_tabs_are_turned_by_tab_and_number(here: Project) -> None:
    async def driver(driven: Driven) -> None:
        await open_docs(driven, "[1 Goals]")
        await driven.press("tab")
        await driven.sees("[2 Constraints]", "MUST NOT guess")
        await driven.press("3")
        await driven.sees("[3 Progress]", "never written", "No progress yet. Press e to write.")
        await driven.press("shift+tab", "shift+tab", "shift+tab")
        await driven.sees("[4 Combined]")

    drive(source_of(here), driver)


def test_what_others_write_is_shown_as_it_comes(here: Project) -> None:
    async def driver(driven: Driven) -> None:
        await open_docs(driven, "Parse every tag")
        here.change("goals", "Something new\n", "main")
        await driven.sees("Something new", "revision 3")

    drive(source_of(here), driver)


def test_of_several_taskdocs_each_can_be_turned_to(here: Project) -> None:
    here.new("other", goals="Other aims\n")

    async def driver(driven: Driven) -> None:
        await open_docs(driven, "taskdoc main (1 of 2)")
        await driven.press("right_square_bracket")
        await driven.sees("taskdoc other (2 of 2)", "Other aims")
        await driven.press("left_square_bracket")
        await driven.sees("taskdoc main (1 of 2)", "Parse every tag")

    drive(source_of(here), driver)


def test_where_there_is_no_taskdoc_it_says_how_one_is_made(tmp_path: Path) -> None:
    async def driver(driven: Driven) -> None:
        await driven.press("d")
        await driven.sees("No taskdoc yet", "gatepost taskdoc create main")
        driven.check("taskdoc-none")
        await driven.press("e", "h", "A", "R", "X", "2", "tab")
        await driven.sees("No taskdoc yet")

    with project(tmp_path) as empty:
        drive(source_of(empty), driver)


def test_control_characters_of_a_section_do_nothing_but_show(here: Project) -> None:
    here.change("goals", "\x1b]8;;http://evil\x07click\x1b[2J [bold]no markup[/bold] \u202eback\n", "main")

    async def driver(driven: Driven) -> None:
        await open_docs(driven, "␛]8;;http://evil␇click␛[2J [bold]no markup[/bold] \ufffdback")
        assert "\x1b" not in driven.picture()

    drive(source_of(here), driver)


@pytest.mark.parametrize("size", NARROW)
def test_the_history_shows_each_revision_and_what_it_changed(here: Project, size: str) -> None:
    async def driver(driven: Driven) -> None:
        await open_docs(driven, "Parse every tag")
        await driven.press("h")
        await driven.sees("Changes in revision 2")
        driven.check(f"history-{size}")
        await driven.press("j")
        await driven.sees("Changes in revision 1")
        await driven.press("v")
        await driven.sees("Changes from revision 1 to 2 (current)")
        await driven.press("tab", "G")
        await driven.sees("+- Say where an error is")

    drive(source_of(here), driver, SIZES[size])


def test_an_earlier_text_is_restored_after_a_look_at_the_difference(here: Project) -> None:
    async def driver(driven: Driven) -> None:
        await open_docs(driven, "Parse every tag")
        await driven.press("h")
        await driven.sees("Changes in revision 2")
        await driven.press("R")
        await driven.sees("This is the current text.")
        await driven.press("j", "R")
        await driven.sees("Restore goals from revision 1? It is now at 2.", "+Parse tags")
        driven.check("history-restore")
        assert here.text("goals", "main") == GOALS
        await driven.press("enter")
        await driven.sees("Restored as revision 3.", "r3")

    drive(source_of(here), driver)
    assert here.text("goals", "main") == "Parse tags\n"


def test_a_restore_of_what_moved_on_is_refused_and_explained(here: Project) -> None:
    async def driver(driven: Driven) -> None:
        await open_docs(driven, "Parse every tag")
        await driven.press("h")
        await driven.sees("Changes in revision 2")
        await driven.press("j", "R")
        await driven.sees("Restore goals from revision 1?")
        here.change("goals", "Faster\n", "main")
        await driven.press("enter")
        await driven.sees("is at revision 3, not 2")

    drive(source_of(here), driver)
    assert here.text("goals", "main") == "Faster\n"


def test_a_long_history_is_read_page_by_page(here: Project) -> None:
    for number in range(60):
        here.change("progress", f"state {number}\n", "main")

    async def driver(driven: Driven) -> None:
        await open_docs(driven, "[1 Goals]")
        await driven.press("3", "h")
        await driven.sees("r60  now", "Changes in revision 60")
        await driven.press("G")
        await driven.sees("r11", "Changes in revision 11", "-state 9", "+state 10")
        await driven.press("m")
        await driven.until(lambda: len(driven.app.screen.query_one(RowList).rows) == 60)
        await driven.press("G")
        await driven.sees("Changes in revision 1", "+state 0")
        await driven.press("m")
        await driven.sees("No older revisions.")

    drive(source_of(here), driver)


@pytest.mark.parametrize("size", NARROW)
def test_an_edit_from_outside_is_told_of_and_can_be_adopted(here: Project, size: str) -> None:
    here.file("goals", "main").write_text(GOALS + "- Written by hand\n")

    async def driver(driven: Driven) -> None:
        await open_docs(driven, "1 Goals■", "goals.md was edited outside Gatepost", "1 for you")
        assert "Written by hand" not in driven.picture()
        driven.check(f"taskdoc-outside-{size}")
        await driven.press("e")
        await driven.sees("Decide first")
        await driven.press("A")
        await driven.sees("Adopt goals of main?", "+- Written by hand")
        driven.check(f"taskdoc-adopt-{size}")
        await driven.press("enter")
        await driven.sees("Adopted goals of main.", "Written by hand", "[1 Goals]")

    drive(source_of(here), driver, SIZES[size])
    assert here.text("goals", "main") == GOALS + "- Written by hand\n"
    assert here.edited("main") == set()


@pytest.mark.parametrize(("key", "operation"), [("A", "taskdoc_adopt"), ("R", "taskdoc_restore")])
def test_an_edit_from_outside_is_settled_at_the_revision_that_was_looked_at(
    here: Project, key: str, operation: str
) -> None:
    here.file("goals", "main").write_text("Written by hand\n")
    source = Listening(here)

    async def driver(driven: Driven) -> None:
        await open_docs(driven, "goals.md was edited outside Gatepost")
        await driven.press(key)
        await driven.sees("+Written by hand")
        await driven.press("enter")
        await driven.sees("goals of main.", "[1 Goals]")

    revision = {"A": here.ok("recall_mind", taskdoc="main"), "R": here.ok("recall_mind", selector="goals")}
    drive(source, driver)

    (sent,) = [call for call in source.sent if call["op"] == operation]
    assert sent["expected_revision"] == revision[key]["revision"]


def test_an_edit_from_outside_can_be_written_over_and_stays_in_the_history(here: Project) -> None:
    here.file("goals", "main").write_text("Written by hand\n")

    async def driver(driven: Driven) -> None:
        await open_docs(driven, "goals.md was edited outside Gatepost")
        await driven.press("R")
        await driven.sees("Restore goals of main?", "+Written by hand")
        await driven.press("enter")
        await driven.sees("Restored goals of main.", "[1 Goals]")
        await driven.press("h")
        await driven.sees("The text on disk that was replaced:", "Written by hand")

    drive(source_of(here), driver, (80, 40))
    assert here.file("goals", "main").read_text() == GOALS


def test_what_changed_on_disk_while_one_looked_is_shown_again_before_it_is_adopted(here: Project) -> None:
    here.file("goals", "main").write_text("Written by hand\n")

    async def driver(driven: Driven) -> None:
        await open_docs(driven, "goals.md was edited outside Gatepost")
        await driven.press("A")
        await driven.sees("+Written by hand")
        here.file("goals", "main").write_text("Written by somebody else\n")
        await driven.press("enter")
        await driven.sees("It changed again while you were looking", "+Written by somebody else")
        await driven.press("escape")
        await driven.sees("goals.md was edited outside Gatepost")

    drive(source_of(here), driver)
    assert here.text("goals", "main") == GOALS


def test_where_nobody_edited_from_outside_there_is_nothing_to_settle(here: Project) -> None:
    async def driver(driven: Driven) -> None:
        await open_docs(driven, "Parse every tag")
        await driven.press("A")
        await driven.sees("This section was not edited on disk.")

    drive(source_of(here), driver)
