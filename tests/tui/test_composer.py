"""The composer: notes, commands and operations, with completion and history; nothing typed is lost."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatepost.surfaces.tui.composer import Composer
from gatepost.surfaces.tui.composing import COMMANDS, Call, Misread, Note, Order, completions, meaning
from tests.givens import World
from tests.tui.givens import Driven, Listening, a_login_page, drive, source_of


def noted(world: World, task: str) -> list[dict[str, Any]]:
    """The notes of a task, as the log has them."""
    events: list[dict[str, Any]] = world.ok("tasks_delta", task=task)["events"]
    return [event for event in events if event["type"] == "step_noted"]


def typed(driven: Driven) -> str:
    """What stands in the composer."""
    return driven.app.screen.query_one(Composer).value


def test_a_note_goes_to_the_step_in_progress(one_world: World) -> None:
    task = a_login_page(one_world)

    async def driver(driven: Driven) -> None:
        await driven.sees("Call the API")
        await driven.press("i")
        await driven.type("half way")
        await driven.sees("note to TASK-001", "half way")
        await driven.press("enter")
        await driven.sees("Noted with Call the API")
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
        await driven.sees("● Test 日本語 input", "note to TASK-001 · Call the API")
        await driven.type("PI")
        await driven.press("enter")
        await driven.sees("Noted with Call the API")

    drive(source_of(one_world), driver)

    assert [note["path"] for note in noted(one_world, task)] == ["s:1"]


def test_somebody_elses_change_is_explained_and_the_line_stays_to_be_sent_again(one_world: World) -> None:
    task = a_login_page(one_world)
    source = source_of(one_world)

    async def driver(driven: Driven) -> None:
        await driven.sees("● Call the API")
        await driven.press("i")
        await driven.type("tasks_note ")
        call = f'tasks_note {{"task": "{task}", "note": "mine", "expected_revision": 1}}'
        driven.app.screen.query_one(Composer).value = call
        await driven.press("enter")
        await driven.sees("Somebody was faster", "not 1")
        assert typed(driven) == call

    drive(source, driver)

    assert noted(one_world, task) == []


def test_every_write_is_sent_with_the_revision_that_is_shown(one_world: World) -> None:
    task = a_login_page(one_world)
    source = Listening(one_world)
    sent = source.sent

    async def driver(driven: Driven) -> None:
        await driven.sees("● Call the API")
        for line in (":block no key", ":unblock", ":undo", ":redo", "a note"):
            await driven.press("i")
            await driven.type(line)
            before = len(sent)
            await driven.press("enter")
            await driven.until(lambda: typed(driven) == "" and len(sent) > before)  # noqa: B023
            revision = one_world.revision(task)
            await driven.until(lambda: driven.app.source.todos.scopes[task].revision == revision)  # noqa: B023

    drive(source, driver)

    writes = [each for each in sent if each["op"] in ("tasks_note", "tasks_block")]
    assert len(writes) >= 3
    assert all("expected_revision" in each for each in writes)


def test_commands_lead_to_their_screens(one_world: World) -> None:
    a_login_page(one_world)

    async def driver(driven: Driven) -> None:
        await driven.sees("● Call the API")
        for command, words in ((":lists", "1 ● TASK-001"), (":log", "newest last"), (":help", "what can be typed")):
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
        await driven.sees("Made.")
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
            ("just a note", "There is no task"),
            (":nonsense", "is not a command"),
            ("tasks_nota {}", "Did you mean tasks_note?"),
            ("tasks_note {", "no JSON"),
            ('tasks_radar {"task": "TASK-099"}', "TASK-099"),
        ):
            driven.app.screen.query_one(Composer).value = line
            await driven.press("enter")
            await driven.sees(words)
            assert typed(driven) == line

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
        ("half way", Note("half way")),
        (":open TASK-001", Order("open", "TASK-001")),
        (":q", Order("quit", "")),
        ("tasks_radar", Call("tasks_radar", {})),
        ('tasks_note {"task": "TASK-001"}', Call("tasks_note", {"task": "TASK-001"})),
        ("see tasks_note {x}", Note("see tasks_note {x}")),
    ],
)
def test_a_line_means_what_it_looks_like(line: str, meant: object) -> None:
    assert meaning(line) == meant


@given(st.text(max_size=60), st.sampled_from(["", ":", "tasks_note {", ":open ", "tasks_radar "]))
def test_no_line_whatever_fails(text: str, before: str) -> None:
    line = before + text

    assert isinstance(meaning(line), Note | Order | Call | Misread)
    for offer in completions(line, ["TASK-001", "main"], ["an earlier line"], {"task": "TASK-001"}):
        assert offer != line


def test_every_command_is_obeyed_by_its_name_and_described() -> None:
    for name, what in COMMANDS.items():
        assert meaning(f":{name}") == Order(name, "")
        assert what
