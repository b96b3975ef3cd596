"""Small screens, empty workspaces, light and dark: readable everywhere, and never a dead end."""

import re

import pytest
from playwright.sync_api import expect

from tests.http.givens import Site
from tests.page.browser.conftest import Readers
from tests.page.browser.reader import Reader
from tests.page.browser.story import DOC, by, crew

LONG = "averylongwordthatnobodywouldeverbreak" * 4


def views(here: Site) -> list[tuple[str, ...]]:
    """Every view, with something in it; some of it in words that do not break."""
    story = crew(here.world)
    here.world.ok("tasks_note", task=story.task, path="s:0", note=LONG)
    here.world.ok("tasks_evidence_capture", task=story.task, path="s:0", items=[{"kind": "note", "content": LONG}])
    here.world.task(LONG, title=LONG, description=LONG)
    here.world.ok("todo_write", session="s", items=[LONG])
    here.world.ok("tasks_block", task=story.task, path="s:1", ask=LONG, options=[LONG[:100], "Yes"])
    by(here.world, f"agent:{LONG[:100]}", "tasks_claim", task=story.task, path="s:0")
    here.world.ok("change_mind", taskdoc=DOC, selector="progress", content=f"{LONG}\n\n`{LONG}`\n\n    {LONG}\n")
    return [
        ("overview",),
        ("inbox",),
        ("task", story.task, "s:0"),
        ("task", story.task, "s:1"),
        ("task", story.plan),
        ("task", story.task, "handoff"),
        ("taskdoc", DOC, "progress"),
        ("taskdoc", DOC, "combined"),
        ("taskdoc", DOC, "progress", "history"),
        ("todos",),
        ("todos", story.task),
    ]


@pytest.mark.parametrize("width", [360, 640, 1280])
def test_nothing_is_wider_than_the_screen(here: Site, readers: Readers, width: int) -> None:
    reader = readers(viewport={"width": width, "height": 800})
    page = reader.open("overview")
    for view in views(here):
        reader.go(*view)
        expect(page.locator("main h1").first).to_be_visible()
        expect(page.locator("main p.waiting")).to_have_count(0)
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"{'/'.join(view)} is {wide} wide on a screen of {width}: {wider(reader)}"


def wider(reader: Reader) -> str:
    """What sticks out, for the message."""
    found: list[str] = reader.page.evaluate(
        """() => [...document.querySelectorAll('body *')]
            .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
            .slice(0, 5).map((one) => `${one.localName}.${one.className}`)"""
    )
    return ", ".join(found)


def test_a_store_that_nobody_has_written_to_says_how_to_begin_and_goes_on_by_itself(
    here: Site, reader: Reader
) -> None:
    page = reader.open()
    expect(page.locator("main")).to_contain_text("claude mcp add --transport http gatepost")
    expect(page.locator("main")).to_contain_text(f"{here.url}/mcp")

    here.world.task("one", title="The very first")

    expect(page.get_by_role("region", name="Plans and tasks")).to_contain_text("The very first")


def test_an_empty_workspace_says_on_every_view_what_to_do_next(here: Site, reader: Reader) -> None:
    page = reader.open("overview", workspace="acme/new")
    expect(page.locator("main")).to_contain_text("No plans or tasks yet")
    expect(page.get_by_role("button", name="Create a task")).to_be_visible()
    expect(page).to_have_title(re.compile(r"^acme/new"))

    reader.go("todos", workspace="acme/new")
    expect(page.locator("main")).to_contain_text("No todo lists yet")
    reader.go("taskdoc", workspace="acme/new")
    expect(page.locator("main")).to_contain_text("No taskdocs yet")
    expect(page.get_by_role("button", name="New taskdoc")).to_be_visible()
    reader.go("task", workspace="acme/new")
    expect(page.locator("main")).to_contain_text("No tasks yet")


def test_the_first_task_is_made_where_the_page_says_so(here: Site, reader: Reader) -> None:
    page = reader.open("overview", workspace="acme/new")
    page.get_by_role("button", name="Create a task").click()
    page.get_by_role("dialog").get_by_label("Title").fill("The very first")
    page.keyboard.press("Enter")

    expect(page.get_by_role("region", name="Plans and tasks")).to_contain_text("The very first")
    page.get_by_role("link", name="The very first").first.click()
    expect(page.locator("main")).to_contain_text("No steps yet")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_as_light_or_dark_as_the_system_until_the_reader_says_otherwise(
    here: Site, readers: Readers, scheme: str
) -> None:
    crew(here.world)
    reader = readers(color_scheme=scheme)
    page = reader.open("overview")
    expect(page.get_by_role("region", name="Radar")).to_be_visible()
    before = darkness(reader)
    assert (before > 0.5) == (scheme == "dark")

    page.get_by_role("button", name="Switch theme").click()

    after = darkness(reader)
    assert (after > 0.5) == (scheme == "light")
    page.reload()
    expect(page.get_by_role("region", name="Radar")).to_be_visible()
    assert darkness(reader) == after


def darkness(reader: Reader) -> float:
    """How dark the page's ground is, from 0 to 1."""
    colour = reader.page.evaluate(
        """() => {
            const canvas = document.createElement('canvas').getContext('2d');
            canvas.fillStyle = getComputedStyle(document.documentElement).backgroundColor;
            canvas.fillRect(0, 0, 1, 1);
            return [...canvas.getImageData(0, 0, 1, 1).data];
        }"""
    )
    return float(1 - sum(colour[:3]) / (3 * 255))
