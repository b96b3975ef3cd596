"""What waits for a person, on the page: questions answered in place, sign-offs, approvals, notifications."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from anyio.from_thread import start_blocking_portal
from mcp.client import Client
from mcp_types import TextContent
from playwright.sync_api import Locator, Page, Route, expect

from tests.givens import WORKSPACE, World
from tests.http.givens import Site
from tests.page.browser.reader import Reader
from tests.page.browser.story import by
from tests.page.browser.test_task import REFUSED, pane

AGENT: Final = "agent:claude-code/3f2a"
ASK: Final = "Which database should the ledger use?"
OPTIONS: Final = ("PostgreSQL", "SQLite")
# Stands in for the desktop, which no test can see.
DESKTOP: Final = """
    window.told = [];
    window.Notification = class {
      static permission = "default";
      static async requestPermission() { return (this.permission = "granted"); }
      constructor(title, { body }) {
        window.told.push([title, body]);
        document.documentElement.dataset.told = window.told.length;
      }
    };
    document.hasFocus = () => false;
"""

Call = Callable[..., dict[str, Any]]


@contextmanager
def agent(here: Site) -> Iterator[Call]:
    """The official client of MCP, connected to the server. Its event loop is in a thread of its own."""
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(Client(f"{here.url}/mcp")) as client:

        def call(tool: str, /, **arguments: Any) -> dict[str, Any]:
            answered = portal.call(client.call_tool, tool, {"workspace": WORKSPACE, **arguments})
            (content,) = answered.content
            assert isinstance(content, TextContent)
            reply: dict[str, Any] = json.loads(content.text)
            assert not answered.is_error, reply
            return reply

        yield call


def asking(world: World, **more: Any) -> str:
    """A task whose first step waits for an answer."""
    task = world.task("Choose a store", "Move the rows", title="The ledger")
    by(world, AGENT, "tasks_block", task=task, path="s:0", ask=ASK, **more)
    return task


def item(page: Page, word: str) -> Locator:
    return page.locator(".inbox > li").filter(has_text=word)


def test_an_agent_asks_over_mcp_a_person_answers_on_the_page_and_the_agent_reads_it_with_its_next_call(
    here: Site, reader: Reader
) -> None:
    with agent(here) as call:
        made = call("tasks_create", kind="task", title="The ledger", steps=[{"title": "Choose a store"}])
        page = reader.open("overview")
        reader.live()
        expect(page.get_by_role("region", name="Needs you")).to_have_count(0)

        call("tasks_block", task=made["id"], path="s:0", ask=ASK, options=OPTIONS, **{"for": "human"})

        waiting = page.get_by_role("region", name="Needs you")
        expect(waiting).to_contain_text(ASK)
        expect(page.get_by_role("navigation", name="Views")).to_contain_text("Needs you1")
        waiting.get_by_role("group", name="Options").get_by_role("button", name="SQLite").click()
        expect(page.get_by_role("region", name="Needs you")).to_have_count(0)

        now = call("tasks_radar", task=made["id"])["now"]

    assert now["title"] == "Choose a store"
    assert (now["answer"]["answer"], now["answer"]["question"], now["answer"]["actor"]) == (
        "SQLite",
        ASK,
        "human:web",
    )


def test_a_question_is_answered_in_ones_own_words_and_what_was_typed_survives_what_others_do(
    here: Site, reader: Reader
) -> None:
    task = asking(here.world)
    page = reader.open("inbox")
    reader.live()
    card = item(page, ASK)
    expect(card).to_contain_text("claude-code/3f2a asked")
    card.get_by_label("Your answer").fill("Neither: flat")

    other = here.world.task("Paint it", title="The shed")
    by(here.world, AGENT, "tasks_block", task=other, path="s:0", ask="Which colour?")

    expect(item(page, "Which colour?")).to_be_visible()
    card.get_by_label("Your answer").press_sequentially(" files")
    card.get_by_role("button", name="Answer").click()
    expect(item(page, ASK)).to_have_count(0)
    expect(page.locator(".notice")).to_contain_text("Answered.")
    assert here.world.ok("tasks_radar", task=task)["now"]["answer"]["answer"] == "Neither: flat files"


def test_an_answer_given_by_mistake_is_taken_back(here: Site, reader: Reader) -> None:
    task = asking(here.world, options=OPTIONS)
    page = reader.open("inbox")
    item(page, ASK).get_by_role("button", name="PostgreSQL").click()
    expect(page.locator("main")).to_contain_text("Nothing waits for you")

    page.locator(".notice").get_by_role("button", name="Undo").click()

    expect(item(page, ASK)).to_be_visible()
    assert here.world.step(task, "s:0")["blocked"]


def test_a_question_that_was_changed_meanwhile_is_not_answered_unseen(here: Site, reader: Reader) -> None:
    reader.forgive(REFUSED)
    task = asking(here.world)
    page = reader.open("inbox")

    def another_asks_first(route: Route) -> None:
        by(here.world, AGENT, "tasks_block", task=task, path="s:0", ask="Which city?")
        route.continue_()

    page.route("**/v1/operations/tasks_block", another_asks_first)
    item(page, ASK).get_by_label("Your answer").fill("SQLite")
    item(page, ASK).get_by_role("button", name="Answer").click()

    expect(page.locator(".notice.bad")).to_contain_text("Not sent: this was changed while you were looking.")
    assert here.world.step(task, "s:0")["blocked"]


def test_a_step_that_waits_for_an_answer_asks_in_its_own_pane(here: Site, reader: Reader) -> None:
    task = asking(here.world, options=OPTIONS)
    page = reader.open("task", task, "s:0")
    step = pane(page, "Choose a store")
    expect(step).to_contain_text("Waits for an answer")

    step.get_by_role("button", name="SQLite").click()

    expect(step).not_to_contain_text("Waits for an answer")
    assert here.world.ok("tasks_radar", task=task)["now"]["answer"]["answer"] == "SQLite"


def test_a_step_is_signed_off_and_closed_where_it_waits(here: Site, reader: Reader) -> None:
    task = here.world.task("Count requests", title="The limiter")
    by(here.world, "human:ann", "tasks_policy", task=task, signoff={"criteria": "human"})
    marks = {"criteria": {"confirmed": True, "note": "Replayed an hour."}, "tests": {"confirmed": True}}
    by(here.world, AGENT, "tasks_verify", task=task, path="s:0", checkpoints=marks)
    page = reader.open("inbox")
    card = item(page, "Count requests")
    expect(card).to_contain_text("Replayed an hour.")

    card.get_by_role("button", name="Sign off and close step").click()
    assert not here.world.step(task, "s:0")["done"]
    card.get_by_role("checkbox", name="criteria").check()
    card.get_by_role("textbox", name="How you verified it").fill("Read the diff.")
    card.get_by_role("button", name="Sign off and close step").click()

    expect(page.locator("main")).to_contain_text("Nothing waits for you")
    step = here.world.step(task, "s:0")
    assert step["done"]
    signed = next(mark["signed"] for mark in step["confirmed"] if mark["checkpoint"] == "criteria")
    assert signed["actor"] == "human:web"


def test_a_plan_is_approved_where_it_waits(here: Site, reader: Reader) -> None:
    plan = here.world.ok("tasks_create", kind="plan", title="Billing")["id"]
    by(here.world, "human:ann", "tasks_policy", plan=plan, approval="human")
    page = reader.open("inbox")

    item(page, "Billing").get_by_role("button", name="Approve").click()
    page.get_by_role("dialog").get_by_role("button", name="Approve", exact=True).click()

    expect(page.locator("main")).to_contain_text("Nothing waits for you")
    assert here.world.ok("tasks_resume", task=plan)["target"]["approved"]


def test_the_page_asks_once_for_notifications_and_only_a_click_asks_the_browser(here: Site, reader: Reader) -> None:
    reader.page.add_init_script(DESKTOP)
    page = reader.open("inbox")
    expect(page.locator("main")).to_contain_text("Show a browser notification")
    assert page.evaluate("Notification.permission") == "default"

    page.get_by_role("button", name="Yes, notify me").click()
    expect(page.locator("main")).to_contain_text("Browser notifications are on.")
    task = asking(here.world)
    expect(item(page, ASK)).to_be_visible()

    assert page.evaluate("told") == [["A question for you", ASK]]
    plan = here.world.ok("tasks_create", kind="plan", title="Billing")["id"]
    by(here.world, AGENT, "tasks_complete", task=plan)
    expect(page.locator("html")).to_have_attribute("data-told", "2")
    assert page.evaluate("told[1]") == ["A plan is done", "Billing"]
    page.get_by_role("button", name="Turn off").click()
    by(here.world, AGENT, "tasks_block", task=task, path="s:1", ask="And which region?")
    expect(item(page, "And which region?")).to_be_visible()
    assert page.evaluate("told.length") == 2


def test_who_says_no_is_not_asked_again(here: Site, reader: Reader) -> None:
    asking(here.world)
    page = reader.open("overview")
    page.get_by_role("button", name="No", exact=True).click()
    expect(page.locator("main")).not_to_contain_text("Show a browser notification")

    page.reload()

    expect(page.get_by_role("region", name="Needs you")).to_contain_text(ASK)
    expect(page.locator("main")).not_to_contain_text("Show a browser notification")
    expect(page).to_have_title(re.compile("acme/repo"))
