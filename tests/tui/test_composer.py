"""The composer: notes, commands and operations, with completion and history; nothing typed is lost."""

import json
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.events import Paste

from gatepost.surfaces.tui.models.composer_syntax import (
    COMMANDS,
    ComposerCall,
    ComposerCommand,
    ComposerError,
    ComposerNote,
    completions,
    parse,
)
from gatepost.surfaces.tui.screens.home import HomeScreen
from gatepost.surfaces.tui.widgets.composer import Composer
from tests.givens import World
from tests.tui.givens import Driven, Listening, a_login_page, drive, source_of


def noted(world: World, task: str) -> list[dict[str, Any]]:
    """The notes of a task, as the log has them."""
    events: list[dict[str, Any]] = world.ok("tasks_delta", task=task)["events"]
    return [event for event in events if event["type"] == "step_noted"]


def typed(driven: Driven) -> str:
    """The text of the composer."""
    return driven.app.screen.query_one(Composer).value


def test_a_note_goes_to_the_step_in_progress(one_world: World) -> None:
    task = a_login_page(one_world)

    async def driver(driven: Driven) -> None:
        await driven.sees("Call the API")
        await driven.press("i")
        await driven.type("half way")
        await driven.sees("note on TASK-001", "half way")
        await driven.press("enter")
        await driven.sees("Added a note to Call the API")
        assert typed(driven) == ""

    drive(source_of(one_world), driver)

    (note,) = noted(one_world, task)
    assert (note["note"], note["path"], note["actor"]) == ("half way", "s:1", "human:tester")


def test_a_note_goes_to_the_step_that_was_in_progress_when_it_was_begun(one_world: World) -> None:
    task = a_login_page(one_world)

    async def driver(driven: Driven) -> None:
        await driven.sees("● Call the API")
        await driven.press("i")
        await driven.type("about the A")
        one_world.close(task, "s:1")
        await driven.sees("● Test 日本語 input", "note on TASK-001 · Call the API")
        await driven.type("PI")
        await driven.press("enter")
        await driven.sees("Added a note to Call the API")

    drive(source_of(one_world), driver)

    assert [note["path"] for note in noted(one_world, task)] == ["s:1"]


def test_a_revision_that_was_typed_is_nobody_elses_to_correct(one_world: World) -> None:
    task = a_login_page(one_world)

    async def driver(driven: Driven) -> None:
        await driven.sees("● Call the API")
        await driven.press("i")
        call = f'tasks_note {{"task": "{task}", "note": "mine", "expected_revision": 1}}'
        driven.app.screen.query_one(Composer).value = call
        await driven.press("enter")
        await driven.sees("TASK-001 is at revision 3, not 1.", "expected_revision 3")
        assert typed(driven) == call

    drive(source_of(one_world), driver)

    assert noted(one_world, task) == []


def test_every_write_is_sent_with_the_revision_that_is_shown(one_world: World) -> None:
    task = a_login_page(one_world)
    source = Listening(one_world)
    shown: list[int] = []

    async def driver(driven: Driven) -> None:
        await driven.sees("● Call the API", "waits for the style guide")
        await driven.press("i")
        for line in (
            ":block no key",
            ":unblock",
            ":undo",
            ":redo",
            "a note",
            f'tasks_edit {{"task": "{task}", "title": "Log in"}}',
        ):
            shown.append(driven.app.session.lists.scopes[task].revision or 0)
            await driven.type(line)
            await driven.press("enter")
            if line in (":undo", ":redo"):
                await driven.sees("Ctrl+R", "Enter ")
                await driven.press("enter")
            elif line.startswith("tasks_"):
                await driven.sees('"type": "task_edited"')
                await driven.press("escape")
            await driven.until(lambda: driven.app.screen is driven.app.get_default_screen())
            await driven.until(lambda: typed(driven) == "")
            revision = one_world.revision(task)
            await driven.until(lambda: driven.app.session.lists.scopes[task].revision == revision)  # noqa: B023

    drive(source, driver)

    sent = [(each["op"], each["expected_revision"]) for each in source.sent if "expected_revision" in each]
    operations = ("tasks_block", "tasks_block", "tasks_undo", "tasks_redo", "tasks_note", "tasks_edit")
    assert sent == list(zip(operations, shown, strict=True))
    assert shown == sorted(shown)
    assert len(set(shown)) == len(shown) - 1  # what is open already is not unblocked


def test_the_focus_is_set_whatever_revision_its_task_has(one_world: World) -> None:
    task = a_login_page(one_world)

    async def driver(driven: Driven) -> None:
        await driven.sees("● Call the API")
        await driven.press("i")
        await driven.type(f'tasks_focus_set {{"task": "{task}"}}')
        await driven.press("enter")
        await driven.sees('"type": "focus_set"')

    drive(source_of(one_world), driver)


def test_commands_lead_to_their_screens(one_world: World) -> None:
    a_login_page(one_world)

    async def driver(driven: Driven) -> None:
        await driven.sees("● Call the API")
        for command, words in ((":lists", "1 ● TASK-001"), (":log", "newest last"), (":help", "Everywhere")):
            await driven.press("colon")
            await driven.type(command[1:])
            await driven.press("enter")
            await driven.sees(words)
            await driven.press("escape")
        await driven.press("colon")
        await driven.type("use TASK-002")
        await driven.press("enter")
        await driven.until(lambda: driven.picture().find("TASK-002") < driven.picture().find("TASK-001"))
        await driven.press("colon")
        await driven.type("new Third task")
        await driven.press("enter")
        await driven.sees("Created TASK-003.")
        await driven.press("colon")
        await driven.type("quit")
        await driven.press("enter")
        await driven.until(lambda: not driven.app.is_running)

    drive(source_of(one_world), driver)

    assert one_world.ok("tasks_resume", task="TASK-003")["target"]["title"] == "Third task"


def test_an_operation_is_called_and_its_reply_is_shown(one_world: World) -> None:
    a_login_page(one_world)

    async def driver(driven: Driven) -> None:
        await driven.sees("● Call the API")
        await driven.press("i")
        await driven.type('tasks_radar {"task": "TASK-002"}')
        await driven.press("enter")
        await driven.sees('"id": "TASK-002"')
        await driven.press("escape")
        await driven.sees("● Call the API")

    drive(source_of(one_world), driver)


def test_what_is_refused_is_said_and_stays_in_the_line(one_world: World) -> None:
    async def driver(driven: Driven) -> None:
        await driven.press("i")
        for line, words in (
            ("just a note", "No task is open"),
            (":nonsense", "is not a command"),
            ("tasks_nota {}", "Did you mean tasks_note?"),
            ("tasks_note {", "not valid JSON"),
            ("tasks_done TASK-001", 'takes a JSON object. Example: tasks_done {"task": "TASK-001"'),
            ("tasks_note []", 'takes a JSON object. Example: tasks_note {"task": "TASK-001"'),
            ('tasks_note {"task": "TASK-001"}', "`note` is required. Correct `note`"),
            (":use NOPE", "No list is called NOPE. Open lists: none. Press o to see all."),
            ('tasks_radar {"task": "TASK-099"}', "TASK-099"),
        ):
            driven.app.screen.query_one(Composer).value = line
            await driven.press("enter")
            await driven.sees(words)
            assert typed(driven) == line

    drive(source_of(one_world), driver)


def test_what_is_wrong_with_a_call_is_shown_with_the_task_that_leads(one_world: World) -> None:
    a_login_page(one_world)

    async def driver(driven: Driven) -> None:
        await driven.press("i")
        await driven.type(":use TASK-002")
        await driven.press("enter")
        await driven.until(lambda: driven.app.session.lists.leading() == "TASK-002")
        await driven.type("tasks_done it")
        await driven.press("enter")
        await driven.sees('Example: tasks_done {"task": "TASK-002"')

    drive(source_of(one_world), driver)


def test_what_needs_no_doing_is_said_to_be_so(one_world: World) -> None:
    task = a_login_page(one_world)

    async def driver(driven: Driven) -> None:
        await driven.sees("● Call the API")
        await driven.press("i")
        await driven.type(":unblock")
        await driven.press("enter")
        await driven.sees("Call the API of TASK-001 is not blocked.")

    drive(source_of(one_world), driver)

    assert one_world.revision(task) == 3


def test_what_does_not_fit_into_three_rows_ends_with_a_sign(one_world: World) -> None:
    async def driver(driven: Driven) -> None:
        await driven.sees("● live")
        home = cast("HomeScreen", driven.app.get_default_screen())
        home.say("one two three four five " * 30)
        await driven.until(lambda: driven.picture().count("five") > 3)
        rows = [row for row in driven.picture().splitlines() if "five" in row]
        assert (len(rows), rows[2].endswith("…")) == (3, True)
        await driven.pilot.resize_terminal(120, 24)
        await driven.until(lambda: len(driven.line("five")) > 80)
        assert [row.endswith("…") for row in driven.picture().splitlines() if "five" in row] == [False, False, True]
        home.say("short")
        await driven.until(lambda: "five" not in driven.picture())
        assert "…" not in driven.picture()

    drive(source_of(one_world), driver)


def test_tab_completes_and_arrows_bring_earlier_lines_back(one_world: World) -> None:
    a_login_page(one_world)

    async def driver(driven: Driven) -> None:
        await driven.sees("● Call the API")
        await driven.press("colon")
        await driven.type("o")
        await driven.press("tab")
        assert typed(driven) == ":open"
        await driven.type(" T")
        await driven.press("tab")
        assert typed(driven) == ":open TASK-001"
        await driven.press("tab")
        assert typed(driven) == ":open TASK-002"
        await driven.press("shift+tab")
        assert typed(driven) == ":open TASK-001"
        driven.app.screen.query_one(Composer).value = "first note"
        await driven.press("enter")
        await driven.until(lambda: typed(driven) == "")
        await driven.type("draft")
        await driven.press("up")
        assert typed(driven) == "first note"
        await driven.press("down")
        assert typed(driven) == "draft"
        await driven.press("escape")
        assert typed(driven) == "draft"

    drive(source_of(one_world), driver)


def test_keys_of_the_screen_are_letters_while_one_types(one_world: World) -> None:
    async def driver(driven: Driven) -> None:
        await driven.press("i")
        await driven.type("toadq?r")
        assert typed(driven) == "toadq?r"
        await driven.press("ctrl+c")
        assert typed(driven) == ""
        assert driven.app.is_running

    drive(source_of(one_world), driver)


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("half way", ComposerNote("half way")),
        (":open TASK-001", ComposerCommand("open", "TASK-001")),
        (":q", ComposerCommand("quit", "")),
        ("tasks_radar", ComposerCall("tasks_radar", {})),
        ('tasks_note {"task": "TASK-001"}', ComposerCall("tasks_note", {"task": "TASK-001"})),
        ("see tasks_note {x}", ComposerNote("see tasks_note {x}")),
        ("tasks_noted it", ComposerNote("tasks_noted it")),
    ],
)
def test_a_line_means_what_it_looks_like(line: str, meant: object) -> None:
    assert parse(line) == meant


def test_only_an_open_list_can_lead(one_world: World) -> None:
    a_login_page(one_world)
    one_world.close(one_world.task("Only", title="Short"), "s:0")

    async def driver(driven: Driven) -> None:
        await driven.sees("● Call the API")
        for name, words in (
            ("NOPE", "No list is called NOPE. Open lists: TASK-001, "),
            ("TASK-003", "TASK-003 has nothing open. Open lists: TASK-001, "),
        ):
            await driven.press("colon")
            await driven.type(f"use {name}")
            await driven.press("enter")
            await driven.sees(words)
            assert typed(driven) == f":use {name}"
            assert driven.app.session.lists.chosen is None
            await driven.press("ctrl+c")
        await driven.press("colon")
        await driven.type("use task-002")
        await driven.press("enter")
        await driven.until(lambda: driven.app.session.lists.leading() == "TASK-002")
        assert typed(driven) == ""
        await driven.press("colon")
        await driven.type("use")
        await driven.press("enter")
        await driven.until(lambda: driven.app.session.lists.leading() == "TASK-001")

    drive(source_of(one_world), driver)


@pytest.mark.parametrize("breaks", ["\n", "\r", "\r\n", "\n\t", "\t", "\u2028", "  \r\n    "])
def test_pasted_lines_become_one_with_a_single_space_for_each_break(one_world: World, breaks: str) -> None:
    async def driver(driven: Driven) -> None:
        await driven.press("i")
        driven.app.post_message(Paste(breaks.join(["line one", "line  two", "third", ""])))
        await driven.until(lambda: typed(driven))
        assert typed(driven) == "line one line  two third"

    drive(source_of(one_world), driver)


def test_a_pasted_piece_of_a_line_stays_as_it_is_but_acts_on_nothing(one_world: World) -> None:
    async def driver(driven: Driven) -> None:
        await driven.press("i")
        driven.app.post_message(Paste(" a  b \x1b[2J"))
        await driven.until(lambda: typed(driven))
        assert typed(driven) == " a  b ␛[2J"

    drive(source_of(one_world), driver)


@pytest.mark.parametrize("breaks", ["\n", "\r"])
def test_arguments_are_pasted_as_programs_print_them(one_world: World, breaks: str) -> None:
    task = a_login_page(one_world)
    arguments = json.dumps({"task": task, "path": "s:1", "note": "two  spaces, [one] list"}, indent=2)

    async def driver(driven: Driven) -> None:
        await driven.sees("● Call the API")
        await driven.press("i")
        await driven.type("tasks_note ")
        driven.app.post_message(Paste(arguments.replace("\n", breaks)))
        await driven.until(lambda: typed(driven).endswith("}"))
        await driven.press("enter")
        await driven.sees('"type": "step_noted"')

    drive(source_of(one_world), driver)

    assert [note["note"] for note in noted(one_world, task)] == ["two  spaces, [one] list"]


@given(st.text(max_size=60), st.sampled_from(["", ":", "tasks_note {", ":open ", "tasks_radar "]))
def test_no_line_whatever_fails(text: str, before: str) -> None:
    line = before + text

    assert isinstance(parse(line), ComposerNote | ComposerCommand | ComposerCall | ComposerError)
    for offer in completions(line, ["TASK-001", "main"], ["an earlier line"], {"task": "TASK-001"}):
        assert offer != line


def test_every_command_is_obeyed_by_its_name_and_described() -> None:
    for name, what in COMMANDS.items():
        assert parse(f":{name}") == ComposerCommand(name, "")
        assert what
