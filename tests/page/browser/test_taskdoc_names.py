"""A taskdoc that is renamed or archived while the page shows it."""

from playwright.sync_api import expect

from tests.http.givens import Site
from tests.page.browser.reader import Reader
from tests.page.browser.story import DOC, crew
from tests.page.browser.test_taskdoc import edit, pane, save


def test_a_page_goes_on_when_its_taskdoc_is_renamed_archived_and_brought_back(here: Site, reader: Reader) -> None:
    crew(here.world)
    page = reader.open("taskdoc", DOC)
    title = page.locator(".doc-head h1")
    expect(title).to_have_text(DOC)

    here.ok("taskdoc_rename", taskdoc=DOC, name="renamed")
    expect(title).to_have_text("renamed")
    edit(page, "goals", "Typed after the renaming.\n")
    save(page, "goals")
    expect(pane(page, "goals")).to_contain_text("Typed after the renaming.")
    assert here.ok("recall_mind", taskdoc="renamed", selector="goals")["content"] == "Typed after the renaming.\n"

    here.ok("taskdoc_archive", taskdoc="renamed")
    expect(page.locator(".doc-head")).to_contain_text("Archived")
    page.get_by_role("button", name="Unarchive").click()
    expect(page.locator(".doc-head")).not_to_contain_text("Archived")
    assert "archived" not in here.ok("recall_mind", taskdoc=DOC)
