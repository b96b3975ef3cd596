"""Search by the keyboard alone, from anywhere."""

import pytest
from playwright.sync_api import Page, expect

from gatepost.storage.sqlite.search_index import SearchIndex
from tests.http.givens import Site
from tests.page.browser.reader import Reader
from tests.page.browser.story import DOC, crew


def opened(reader: Reader, keys: str = "Control+k") -> Page:
    page = reader.open("overview")
    reader.live()
    page.keyboard.press(keys)
    expect(page.get_by_role("combobox", name="Search")).to_be_focused()
    return page


def settled(page: Page) -> None:
    """Wait until all that was typed has been answered: an answer that is still to come may list other things."""
    expect(page.get_by_role("dialog").get_by_role("status")).to_contain_text("result")


def test_a_task_is_found_by_a_words_beginning_and_opened_with_enter(here: Site, reader: Reader) -> None:
    story = crew(here.world)
    page = opened(reader)

    page.keyboard.type("header")
    expect(page.get_by_role("option", name="The headers")).to_be_visible()
    expect(page.get_by_role("option", name="The headers")).to_have_attribute("aria-selected", "true")
    settled(page)
    page.keyboard.press("Enter")

    expect(reader.heading("The headers")).to_be_visible()
    assert story.later in page.url


def test_a_step_is_found_by_what_was_noted_on_it_and_opened_with_enter(here: Site, reader: Reader) -> None:
    story = crew(here.world)
    here.world.ok("tasks_note", task=story.task, path="s:1", note="Ask Ada about the\nhalibut quota")
    page = opened(reader)

    page.keyboard.type("halib")
    expect(page.get_by_role("option", name="Ask Ada about the halibut quota")).to_contain_text(
        f"{story.task} s:1 note"
    )
    settled(page)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", level=2, name="Write the limiter")).to_be_visible()


def test_arrow_keys_choose_and_the_field_says_what_is_chosen(here: Site, reader: Reader) -> None:
    crew(here.world)
    page = opened(reader, "/")
    page.keyboard.type("the")
    expect(page.get_by_role("option", name="The limiter").first).to_be_visible()
    expect(page.get_by_role("option", name="The headers").first).to_be_visible()
    settled(page)

    chosen = page.locator("[role=option][aria-selected=true]")
    first = chosen.inner_text()
    page.keyboard.press("ArrowDown")

    expect(chosen).to_have_count(1)
    expect(chosen).not_to_have_text(first, use_inner_text=True)
    field = page.get_by_role("combobox", name="Search")
    assert field.get_attribute("aria-activedescendant") == chosen.get_attribute("id")
    page.keyboard.press("ArrowUp")
    expect(chosen).to_have_text(first, use_inner_text=True)


def test_an_id_leads_straight_to_what_it_names(here: Site, reader: Reader) -> None:
    story = crew(here.world)
    page = opened(reader)

    page.keyboard.type(story.later.lower())
    expect(page.get_by_role("option", name="The headers").first).to_be_visible()
    settled(page)
    page.keyboard.press("Enter")

    expect(reader.heading("The headers")).to_be_visible()


def test_a_step_is_found_by_its_id(here: Site, reader: Reader) -> None:
    story = crew(here.world)
    step = here.world.step(story.task, "s:1.s:1")["step_id"]
    page = opened(reader)

    page.keyboard.type(step)
    expect(page.get_by_role("option", name="Refuse the rest")).to_be_visible()
    settled(page)
    page.keyboard.press("Enter")

    expect(reader.heading("The limiter")).to_be_visible()
    expect(page.get_by_role("heading", level=2, name="Refuse the rest")).to_be_visible()


def test_a_taskdoc_is_found_by_its_name(here: Site, reader: Reader) -> None:
    crew(here.world)
    page = opened(reader)

    page.keyboard.type(DOC)
    expect(page.get_by_role("group", name="Taskdocs").get_by_role("option")).to_be_visible()
    page.get_by_role("group", name="Taskdocs").get_by_role("option").click()

    expect(reader.heading(DOC)).to_be_visible()


def test_escape_closes_it_and_gives_the_focus_back(here: Site, reader: Reader) -> None:
    crew(here.world)
    page = reader.open("overview")
    reader.live()
    button = page.get_by_role("button", name="Search")
    button.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("combobox", name="Search")).to_be_focused()

    page.keyboard.press("Escape")

    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(button).to_be_focused()


def test_a_slash_that_is_typed_into_a_field_is_a_slash(here: Site, reader: Reader) -> None:
    story = crew(here.world)
    page = reader.open("task", story.task)
    note = page.get_by_label("Note", exact=True)

    note.press_sequentially("a/b")

    expect(note).to_have_value("a/b")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_words_that_nothing_has_are_answered_plainly(here: Site, reader: Reader) -> None:
    crew(here.world)
    page = opened(reader)

    page.keyboard.type("xylophone")

    expect(page.get_by_role("dialog").get_by_role("status")).to_contain_text("No results")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()


def test_older_texts_are_looked_at_by_itself_and_giving_up_is_said(
    here: Site, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    here.world.task(title="left right")
    sides = [{"tool": "tasks_create", "arguments": {"kind": "task", "title": side}} for side in ("left", "right")]
    here.world.ok("tasks_batch", operations=sides * 40)
    monkeypatch.setattr(SearchIndex, "reach", 20)
    page = opened(reader)

    page.keyboard.type("left right")
    expect(page.get_by_role("option", name="left right")).to_be_visible()
    settled(page)
    monkeypatch.setattr(SearchIndex, "reach", 2)
    page.keyboard.press("Backspace")

    expect(page.get_by_role("dialog").get_by_role("status")).to_have_text(
        "No match in recent text. Add another word to search older text."
    )
