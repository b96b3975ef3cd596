"""When the server is busy, away or asked by several tabs: what the reader has stays, and heals."""

from pathlib import Path

from playwright.sync_api import Route, expect

from tests.givens import WORKSPACE, World
from tests.http.givens import Site, site
from tests.page.browser.profiles import Profiles
from tests.page.browser.reader import Reader
from tests.page.browser.story import crew

BUSY = '{"code":"BUSY","message":"512 calls are waiting already.","recovery":"Send it again in a moment."}'
TOKEN = "a-token-" * 3


def busy(route: Route) -> None:
    """What a server says that has too much to do."""
    route.fulfill(status=503, content_type="application/problem+json", body=BUSY)


def test_a_busy_server_does_not_take_the_view_away(here: Site, reader: Reader) -> None:
    crew(here.world)
    reader.forgive("503")
    page = reader.open("overview")
    reader.live()
    expect(page.get_by_role("region", name="Radar")).to_be_visible()

    page.route("**/v1/operations/workspace_overview", busy)
    with page.expect_response("**/v1/operations/workspace_overview"):
        here.world.task("x", title="Unseen as yet")
    expect(page.get_by_role("region", name="Radar")).to_be_visible()
    page.unroute("**/v1/operations/workspace_overview")
    here.world.task("x", title="Seen again")

    expect(page.get_by_role("main")).to_contain_text("Seen again")
    expect(page.get_by_role("main")).not_to_contain_text("are waiting already")


def test_a_store_that_cannot_be_used_is_named_on_the_page_with_the_next_step(here: Site, reader: Reader) -> None:
    here.world.store.close()
    path = Path(here.world.store.describe()["path"])
    path.write_text("no database " * 500, encoding="utf-8")
    reader.forgive("503")

    page = reader.open("overview")

    expect(page.get_by_role("main")).to_contain_text("is not a Gatepost store: it is not an SQLite database.")
    expect(page.get_by_role("main")).to_contain_text("Check --store, GATEPOST_STORE and gatepost.toml.")


def test_a_tab_without_the_token_does_not_keep_the_others_from_following(world: World, profiles: Profiles) -> None:
    world.task("x", title="Behind a token")
    with site(world, token=TOKEN) as here:
        reader = Reader(profiles, here)
        reader.forgive("401")
        address = f"{here.url}/#/{WORKSPACE.replace('/', '%2F')}/overview"
        reader.page.goto(address)
        expect(reader.page.get_by_label("token")).to_be_visible()
        other = reader.context.new_page()
        other.goto(address)
        other.get_by_label("token").fill(TOKEN)
        other.get_by_role("button", name="Continue").click()

        expect(other.locator(".connection.live")).to_be_visible()
        expect(other.get_by_role("main")).to_contain_text("Behind a token")
        reader.leave()
        reader.check()


def test_a_half_typed_task_stays_in_its_workspace(here: Site, reader: Reader) -> None:
    crew(here.world)
    here.call("tasks_create", workspace="acme/other", kind="task", title="Of the other")
    page = reader.open("overview")
    page.get_by_role("button", name="New task").click()
    page.get_by_label("Title").fill("Half typed")
    page.keyboard.press("Escape")

    reader.go("overview", workspace="acme/other")
    expect(reader.heading("acme/other")).to_be_visible()
    page.get_by_role("button", name="New task").click()
    expect(page.get_by_label("Title")).to_have_value("")
    page.keyboard.press("Escape")
    reader.go("overview")
    expect(reader.heading(WORKSPACE)).to_be_visible()
    page.get_by_role("button", name="New task").click()

    expect(page.get_by_label("Title")).to_have_value("Half typed")


def test_a_refusal_after_a_dialog_was_left_is_still_told(here: Site, reader: Reader) -> None:
    crew(here.world)
    reader.forgive("409|503")
    page = reader.open("overview")
    page.route("**/v1/operations/tasks_create", busy)
    page.get_by_role("button", name="New task").click()
    page.get_by_label("Title").fill("Left")
    page.evaluate(
        "() => { document.querySelector('dialog.ask form').requestSubmit();"
        " document.querySelector('dialog.ask').close(); }"
    )

    expect(page.locator("#notices")).to_contain_text("are waiting already")
