"""Going from view to view: by the keyboard, by address, back and forth, faster than the server answers."""

import re

from playwright.sync_api import expect

from tests.http.givens import Site
from tests.page.browser.reader import Reader
from tests.page.browser.story import DOC, GOALS, crew


def test_the_header_is_reached_by_the_tab_key_and_the_content_by_one_skip(here: Site, reader: Reader) -> None:
    crew(here.world)
    page = reader.open("overview")
    expect(page.get_by_role("region", name="Radar")).to_be_visible()
    expect(page.locator("main")).to_be_focused()

    seen: list[str] = []
    skip = page.get_by_role("link", name="Skip to the content")
    while not seen or (seen[-1] != "Skip to the content" and len(seen) < 20):
        page.keyboard.press("Shift+Tab")
        seen.append(page.evaluate("document.activeElement.ariaLabel || document.activeElement.innerText"))
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")

    assert {"Overview", "Todos", "Taskdocs", "Switch theme"} <= set(seen)
    expect(page.locator("main")).to_be_focused()
    expect(reader.heading("acme/repo")).to_be_visible()
    assert page.url.endswith("/overview")


def test_a_view_that_is_left_before_it_was_read_does_not_come_back(here: Site, reader: Reader) -> None:
    story = crew(here.world)
    here.ok("tasks_create", workspace="acme/other", kind="task", title="Of the other")
    page = reader.open("overview")
    expect(page.get_by_role("region", name="Radar")).to_be_visible()
    ways = [("acme/other", "overview"), ("acme/repo", "task", story.task), ("acme/repo", "taskdoc", DOC)]
    ways += [("acme/other", "todos"), ("acme/repo", "task", story.plan), ("acme/repo", "todos", "builder")]

    for first in ways:
        reader.go(*first[1:], workspace=first[0])
    reader.live()

    expect(reader.heading("Todos")).to_be_visible()
    expect(page.locator("main h1")).to_have_count(1)
    expect(page.get_by_role("tabpanel")).to_contain_text("Try a sliding window")
    expect(page.get_by_label("Workspace")).to_have_value("acme/repo")
    here.ok("todo_write", session="builder", items=["Still followed"])
    expect(page.get_by_role("tabpanel")).to_contain_text("Still followed")
    here.world.task("x", title="Seen in the count")
    expect(page).to_have_title(re.compile(r"^\(3\) acme/repo"))


def test_a_question_goes_with_the_view_it_was_about(here: Site, reader: Reader) -> None:
    crew(here.world)
    other = {"workspace": "acme/other", "taskdoc": DOC, "selector": "goals"}
    here.ok("taskdoc_create", workspace="acme/other", name=DOC)
    here.ok("change_mind", **other, content="Of the other.")
    page = reader.open("taskdoc", DOC, workspace="acme/other")
    expect(page.get_by_role("region", name="Goals")).to_contain_text("Of the other.")
    reader.go("taskdoc", DOC)
    expect(page.get_by_role("region", name="Goals")).to_contain_text("No client can starve")
    page.get_by_role("button", name="Clear Goals…").click()
    expect(page.get_by_role("dialog")).to_be_visible()

    page.go_back()

    expect(page.get_by_role("region", name="Goals")).to_contain_text("Of the other.")
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert here.ok("recall_mind", **other)["content"] == "Of the other."
    assert here.ok("recall_mind", taskdoc=DOC, selector="goals")["content"] == GOALS


def test_back_and_forth_lead_where_one_was(here: Site, reader: Reader) -> None:
    story = crew(here.world)
    page = reader.open("overview")
    page.get_by_role("region", name="Plans and tasks").get_by_role("link", name="The limiter").click()
    expect(reader.heading("The limiter")).to_be_visible()
    page.get_by_role("treeitem", name="Document it").click()
    expect(page.get_by_role("heading", level=2, name="Document it")).to_be_visible()

    page.go_back()
    expect(page.get_by_role("heading", level=2, name="About this task")).to_be_visible()
    page.go_back()
    expect(reader.heading("acme/repo")).to_be_visible()
    page.go_forward()
    page.go_forward()

    expect(page.get_by_role("heading", level=2, name="Document it")).to_be_visible()
    assert page.url.endswith(f"/task/{story.task}/s%3A2")
