"""Who holds what, on the page: seen on rows, steps and tasks; respected, and taken over with a reason."""

import re
from typing import Final

from playwright.sync_api import expect

from tests.http.givens import Site
from tests.page.browser.reader import Reader
from tests.page.browser.story import by, crew
from tests.page.browser.test_task import REFUSED, pane, row

CODEX: Final = "agent:codex/7f31"


def test_a_claim_is_seen_on_the_overview_in_the_tree_and_on_the_step_as_it_comes_and_goes(
    here: Site, reader: Reader
) -> None:
    story = crew(here.world)
    page = reader.open("task", story.task, "s:0")
    reader.live()
    step = pane(page, "Choose a counter")
    expect(step).not_to_contain_text("has been working on this step")

    by(here.world, CODEX, "tasks_claim", task=story.task, path="s:0")

    expect(step).to_contain_text("codex/7f31 has been working on this step since")
    expect(row(page, "Choose a counter")).to_have_accessible_name(re.compile("in progress since .* by codex/7f31"))
    expect(page.get_by_role("list", name="In progress")).to_contain_text("codex/7f31 works on Choose a counter")
    reader.go("overview")
    expect(page.get_by_role("region", name="Plans and tasks")).to_contain_text("codex/7f31")
    expect(page.get_by_role("region", name="Activity")).to_contain_text("codex/7f31 claimed a step")
    reader.go("task", story.task, "s:0")
    by(here.world, CODEX, "tasks_release", task=story.task, path="s:0")
    expect(step).not_to_contain_text("has been working on this step")


def test_what_somebody_holds_is_closed_only_after_it_was_taken_over_with_a_reason(
    here: Site, reader: Reader
) -> None:
    reader.forgive(REFUSED)
    story = crew(here.world)
    by(here.world, CODEX, "tasks_claim", task=story.task, path="s:0")
    page = reader.open("task", story.task, "s:0")
    step = pane(page, "Choose a counter")
    step.get_by_role("button", name="Close step").click()
    close = page.get_by_role("dialog", name="Close")
    close.get_by_role("checkbox", name="criteria").check()
    close.get_by_role("button", name="Confirm and close step").click()
    expect(close.get_by_role("alert").last).to_contain_text("codex/7f31 has been working on s:0 since")
    expect(close).not_to_contain_text("tasks_claim")

    close.get_by_role("button", name="Take over").click()
    over = page.get_by_role("dialog", name="Take it over")
    over.get_by_label("Reason").fill("It went home.")
    over.get_by_role("button", name="Take over").click()
    expect(over).to_have_count(0)
    close.get_by_role("button", name="Confirm and close step").click()

    expect(page.get_by_role("dialog")).to_have_count(0)
    assert here.world.step(story.task, "s:0")["done"]
    (claimed,) = here.world.ok("tasks_delta", types=["step_claimed"], since=14)["events"][-1:]
    assert (claimed["taken_over"], claimed["reason"]) == (CODEX, "It went home.")


def test_what_was_taken_over_is_released_again(here: Site, reader: Reader) -> None:
    story = crew(here.world)
    by(here.world, CODEX, "tasks_claim", task=story.task, path="s:0")
    page = reader.open("task", story.task, "s:0")
    step = pane(page, "Choose a counter")
    step.get_by_role("button", name="Take over").click()
    over = page.get_by_role("dialog", name="Take it over")
    over.get_by_label("Reason").fill("It went home.")
    over.get_by_role("button", name="Take over").click()
    expect(step).to_contain_text("You have held this step since")

    step.get_by_role("button", name="Release").click()

    expect(step).not_to_contain_text("You have held this step")
    by(here.world, CODEX, "tasks_claim", task=story.task, path="s:0")
    expect(step).to_contain_text("codex/7f31 has been working on this step")


def test_a_task_that_is_held_whole_says_so_and_its_questions_can_still_be_answered(
    here: Site, reader: Reader
) -> None:
    story = crew(here.world)
    by(here.world, CODEX, "tasks_claim", task=story.task, whole=True)
    by(here.world, CODEX, "tasks_block", task=story.task, path="s:0", ask="Which clock?")

    page = reader.open("task", story.task, "s:0")

    expect(page.locator(".banner.claim")).to_contain_text("codex/7f31 has been working on the whole task since")
    step = pane(page, "Choose a counter")
    step.get_by_label("Your answer").fill("The wall clock")
    step.get_by_role("button", name="Answer").click()
    expect(step).not_to_contain_text("Waits for an answer")
    assert (
        here.world.ok("tasks_resume", task=story.task, path="s:0")["step"]["answer"]["answer"] == "The wall clock"
    )
