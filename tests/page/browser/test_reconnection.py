"""A server that goes away and comes back under an open page; and one that wants a token."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import expect

from gatepost.surfaces.http.app import ServerSettings
from gatepost.surfaces.http.server import Server
from tests.givens import CONFIRMED, WORKSPACE, World, worlds
from tests.http.givens import Site, site
from tests.page.browser.conftest import Readers
from tests.page.browser.profiles import Profiles
from tests.page.browser.reader import Reader
from tests.page.browser.story import DOC, by, crew

AWAY = (
    r"net::ERR_(CONNECTION_\w+|EMPTY_RESPONSE|INCOMPLETE_CHUNKED_ENCODING|CONTENT_LENGTH_MISMATCH|SOCKET_NOT_CONNECTED)"
    r"|status of 503|status of 403"
)
"""What a browser says of a server that goes. One that is asked while it ends still says that it is busy.
One that has come back refuses the cookie of its former run, once."""
TOKEN = "a-token-" * 3

Open = Callable[[str], World]
Serve = Callable[[World], None]


@pytest.fixture
def again(here: Site, tmp_path: Path) -> Iterator[Open]:
    """Opens the store of the server that was stopped ("."), or another one."""
    with ExitStack() as stack:

        def opened(folder: str) -> World:
            (tmp_path / folder).mkdir(exist_ok=True)
            return stack.enter_context(contextmanager(worlds)("sqlite", tmp_path / folder))

        yield opened


@pytest.fixture
def serve(here: Site, again: Open) -> Iterator[Serve]:
    """Serves a world where the first server was. To be asked for before the reader, who leaves before it ends."""
    running: list[Server] = []
    log: list[object] = []

    def begin(world: World) -> None:
        running.append(Server(world.engine, ServerSettings(), here.server.port, log.append))

    yield begin
    for server in running:
        server.stop()


def lost(reader: Reader) -> None:
    """The page says that the connection is lost."""
    expect(reader.page.get_by_role("status").filter(has_text="Reconnecting…")).to_be_visible()


def test_a_restart_is_shown_and_healed_and_neither_text_nor_place_is_lost(
    here: Site, again: Open, serve: Serve, reader: Reader
) -> None:
    story = crew(here.world)
    page = reader.open("task", story.task, "s:0")
    reader.live()
    reader.forgive(AWAY)
    page.evaluate("window.__same = 1")
    note = page.get_by_label("Note on this step")
    note.fill("Half a thou")

    here.server.stop()

    lost(reader)
    world = again(".")
    by(world, "agent:builder", "tasks_close_step", task=story.task, path="s:0", checkpoints=CONFIRMED)
    serve(world)
    reader.live()
    expect(page.get_by_role("treeitem", name="Choose a counter, done")).to_be_visible()
    expect(note).to_have_value("Half a thou")
    expect(note).to_be_focused()
    page.get_by_role("button", name="Add note").click()
    expect(page.locator(".timeline")).to_contain_text("Half a thou")
    assert world.ok("tasks_delta", types=["step_noted"])["events"][-1]["actor"] == "human:web"
    assert page.evaluate("window.__same") == 1


def test_todos_and_taskdocs_heal_as_well(here: Site, again: Open, serve: Serve, readers: Readers) -> None:
    story = crew(here.world)
    todos, doc = readers(), readers()
    todos.open("todos", story.task)
    doc.open("taskdoc", DOC)
    doc.page.get_by_role("button", name="Edit Goals").click()
    doc.page.get_by_label("New text for Goals").fill("Half a go")
    for one in (todos, doc):
        one.live()
        one.forgive(AWAY)

    here.server.stop()

    lost(todos)
    expect(todos.page.locator("main")).to_contain_text("Connection lost")
    lost(doc)
    world = again(".")
    world.close(story.task, "s:0")
    by(world, "agent:x", "change_mind", taskdoc=DOC, selector="progress", content="While nobody looked.")
    serve(world)
    expect(todos.page.get_by_role("tabpanel")).to_contain_text("1 of 5 done")
    expect(todos.page.locator("main")).not_to_contain_text("Connection lost")
    expect(doc.page.locator("main")).to_contain_text("While nobody looked.")
    expect(doc.page.get_by_label("New text for Goals")).to_have_value("Half a go")


def test_a_server_that_comes_back_with_another_log_is_read_anew(
    here: Site, again: Open, serve: Serve, reader: Reader
) -> None:
    crew(here.world)
    page = reader.open("overview")
    reader.live()
    reader.forgive(AWAY)
    reader.forgive("status of 409")

    here.server.stop()

    lost(reader)
    world = again("another")
    world.task("one", title="Of another log")
    serve(world)
    reader.live()
    work = page.get_by_role("region", name="Plans and tasks")
    expect(work).to_contain_text("Of another log")
    expect(work).not_to_contain_text("The limiter")
    expect(page.get_by_role("region", name="Activity")).not_to_contain_text("planner")
    world.task("two", title="Of another log, too")
    expect(work).to_contain_text("Of another log, too")


def test_what_is_sent_while_the_server_is_away_is_not_lost(
    here: Site, again: Open, serve: Serve, reader: Reader
) -> None:
    crew(here.world)
    page = reader.open("taskdoc", DOC)
    reader.live()
    reader.forgive(AWAY)
    page.get_by_role("button", name="Edit Goals").click()
    page.get_by_label("New text for Goals").fill("A new goal.")
    page.get_by_role("button", name="Review and save…").click()

    here.server.stop()
    lost(reader)
    page.get_by_role("dialog").get_by_role("button", name="Replace Goals").click()

    expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("Cannot reach the server")
    world = again(".")
    serve(world)
    reader.live()
    page.get_by_role("dialog").get_by_role("button", name="Replace Goals").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert world.ok("recall_mind", taskdoc=DOC, selector="goals")["content"] == "A new goal."


def test_a_view_opened_while_nothing_can_be_read_is_filled_when_the_server_is_back(
    here: Site, again: Open, serve: Serve, reader: Reader
) -> None:
    crew(here.world)
    page = reader.open("overview")
    reader.live()
    reader.forgive(AWAY)

    here.server.stop()
    lost(reader)
    with page.expect_event("requestfailed", lambda failed: "/v1/operations/" in failed.url):
        reader.go("taskdoc")
    serve(again("."))

    expect(reader.heading(DOC)).to_be_visible()


def test_a_server_with_a_token_asks_for_it_and_works_then(world: World, profiles: Profiles) -> None:
    with site(world, token=TOKEN) as here:
        crew(world)
        reader = Reader(profiles, here)
        reader.forgive("status of 401")
        page = reader.open("overview")
        field = page.get_by_label("The token")
        expect(field).to_be_visible()
        expect(page.locator("main")).not_to_contain_text("The limiter")

        field.fill("a wrong one")
        page.get_by_role("button", name="Continue").click()
        expect(field).to_be_visible()
        field.fill(TOKEN)
        page.get_by_role("button", name="Continue").click()

        expect(page.get_by_role("region", name="Plans and tasks")).to_contain_text("The limiter")
        reader.live()
        world.task("new", title="Came by the stream")
        expect(page.get_by_role("region", name="Plans and tasks")).to_contain_text("Came by the stream")
        page.reload()
        expect(page.get_by_role("region", name="Plans and tasks")).to_contain_text("The limiter")
        reader.go("todos")
        expect(page.get_by_role("tabpanel")).to_contain_text("Choose a counter")
        assert TOKEN not in page.url
        reader.leave()
        reader.check()


def test_the_page_as_such_asks_for_the_token_too(world: World, profiles: Profiles) -> None:
    with site(world, token=TOKEN) as here:
        crew(world)
        reader = Reader(profiles, here)
        reader.forgive("status of 401")

        page = reader.open()
        page.get_by_label("The token").fill(TOKEN)
        page.get_by_role("button", name="Continue").click()

        expect(page.get_by_role("region", name="Plans and tasks")).to_contain_text("The limiter")
        reader.leave()
        reader.check()


def test_all_tabs_of_a_workspace_share_one_stream_and_the_next_takes_over(here: Site, reader: Reader) -> None:
    here.world.task("x", title="First")
    reader.open("overview")
    reader.live()
    tabs = [reader.context.new_page() for _ in range(7)]
    for tab in tabs:
        tab.goto(reader.page.url)
        expect(tab.locator(".connection.live")).to_be_visible()
    here.world.task("x", title="Second")
    for tab in (reader.page, *tabs):
        expect(tab.get_by_role("main")).to_contain_text("Second")
    here.until("gatepost_open_streams", 1)

    reader.page.close()
    here.until("gatepost_open_streams", 1)
    here.world.task("x", title="Third")

    for tab in tabs:
        expect(tab.get_by_role("main")).to_contain_text("Third")


def test_a_server_that_is_bound_to_a_workspace_opens_at_it(world: World, profiles: Profiles) -> None:
    world.task("x", title="Of this one")
    with site(world, bound=WORKSPACE) as bound:
        reader = Reader(profiles, bound)
        reader.forgive("403")
        reader.open()

        expect(reader.heading(WORKSPACE)).to_be_visible()
        reader.leave()
        reader.check()
