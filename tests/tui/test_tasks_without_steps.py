"""A task without steps: it is shown, it leads, what is typed goes to it, and a step is added from the line."""

from tests.givens import World
from tests.tui.givens import Driven, a_login_page, drive, source_of
from tests.tui.test_composer import typed


async def send(driven: Driven, line: str, *words: str) -> None:
    """Send a line, and see what comes of it."""
    await driven.type(line)
    await driven.press("enter")
    await driven.sees(*words)
    assert typed(driven) == ""


def test_on_an_empty_store_a_task_a_note_and_steps_are_made_from_the_line(one_world: World) -> None:
    async def driver(driven: Driven) -> None:
        await driven.sees("No open tasks", "● live")
        await driven.press("i")
        await send(driven, ":new First task", "Created TASK-001. :step TITLE adds a step.")
        await driven.sees("TASK-001 First task", "no steps yet; add one with :step TITLE")
        assert "No open tasks" not in driven.picture()
        await driven.type("how it beg")
        await driven.sees("note on TASK-001 · First task")
        await send(driven, "an", "Added a note to First task of TASK-001.")
        await send(driven, ":step Write the form", "Added s:0 to TASK-001.", "● Write the form", "0/1")
        await send(driven, ":step Call the API", "Added s:1 to TASK-001.", "○ Call the API", "0/2")
        assert "no steps yet" not in driven.picture()

    drive(source_of(one_world), driver)

    events = one_world.ok("tasks_delta", task="TASK-001")["events"]
    assert [event["type"] for event in events] == ["task_created", "step_noted", "steps_added", "steps_added"]


def test_beside_others_a_new_task_leads_once_it_is_chosen(one_world: World) -> None:
    a_login_page(one_world)

    async def driver(driven: Driven) -> None:
        await driven.sees("● Call the API")
        await driven.press("i")
        await send(driven, ":new Third task", "Created TASK-003. :use TASK-003 selects it, then :step TITLE")
        await driven.sees("TASK-003 Third task")
        await driven.type(":use TASK-003")
        await driven.press("enter")
        await driven.until(lambda: driven.app.session.lists.leading() == "TASK-003")
        await driven.type(":step Beg")
        await driven.sees("new step in TASK-003")
        await send(driven, "in", "Added s:0 to TASK-003.")

    drive(source_of(one_world), driver)

    assert one_world.step("TASK-003", "s:0")["title"] == "Begin"


def test_a_task_without_steps_that_is_deleted_or_done_is_not_shown(one_world: World) -> None:
    for title in ("Gone", "Closed", "Left"):
        one_world.ok("tasks_create", kind="task", title=title)

    async def driver(driven: Driven) -> None:
        await driven.sees("TASK-001 Gone", "TASK-002 Closed", "TASK-003 Left")
        one_world.ok("tasks_delete", task="TASK-001")
        await driven.until(lambda: "TASK-001" not in driven.picture())
        one_world.ok("tasks_complete", task="TASK-002")
        await driven.until(lambda: "TASK-002" not in driven.picture())
        await driven.sees("TASK-003 Left")

    drive(source_of(one_world), driver)


def test_a_step_needs_a_title_and_a_task(one_world: World) -> None:
    async def driver(driven: Driven) -> None:
        await driven.sees("● live")
        await driven.press("i")
        for line, words in ((":step", "A step needs a title"), (":step One", "No task is open.")):
            await driven.type(line)
            await driven.press("enter")
            await driven.sees(words)
            assert typed(driven) == line
            await driven.press("ctrl+c")

    drive(source_of(one_world), driver)


def test_its_list_says_that_nothing_is_in_it_and_how_it_gets_something(one_world: World) -> None:
    async def driver(driven: Driven) -> None:
        await driven.sees("● live")
        await driven.press("o")
        await driven.sees("No lists yet.")
        one_world.ok("tasks_create", kind="task", title="Bare")
        await driven.sees("TASK-001 Bare 0/0")
        await driven.press("tab")
        await driven.sees("This list is empty. Add a step with :step TITLE on the home screen.")
        one_world.ok("tasks_decompose", task="TASK-001", steps=[{"title": "One"}])
        await driven.sees("○ One")
        assert "This list is empty" not in driven.picture()
        await driven.press("slash", *"xyz")
        await driven.sees("No results.")

    drive(source_of(one_world), driver)
