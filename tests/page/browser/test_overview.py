"""The overview: what is done now, what is stuck, what is proven and what everyone obeys; and it moves by itself."""

import re

from playwright.sync_api import Locator, Page, expect

from tests.givens import CONFIRMED
from tests.http.givens import Site
from tests.page.browser.reader import Reader
from tests.page.browser.story import DOC, by, crew

STAYS = "window.__same = (window.__same ?? 0) + 1"


def card(page: Page, name: str) -> Locator:
    """A card of the radar."""
    return page.get_by_role("region", name="Radar").get_by_role("region", name=re.compile(name))


def test_the_radar_says_what_is_done_now_why_what_proves_it_what_comes_next_and_what_is_stuck(
    here: Site, reader: Reader
) -> None:
    story = crew(here.world)

    page = reader.open("overview")

    expect(page.get_by_role("region", name="Radar")).to_contain_text("Choose a counter")
    expect(card(page, "^Now")).to_contain_text(story.task)
    expect(page.get_by_role("region", name="Why")).to_contain_text("Some clients ask far too often.")
    expect(card(page, "^Verify")).to_contain_text("It counts a minute")
    expect(card(page, "^Verify")).to_contain_text("test_counter")
    expect(card(page, "^Next")).to_contain_text("Choose a counter")
    expect(card(page, "^Blockers")).to_contain_text("The guide is being moved.")


def test_plans_hold_their_tasks_with_honest_bars(here: Site, reader: Reader) -> None:
    story = crew(here.world)
    alone = here.world.task("only one", title="Alone")

    page = reader.open("overview")
    work = page.get_by_role("region", name="Plans and tasks")

    expect(work.get_by_role("link", name="Limit requests")).to_be_visible()
    expect(work.get_by_role("link", name="The limiter")).to_be_visible()
    bar = work.get_by_role("progressbar", name=f"Progress of {story.task}", exact=True)
    expect(bar).to_have_attribute("aria-valuenow", "0")
    expect(bar).to_have_attribute("aria-valuemax", "5")
    expect(work).to_contain_text("1 blocked")
    reader.live()
    here.world.close(alone, "s:0")
    done = work.get_by_role("progressbar", name=f"Progress of {alone}", exact=True)
    expect(done).to_have_attribute("aria-valuenow", "1")


def test_everyone_who_was_at_work_is_named_with_what_they_did(here: Site, reader: Reader) -> None:
    crew(here.world)

    page = reader.open("overview")
    people = page.get_by_role("region", name="Who is working on what")

    expect(people).to_contain_text("planner")
    for name in ("builder", "tester", "goals-keeper"):
        expect(people).to_contain_text(name)
    expect(people).to_contain_text(re.compile(r"tester.*confirmed", re.DOTALL))
    expect(people).to_contain_text(re.compile(r"builder.*wrote a todo list", re.DOTALL))
    expect(people).not_to_contain_text("emptied")
    expect(page.get_by_role("region", name="Taskdocs").get_by_role("link", name=DOC)).to_be_visible()
    expect(page.get_by_role("region", name="Todo lists").get_by_role("link", name="builder")).to_be_visible()


def test_what_happens_elsewhere_appears_without_a_reload_and_the_reader_keeps_their_place(
    here: Site, reader: Reader
) -> None:
    story = crew(here.world)
    page = reader.open("overview")
    reader.live()
    for name in ("Radar", "Plans and tasks", "Activity", "Taskdocs", "Todo lists"):
        expect(page.get_by_role("region", name=name)).to_be_visible()  # else there is no place to keep yet
    expect(page.locator("main p.waiting")).to_have_count(0)
    page.evaluate(STAYS)
    page.evaluate("document.querySelector('.overview-lists, main').scrollIntoView()")
    page.evaluate("window.scrollTo(0, 150)")
    before = page.evaluate("window.scrollY")

    by(here.world, "agent:builder", "tasks_close_step", task=story.task, path="s:0", checkpoints=CONFIRMED)

    expect(page.get_by_role("region", name="Now")).to_contain_text("Count requests")
    work = page.get_by_role("region", name="Plans and tasks")
    bar = work.get_by_role("progressbar", name=f"Progress of {story.task}", exact=True)
    expect(bar).to_have_attribute("aria-valuenow", "1")
    expect(page.get_by_role("region", name="Activity")).to_contain_text("builder closed")
    assert page.evaluate("window.__same") == 1
    assert before > 0
    assert page.evaluate("window.scrollY") == before


def test_what_is_half_typed_stays_while_others_work(here: Site, reader: Reader) -> None:
    story = crew(here.world)
    page = reader.open("overview")
    reader.live()
    page.get_by_role("button", name="New task").click()
    title = page.get_by_role("dialog").get_by_label("Title")
    title.fill("Half of a tit")
    title.press("ArrowLeft")

    by(here.world, "agent:builder", "tasks_close_step", task=story.task, path="s:0", checkpoints=CONFIRMED)

    expect(page.locator(".radar-now")).to_contain_text("Count requests")
    expect(title).to_have_value("Half of a tit")
    expect(title).to_be_focused()
    assert page.evaluate("document.activeElement.selectionStart") == len("Half of a ti")


def test_a_task_made_on_the_page_is_a_humans(here: Site, reader: Reader) -> None:
    story = crew(here.world)
    page = reader.open("overview")
    page.get_by_role("button", name="New task").click()
    form = page.get_by_role("dialog")
    form.get_by_label("Title").fill("Tell the clients")
    form.get_by_label("Plan").select_option(story.plan)
    form.get_by_label("Steps").fill("Write the mail\nSend it")
    form.get_by_role("button", name="Create task").click()

    work = page.get_by_role("region", name="Plans and tasks")
    expect(work.get_by_role("link", name="Tell the clients")).to_be_visible()
    made = here.ok("tasks_delta", types=["task_created"])["events"][-1]
    assert made["actor"].startswith("human:")
    assert here.ok("tasks_resume", task=made["task"])["target"]["plan"] == story.plan
    assert [step["title"] for step in here.ok("tasks_resume", task=made["task"])["steps"]] == [
        "Write the mail",
        "Send it",
    ]


def test_the_feed_shows_only_whom_and_what_was_asked_for(here: Site, reader: Reader) -> None:
    crew(here.world)
    page = reader.open("overview")
    feed = page.get_by_role("region", name="Activity")
    told = feed.get_by_role("region", name="Events")
    expect(told).to_contain_text("planner")

    feed.get_by_label("Actor").select_option("agent:tester")

    expect(told).not_to_contain_text("planner")
    expect(told).to_contain_text("confirmed tests")
    expect(told.get_by_role("link", name="Choose a counter")).to_have_count(1)


def test_the_title_counts_what_is_open_and_goes_on_counting(here: Site, reader: Reader) -> None:
    task = here.world.task("one")
    here.world.task("two")
    page = reader.open("overview")
    expect(page).to_have_title(re.compile(r"^\(2\) .*acme/repo"))
    reader.live()

    here.world.close(task, "s:0")
    here.world.ok("tasks_complete", task=task)

    expect(page).to_have_title(re.compile(r"^\(1\) "))


def test_another_workspace_is_chosen_and_followed_from_then_on(here: Site, reader: Reader) -> None:
    here.world.task("here", title="Of the first")
    here.ok("tasks_create", workspace="acme/other", kind="task", title="Of the other")
    page = reader.open("overview")
    expect(page.get_by_role("region", name="Plans and tasks")).to_contain_text("Of the first")

    page.get_by_label("Workspace").select_option("acme/other")

    expect(reader.heading("acme/other")).to_be_visible()
    expect(page.get_by_role("region", name="Plans and tasks")).to_contain_text("Of the other")
    expect(page.get_by_role("region", name="Plans and tasks")).not_to_contain_text("Of the first")
    reader.live()
    here.ok("tasks_create", workspace="acme/other", kind="task", title="Newer of the other")
    here.world.task("here", title="Newer of the first")
    expect(page.get_by_role("region", name="Plans and tasks")).to_contain_text("Newer of the other")
    expect(page.get_by_role("region", name="Plans and tasks")).not_to_contain_text("first")


def test_the_address_alone_leads_to_the_workspace_there_is(here: Site, reader: Reader) -> None:
    here.world.task("here", title="Of the first")

    page = reader.open()

    expect(reader.heading("acme/repo")).to_be_visible()
    assert page.evaluate("location.hash").startswith("#/acme%2Frepo")


def test_an_outside_edit_of_a_taskdoc_is_not_shown_where_there_is_none(here: Site, reader: Reader) -> None:
    crew(here.world)

    page = reader.open("overview")

    expect(page.get_by_role("region", name="Taskdocs")).to_contain_text(DOC)
    expect(page.locator("main")).not_to_contain_text("outside")
