"""An answer that is lost while the stream goes on: nothing tells the page that it could ask again, and it does."""

from playwright.sync_api import Page, expect

from tests.http.givens import Site
from tests.page.browser.browsing import Reader
from tests.page.browser.stories import DOC, crew

OPERATIONS = "**/v1/operations/**"


def lose_answers(reader: Reader, page: Page) -> None:
    """From now on, whatever is asked for gets no answer."""
    reader.forgive("ERR_FAILED")
    page.route(OPERATIONS, lambda route: route.abort())


def test_a_view_that_could_not_be_read_when_it_was_opened_is_filled(here: Site, reader: Reader) -> None:
    crew(here.world)
    page = reader.open("overview")
    reader.live()
    lose_answers(reader, page)
    with page.expect_event("requestfailed"):
        reader.go("taskdoc", DOC, "goals", "history")

    page.unroute(OPERATIONS)

    expect(page.get_by_role("heading", name="History of Goals")).to_be_visible()


def test_a_change_that_could_not_be_read_is_shown_without_another_one(here: Site, reader: Reader) -> None:
    crew(here.world)
    page = reader.open("overview")
    reader.live()
    lose_answers(reader, page)
    with page.expect_event("requestfailed"):
        here.world.task("x", title="The last change of all")

    page.unroute(OPERATIONS)

    expect(page.get_by_role("region", name="Plans and tasks")).to_contain_text("The last change of all")
