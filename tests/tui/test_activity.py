"""ActivityScreen: the log as it grows, held and turned round at will."""

from gatepost.surfaces.tui.session import LOG_KEPT
from gatepost.surfaces.tui.widgets.row_list import RowList
from tests.givens import World
from tests.tui.givens import Driven, Script, a_login_page, drive, source_of


def test_the_log_is_shown_and_goes_on_with_each_event(one_world: World) -> None:
    task = a_login_page(one_world)

    async def driver(driven: Driven) -> None:
        await driven.press("a")
        await driven.sees("■ step_blocked", "waits for the style", "✓ step_done")
        one_world.ok("tasks_note", task=task, path="s:1", note="fresh from the store")
        await driven.sees("fresh from the store")
        assert driven.picture().splitlines().index(driven.line("fresh")) > driven.picture().splitlines().index(
            driven.line("step_blocked")
        )
        await driven.press("s")
        await driven.sees("newest first")
        assert "fresh from the store" in driven.picture().splitlines()[1]

    drive(source_of(one_world), driver)


def test_a_log_on_hold_stands_still_and_counts_what_it_misses(one_world: World) -> None:
    task = a_login_page(one_world)

    async def driver(driven: Driven) -> None:
        await driven.press("a")
        await driven.sees("step_blocked")
        await driven.press("space")
        await driven.sees("paused: 0 new")
        one_world.ok("tasks_note", task=task, path="s:1", note="while on hold")
        await driven.sees("paused: 1 new")
        assert "while on hold" not in driven.picture()
        await driven.press("space")
        await driven.sees("while on hold", "newest last")

    drive(source_of(one_world), driver)


def test_what_happens_to_a_taskdoc_is_listed_with_its_name_and_section(one_world: World) -> None:
    one_world.ok("taskdoc_create", name="passkeys")
    one_world.ok("change_mind", taskdoc="passkeys", selector="goals", content="Ship it", expected_revision=0)

    async def driver(driven: Driven) -> None:
        await driven.press("a")
        await driven.sees("passkeys goals")

    drive(source_of(one_world), driver)


def test_enter_shows_an_event_in_full(one_world: World) -> None:
    a_login_page(one_world)

    async def driver(driven: Driven) -> None:
        await driven.press("a")
        await driven.sees("todo_written")
        await driven.press("enter")
        await driven.sees('"type": "todo_written"', '"ask about passkeys"')
        await driven.press("escape", "escape")
        await driven.sees("i note")

    drive(source_of(one_world), driver)


def test_a_log_that_grows_longer_than_its_window_at_once_shows_its_end() -> None:
    source = Script()

    async def driver(driven: Driven) -> None:
        await driven.press("a")
        await driven.sees("activity, newest last")
        source.say(events=[_event(seq) for seq in range(1, 101)])
        await driven.sees("note 100")

    drive(source, driver)


def test_who_looks_back_is_not_pulled_to_the_end() -> None:
    source = Script()

    async def driver(driven: Driven) -> None:
        source.say(events=[_event(seq) for seq in range(1, 101)])
        await driven.press("a")
        await driven.sees("note 100")
        await driven.press("g")
        await driven.sees("note 1 ")
        source.say(events=[_event(101)])
        await driven.until(lambda: len(driven.app.screen.query_one(RowList).rows) == 101)
        assert "note 1 " in driven.picture()
        await driven.press("G")
        source.say(events=[_event(102)])
        await driven.sees("note 102")

    drive(source, driver)


def test_events_that_come_again_after_a_break_are_listed_once_and_the_log_is_bounded() -> None:
    source = Script()

    async def driver(driven: Driven) -> None:
        source.say(events=[_event(seq) for seq in range(1, 11)])
        source.say(events=[_event(seq) for seq in range(5, 13)])
        await driven.until(lambda: driven.app.session.log and driven.app.session.log[-1]["seq"] == 12)
        assert [event["seq"] for event in driven.app.session.log] == list(range(1, 13))
        source.say(events=[_event(seq) for seq in range(13, 3 * LOG_KEPT)])
        await driven.until(lambda: driven.app.session.log[-1]["seq"] == 3 * LOG_KEPT - 1)
        assert len(driven.app.session.log) == LOG_KEPT

    drive(source, driver)


def _event(seq: int) -> dict[str, object]:
    return {
        "seq": seq,
        "type": "step_noted",
        "at": "2026-01-01T00:00:00.000Z",
        "actor": "someone",
        "task": "TASK-001",
        "note": f"note {seq} .",
    }
