"""What is said in passing goes by itself, but not from under somebody who is at it."""

from playwright.sync_api import Locator, Page, expect

from tests.http.givens import Site
from tests.page.browser.reader import Reader

A_MINUTE = 60_000


def say(page: Page, words: str) -> Locator:
    """Something is said on the page; gives the notice."""
    page.evaluate("async words => (await import('/page/js/components/notices.js')).notice(words)", words)
    return page.locator(".notice").filter(has_text=words)


def opened(reader: Reader) -> Page:
    """A page on which time passes only when it is told to."""
    reader.here.world.task("x", title="Something to see")
    page = reader.open("overview")
    reader.live()
    page.clock.install()
    return page


def test_a_notice_stays_while_the_focus_is_in_it_though_the_pointer_left(here: Site, reader: Reader) -> None:
    page = opened(reader)
    shown = say(page, "Read me slowly")
    shown.get_by_role("button", name="Dismiss").focus()
    shown.hover()
    page.mouse.move(0, 0)

    page.clock.run_for(A_MINUTE)

    expect(shown).to_be_visible()
    page.get_by_role("main").focus()
    page.clock.run_for(A_MINUTE)
    expect(shown).to_have_count(0)


def test_a_fifth_notice_takes_the_place_of_the_oldest_that_nobody_is_at(here: Site, reader: Reader) -> None:
    page = opened(reader)
    first = say(page, "Number 1")
    first.get_by_role("button", name="Dismiss").focus()

    for number in range(2, 6):
        say(page, f"Number {number}")

    notices = page.locator(".notice .words")
    expect(notices).to_have_text([f"Number {number}" for number in (1, 3, 4, 5)])
    expect(first.get_by_role("button", name="Dismiss")).to_be_focused()
