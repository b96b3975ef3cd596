"""A task on the page: its tree, a step in full, the gate, history with undo and redo, and the handoff."""

import re

from playwright.sync_api import Locator, Page, expect

from tests.givens import CONFIRMED
from tests.http.givens import Site
from tests.page.browser.reader import Reader
from tests.page.browser.story import CONTRACT, by, crew

REFUSED = r"the server responded with a status of 4\d\d"


def row(page: Page, title: str) -> Locator:
    return page.get_by_role("treeitem", name=title)


def pane(page: Page, title: str) -> Locator:
    """The step in full."""
    return page.get_by_role("region", name=title, exact=True)


def lamp(step: Locator, name: str) -> Locator:
    return step.get_by_role("list", name="Checkpoints").get_by_role("listitem").filter(has_text=name)


def test_the_tree_opens_and_closes_by_the_keyboard(here: Site, reader: Reader) -> None:
    story = crew(here.world)
    page = reader.open("task", story.task)
    tree = page.get_by_role("tree", name="Steps")
    expect(row(page, "Write the limiter")).to_have_attribute("aria-expanded", "false")

    tree.focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")

    expect(row(page, "Write the limiter")).to_have_attribute("aria-expanded", "true")
    expect(row(page, "Count requests")).to_have_attribute("aria-level", "2")
    page.keyboard.press("ArrowRight")
    active = page.locator("[role=treeitem].active")
    expect(active).to_contain_text("Count requests")
    expect(tree).to_have_attribute("aria-activedescendant", active.get_attribute("id") or "no id")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(row(page, "Write the limiter")).to_have_attribute("aria-expanded", "false")
    expect(row(page, "Count requests")).to_have_count(0)


def test_enter_opens_the_step_that_the_keys_led_to(here: Site, reader: Reader) -> None:
    story = crew(here.world)
    page = reader.open("task", story.task)
    expect(row(page, "Document it")).to_be_visible()

    page.get_by_role("tree", name="Steps").focus()
    page.keyboard.press("End")
    expect(page.locator("[role=treeitem].active")).to_contain_text("Document it")
    page.keyboard.press("Enter")

    expect(pane(page, "Document it")).to_contain_text("The guide is being moved.")
    assert page.url.endswith("/s%3A2")


def test_the_lamps_say_who_confirmed_what_and_what_is_missing(here: Site, reader: Reader) -> None:
    story = crew(here.world)

    step = pane(reader.open("task", story.task, "s:0"), "Choose a counter")

    expect(lamp(step, "tests")).to_contain_text("word only, tester")
    expect(step.get_by_role("region", name="Proof")).to_contain_text("ago")
    expect(lamp(step, "criteria")).to_contain_text("not confirmed")
    for name in ("security", "perf", "docs"):
        expect(lamp(step, name)).to_contain_text("not required")


def test_evidence_and_notes_are_readable_in_place(here: Site, reader: Reader) -> None:
    story = crew(here.world)

    step = pane(reader.open("task", story.task, "s:0"), "Choose a counter")

    expect(step).to_contain_text("It counts a minute")
    expect(step).to_contain_text("$ pytest")
    expect(step).to_contain_text("12 passed in 0.4s")
    expect(step).to_contain_text("exit 0")
    expect(step.locator(".added")).to_have_text(re.compile(r"^\+window = 60"))
    expect(step.locator(".removed")).to_have_text(re.compile(r"^-bucket = 10"))
    link = step.get_by_role("link", name="https://www.rfc-editor.org/rfc/rfc6585")
    assert "noopener" in (link.get_attribute("rel") or "")
    expect(step.locator("strong", has_text="not")).to_be_visible()
    expect(step).to_contain_text("builder added a note")


def test_a_step_is_closed_with_what_was_ticked_and_nothing_else(here: Site, reader: Reader) -> None:
    story = crew(here.world)
    page = reader.open("task", story.task, "s:0")
    pane(page, "Choose a counter").get_by_role("button", name="Close step").click()
    form = page.get_by_role("dialog")
    expect(form).to_contain_text("tests: word only, by tester")

    form.get_by_role("checkbox", name="criteria").check()
    form.get_by_label("How criteria was verified").fill("Read it twice")
    form.get_by_role("button", name="Confirm and close step").click()

    expect(form).to_have_count(0)
    expect(row(page, "Choose a counter")).to_have_accessible_name(re.compile("done"))
    expect(pane(page, "Choose a counter")).to_contain_text(re.compile("closed by .?web"))
    (sent,) = reader.asked("tasks_close_step")
    assert sent["checkpoints"] == {"criteria": {"confirmed": True, "note": "Read it twice"}}
    assert isinstance(sent["expected_revision"], int)
    marks = {mark["checkpoint"]: mark["actor"] for mark in here.world.step(story.task, "s:0")["confirmed"]}
    assert marks == {"criteria": "human:web", "tests": "agent:tester"}


def test_a_refusal_at_the_gate_is_shown_with_its_next_step_and_nothing_is_closed(
    here: Site, reader: Reader
) -> None:
    story = crew(here.world)
    page = reader.open("task", story.task, "s:0")
    reader.forgive(REFUSED)
    pane(page, "Choose a counter").get_by_role("button", name="Close step").click()
    form = page.get_by_role("dialog")

    form.get_by_role("button", name="Confirm and close step").click()

    expect(form.get_by_role("alert")).to_contain_text("criteria")
    expect(form.get_by_role("alert").locator(".recovery")).not_to_be_empty()
    assert not here.world.step(story.task, "s:0")["done"]
    form.get_by_role("checkbox", name="criteria").check()
    form.get_by_role("button", name="Confirm and close step").click()
    expect(row(page, "Choose a counter")).to_have_accessible_name(re.compile("done"))


def test_a_checkpoint_is_confirmed_with_a_note_and_withdrawn_again(here: Site, reader: Reader) -> None:
    story = crew(here.world)
    page = reader.open("task", story.task, "s:0")
    step = pane(page, "Choose a counter")

    lamp(step, "criteria").get_by_role("button").click()
    step.get_by_role("textbox", name="I verified criteria").fill("By hand")
    step.get_by_role("button", name="Confirm criteria").click()

    expect(lamp(step, "criteria")).to_contain_text("confirmed by a person, web")
    lamp(step, "criteria").get_by_role("button").click()
    step.get_by_role("button", name="Withdraw").click()
    expect(lamp(step, "criteria")).to_contain_text("not confirmed")


def test_a_step_is_blocked_with_a_reason_and_freed_again(here: Site, reader: Reader) -> None:
    story = crew(here.world)
    page = reader.open("task", story.task, "s:0")
    step = pane(page, "Choose a counter")

    step.get_by_role("button", name="Block…").click()
    page.get_by_role("dialog").get_by_label("Reason").fill("The clock is broken")
    page.get_by_role("dialog").get_by_role("button", name="Block step").click()

    expect(step).to_contain_text("Blocked: The clock is broken")
    expect(row(page, "Choose a counter")).to_have_accessible_name(re.compile("blocked: The clock is broken"))
    step.get_by_role("button", name="Unblock").click()
    expect(step).not_to_contain_text("Blocked: The clock is broken")
    assert here.world.step(story.task, "s:0").get("blocked") in (None, False)


def test_a_change_is_undone_and_redone_from_the_history(here: Site, reader: Reader) -> None:
    story = crew(here.world)
    by(here.world, "agent:builder", "tasks_close_step", task=story.task, path="s:0", checkpoints=CONFIRMED)
    page = reader.open("task", story.task, "s:0")
    history = page.get_by_role("region", name="History")
    expect(row(page, "Choose a counter")).to_have_accessible_name(re.compile("done"))

    history.get_by_role("button", name=re.compile("^Undo #")).click()
    expect(page.get_by_role("dialog")).to_contain_text("closed a step")
    page.get_by_role("dialog").get_by_role("button", name="Undo", exact=True).click()

    expect(row(page, "Choose a counter")).not_to_have_accessible_name(re.compile("done"))
    assert not here.world.step(story.task, "s:0")["done"]
    history.get_by_role("button", name=re.compile("^Redo #")).click()
    page.get_by_role("dialog").get_by_role("button", name="Redo", exact=True).click()
    expect(row(page, "Choose a counter")).to_have_accessible_name(re.compile("done"))
    assert here.world.step(story.task, "s:0")["done"]


def test_any_operation_of_the_history_is_undone_after_its_fields_were_shown(here: Site, reader: Reader) -> None:
    story = crew(here.world)
    blocked = by(here.world, "agent:builder", "tasks_history", task=story.task, limit=1)["operations"][0][
        "operation"
    ]
    by(here.world, "agent:builder", "tasks_define", task=story.task, path="s:0", title="Choose a clock")
    page = reader.open("task", story.task)
    history = page.get_by_role("region", name="History")

    history.get_by_role("button", name=f"Undo this change, number {blocked}").click()

    form = page.get_by_role("dialog")
    expect(form.get_by_role("definition").first).to_have_text("before: yes→after: no")
    expect(form.get_by_role("definition").last).to_contain_text("The guide is being moved.")
    form.get_by_role("button", name="Undo", exact=True).click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(history).to_contain_text(f"undid #{blocked}")
    assert not here.world.step(story.task, "s:2").get("blocked")
    assert here.world.step(story.task, "s:0")["title"] == "Choose a clock"


def test_the_history_shows_each_field_before_and_after(here: Site, reader: Reader) -> None:
    story = crew(here.world)
    by(here.world, "agent:builder", "tasks_define", task=story.task, path="s:0", title="Choose a clock")
    page = reader.open("task", story.task)
    newest = page.get_by_role("region", name="History").get_by_role("listitem").first

    newest.get_by_text("What changed").click()

    expect(newest).to_contain_text("TASK-001 s:0")
    expect(newest.get_by_role("definition")).to_have_text("before: Choose a counter→after: Choose a clock")


def test_a_note_is_added_and_a_half_typed_one_outlives_what_others_do(here: Site, reader: Reader) -> None:
    story = crew(here.world)
    page = reader.open("task", story.task, "s:0")
    reader.live()
    step = pane(page, "Choose a counter")
    note = step.get_by_label("Note on this step")
    note.fill("Half a thou")

    by(here.world, "agent:tester", "tasks_note", task=story.task, path="s:0", note="Ran it again.")

    expect(step).to_contain_text("Ran it again.")
    expect(note).to_have_value("Half a thou")
    expect(note).to_be_focused()
    note.press_sequentially("ght")
    step.get_by_role("button", name="Add note").click()
    expect(step.get_by_role("listitem").filter(has_text="Half a thought")).to_contain_text("web added a note")
    expect(note).to_have_value("")
    assert here.ok("tasks_delta", types=["step_noted"])["events"][-1]["actor"] == "human:web"


def test_dependencies_are_drawn_from_both_ends(here: Site, reader: Reader) -> None:
    story = crew(here.world)

    page = reader.open("task", story.later)
    graph = page.get_by_role("region", name="Dependencies")

    expect(graph.get_by_role("link", name="The limiter")).to_be_visible()
    graph.get_by_role("link", name="The limiter").click()
    expect(reader.heading("The limiter")).to_be_visible()
    expect(page.get_by_role("region", name="Dependencies").get_by_role("link", name="The headers")).to_be_visible()


def test_a_plan_shows_its_contract_its_tasks_and_its_radar(here: Site, reader: Reader) -> None:
    story = crew(here.world)

    page = reader.open("task", story.plan)

    expect(reader.heading("Limit requests")).to_be_visible()
    expect(page.get_by_role("region", name="Contract")).to_contain_text(CONTRACT.replace("*", ""))
    tasks = page.get_by_role("region", name=re.compile(r"^Tasks"))
    expect(tasks.get_by_role("link")).to_have_text(["The limiter", "The headers"])
    expect(page.get_by_role("region", name="Now")).to_contain_text("Choose a counter")


def test_the_handoff_is_a_sheet_that_prints_without_the_page_around_it(here: Site, reader: Reader) -> None:
    story = crew(here.world)
    here.world.close(story.task, "s:0")
    page = reader.open("task", story.task)
    page.get_by_role("link", name="Handoff").click()
    expect(page.locator("main")).to_contain_text("Remaining")
    expect(page.locator("main")).to_contain_text("Choose a counter")
    expect(page.locator("main")).to_contain_text("The guide is being moved.")

    page.emulate_media(media="print")

    expect(reader.heading("The limiter")).to_be_visible()
    expect(page.get_by_role("navigation", name="Views")).to_be_hidden()
    expect(page.get_by_role("button", name="Print")).to_be_hidden()
    page.emulate_media(media="screen")
    expect(page.get_by_role("button", name="Print")).to_be_visible()


def test_the_handoff_says_who_did_what_on_which_proof_and_what_waits(here: Site, reader: Reader) -> None:
    story = crew(here.world)
    noted = {"criteria": {"confirmed": True, "note": "Counted sixty of sixty."}}
    by(here.world, "agent:builder", "tasks_close_step", task=story.task, path="s:0", checkpoints=noted)
    forced = {"completed": True, "force": True, "reason": "No machine for the load test."}
    by(here.world, "agent:builder", "tasks_progress", task=story.task, path="s:1.s:0", **forced)
    by(here.world, "agent:builder", "tasks_block", task=story.task, path="s:1.s:1", reason="Which status?")
    lifted = {"blocked": False, "answer": "429, as the RFC says."}
    by(here.world, "human:ann", "tasks_block", task=story.task, path="s:1.s:1", **lifted)

    page = reader.open("task", story.task, "handoff")

    def part(name: str) -> Locator:
        return page.locator("section.part").filter(has=page.get_by_role("heading", name=re.compile(f"^{name}")))

    expect(part("First thing to do")).to_contain_text("Refuse the rest")
    expect(part("Now")).to_contain_text("“Which status?” Answer: 429, as the RFC says.")
    expect(part("Now")).to_contain_text("ann")
    expect(part("Questions that wait")).to_contain_text("The guide is being moved.")
    expect(part("Questions that wait")).to_contain_text("builder")
    expect(part("Newest notes")).to_contain_text("A sliding window, not a bucket.")
    expect(part("Remaining")).to_contain_text("The guide is being moved.")
    done = part("Done").get_by_role("listitem")
    expect(done.filter(has_text="Choose a counter").first).to_contain_text("builder")
    expect(done.filter(has_text="Choose a counter").first).to_contain_text(
        "criteria: noted: Counted sixty of sixty."
    )
    expect(done.filter(has_text="Choose a counter").first).to_contain_text("pieces of evidence")
    expect(done.filter(has_text="Count requests").first).to_contain_text("forced")
    expect(done.filter(has_text="Count requests").first).to_contain_text("No machine for the load test.")
    expect(part("Blockers")).to_have_count(0)


def test_an_address_of_a_task_that_is_not_there_says_so(here: Site, reader: Reader) -> None:
    crew(here.world)
    reader.forgive(REFUSED)

    page = reader.open("task", "TASK-999")

    expect(page.get_by_role("alert")).to_contain_text("TASK-999")
    expect(page.get_by_role("link", name="Go to the overview")).to_be_visible()
