"""Todos: every scope at once, live, and one at a time."""

from playwright.sync_api import Locator, Page, expect

from tests.givens import CONFIRMED
from tests.http.givens import Site
from tests.page.browser.reader import Reader
from tests.page.browser.story import by, crew


def panel(page: Page) -> Locator:
    return page.get_by_role("tabpanel")


def tab(page: Page, name: str) -> Locator:
    return page.get_by_role("tablist", name="Lists").get_by_role("tab", name=name)


def test_every_scope_is_shown_and_moves_without_a_reload(here: Site, reader: Reader) -> None:
    story = crew(here.world)
    page = reader.open("todos")
    expect(panel(page)).to_contain_text("Try a sliding window")
    expect(panel(page)).to_contain_text("Choose a counter")
    page.evaluate("window.__same = 1")

    by(here.world, "agent:builder", "todo_write", session="builder", items=["Something else"])
    by(here.world, "agent:tester", "todo_write", session="tester", items=["A list of its own"])
    by(here.world, "agent:builder", "tasks_close_step", task=story.task, path="s:0", checkpoints=CONFIRMED)

    expect(panel(page)).to_contain_text("Something else")
    expect(panel(page)).not_to_contain_text("Try a sliding window")
    expect(panel(page)).to_contain_text("A list of its own")
    expect(tab(page, "The limiter")).to_contain_text("1/5")
    assert page.evaluate("window.__same") == 1


def test_a_scope_is_chosen_by_click_by_arrow_and_by_number(here: Site, reader: Reader) -> None:
    crew(here.world)
    page = reader.open("todos")
    tab(page, "The limiter").click()
    expect(page.get_by_role("tabpanel", name="The limiter", exact=True)).to_be_visible()
    expect(panel(page)).not_to_contain_text("Read the RFC")

    page.keyboard.press("ArrowDown")

    expect(page.locator("[role=tab][aria-selected=true]")).to_be_focused()
    expect(page.get_by_role("tabpanel", name="builder", exact=True)).to_be_visible()
    page.keyboard.press("1")
    expect(page.get_by_role("tabpanel", name="The limiter", exact=True)).to_be_visible()
    page.keyboard.press("0")
    expect(tab(page, "All lists")).to_have_attribute("aria-selected", "true")


def test_one_scope_has_its_states_apart_and_done_ones_folded(here: Site, reader: Reader) -> None:
    story = crew(here.world)
    here.world.close(story.task, "s:0")

    page = reader.open("todos", story.task)

    expect(panel(page).get_by_role("region", name="Blocked")).to_contain_text("Document it")
    expect(panel(page).get_by_role("region", name="In progress")).to_contain_text("Count requests")
    done = panel(page).get_by_role("group").filter(has_text="1 item done")
    expect(done.get_by_text("Choose a counter")).to_be_hidden()
    done.locator("summary").click()
    expect(done.get_by_text("Choose a counter")).to_be_visible()
    panel(page).get_by_role("link", name="Count requests").click()
    expect(reader.heading("The limiter")).to_be_visible()
    expect(page.get_by_role("heading", level=2, name="Count requests")).to_be_visible()


def test_the_active_list_is_followed_when_asked_to(here: Site, reader: Reader) -> None:
    story = crew(here.world)
    here.world.task("x", title="Elsewhere")
    page = reader.open("todos")
    expect(tab(page, "Elsewhere")).to_be_visible()

    page.get_by_label("Follow the active list").check()
    by(here.world, "agent:builder", "tasks_close_step", task=story.task, path="s:0", checkpoints=CONFIRMED)

    expect(page.get_by_role("tabpanel", name="The limiter", exact=True)).to_be_visible()


def test_a_list_that_is_cleared_goes(here: Site, reader: Reader) -> None:
    crew(here.world)
    page = reader.open("todos")
    expect(tab(page, "builder")).to_be_visible()

    here.world.ok("todo_clear", session="builder")

    expect(tab(page, "builder")).to_have_count(0)


def test_a_long_list_keeps_few_rows_and_the_readers_place(here: Site, reader: Reader) -> None:
    task = here.world.task(*(f"Step {number}" for number in range(1_000)), title="Long")
    for first in range(1_000, 5_000, 1_000):
        steps = [{"title": f"Step {number}"} for number in range(first, first + 1_000)]
        here.world.ok("tasks_decompose", task=task, steps=steps)
    page = reader.open("todos", task)
    expect(panel(page)).to_contain_text("0 of 5,000 done")
    reader.live()
    page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight / 2)")
    reading = panel(page).get_by_role("link", name="Step 2500", exact=True)
    expect(reading).to_be_attached()
    reading.scroll_into_view_if_needed()
    before = reading.bounding_box()

    by(here.world, "agent:builder", "tasks_block", task=task, path="s:4998", reason="x")
    by(here.world, "agent:builder", "tasks_note", task=task, path="s:4999", note="x")

    expect(panel(page)).to_contain_text("1 blocked")
    after = reading.bounding_box()
    assert before is not None
    assert after is not None
    assert abs(before["y"] - after["y"]) < 2
    assert page.evaluate("document.querySelectorAll('*').length") < 5_000
