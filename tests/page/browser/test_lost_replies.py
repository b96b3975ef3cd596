"""An answer that is lost while the stream goes on: nothing tells the page that it could ask again, and it does."""

import pytest
from playwright.sync_api import Page, Route, expect

from tests.http.givens import Site
from tests.page.browser.reader import Reader
from tests.page.browser.story import DOC, by, crew

OPERATIONS = "**/v1/operations/**"
STREAM = "**/v1/events?*"
HISTORY = "**/v1/operations/taskdoc_history"
PAUSES_ARE_SKIPPED = """() => {
    const wait = window.setTimeout;
    window.pauses = [];
    Math.random = () => 0.5; // neither shorter nor longer than meant
    window.setTimeout = (go, pause, ...rest) => {
        const isPause = pause >= 1_500 && pause <= 8_000;
        if (isPause) window.pauses.push(pause);
        return wait(go, isPause ? 0 : pause, ...rest);
    };
}"""
READ_AGAIN = "async () => { const { app } = await import('/page/js/app.js'); await app.renew(); }"
NO_PAUSE_ENDS = """() => {
    const wait = window.setTimeout;
    window.unseen = 0;
    window.setTimeout = (go, pause, ...rest) => {
        if (pause < 1_000) return wait(go, pause, ...rest);
        if (pause < 11_000 && document.hidden) window.unseen += 1;
        return 0;
    };
}"""
NOBODY_LOOKS = "() => { Object.defineProperty(document, 'hidden', { configurable: true, get: () => true }); }"
SOMEBODY_LOOKS = """words => {
    delete document.hidden;
    document.dispatchEvent(new Event("visibilitychange"));
    return document.querySelector("main").textContent.includes(words);
}"""


def lose_answers(reader: Reader, page: Page, of: str = OPERATIONS) -> None:
    """From now on, whatever is asked for gets no answer."""
    reader.forgive("ERR_FAILED")
    page.route(of, lambda route: route.abort())


def hold(page: Page, asked: str) -> list[Route]:
    """From now on, these requests wait; gives those that do."""
    held: list[Route] = []

    def wait(route: Route) -> None:
        held.append(route)

    page.route(asked, wait)
    return held


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


@pytest.mark.parametrize("lost", ["taskdoc_history", "taskdoc_diff"])
def test_a_history_that_could_not_be_read_is_filled(here: Site, reader: Reader, lost: str) -> None:
    crew(here.world)
    page = reader.open("overview")
    reader.live()
    operation = f"**/v1/operations/{lost}"
    lose_answers(reader, page, operation)
    with page.expect_event("requestfailed"):
        reader.go("taskdoc", DOC, "goals", "history")

    page.unroute(operation)

    expect(page.get_by_label("What changed")).to_contain_text("No client can starve the others.")


def test_a_new_revision_that_could_not_be_read_is_listed(here: Site, reader: Reader) -> None:
    crew(here.world)
    page = reader.open("taskdoc", DOC, "goals", "history")
    reader.live()
    expect(page.get_by_role("button", name="Revision 1")).to_be_visible()
    lose_answers(reader, page, HISTORY)
    with page.expect_event("requestfailed"):
        by(here.world, "agent:x", "change_mind", taskdoc=DOC, selector="goals", content="Another goal.")

    page.unroute(HISTORY)

    expect(page.get_by_role("button", name="Revision 2")).to_be_visible()


def test_an_answer_that_is_lost_before_the_stream_begins_is_asked_for_again(here: Site, reader: Reader) -> None:
    crew(here.world)
    page = reader.page
    held = hold(page, STREAM)
    lose_answers(reader, page, "**/v1/operations/recall_mind")
    with page.expect_request(STREAM), page.expect_event("requestfailed"):
        reader.open("taskdoc", DOC)

    page.unroute("**/v1/operations/recall_mind")
    for route in held:
        route.continue_()

    expect(reader.heading(DOC)).to_be_visible()


def test_a_server_that_goes_on_losing_answers_is_asked_less_and_less_until_it_gives_one(
    here: Site, reader: Reader
) -> None:
    crew(here.world)
    page = reader.open("overview")
    reader.live()
    page.evaluate(PAUSES_ARE_SKIPPED)
    lose_answers(reader, page)

    here.world.task("x", title="The first that is lost")

    page.wait_for_function("() => window.pauses.length >= 5")
    assert page.evaluate("window.pauses.slice(0, 5)") == [1_500, 3_000, 6_000, 8_000, 8_000]
    page.unroute(OPERATIONS)
    expect(page.get_by_role("main")).to_contain_text("The first that is lost")
    page.evaluate(READ_AGAIN)
    lose_answers(reader, page)
    page.evaluate("window.pauses = []")
    here.world.task("x", title="The second that is lost")
    page.wait_for_function("() => window.pauses.length >= 2")
    assert page.evaluate("window.pauses.slice(0, 2)") == [1_500, 3_000]


def test_where_nobody_looks_a_lost_answer_waits_until_somebody_does(here: Site, reader: Reader) -> None:
    crew(here.world)
    page = reader.open("overview")
    reader.live()
    page.evaluate(NO_PAUSE_ENDS)
    page.evaluate(NOBODY_LOOKS)
    lose_answers(reader, page)
    with page.expect_event("requestfailed"):
        here.world.task("x", title="The last change of all")
    page.unroute(OPERATIONS)

    page.wait_for_function(SOMEBODY_LOOKS, arg="The last change of all")

    expect(page.get_by_role("region", name="Plans and tasks")).to_contain_text("The last change of all")
    assert page.evaluate("window.unseen") == 0
