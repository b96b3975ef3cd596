"""The preview: what is in progress, what is blocked, how far it is, live above the composer."""

from datetime import datetime

import pytest
from textual.screen import Screen

from gatepost.client.protocol import Update
from gatepost.surfaces.tui.models.todo_lists import progress
from gatepost.surfaces.tui.texts import elapsed
from gatepost.surfaces.tui.widgets.composer import Composer
from gatepost.surfaces.tui.widgets.preview import Preview
from gatepost.todo import ListCounts
from tests.givens import World
from tests.tui.givens import NOW, Driven, Script, a_login_page, drive, envelope, items, source_of


class Counting(Screen[None]):
    """A screen that remembers how much it heard each time."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[int] = []

    def receive(self, batch: Update) -> None:
        self.told.append(len(batch.todo))


@pytest.mark.requirement("tui.todo.preview")
def test_the_preview_stands_above_the_composer_and_follows_the_store(one_world: World) -> None:
    task = a_login_page(one_world)

    async def driver(driven: Driven) -> None:
        await driven.sees("Login page", "1/5", "Call the API")
        preview, composer = driven.app.screen.query_one(Preview), driven.app.screen.query_one(Composer)
        assert preview.region.bottom <= composer.region.y

        one_world.close(task, "s:1")
        await driven.sees("2/5", "● Test 日本語 input")

    drive(source_of(one_world), driver)


@pytest.mark.requirement("tui.todo.preview")
def test_what_is_in_progress_comes_first_then_what_is_blocked_with_its_reason(one_world: World) -> None:
    a_login_page(one_world)

    async def driver(driven: Driven) -> None:
        await driven.sees("waits for the style guide")
        rows = driven.picture().splitlines()
        head = next(index for index, row in enumerate(rows) if "Login page" in row)
        assert "● Call the API" in rows[head + 1]
        assert "■ Document it — waits for the style guide" in rows[head + 2]
        assert "○ Test 日本語 input" in rows[head + 3]
        assert "✓ 1 done" in driven.picture()
        assert "Write the form" not in driven.picture()

    drive(source_of(one_world), driver)


def test_what_is_in_progress_says_for_how_long(one_world: World) -> None:
    task = a_login_page(one_world)
    (closed,) = one_world.ok("tasks_delta", task=task, types=["step_done"])["events"]
    began = datetime.fromisoformat(closed["at"]).timestamp()

    async def driver(driven: Driven) -> None:
        await driven.sees(elapsed(NOW - began))
        assert driven.line("Call the API").endswith(f" {elapsed(NOW - began)}")

    drive(source_of(one_world), driver)


def test_elapsed_time_counts_from_the_news_that_began_it() -> None:
    source = Script()

    async def driver(driven: Driven) -> None:
        source.say(envelope("replace", 1, items=items(a="in_progress", b="todo"), at=NOW - 200))
        await driven.sees("3m20s")
        source.say(
            envelope(
                "patch",
                2,
                patches=[{"id": "a", "status": "done"}, {"id": "b", "status": "in_progress"}],
                at=NOW - 5,
            )
        )
        await driven.sees("● b")
        assert driven.line("● b").endswith(" 5s")
        source.say(envelope("patch", 3, patches=[{"id": "b", "title": "b renamed"}], at=NOW - 1))
        await driven.sees("b renamed")
        assert driven.line("b renamed").endswith(" 5s")

    drive(source, driver)


def test_progress_leaves_the_canceled_out_everywhere() -> None:
    source = Script()

    async def driver(driven: Driven) -> None:
        source.say(envelope("replace", 1, items=items(a="done", b="canceled", c="todo", d="in_progress")))
        await driven.sees("1/3")
        assert "⊘ 1 canceled" in driven.picture()
        await driven.press("o")
        await driven.sees("TASK-001 1/3", "0 all 1/3")

    assert progress(ListCounts(done=1, canceled=1, todo=2)) == (1, 3)
    drive(source, driver)


def test_an_equal_update_draws_nothing() -> None:
    source = Script()

    async def driver(driven: Driven) -> None:
        source.say(envelope("replace", 1, items=items(a="in_progress")))
        await driven.sees("● a")
        preview = driven.app.screen.query_one(Preview)
        drawn = preview.render()
        for revision in range(2, 12):
            source.say(envelope("patch", revision, patches=[{"id": "a", "status": "in_progress"}]))
            await driven.until(lambda: driven.app.session.source.todos.scopes["TASK-001"].revision == revision)  # noqa: B023
            await driven.pilot.pause()
        source.say(envelope("patch", 12, patches=[{"id": "a", "title": "another"}]))
        assert preview.render() is drawn
        await driven.sees("another")
        assert preview.render() is not drawn

    drive(source, driver)


def test_a_burst_ends_in_the_last_of_it_and_is_drawn_a_few_times_only() -> None:
    source = Script()
    counting = Counting()

    async def driver(driven: Driven) -> None:
        await driven.app.push_screen(counting)
        source.say(envelope("replace", 1, items=items(a="in_progress")))
        for revision in range(2, 502):
            source.say(envelope("patch", revision, patches=[{"id": "a", "title": f"step {revision}"}]))
        await driven.until(lambda: sum(counting.told) == 501)
        driven.app.pop_screen()
        await driven.sees("step 501")

    drive(source, driver)

    assert len(counting.told) <= 10


def test_a_lost_connection_is_said_and_what_is_shown_stays_until_the_next_news() -> None:
    source = Script()

    async def driver(driven: Driven) -> None:
        source.say(envelope("replace", 1, items=items(a="in_progress")))
        await driven.sees("● live", "● a")
        source.say(state="lost", reason="connection reset")
        await driven.sees("STALE", "connection reset", "● a")
        source.say(state="refused", reason="the token is wrong")
        await driven.sees("refused: the token is wrong", "● a")
        source.say(envelope("replace", 5, items=items(b="in_progress")))
        await driven.sees("● live", "● b")
        assert "STALE" not in driven.picture()

    drive(source, driver)


def test_a_list_that_misses_something_says_so_until_a_snapshot_comes() -> None:
    source = Script()

    async def driver(driven: Driven) -> None:
        source.say(envelope("replace", 1, items=items(a="in_progress")))
        source.todos.apply(envelope("patch", 5, patches=[{"id": "a", "status": "done"}]))
        source.say(envelope("replace", 1, "main", items=items(b="todo")))
        await driven.sees("catching up")
        source.say(envelope("replace", 6, items=items(a="in_progress")))
        await driven.until(lambda: "catching up" not in driven.picture())

    drive(source, driver)


def test_hostile_titles_and_reasons_show_as_they_are(one_world: World) -> None:
    source = Script()
    evil = "\x1b]0;owned\x07\x1b[2J[bold]x[/] \u202eevil"

    async def driver(driven: Driven) -> None:
        source.say(
            envelope("replace", 1, items=[{"id": "a", "title": evil, "status": "blocked"}]),
            events=[{"seq": 1, "type": "step_blocked", "step_id": "a", "reason": "\x1b[5mwhy\n\x9b"}],
        )
        await driven.sees("␛]0;owned␇␛[2J[bold]x[/] \ufffdevil", "␛[5mwhy␊\ufffd")

    drive(source, driver)


def test_where_nothing_is_open_it_says_what_to_do(one_world: World) -> None:
    async def driver(driven: Driven) -> None:
        await driven.sees("No open tasks", "new TITLE")

    drive(source_of(one_world), driver)


def test_more_lists_than_fit_are_counted() -> None:
    source = Script()

    async def driver(driven: Driven) -> None:
        source.say(*(envelope("replace", 1, f"TASK-{n:03}", items=items(a="in_progress")) for n in range(1, 31)))
        await driven.sees("lists more")
        shown = sum("● a" in row for row in driven.picture().splitlines())
        assert f"{30 - shown} lists more" in driven.picture()

    drive(source, driver, (80, 10))
