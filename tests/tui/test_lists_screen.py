"""The overlay: all lists, switched, searched, followed; where one is stays, whatever comes in."""

import pytest

from gatepost.surfaces.tui.screens.lists import ListRow, ListsScreen
from gatepost.surfaces.tui.widgets.row_list import RowList
from tests.givens import World
from tests.tui.givens import Driven, Script, a_login_page, drive, envelope, items, source_of


def rows_of(driven: Driven) -> RowList[ListRow]:
    """The list of the overlay."""
    rows: RowList[ListRow] = driven.app.screen.query_one(RowList)
    return rows


def under_the_cursor(driven: Driven) -> str:
    """The title of the item that the cursor is on."""
    row = rows_of(driven).row
    assert row is not None
    assert row.item is not None
    return row.item.title


def tab(driven: Driven) -> str:
    """The chosen tab, as it is drawn."""
    tabs = driven.picture().splitlines()[1]
    return tabs[tabs.index("[") + 1 : tabs.index("]")]


@pytest.mark.requirement("tui.todo.overlay")
def test_lists_are_switched_by_tab_and_by_number(one_world: World) -> None:
    a_login_page(one_world)

    async def driver(driven: Driven) -> None:
        await driven.sees("Call the API")
        await driven.press("o")
        await driven.sees("[1 ● TASK-001 1/5]", "Write the form")
        assert under_the_cursor(driven) == "Call the API"
        await driven.press("tab")
        await driven.sees("[2 TASK-002 0/2]", "Index", "Query")
        assert "Write the form" not in driven.picture()
        await driven.press("tab")
        await driven.sees("[3 main 0/2]", "rename the branch")
        await driven.press("tab")
        await driven.sees("[0 all 1/9]", "Write the form", "Query", "rename the branch")
        await driven.press("shift+tab")
        await driven.sees("[3 main 0/2]")
        await driven.press("2")
        await driven.sees("[2 TASK-002 0/2]")
        await driven.press("0")
        await driven.sees("[0 all 1/9]")
        await driven.press("9")
        assert tab(driven) == "0 all 1/9"
        await driven.press("escape")
        assert not isinstance(driven.app.screen, ListsScreen)

    drive(source_of(one_world), driver)


@pytest.mark.requirement("tui.todo.overlay")
def test_the_lists_and_their_counts_follow_the_store(one_world: World) -> None:
    task = a_login_page(one_world)

    async def driver(driven: Driven) -> None:
        await driven.sees("Call the API")
        await driven.press("o")
        await driven.sees("[1 ● TASK-001 1/5]")
        one_world.close(task, "s:1")
        await driven.sees("[1 ● TASK-001 2/5]", "✓ Call the API", "● Test 日本語 input")
        one_world.task("Only step", title="A new one")
        await driven.sees("4 TASK-003 0/1")

    drive(source_of(one_world), driver)


def test_it_begins_with_the_list_that_leads_and_not_with_one_that_is_empty() -> None:
    source = Script()

    async def driver(driven: Driven) -> None:
        source.say(
            envelope("replace", 1, "planner", items=items(a="todo")),
            envelope("replace", 1, "TASK-001", items=items(b="in_progress")),
            envelope("clear", 2, "planner"),
        )
        await driven.sees("● b")
        await driven.press("o")
        await driven.sees("[2 ● TASK-001 0/1]")

    drive(source, driver)


def test_keys_move_through_a_list_and_to_its_ends() -> None:
    source = Script()

    async def driver(driven: Driven) -> None:
        source.say(envelope("replace", 1, items=items(**{f"item{n}": "todo" for n in range(100)})))
        await driven.sees("item0")
        await driven.press("o")
        await driven.until(lambda: isinstance(driven.app.screen, ListsScreen))
        for keys, title in (
            (("j", "j", "k"), "item1"),
            (("G",), "item99"),
            (("k",), "item98"),
            (("g",), "item0"),
            (("k",), "item0"),
            (("G", "j"), "item99"),
        ):
            await driven.press(*keys)
            assert under_the_cursor(driven) == title
            assert title in driven.picture()

    drive(source, driver)


def test_a_search_shows_what_matches_and_escape_ends_it(one_world: World) -> None:
    a_login_page(one_world)

    async def driver(driven: Driven) -> None:
        await driven.sees("Call the API")
        await driven.press("o", "0", "slash")
        await driven.type("form")
        await driven.until(lambda: "Query" not in driven.picture())
        await driven.sees("Write the form")
        await driven.press("enter", "j", "enter")
        await driven.sees("TASK-001 s:0", "✓ Write the form")
        await driven.press("escape")
        await driven.press("escape")
        await driven.sees("Query", "Write the form")
        assert isinstance(driven.app.screen, ListsScreen)

    drive(source_of(one_world), driver)


def test_enter_shows_notes_evidence_and_history_of_a_step(one_world: World) -> None:
    task = a_login_page(one_world)
    one_world.ok("tasks_note", task=task, path="s:1", note="the API\nis slow \x1b[31m")
    one_world.ok(
        "tasks_evidence_capture", task=task, path="s:1", items=[{"kind": "note", "content": "seen in the trace"}]
    )

    async def driver(driven: Driven) -> None:
        await driven.sees("Call the API")
        await driven.press("o")
        await driven.press("enter")
        await driven.sees("now · s:1", "the API", "is slow ␛[31m", "Evidence (1)", "seen in the trace", "History")
        one_world.ok("tasks_note", task=task, path="s:1", note="and now this")
        await driven.sees("and now this")

    drive(source_of(one_world), driver, (80, 40))


def test_an_item_of_a_session_is_shown_with_what_is_known_of_it() -> None:
    source = Script()

    async def driver(driven: Driven) -> None:
        source.say(
            envelope("replace", 1, "main", items=[{"id": "a", "title": "x", "status": "done", "owner": "Ada"}])
        )
        await driven.press("o", "enter")
        await driven.sees("done", "owner: Ada")

    drive(source, driver)


def test_following_goes_where_the_work_is_until_somebody_moves() -> None:
    source = Script()

    async def driver(driven: Driven) -> None:
        source.say(
            envelope("replace", 1, "TASK-001", items=items(a="in_progress", b="todo")),
            envelope("replace", 1, "TASK-002", items=items(c="todo", d="todo")),
        )
        await driven.press("o", "1", "f")
        await driven.sees("following")
        patches = [{"id": "d", "status": "in_progress"}]
        source.say(envelope("patch", 2, "TASK-002", seq=3, patches=patches))
        await driven.sees("[2 ● TASK-002 0/2]")
        assert under_the_cursor(driven) == "d"
        source.say(envelope("patch", 2, "TASK-001", seq=4, patches=[{"id": "a", "title": "a again"}]))
        await driven.sees("[1 ● TASK-001 0/2]")
        assert under_the_cursor(driven) == "a again"
        await driven.press("j")
        assert "following" not in driven.picture()
        source.say(envelope("patch", 3, "TASK-002", seq=5, patches=[{"id": "d", "title": "d again"}]))
        await driven.until(lambda: source.todos.scopes["TASK-002"].revision == 3)
        await driven.pilot.pause()
        assert tab(driven).startswith("1 ")
        assert under_the_cursor(driven) == "b"

    drive(source, driver)


def test_the_place_stays_when_items_come_and_go_above_and_below() -> None:
    source = Script()
    names = [f"item{n:03}" for n in range(200)]

    async def driver(driven: Driven) -> None:
        source.say(envelope("replace", 1, items=items(**dict.fromkeys(names, "todo"))))
        await driven.press("o")
        rows = rows_of(driven)
        rows.go(120)
        await driven.pilot.pause()
        rows.go(110)
        await driven.pilot.pause()
        place = driven.picture().splitlines().index(driven.line("item110"))

        longer = [*(f"new{n}" for n in range(7)), *names[3:], "last"]
        source.say(envelope("replace", 2, items=items(**dict.fromkeys(longer, "todo"))))
        await driven.until(lambda: len(rows.rows) == len(longer))
        await driven.pilot.pause()

        assert under_the_cursor(driven) == "item110"
        assert driven.picture().splitlines().index(driven.line("item110")) == place

    drive(source, driver)


def test_many_lists_keep_the_chosen_tab_in_view() -> None:
    source = Script()

    async def driver(driven: Driven) -> None:
        source.say(*(envelope("replace", 1, f"TASK-{n:03}", items=items(a="todo")) for n in range(1, 51)))
        await driven.press("o", "0")
        for number in range(1, 51):
            await driven.press("tab")
            assert f"TASK-{number:03} 0/1" in tab(driven)

    drive(source, driver)


def test_a_list_that_is_gone_gives_way_to_all() -> None:
    source = Script()

    async def driver(driven: Driven) -> None:
        source.say(envelope("replace", 1, "TASK-001", items=items(a="todo")))
        await driven.press("o", "1")
        source.todos.forget()
        source.say(envelope("replace", 1, "TASK-002", items=items(b="todo")))
        await driven.sees("[0 all 0/1]", "○ b")

    drive(source, driver)


def test_going_to_and_fro_between_screens_never_piles_them_up(one_world: World) -> None:
    a_login_page(one_world)

    async def driver(driven: Driven) -> None:
        await driven.sees("Call the API")
        for key in "oaoatrodara":
            await driven.press(key)
            assert len(driven.app.screen_stack) <= 6
        for _ in range(6):
            await driven.press("escape")
        await driven.sees("i note", "Call the API")

    drive(source_of(one_world), driver)
